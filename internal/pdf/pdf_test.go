package pdf

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"exclave/internal/sharedtest"
)

func limits() Limits { return Limits{Inflated: 64 << 20, Objects: 100_000, Text: 1 << 20} }

// all is what a file says.
func all(f *File) (text string, uris []string) {
	var b strings.Builder
	f.Text(func(page string) { b.WriteString(page + "\f") })
	f.Targets(func(t Target) { uris = append(uris, t.Ref) })
	return b.String(), uris
}

// file puts objects together; stream gives one its bytes.
func file(objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	for i, o := range objects {
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	b.WriteString("trailer\n<</Root 1 0 R/Info 9 0 R>>\n%%EOF")
	return b.Bytes()
}

func stream(d, data string) string {
	return fmt.Sprintf("<<%s/Length %d>>stream\n%s\nendstream", d, len(data), data)
}

func deflated(d, data string) string {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = z.Write([]byte(data)) // a buffer takes anything
	_ = z.Close()
	return stream(d+"/Filter/FlateDecode", b.String())
}

// page is a file of one page with the font and the content.
func page(font, content string) []byte {
	return file("<</Type/Catalog/Pages 2 0 R/Lang(cs-CZ)>>", "<</Type/Pages/Kids[3 0 R]/Resources<</Font<</F1 5 0 R>>>>>>", "<</Type/Page/Parent 2 0 R/Contents 4 0 R/Annots[6 0 R]>>",
		deflated("", content), font, "<</Type/Annot/A<</S/URI/URI(http://a.cz/x\\(1\\))>>>>", stream("", "/CIDInit begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange 1 beginbfchar <0001> <017D> endbfchar 1 beginbfrange <0010> <0012> <0061> endbfrange 1 beginbfrange <0020> <0021> [<00E1> <00660069>] endbfrange"),
		"null", "<</Title<FEFF005A0070007200E100760061>>>")
}

func TestText(t *testing.T) {
	const simple = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Differences[128/zcaron/Lslash/uni0159/ecaron.alt/nosuchglyph]>>/FirstChar 32/Widths[250]>>"
	for _, c := range []struct{ why, font, content, want string }{
		{"strings, lines, gaps", simple, `BT /F1 10 Tf 1 0 0 1 50 700 Tm (Ahoj) Tj 0 -12 Td (sv\283te\51) Tj T* [(a) -50 (b) -400 (c)] TJ ET`, "Ahoj\nsv"},
		{"differences", simple, "BT /F1 10 Tf (\x80\x81\x82\x83\x84.) Tj ET", "žŁřě."},
		{"a gap divides words", simple, `BT /F1 10 Tf [(a) -50 (b) -400 (c)] TJ 0 -12 Td (d) Tj 20 0 Td (e) Tj ET`, "ab c\nd e"},
		{"Windows' encoding", "<</Subtype/TrueType/Encoding/WinAnsiEncoding>>", "BT /F1 10 Tf (\x8e\x9e\xe1) Tj ET", "Žžá"},
		{"codes of two bytes", "<</Subtype/Type0/DescendantFonts[<</DW 500/W[1[600] 16 18 400]>>]/ToUnicode 7 0 R>>", "BT /F1 10 Tf <000100100011001200200021> Tj ET", "Žabcáfi"},
		{"codes without a meaning", "<</Subtype/Type0/DescendantFonts[<<>>]>>", "BT /F1 10 Tf <0001> Tj ET", ""},
		{"no font", simple, "BT (x) Tj ET", ""},
		{"a picture in the stream", simple, "BI /W 1 ID \x00(\x01( EI BT /F1 10 Tf (x) Tj ET", "x"},
	} {
		f, ok := Open(page(c.font, c.content), limits())
		text, uris := all(f)
		if got := strings.TrimSuffix(text, "\f"); !ok || !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
		if len(uris) != 1 || uris[0] != "http://a.cz/x(1)" || f.Title() != "Zpráva" || f.Language() != "cs-CZ" {
			t.Errorf("%s: %q, title %q, language %q", c.why, uris, f.Title(), f.Language())
		}
	}
}

// What actions lead to: addresses, and files beside this one.
func TestTargets(t *testing.T) {
	f, _ := Open(file("<</Type/Catalog/URI 3 0 R>>", "<</A<</S/URI/URI(r.html)>>>>", "<</Base(http://a.cz/d/)>>", "<</FS/URL/F(http://a.cz/f.pdf)>>",
		"<</A<</S/GoToR/F 4 0 R>>>>", "<</A<</S/GoToR/F(../o 1#.pdf)/Next<</S/GoToR/F<</Type/Filespec/UF<FEFF010D002E007000640066>/F(no.pdf)>>>>>>>>",
		"<</A<</S/GoToR/F(/C/no.pdf)>>>>", "<</A<</S/Launch/F(no.exe)>>>>", "<</A<</S/GoToR/F(C:\\\\no.pdf)>>>>", "<</A<</S/SubmitForm/F<</FS/URL/F(http://no.cz/)>>>>>>"), limits())
	var got []string
	f.Targets(func(t Target) { got = append(got, fmt.Sprint(t.Ref, " ", t.File)) })
	if want := "r.html false, http://a.cz/f.pdf true, ../o%201%23.pdf true, %C4%8D.pdf true"; strings.Join(got, ", ") != want || f.Base() != "http://a.cz/d/" {
		t.Errorf("%q, base %q", got, f.Base())
	}
}

// The base of a file whose end is missing.
func TestBaseOfCut(t *testing.T) {
	whole := file("<<>>", "<</Type/Catalog/URI<</Base(http://a.cz/d/)>>>>")
	f, _ := Open(whole[:bytes.Index(whole, []byte("trailer"))], limits())
	if f.Base() != "http://a.cz/d/" {
		t.Errorf("%q", f.Base())
	}
}

// A file by others, and what pdftotext reads of it.
func TestRealFile(t *testing.T) {
	body, err := os.ReadFile(sharedtest.Path(t, "data/warc/warc-specifications/specifications/warc-format/warc-1.0/WARC_ISO_28500_version1_latestdraft.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	f, ok := Open(body, limits())
	text, _ := all(f)
	words := regexp.MustCompile(`\w+`).FindAllString(text, -1)
	if !ok || len(words) < 11_000 || len(words) > 11_400 || strings.Count(text, "WARC") < 300 || !strings.Contains(text, "revisit") {
		t.Errorf("%d words; pdftotext reads 11,211", len(words))
	}
	// Damaged and cut: what is left is read, and nothing panics.
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 200 {
		b := bytes.Clone(body)
		for range 1 + n {
			b[r.IntN(len(b))] ^= byte(1 + r.IntN(255))
		}
		if n%2 == 0 {
			b = b[:r.IntN(len(b))]
		}
		f, _ := Open(b, limits())
		all(f)
	}
	f, _ = Open(body[:len(body)/2], limits())
	if half, _ := all(f); len(half) < 1000 {
		t.Errorf("%d bytes of half a file", len(half))
	}
}

// qpdf's encryptions of one file under the empty user password; of one under another password nothing is read.
func TestEncrypted(t *testing.T) {
	for _, name := range []string{"rc4-40", "rc4-128", "aes-128", "aes-256-r5", "aes-256", "objects", "password"} {
		body, err := os.ReadFile("testdata/" + name + ".pdf")
		if err != nil {
			t.Fatal(err)
		}
		f, ok := Open(body, limits())
		if ok != (name != "password") {
			t.Errorf("%s: opened %v", name, ok)
		}
		if !ok {
			continue
		}
		if text, uris := all(f); text != "Ahoj svete\f" || len(uris) != 1 || uris[0] != "http://a.cz/tajne" || f.Title() != "Titul" {
			t.Errorf("%s: %q, %q, title %q", name, text, uris, f.Title())
		}
	}
}

func TestBounds(t *testing.T) {
	loop := file("<</Pages 1 0 R/Kids[1 0 R 2 0 R]/Parent 1 0 R>>", "<</Kids[1 0 R]/Contents 2 0 R/Parent 2 0 R>>", "3 0 R")
	f, _ := Open(loop, limits())
	all(f)
	nested := append([]byte("1 0 obj "), bytes.Repeat([]byte("[<<"), 100_000)...)
	f, _ = Open(nested, limits())
	all(f)
	bomb := page("<</Encoding/WinAnsiEncoding>>", "BT /F1 1 Tf "+strings.Repeat("(aaaaaaaaaaaaaaaaaaaaaaaa) Tj ", 1<<18))
	l := limits()
	l.Text = 1000
	f, _ = Open(bomb, l)
	if text, _ := all(f); len(text) > 1100 {
		t.Errorf("%d bytes", len(text))
	}
	stopped := limits()
	stopped.Stop = func() bool { return true }
	f, _ = Open(bomb, stopped)
	if text, _ := all(f); text != "" {
		t.Error("it went on")
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(page("<</Subtype/Type0/ToUnicode 7 0 R>>", "BT /F1 10 Tf <0001> Tj ET"))
	f.Add([]byte("1 0 obj<</Type/ObjStm/N 2/First 4>>stream\n1 0 (x)\nendstream trailer<</Encrypt<</Filter/Standard/V 5/R 6/U(" + strings.Repeat("u", 48) + ")/UE(" + strings.Repeat("e", 32) + ")>>>>"))
	f.Fuzz(func(t *testing.T, body []byte) {
		l := Limits{Inflated: 1 << 20, Objects: 1000, Text: 1000}
		x, _ := Open(body, l)
		if text, _ := all(x); len(text) > l.Text+4*maxCodes {
			t.Errorf("%d bytes", len(text))
		}
		x.Title()
		x.Base()
		x.Language()
	})
}
