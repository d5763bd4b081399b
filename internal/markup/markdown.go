package markup

import "bytes"

// markdown reads Markdown (CommonMark 0.31, 6.3 to 6.5 and 4.7): links, pictures, reference definitions, autolinks, and addresses written out. Code is
// not read.
func (b *builder) markdown(src []byte) {
	b.text.pre = 1
	b.text.write(src)
	fence := byte(0)
	for line := range bytes.Lines(src) {
		if !b.on(len(line)) {
			return
		}
		head := bytes.TrimLeft(line, " >\t")
		if bytes.HasPrefix(head, []byte("```")) || bytes.HasPrefix(head, []byte("~~~")) {
			switch fence {
			case 0:
				fence = head[0]
			case head[0]:
				fence = 0
			}
			continue
		}
		if fence != 0 {
			continue
		}
		line = withoutCode(line)
		b.definition(line)
		b.inlineLinks(line)
		if bytes.IndexByte(line, '<') >= 0 {
			b.inside(true, func() { b.fragment(line, maxDepth) }) // HTML in it
		}
		b.addressesIn(line, func(ref string) {
			if _, known := b.seen.urls[withoutStops(ref)]; !known { // as that of a link
				b.guessIn([]byte(ref), "text")
			}
		})
	}
}

// withoutCode blanks what stands between backticks.
func withoutCode(line []byte) []byte {
	if bytes.IndexByte(line, '`') < 0 {
		return line
	}
	out := bytes.Clone(line)
	for i := 0; i < len(out); {
		start := bytes.IndexByte(out[i:], '`')
		if start < 0 {
			return out
		}
		start += i
		end := bytes.IndexByte(out[start+1:], '`')
		if end < 0 {
			return out
		}
		i = start + 1 + end + 1
		copy(out[start:i], bytes.Repeat([]byte{' '}, i-start))
	}
	return out
}

// definition takes what a reference definition names: [a]: /b "c".
func (b *builder) definition(line []byte) {
	line = bytes.TrimLeft(line, " ")
	end := bytes.Index(line[:min(len(line), maxLinkText+1)], []byte("]:"))
	if len(line) == 0 || line[0] != '[' || end < 2 || line[1] == '^' { // which is a note
		return
	}
	if ref := destination(bytes.TrimLeft(line[end+2:], " \t"), isBlank); isReference(ref) {
		b.addString(ref, Nav, "markdown/definition")
	}
}

// inlineLinks takes [a](b) and ![a](b "c").
func (b *builder) inlineLinks(line []byte) {
	for at := 0; ; {
		i := bytes.Index(line[at:], []byte("]("))
		if i < 0 {
			return
		}
		text := line[at : at+i]
		if at += i + 2; bytes.IndexByte(line[at:], ')') < 0 {
			return
		}
		open := bytes.LastIndexByte(text, '[')
		kind, context := Nav, "markdown/link"
		if open > 0 && text[open-1] == '!' {
			kind, context = Embed, "markdown/image"
		}
		depth := 0
		ref := destination(line[at:], func(c byte) bool {
			switch {
			case c == '(':
				depth++
			case c == ')':
				depth--
			}
			return isBlank(c) || depth < 0
		})
		if ref == "" && len(line)-at > maxURL { // too long for one
			at += maxURL
		}
		if at += len(ref); !isReference(ref) {
			continue
		}
		if l := b.addString(ref, kind, context); l != nil && open >= 0 {
			l.Text = collapse(text[open+1:], maxLinkText)
		}
	}
}

// destination returns what stands between < and >, or before the end, "" where that is too far away.
func destination(s []byte, end func(c byte) bool) string {
	s = s[:min(len(s), maxURL)]
	if len(s) > 0 && s[0] == '<' {
		ref, _, closed := bytes.Cut(s[1:], []byte(">"))
		if !closed {
			return ""
		}
		return string(ref)
	}
	for i, c := range s {
		if end(c) {
			return string(s[:i])
		}
	}
	if len(s) == maxURL {
		return ""
	}
	return string(s)
}
