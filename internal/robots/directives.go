package robots

import "strings"

// Directives are what a page, or the server for it, says to crawlers: in a robots meta element, or in the header field
// X-Robots-Tag, which any answer may have.
type Directives struct {
	NoIndex   bool // it is not to be found in an index
	NoFollow  bool // its links are not to be followed
	NoArchive bool // no copy of it is to be kept
}

// Join returns what either says.
func (d Directives) Join(o Directives) Directives {
	return Directives{d.NoIndex || o.NoIndex, d.NoFollow || o.NoFollow, d.NoArchive || o.NoArchive}
}

// Read adds what a list of directives says, divided by commas, semicolons or blanks, in any case. What is not known says nothing.
func (d *Directives) Read(list string) {
	for _, word := range strings.FieldsFunc(strings.ToLower(list), func(r rune) bool {
		return r == ',' || r == ';' || r == ' ' || r == '\t' || r == '\n' || r == '\r' || r == '\f'
	}) {
		switch word {
		case "noindex":
			d.NoIndex = true
		case "nofollow":
			d.NoFollow = true
		case "none":
			d.NoIndex, d.NoFollow = true, true
		case "noarchive", "nocache":
			d.NoArchive = true
		}
	}
}

// ReadTag adds what a value of X-Robots-Tag says to everybody, and to the crawler with the product token: "noarchive",
// "exclave: noindex, nofollow", "unavailable_after: 25 Jun 2027 15:00:00 GMT". The name of a crawler counts to the end
// of the value, or to the next name.
func (d *Directives) ReadTag(value, token string) {
	ours := true
	for part := range strings.SplitSeq(value, ",") {
		if name, rest, ok := strings.Cut(part, ":"); ok && !takesValue(name) {
			name = strings.TrimSpace(name)
			ours, part = strings.EqualFold(name, token) || strings.EqualFold(name, "robots") || name == "*", rest
		} else if ok {
			continue
		}
		if ours {
			d.Read(part)
		}
	}
}

// takesValue reports whether a directive is written with a colon and a value.
func takesValue(name string) bool {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "unavailable_after", "max-snippet", "max-image-preview", "max-video-preview":
		return true
	}
	return false
}
