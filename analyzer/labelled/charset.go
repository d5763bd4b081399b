package labelled

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	utf "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/unicode/norm"
)

// encodings are the charsets that pages are written in.
func encodings() map[string]encoding.Encoding {
	return map[string]encoding.Encoding{
		"windows-1250": charmap.Windows1250, "iso-8859-2": charmap.ISO8859_2, "ibm852": charmap.CodePage852,
		"windows-1252": charmap.Windows1252, "iso-8859-1": charmap.ISO8859_1, "iso-8859-15": charmap.ISO8859_15,
		"windows-1251": charmap.Windows1251, "koi8-u": charmap.KOI8U, "iso-8859-5": charmap.ISO8859_5,
		"utf-16le": utf.UTF16(utf.LittleEndian, utf.UseBOM),
	}
}

// script groups languages by the legacy charsets that they were written in.
func script(language string) string {
	switch {
	case slices.Contains([]string{"cs", "sk", "pl", "sl", "hr", "hu", "hsb", "ro", "sr"}, language):
		return "latin2"
	case slices.Contains([]string{"uk", "ru", "bg", "sr-Cyrl", "mk", "be"}, language):
		return "cyrillic"
	case slices.Contains([]string{"lt", "et", "lv", "tr", "el", "vi", "eo"}, language):
		return "utf-8"
	}
	return "latin1"
}

// coding is how a page's bytes came about and what is said of them.
type coding struct {
	real     string // "" = UTF-8; "twice" = UTF-8 that was coded once more
	declared string // "" = nothing is declared
	where    string // of the declaration: "http", "meta", "both"
}

// codings returns, by script, what is declared rightly and what is not.
func codings(script string, truly bool) []coding {
	switch {
	case script == "latin2" && truly:
		return []coding{{"windows-1250", "windows-1250", "meta"}, {"iso-8859-2", "iso-8859-2", "meta"}, {"windows-1250", "windows-1250", "http"},
			{"iso-8859-2", "iso-8859-2", "both"}, {"ibm852", "ibm852", "meta"}, {"utf-16le", "utf-16le", "http"}}
	case script == "latin2":
		return []coding{{"windows-1250", "utf-8", "http"}, {"windows-1250", "iso-8859-1", "meta"}, {"twice", "utf-8", "both"}, {"", "windows-1250", "meta"},
			{"ibm852", "windows-1250", "meta"}, {"", "iso-8859-1", "http"}, {"iso-8859-2", "windows-1252", "meta"}, {"iso-8859-2", "utf-8", "meta"},
			{"windows-1250", "", ""}, {"ibm852", "", ""}, {"iso-8859-2", "", ""}}
	case script == "cyrillic" && truly:
		return []coding{{"windows-1251", "windows-1251", "meta"}, {"koi8-u", "koi8-u", "http"}, {"iso-8859-5", "iso-8859-5", "meta"}}
	case script == "cyrillic":
		return []coding{{"windows-1251", "utf-8", "meta"}, {"windows-1251", "iso-8859-1", "http"}, {"twice", "utf-8", "both"}, {"koi8-u", "windows-1251", "meta"}, {"windows-1251", "", ""}}
	case script == "latin1" && truly:
		return []coding{{"windows-1252", "windows-1252", "meta"}, {"iso-8859-1", "iso-8859-1", "http"}, {"iso-8859-15", "iso-8859-15", "meta"}, {"utf-16le", "utf-16le", "http"}}
	case script == "latin1":
		return []coding{{"windows-1252", "utf-8", "http"}, {"twice", "utf-8", "both"}, {"", "iso-8859-1", "meta"}, {"windows-1252", "windows-1250", "meta"}, {"iso-8859-1", "", ""}}
	case truly:
		return []coding{{"", "utf-8", "both"}}
	}
	return []coding{{"twice", "utf-8", "both"}, {"", "iso-8859-1", "meta"}}
}

// bytes returns a document in the charset. What that cannot say becomes a character reference.
func (c coding) bytes(doc string) ([]byte, error) {
	switch c.real {
	case "":
		return []byte(doc), nil
	case "twice": // read as windows-1252, its gaps as latin 1, and written as UTF-8
		var b strings.Builder
		for _, x := range []byte(doc) {
			r := charmap.Windows1252.DecodeByte(x)
			if r == unicode.ReplacementChar {
				r = rune(x)
			}
			b.WriteRune(r)
		}
		return []byte(b.String()), nil
	}
	e, ok := encodings()[c.real]
	if !ok {
		return nil, fmt.Errorf("labelled: no charset %q", c.real)
	}
	return encoding.HTMLEscapeUnsupported(e.NewEncoder()).Bytes([]byte(doc))
}

// contentType is what a server says of an HTML page.
func (c coding) contentType() string {
	if c.where == "http" || c.where == "both" {
		return "text/html; charset=" + c.declared
	}
	return "text/html"
}

// meta is what a page says of itself.
func (c coding) meta() string {
	if c.where == "meta" || c.where == "both" {
		return c.declared
	}
	return ""
}

// tags say what was done.
func (c coding) tags() []string {
	name := func(s, empty string) string {
		if s == "" {
			return empty
		}
		return s
	}
	truth := "charset-true"
	switch {
	case c.declared == "":
		truth = "charset-undeclared"
	case c.real != c.declared && (c.real != "" || c.declared != "utf-8"):
		truth = "charset-false"
	}
	return []string{"charset-" + name(c.real, "utf-8"), "declared-" + name(c.declared, "nothing"), truth}
}

// withoutDiacritics writes a text as people do on a keyboard that has no other letters.
func withoutDiacritics(s string) string {
	s = strings.NewReplacer("ł", "l", "Ł", "L", "đ", "d", "Đ", "D", "ø", "o", "Ø", "O", "æ", "ae", "Æ", "Ae", "ß", "ss", "ı", "i", "ð", "d", "Ð", "D", "þ", "th", "Þ", "Th",
		"„", "\"", "“", "\"", "”", "\"", "–", "-", "’", "'", "…", "...", "«", "\"", "»", "\"").Replace(s)
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(s))
}
