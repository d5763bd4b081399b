package markup

import (
	"bytes"
	"html"
	"strings"
)

// vtt reads WebVTT (W3C, 4.1), and SubRip, which it is made after: the text of cues, the pictures that cues of previews name with their part
// (a.jpg#xywh=0,0,160,90), metadata in JSON, and the style sheets of blocks.
func (b *builder) vtt(src []byte) {
	b.text.pre = 1
	src = bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))
	for len(src) > 0 {
		var block []byte
		if block, src = vttBlock(src); !b.on(len(block)) {
			return
		}
		first, rest, _ := bytes.Cut(block, []byte("\n"))
		if bytes.Equal(bytes.TrimSpace(first), []byte("STYLE")) {
			b.css(rest)
			continue
		}
		if !bytes.Contains(first, []byte("-->")) { // an identifier, or no cue
			first, rest, _ = bytes.Cut(rest, []byte("\n"))
		}
		if bytes.Contains(first, []byte("-->")) {
			b.cue(bytes.TrimSpace(rest))
		}
	}
}

// vttBlock returns what stands before the next empty line, and what behind it.
func vttBlock(src []byte) (block, rest []byte) {
	src = bytes.TrimLeft(src, "\r\n")
	if i := bytes.Index(src, []byte("\n\n")); i >= 0 {
		return src[:i], src[i+2:]
	}
	return src, nil
}

// cue reads what is shown, or told to a script.
func (b *builder) cue(payload []byte) {
	if isJSON(payload) {
		b.js(b.members(payload), true)
		return
	}
	if s := string(payload); isReference(s) && picture(s) {
		b.addString(s, Embed, "vtt/cue")
		return
	}
	if bytes.IndexByte(payload, '<') >= 0 {
		payload = withoutTags(payload)
	}
	if bytes.IndexByte(payload, '&') >= 0 {
		payload = []byte(html.UnescapeString(string(payload)))
	}
	b.text.sep('\n')
	b.text.write(payload)
	b.guessIn(payload, "text")
}

// withoutTags takes off the tags of a cue, which stand in words: <v Jan>, <c.loud>, <00:01.000>.
func withoutTags(s []byte) []byte {
	out := make([]byte, 0, len(s))
	for {
		i := bytes.IndexByte(s, '<')
		if i < 0 {
			return append(out, s...)
		}
		end := bytes.IndexByte(s[i:], '>')
		if end < 0 {
			return append(out, s[:i]...)
		}
		out, s = append(out, s[:i]...), s[i+end+1:]
	}
}

// picture reports a reference to a file that is a picture by its name.
func picture(ref string) bool {
	if i := strings.IndexAny(ref, "?#"); i >= 0 {
		ref = ref[:i]
	}
	switch strings.ToLower(ref[strings.LastIndexByte(ref, '.')+1:]) {
	case "jpg", "jpeg", "png", "webp", "gif", "avif", "bmp", "svg":
		return hasExtension(ref)
	}
	return false
}
