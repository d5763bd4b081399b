package seedlog

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// What people write into lists of seeds (issue 16): a comment, columns and quotes are understood or refused
// with the line; nothing becomes another URL in silence.
func TestListLines(t *testing.T) {
	for _, c := range []struct {
		line string
		want string // "" = a line without a seed
		err  error
	}{
		{"http://h.cz/", "http://h.cz/", nil},
		{"h.cz", "http://h.cz", nil},
		{"h.cz:8080/x", "http://h.cz:8080/x", nil},
		{"HTTP://H.cz/x", "HTTP://H.cz/x", nil},
		{"http://h.cz/a#fragment", "http://h.cz/a#fragment", nil},
		{"http://[::1]:8080/", "http://[::1]:8080/", nil},
		{"10.0.0.1/x", "http://10.0.0.1/x", nil},
		{"http://příklad.cz/č,1.html", "http://příklad.cz/č,1.html", nil},
		{"http://h.cz/clanek,123;x?a=b,c", "http://h.cz/clanek,123;x?a=b,c", nil},
		{"http://h.cz/?u=a,http://b.cz/", "http://h.cz/?u=a,http://b.cz/", nil},
		{"\ufeff  http://h.cz/ \r", "http://h.cz/", nil},
		{"# http://h.cz/", "", nil},
		{"\u00a0", "", nil},

		{"http://h.cz/ # note", "http://h.cz/", nil},
		{"http://h.cz/ #http://b.cz/", "http://h.cz/", nil},
		{"http://h.cz/\t# note", "http://h.cz/", nil},
		{"h.cz\u00a0# note", "http://h.cz", nil},
		{"http://h.cz/\ttitle, with words", "http://h.cz/", nil},
		{"h.cz \t title", "http://h.cz", nil},
		{`"http://h.cz/"`, "http://h.cz/", nil},
		{`'http://h.cz/'`, "http://h.cz/", nil},
		{`"http://h.cz/,a",title`, "http://h.cz/,a", nil},
		{`"http://h.cz/";"title ""x"""`, "http://h.cz/", nil},
		{`"http://h.cz/a b.html"`, "http://h.cz/a b.html", nil},
		{`"http://h.cz/" # note`, "http://h.cz/", nil},
		{"<http://h.cz/>", "http://h.cz/", nil},
		{"<http://h.cz/> # note", "http://h.cz/", nil},
		{"+http://(cz,firma,www,)/a # note", "http://www.firma.cz/a", nil},
		{"+http://h.cz/\tx", "http://h.cz/", nil},
		{"-http://(cz,firma,)/", "", nil},

		{"http://h.cz/ title", "", errWords},
		{"h.cz title", "", errWords},
		{"http://h.cz/a b.html", "", errWords},
		{"http://h.cz/\u2028title", "", errWords},
		{"http://a.cz http://b.cz", "", errTwo},
		{"http://a.cz/\thttp://b.cz/", "", errTwo},
		{"http://a.cz/x,http://b.cz/", "", errTwo},
		{"h.com,title", "", errColumns},
		{"http://h.com,title", "", errColumns},
		{"h.com;title", "", errColumns},
		{"http://h.com/,title", "", errColumns},
		{"http://h.com/;title", "", errColumns},
		{"http://h.com/|title", "", errColumns},
		{"http://h.com/a,", "", errColumns},
		{"HTTP://h.com,title", "", errColumns},
		{`"http://h.cz/" title`, "", errQuote},
		{`"http://h.cz/`, "", errQuote},
		{"<http://h.cz/", "", errQuote},
		{`<a href="http://h.cz/">`, "", errNoHost},
		{"[title](http://h.cz/)", "", errNoHost},
		{"* http://h.cz/", "", errNoHost},
		{"- http://h.cz/", "", errNoHost},
		{"*.h.cz", "", errNoHost},
		{"“h.cz”", "", errNoHost},
		{"user@h.cz", "", errNoHost},
		{"3.14", "", errNoHost},
		{"title", "", errNoHost},
		{"http://h.cz(x)/", "", errHostMarks},
		{"http://http://h.cz/", "", errTwo},
		{"http://https//h.cz/", "", errTwo},
		{"http://h.cz/\x00", "", errInvisible},
		{"http://h.cz/\u202ex", "", errInvisible},
		{"http://h\u200b.cz/", "", errInvisible},
		{"http://h.cz/\x1b[31m", "", errInvisible},
		{"http://h.cz/\xe8l", "", errUTF8},
	} {
		d, err := Open(strings.NewReader(c.line+"\n"), Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for {
			e, err := d.Next()
			if err != nil {
				break
			}
			if d.URL() != nil {
				got = string(e.URL)
			}
		}
		s := d.State()
		d.Close()
		if got != c.want || s.Lines != 1 {
			t.Errorf("%q: read %q of %d lines, want %q", c.line, got, s.Lines, c.want)
		}
		if c.err == nil && s.Broken != 0 || c.err != nil && s.Causes[c.err.Error()] != 1 {
			t.Errorf("%q: broken %v, want %v", c.line, s.Causes, c.err)
		}
		if c.err != nil && (len(s.Samples) != 1 || !strings.HasPrefix(s.Samples[0], "line 1: ")) {
			t.Errorf("%q: it is not said where: %q", c.line, s.Samples)
		}
	}
}

// A header says which column is the URL, and what separates columns; also behind a stop.
func TestListHeader(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
		broken     int64
	}{
		{"comma", "url,title\nhttp://a.cz/x,Title\n\"http://b.cz/,y\",\"T, u\"\nc.cz,\nhttp://d.cz/,1,2\n", []string{"http://a.cz/x", "http://b.cz/,y", "http://c.cz"}, 1},
		{"semicolon, second column", "Název;URL;pozn.\nA;http://a.cz/x,1;p\nB b;b.cz\nC\n", []string{"http://a.cz/x,1", "http://b.cz"}, 1},
		{"tab", "id\turl\n1\thttp://a.cz/\n2\tb.cz\n", []string{"http://a.cz/", "http://b.cz"}, 0},
		{"one column", "url\nhttp://a.cz/a,b\nhttp://b.cz/a,b\n", []string{"http://a.cz/a,b", "http://b.cz/a,b"}, 0},
		{"quotes in quotes", "url,title\n\"http://a.cz/?q=\"\"x\"\"\",\"T \"\"u\"\"\"\n", []string{`http://a.cz/?q="x"`}, 0},
		{"columns without a header", "http://a.cz/x,Title\nhttp://b.cz/y,Other\n", nil, 2},
		{"commas of one site", "http://a.cz/x,1\nhttp://a.cz/y,2\n", []string{"http://a.cz/x,1", "http://a.cz/y,2"}, 0},
		{"columns without a header, quoted", "http://a.cz/x,Title\nhttp://b.cz/y,Other\n\"http://c.cz/z,1\"\n", []string{"http://c.cz/z,1"}, 2},
	} {
		urls, state, d := read(t, strings.NewReader(c.text), Options{})
		if !slices.Equal(urls, c.want) || state.Broken != c.broken || d.Format() != List {
			t.Errorf("%s: read %q, %d broken %q, as %s; want %q, %d", c.name, urls, state.Broken, state.Samples, string(d.Format()), c.want, c.broken)
		}
		// The same when the reading stops behind the first seed and goes on.
		d, err := Open(strings.NewReader(c.text), Options{})
		if err != nil {
			t.Fatal(err)
		}
		var begun []string
		if e, err := d.Next(); err == nil {
			begun = append(begun, string(e.URL))
		}
		at := d.State()
		d.Close()
		rest, whole, _ := read(t, strings.NewReader(c.text), Options{Resume: at})
		if got := append(begun, rest...); !slices.Equal(got, c.want) || whole.Broken != c.broken {
			t.Errorf("%s: resumed: read %q, %d broken; want %q, %d", c.name, got, whole.Broken, c.want, c.broken)
		}
	}
}

// What is no text that a log could be is refused as a whole (issue 16: a WARC file read as a log was a success).
func TestNoLog(t *testing.T) {
	warc := "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.cz/\r\n\r\n"
	for name, data := range map[string][]byte{
		"WARC": []byte(warc), "WARC in gzip": gz(t, warc), "xz": []byte("\xfd7zXZ\x00abc"), "zip": []byte("PK\x03\x04abc"),
		"UTF-16": []byte("\xff\xfeh\x00.\x00c\x00z\x00"), "ARC": []byte("filedesc://x.arc 0.0.0.0 20010101000000 text/plain 76\n"),
	} {
		d, err := Open(strings.NewReader(string(data)), Options{})
		if err == nil {
			d.Close()
		}
		if !errors.Is(err, ErrNoLog) {
			t.Errorf("%s: %v, want a refusal", name, err)
		}
	}
}
