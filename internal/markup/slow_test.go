package markup

import (
	"bytes"
	"strings"
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

// TestLinearConstants: nor do scripts that put constants together without end.
func TestLinearConstants(t *testing.T) {
	long := "c='/" + strings.Repeat("x", 500) + "/';"
	for _, of := range []struct{ head, unit string }{
		{"a='/b/';", "a+"}, {"a='/b/';", "c=a+'d'+"}, {"a='/b/';", "(a+"}, {"a='/b/';", "c=(a+("}, {"a='/b/';", "c=a=='d'?a:"}, {"a='/b/';", "`/c/${a}"}, {"a='/b/';", "`/c/${`"},
		{long, "d=c+c+c+c+c+c+c+c+c+c+c+c+c+c+c+c+c+c+c+c+c+c;"}, {long, "e=f?c:c;g=e+e+e+e+'.js';"}, {"", "(function(a,b,c){x('/y/'+a)})("}, {"a='/b/';", "function(a,"}, {"a='/b/';", "(a,b)=>"},
		{"a='/b/';", "c=d.e(f)?'"}, {"a='/b/';", "c=d&&e&&f?'g':"}, {"a=['b','c'];d='/e/';", "x(d+a[i[j["}, {"a='/b/';", "o.p='/q/';"}, {"", "a=['/b/',"}, {"a='/b/';", "setTimeout('a+"},
	} {
		t.Run(of.unit, func(t *testing.T) {
			growthtest.Linear(t, func(n int) []byte { return append([]byte(of.head), bytes.Repeat([]byte(of.unit), n/len(of.unit))...) }, func(b []byte) { Parse(JS, b, Options{}) })
		})
	}
}

// TestLinearFields: nor do fields, formulas and addresses over lines, which are read piece by piece.
func TestLinearFields(t *testing.T) {
	for _, unit := range []string{
		`<w:fldChar w:fldCharType="begin"/><w:instrText>HYPERLINK "`, `<w:instrText>HYPERLINK \l </w:instrText>`, "<f>HYPERLINK(", `HYPERLINK("a" `, `HYPERLINK( `, `""`, `"("`, `'`, `'a''`, `('"`, `HYPERLINK("a""`, "<w:fldSimple w:instr='\\l ",
	} {
		growthtest.Linear(t, func(n int) []byte { return bytes.Repeat([]byte(unit), n/len(unit)) }, func(b []byte) {
			for _, k := range []Kind{OOXML, ODF} {
				x := &builder{doc: &Doc{Kind: k}, o: Options{MaxLinks: 100}, seen: map[linkKey]struct{}{}}
				x.part(b)
				x.formula(string(b))
				x.field("HYPERLINK " + string(b))
			}
		})
	}
	for _, unit := range []string{"http://a.cz/b-\n", "://-\n", "http://a.cz/\nb/", "http://a.cz/x-\n-"} {
		growthtest.Linear(t, func(n int) []byte { return bytes.Repeat([]byte(unit), n/len(unit)) }, func(b []byte) {
			x := &builder{doc: &Doc{Kind: PDF}, o: Options{MaxLinks: 1 << 30}, seen: map[linkKey]struct{}{}}
			x.text.buf = b
			x.addresses()
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
