package markup

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"strings"
)

// Tags of SWF (SWF file format specification 19) that hold addresses or text.
const (
	swfButton       = 7
	swfAction       = 12
	swfPlace2       = 26
	swfButton2      = 34
	swfEditText     = 37
	swfSprite       = 39
	swfImport       = 57
	swfInitAction   = 59
	swfPlace3       = 70
	swfImport2      = 71
	swfABC1         = 72
	swfABC          = 82
	maxSWFScan      = 16 // times the length of actions that is looked at in them
	maxSWFDepth     = 4  // of sprites in each other; the specification allows none
	maxSWFConstants = 100_000
)

// swf reads Flash: where its actions lead and what they load, strings of scripts that are addresses, and texts. A player takes
// what is relative as relative to the page. One that is compressed by LZMA (ZWS) is not read.
func (b *builder) swf(body []byte) {
	if len(body) < 9 {
		return
	}
	switch string(body[:3]) {
	case "FWS":
		body = body[8:]
	case "CWS":
		z, err := zlib.NewReader(bytes.NewReader(body[8:]))
		if err != nil {
			return
		}
		body, _ = io.ReadAll(io.LimitReader(z, maxPart)) // damaged: what comes before
	default:
		return
	}
	b.text.pre = 1
	b.swfTags(body[min(swfRect(body)+4, len(body)):], 0) // behind the size of its stage, and its rate and number of frames
}

// swfRect is how long the rectangle is that s begins with.
func swfRect(s []byte) int {
	if len(s) == 0 {
		return 0
	}
	return (5 + 4*int(s[0]>>3) + 7) / 8
}

// swfTags reads tags, up to the end of them or of what there is.
func (b *builder) swfTags(s []byte, depth int) {
	for len(s) >= 2 && b.on(2) {
		head := binary.LittleEndian.Uint16(s)
		tag, n := head>>6, int(head&0x3f)
		if s = s[2:]; n == 0x3f {
			if len(s) < 4 {
				return
			}
			n, s = int(binary.LittleEndian.Uint32(s)&0x7fffffff), s[4:]
		}
		in := s[:min(n, len(s))]
		s = s[len(in):]
		switch tag {
		case swfAction, swfInitAction, swfButton, swfButton2, swfPlace2, swfPlace3:
			b.swfActions(in)
		case swfSprite:
			if len(in) > 4 && depth < maxSWFDepth {
				b.swfTags(in[4:], depth+1)
			}
		case swfImport, swfImport2:
			ref, _, _ := bytes.Cut(in, []byte{0})
			b.swfLink(string(ref), Embed, "swf/import")
		case swfEditText:
			b.swfText(in)
		case swfABC:
			if len(in) > 4 {
				_, abc, _ := bytes.Cut(in[4:], []byte{0})
				b.swfABC(abc)
			}
		case swfABC1:
			b.swfABC(in)
		}
	}
}

// swfActions looks for the actions that have strings: where they stand differs by tag, and each says its own length.
func (b *builder) swfActions(s []byte) {
	for work := 0; len(s) > 3 && work <= maxSWFScan*len(s)+1<<16; {
		n := int(binary.LittleEndian.Uint16(s[1:]))
		is := false
		if s[0] >= 0x80 && 3+n <= len(s) {
			in := s[3 : 3+n]
			switch s[0] {
			case 0x83:
				is = b.swfGetURL(in)
			case 0x88:
				is = len(in) > 2 && b.swfStrings(in[2:], int(binary.LittleEndian.Uint16(in)))
			case 0x96:
				is = b.swfPush(in)
			}
			work += n
		}
		if is {
			s = s[3+n:]
		} else {
			s = s[1:]
		}
	}
}

// swfGetURL reads an address and the window, or the level of the player, that it is for.
func (b *builder) swfGetURL(in []byte) bool {
	parts := bytes.Split(in[:min(len(in), 2*maxURL)], []byte{0})
	if len(parts) != 3 || len(parts[2]) > 0 || !printable(parts[0]) {
		return false
	}
	ref, kind := string(parts[0]), Nav
	if hasScheme(parts[0], "javascript:") {
		b.handler(percentDecoded(parts[0][bytes.IndexByte(parts[0], ':')+1:]), "")
		return true
	}
	if bytes.HasPrefix(bytes.ToLower(parts[1]), []byte("_level")) { // a film, or variables
		kind = Embed
	}
	if isReference(ref) {
		b.swfLink(ref, kind, "swf/geturl")
	}
	return true
}

// swfStrings reads a number of strings that are all there is.
func (b *builder) swfStrings(in []byte, n int) bool {
	if len(in) == 0 || in[len(in)-1] != 0 || bytes.Count(in, []byte{0}) != n {
		return false
	}
	for s := range bytes.SplitSeq(in[:len(in)-1], []byte{0}) {
		b.swfString(s)
	}
	return true
}

// swfPush reads values that are put on the stack.
func (b *builder) swfPush(in []byte) bool {
	var found [][]byte
	for len(in) > 0 {
		n := 1
		switch in[0] {
		case 0:
			s, _, closed := bytes.Cut(in[1:], []byte{0})
			if !closed {
				return false
			}
			found = append(found, s)
			n += len(s) + 1
		case 2, 3:
		case 4, 5, 8:
			n += 1
		case 9:
			n += 2
		case 1, 7:
			n += 4
		case 6:
			n += 8
		default:
			return false
		}
		if n > len(in) {
			return false
		}
		in = in[n:]
	}
	for _, s := range found {
		b.swfString(s)
	}
	return len(found) > 0
}

// swfABC reads the strings among the constants of ActionScript 3 (AVM2 overview, 4.3).
func (b *builder) swfABC(s []byte) {
	if len(s) < 4 {
		return
	}
	s = s[4:]
	number := func() int {
		v, shift := 0, 0
		for len(s) > 0 && shift < 35 {
			c := s[0]
			s = s[1:]
			v |= int(c&0x7f) << shift
			if shift += 7; c < 0x80 {
				break
			}
		}
		return v
	}
	for range 2 { // integers, with a sign and without
		for n := number(); n > 1 && len(s) > 0; n-- {
			number()
		}
	}
	numbers := number()
	s = s[min(len(s), 8*max(numbers-1, 0)):]
	var list [][]byte
	for n := min(number(), maxSWFConstants); n > 1 && len(s) > 0; n-- {
		size := number()
		size = min(size, len(s))
		list, s = append(list, s[:size]), s[size:]
	}
	for n := number(); n > 1 && len(s) > 0; n-- { // names of packages and of vocabularies
		s = s[1:]
		if i := number() - 1; i >= 0 && i < len(list) {
			list[i] = nil
		}
	}
	for _, name := range list {
		b.swfString(name)
	}
}

// swfString takes a string of a script that is an address or the name of a file. A path alone may be that of a part of the film.
func (b *builder) swfString(s []byte) {
	if len(s) < 4 || len(s) > maxURL {
		return
	}
	ref := string(s)
	switch {
	case strings.Contains(ref, "adobe.com/20"), strings.Contains(ref, "adobe.com/AS3"), strings.Contains(ref, "//ns.adobe.com/"), strings.Contains(ref, "macromedia.com/20"):
		return // names of vocabularies
	case bytes.IndexByte(s, '<') >= 0:
		b.inside(false, func() { b.fragment(s, maxDepth) })
	case notInURL(ref):
	case looksLikeURL(ref) && (schemeLen(ref) > 0 || strings.HasPrefix(ref, "//")), schemeLen(ref) == 0 && !placeholder(ref) && isWordByte(ref[0]) && namesFile(ref),
		looksLikeURL(ref) && namesFile(ref):
		b.swfLink(ref, Speculative, "swf/string")
	}
}

// namesFile reports a reference whose path has an extension that files of the web have, and is no name with dots (a.b.json).
func namesFile(ref string) bool {
	if i := strings.IndexAny(ref, "?#"); i >= 0 {
		ref = ref[:i]
	}
	ext := strings.ToLower(ref[strings.LastIndexByte(ref, '.')+1:])
	return (hasKnownExtension(ref) || ext == "flv" || ext == "f4v") && (strings.IndexByte(ref, '/') >= 0 || strings.Count(ref, ".") == 1)
}

func (b *builder) swfLink(ref string, kind LinkKind, context string) {
	if l := b.addString(ref, kind, context); l != nil {
		l.OfPage = true
	}
}

// swfText reads the text that a field begins with, which may be HTML.
func (b *builder) swfText(s []byte) {
	at := 2 + swfRect(s[min(2, len(s)):])
	if at+2 > len(s) {
		return
	}
	flags := binary.BigEndian.Uint16(s[at:])
	at += 2
	const hasText, hasColor, hasMaxLength, hasFont, hasFontClass, hasLayout, html = 1 << 15, 1 << 10, 1 << 9, 1 << 8, 1 << 7, 1 << 5, 1 << 1
	if flags&hasFont != 0 {
		at += 2
	}
	if flags&hasFontClass != 0 {
		class, _, _ := bytes.Cut(s[min(at, len(s)):], []byte{0})
		at += len(class) + 1
	}
	if flags&(hasFont|hasFontClass) != 0 {
		at += 2
	}
	if flags&hasColor != 0 {
		at += 4
	}
	if flags&hasMaxLength != 0 {
		at += 2
	}
	if flags&hasLayout != 0 {
		at += 9
	}
	if flags&hasText == 0 || at >= len(s) {
		return
	}
	_, text, _ := bytes.Cut(s[at:], []byte{0}) // behind the variable
	text, _, _ = bytes.Cut(text, []byte{0})
	if flags&html != 0 {
		b.inside(true, func() { b.fragment(text, maxDepth) })
		text = withoutTags(text)
	}
	b.text.sep('\n')
	b.text.write(bytes.ToValidUTF8(text, []byte("\uFFFD")))
	b.guessIn(text, "text")
}

// printable reports text without control characters.
func printable(s []byte) bool {
	return !bytes.ContainsFunc(s, func(r rune) bool { return r < ' ' })
}
