package markup

import "testing"

// What is in a file that is encrypted, and whose end with the key is missing, is no address.
func TestScrambled(t *testing.T) {
	for s, want := range map[string]bool{"http://a.cz/x": false, "http://a.cz/žluť": false, "http://a.cz/\xe8esk\xfd-text.html": false, "\xfe\xff\x00h\x00t": false, "\xc3\xb8\xf9\x1a4k": true, "\xf8\xf9\xa7\xb2kq\xe1": true, "ab\x01cd": true} {
		if got := scrambled([]byte(s)); got != want {
			t.Errorf("%q: %v", s, got)
		}
	}
}
