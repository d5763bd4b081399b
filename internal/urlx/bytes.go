package urlx

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// OfBytes returns a reference as a header field has it, in which servers write bytes of other encodings than UTF-8: these are
// percent-encoded as they are, as browsers and curl ask for them.
func OfBytes(ref string) string {
	if utf8.ValidString(ref) {
		return ref
	}
	var w strings.Builder
	for i := range len(ref) {
		if c := ref[i]; c < utf8.RuneSelf {
			w.WriteByte(c)
		} else {
			fmt.Fprintf(&w, "%%%02X", c)
		}
	}
	return w.String()
}
