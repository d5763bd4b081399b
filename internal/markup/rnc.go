package markup

import (
	"bytes"
)

// rnc reads RELAX NG in its compact syntax: include "…" and external "…".
func (b *builder) rnc(src []byte) {
	for line := range bytes.Lines(src) {
		if !b.on(len(line)) {
			return
		}
		for at := 0; at < len(line) && line[at] != '#'; {
			if line[at] == '"' || line[at] == '\'' {
				n := bytes.IndexByte(line[at+1:], line[at])
				if n < 0 {
					break
				}
				before := bytes.TrimRightFunc(line[:at], isHTMLSpace)
				if bytes.HasSuffix(before, []byte("include")) || bytes.HasSuffix(before, []byte("external")) {
					if l := b.add(line[at+1:at+1+n], Embed, "rnc/include"); l != nil {
						l.Strong, b.strong = true, true
					}
				}
				at += n + 1
			}
			at++
		}
	}
}
