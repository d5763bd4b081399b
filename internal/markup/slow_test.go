package markup

import (
	"testing"

	"exclave/internal/growthtest"
)

// TestLinear: no document takes time that grows faster than its length, whatever it
// is and whatever it is said to be.
func TestLinear(t *testing.T) {
	for _, s := range growthtest.Shapes() {
		t.Run(s.Name, func(t *testing.T) {
			for k := HTML; k <= Packed; k++ {
				growthtest.Linear(t, s.Make, func(b []byte) { Parse(k, b, Options{KeepSource: true}) })
				if t.Failed() {
					t.Fatalf("read as %v", k)
				}
			}
		})
	}
}

// TestLinearCharsets: nor does the decoding of any charset.
func TestLinearCharsets(t *testing.T) {
	for _, charset := range []string{"gb18030", "big5", "euc-jp", "shift_jis", "iso-2022-jp", "euc-kr", "utf-16le", "utf-16be", "x-user-defined", "windows-1250"} {
		for _, s := range growthtest.Shapes() {
			growthtest.Linear(t, s.Make, func(b []byte) { decode(PlainText, b, charset) })
			if t.Failed() {
				t.Fatalf("%s as %s", s.Name, charset)
			}
		}
	}
}
