package markup

import "bytes"

// postScript reads the links that pdfmark makes (/URI (…)), and addresses that are written out in strings and comments.
func (b *builder) postScript(src []byte) {
	for line := range bytes.Lines(src) {
		if !b.on(len(line)) {
			return
		}
		linked := false
		for rest := line; ; {
			_, after, is := bytes.Cut(rest, []byte("/URI"))
			if !is {
				break
			}
			value, behind, closed := bytes.Cut(bytes.TrimLeft(after, " "), []byte(")"))
			if !closed {
				break
			}
			if rest = after; len(value) > 1 && value[0] == '(' {
				b.external(string(value[1:]), Nav, "pdf/uri")
				rest, linked = behind, true
			}
		}
		if !linked {
			b.guessIn(line, "text")
		}
	}
}
