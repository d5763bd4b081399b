package markup

import (
	"bytes"
	"strings"
)

// bibliography reads BibTeX and RIS: the fields that are addresses (url = {…}, UR  - …), and those written out in others. Identifiers (DOI, ISBN) are names.
func (b *builder) bibliography(src []byte) {
	b.text.pre = 1
	b.text.write(src)
	for line := range bytes.Lines(src) {
		if !b.on(len(line)) {
			return
		}
		line = bytes.TrimSpace(line)
		if tag, value, is := bytes.Cut(line, []byte("- ")); is && len(bytes.TrimRight(tag, " ")) == 2 {
			switch tag, value := string(tag[:2]), string(bytes.TrimSpace(value)); tag {
			case "UR", "L1", "L2", "L3", "LK":
				if isReference(value) && (writtenAsAddress(value) || schemeLen(value) > 0) {
					b.addString(value, Nav, "ris/"+strings.ToLower(tag))
				}
				continue
			}
		}
		if key, value, is := bytes.Cut(line, []byte("=")); is {
			switch key := strings.ToLower(string(bytes.TrimSpace(key[:min(len(key), maxName)]))); key {
			case "url", "bdsk-url-1", "bdsk-url-2", "pdf", "ee":
				value := strings.NewReplacer(`\_`, "_", `\%`, "%", `\&`, "&", `\#`, "#", `\~{}`, "~", `{\textasciitilde}`, "~", `\url{`, "").Replace(string(bytes.Trim(value, " ,\t")))
				if value = strings.Trim(value, `{}"`); isReference(value) && (writtenAsAddress(value) || schemeLen(value) > 0) {
					b.addString(value, Nav, "bibtex/"+key)
				}
				continue
			}
		}
		b.guessIn(line, "text")
	}
}
