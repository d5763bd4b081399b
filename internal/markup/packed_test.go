package markup

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
)

func zipFile(t *testing.T, files map[string][]byte, order ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range order {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(files[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipped(t *testing.T, name string, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Name = name
	_, err := z.Write(data)
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func tarred(t *testing.T, name string, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	err := w.WriteHeader(&tar.Header{Name: name, Size: int64(len(data)), Mode: 0o644, Typeflag: tar.TypeReg})
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// bzip2ed returns a page as bzip2 packs it, and tarBzip2ed the same in a tar file.
func bzip2ed(t *testing.T) []byte {
	return decoded(t, "QlpoOTFBWSZTWXMcvvMAAAWdgHABgBcQAD9G1DAgADFAANAyZBE0NJ6mBPSZppO5+e1ahFu1xBKR/wRmG0Q1TITXijVmCAs8ei7kinChIOY5feY=")
}

func tarBzip2ed(t *testing.T) []byte {
	return decoded(t, "QlpoOTFBWSZTWSVldu0AAHbfgMqAcAHHlxAAAgB/xt4wCAggAHQaFTanpqDeqYIekyegD1BpI09I9QBoNAAAzQfECAasEAQf4mYKEgMgCCgFOysqtwX64zY1HGQ7mCFyEE9LbFzx10a/4MaHXXu7CqFT902lJ2kvyxea7DwNTWhobsyB5s3RPZEQHIu5IpwoSBKyu3aA")
}

func decoded(t *testing.T, s string) []byte {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// What is in packed files is read as what it is; links count that name a server.
func TestPacked(t *testing.T) {
	page := []byte(`<base href="http://a.cz/d/"><p>Text stránky<a href="x">X</a><a href="http://b.cz/">B</a><img src="http://c.cz/i.png">`)
	files := map[string][]byte{
		"a/page.html": page, "note": []byte("Poznámka http://no.cz/"), "style.css": []byte("a{background:url(rel.png)}b{background:url(http://d.cz/e.png)}"),
		"bin.dat": {0, 1, 2}, "inner.zip": nil, "deep.tgz": nil,
	}
	files["inner.zip"] = zipFile(t, map[string][]byte{"q.html": []byte(`<a href="http://e.cz/">E</a>`)}, "q.html")
	files["deep.tgz"] = gzipped(t, "", tarred(t, "w.zip", zipFile(t, map[string][]byte{"z.html": []byte(`<a href="http://toodeep.cz/">`)}, "z.html")))
	whole := zipFile(t, files, "a/page.html", "note", "style.css", "bin.dat", "inner.zip", "deep.tgz")
	bzipped, err := base64.StdEncoding.DecodeString("UEsDBC4AAAAMAAAAIQDXpIhgQgAAABgAAAAHAAAAYTEuaHRtbEJaaDkxQVkmU1lLNzdxAAAEmYBQAaAXK0BUECAAIpo09TQ0yeoU0yMTExNKwLLieRtw/pgEoh+LuSKcKEglm5u4gFBLAwQuAAAADAAAACEASr5gUUIAAAAYAAAABwAAAGEyLmh0bWxCWmg5MUFZJlNZms6PQgAABJmAUAGQFytAVBAgACKaNPU0NMnqFNMjExMTSsCy4nkbcP6YBKIfi7kinChITWdHoQBQSwMELgAIAAwAAAAhAAAAAAAAAAAAAAAAAAcAAABiMS5odG1sQlpoOTFBWSZTWafVUi8AAASZgFABoBc7QFQQIAAimjTTRppk9QpkxMgyM0aoFNp5DOj+mEAIh8XckU4UJCn1VIvAUEsHCDSjB+5CAAAAGAAAAFBLAwQuAAgADAAAACEAAAAAAAAAAAAAAAAABwAAAGIyLmh0bWxCWmg5MUFZJlNZdizqHAAABJmAUAGQFztAVBAgACKaNNNGmmT1CmTEyDIzRqgU2nkM6P6YQAiHxdyRThQkHYs6hwBQSwcIqbnv30IAAAAYAAAA")
	if err != nil {
		t.Fatal(err)
	}
	show := func(body []byte) string {
		d := Parse(Packed, body, Options{})
		var out []string
		for _, l := range d.Links {
			out = append(out, fmt.Sprintf("%c %s %s", l.Hop, l.URL, l.Context))
		}
		return strings.Join(out, "\n") + "\n" + strings.Join(strings.Fields(d.Text), " ")
	}
	const links = "L http://a.cz/d/x packed:a/@href\nL http://b.cz/ packed:a/@href\n"
	for name, c := range map[string]struct {
		body []byte
		want string
	}{
		"zip":                        {whole, links + "L http://e.cz/ packed:a/@href\nX http://c.cz/i.png packed:img/@src\nX http://d.cz/e.png packed:css/url\nText stránkyXB Poznámka http://no.cz/ E"},
		"gzip":                       {gzipped(t, "page.html", page), links + "X http://c.cz/i.png packed:img/@src\nText stránkyXB"},
		"no name":                    {gzipped(t, "", append([]byte("<!doctype html>"), page...)), links + "X http://c.cz/i.png packed:img/@src\nText stránkyXB"},
		"tar":                        {tarred(t, "page.html", page), links + "X http://c.cz/i.png packed:img/@src\nText stránkyXB"},
		"tar.gz":                     {gzipped(t, "x.tar", tarred(t, "page.html", page)), links + "X http://c.cz/i.png packed:img/@src\nText stránkyXB"},
		"no name, a piece of a page": {gzipped(t, "", []byte(`<p><a href="http://b.cz/">B</a>`)), "L http://b.cz/ packed:a/@href\nB"},
		"no name, JSON":              {gzipped(t, "", []byte(`{"a":"http://b.cz/c"}`)), "X http://b.cz/c packed:js/string\n"},
		"bzip2, of lengths that are said, and are not": {bzipped, "L http://a1.cz/ packed:a/@href\nL http://a2.cz/ packed:a/@href\nL http://b1.cz/ packed:a/@href\nL http://b2.cz/ packed:a/@href\n"},
		"bzip2":              {bzip2ed(t), "L http://b.cz/ packed:a/@href\nB"},
		"tar.bz2":            {tarBzip2ed(t), "L http://b.cz/ packed:a/@href\nB"},
		"behind a program":   {append(append([]byte("MZ PK\x03\x04"), make([]byte, 1000)...), whole...), links + "L http://e.cz/ packed:a/@href\nX http://c.cz/i.png packed:img/@src\nX http://d.cz/e.png packed:css/url\nText stránkyXB Poznámka http://no.cz/ E"},
		"a program":          {append([]byte("MZ PK\x03\x04"), make([]byte, 1000)...), "\n"},
		"a program, damaged": {[]byte("MZ PK\x01\x02" + strings.Repeat("x", 50) + "PK\x05\x06" + strings.Repeat("\xff", 18)), "\n"},
		"broken":             {[]byte("PK\x03\x04"), "\n"},
		"other":              {[]byte("Rar!"), "\n"},
	} {
		if got := show(c.body); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
	sheet := gzipped(t, "", []byte(`a{background:url(http://b.cz/c)}`)) // what only its name tells
	if d := Parse(Packed, sheet, Options{URL: "http://a.cz/s.css.GZ"}); len(d.Links) != 1 {
		t.Error(d.Links)
	}
	for n := range whole { // damaged: no panic, nothing that is not there
		if got := show(whole[:n]); strings.Contains(got, "toodeep") {
			t.Fatal(got)
		}
	}
	many := map[string][]byte{"q.html": []byte(`<a href="http://last.cz/">`)} // what is unpacked is bounded at all depths together
	order := []string{}
	for i := range 6 {
		name := fmt.Sprintf("%d.zip", i)
		many[name], order = zipFile(t, map[string][]byte{"z.bin": make([]byte, maxPart)}, "z.bin"), append(order, name)
	}
	if got := show(zipFile(t, many, append(order, "q.html")...)); strings.Contains(got, "last.cz") {
		t.Error("64 MB were unpacked, and it goes on")
	}
	bomb := gzipped(t, "a.txt", make([]byte, 200<<20))
	if d := Parse(Packed, bomb, Options{}); len(d.Text) > 1<<20 {
		t.Error("too much")
	}
}
