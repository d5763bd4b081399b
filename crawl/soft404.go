package crawl

import (
	"strings"

	"exclave/internal/simhash"
	"exclave/internal/urlx"
)

// AttrSoft404 is the attribute of a page under which a Soft404 stands.
const AttrSoft404 = "fetch.soft404"

// Soft404 is what the origin of a page answers to an address that does not exist (ADR 106).
type Soft404 struct {
	Text simhash.Text
	Hold bool // the links of what equals it are not followed
}

// Soft404Text is what is compared of a page: its text without its address.
func Soft404Text(text string, u *urlx.URL) simhash.Text {
	for _, own := range []string{u.String(), u.PathQuery(), strings.Trim(u.PathQuery(), "/")} {
		if len(own) > 1 {
			text = strings.ReplaceAll(text, own, "")
		}
	}
	return simhash.Of(text)
}

// Equals reports whether a page is the one that stands for addresses that do not exist.
func (s Soft404) Equals(t simhash.Text) bool { return s.Text.Near(t) }
