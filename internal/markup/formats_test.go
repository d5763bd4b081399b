package markup

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPDF(t *testing.T) {
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	if _, err := w.Write([]byte("<</S/URI/URI(http://c.cz/)>>")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	stream := fmt.Sprintf("1 0 obj<</Type/ObjStm/Filter/FlateDecode/Length %d>>stream\r\n%s\nendstream", z.Len(), z.String())
	cases := []struct {
		why, in string
		want    []string
	}{
		{"ISO 32000-1 12.6.4.7: URI actions", "%PDF-1.4\n<</Type/Action/S /URI /URI (http://a.cz/x\\(1\\)\\057y)>>", []string{"L http://a.cz/x(1)/y pdf/uri"}},
		{"hexadecimal strings", "%PDF-1.4\n<</S/URI/URI<687474703A2F2F622E637A>>>", []string{"L http://b.cz pdf/uri"}},
		{"object streams of PDF 1.5", "%PDF-1.5\n" + stream, []string{"L http://c.cz/ pdf/uri"}},
		{"a file that was cut", "%PDF-1.5\n/URI(http://d.cz/)" + stream[:len(stream)/2] + "/URI (http://e", []string{"L http://d.cz/ pdf/uri"}},
		{"strings of encrypted files are noise", "%PDF-1.5\n/Encrypt 1 0 R /URI(http://f.cz)", nil},
		{"the base of a file is that of its actions, not of other files", "%PDF-1.4\n1 0 obj<</URI<</Base(http://a.cz/d/)>>>>endobj 2 0 obj<</A<</S/URI/URI(r.html)>>>>endobj 3 0 obj<</A<</S/GoToR/F(o.pdf)>>>>endobj trailer<</Root 1 0 R>>",
			[]string{"L r.html pdf/uri http://a.cz/d/", "L o.pdf pdf/gotor"}},
		{"bare host names", "%PDF-1.4\n/URI(www.g.cz)", []string{"L http://www.g.cz pdf/uri"}},
	}
	for _, c := range cases {
		t.Run(c.why, func(t *testing.T) {
			d := Parse(PDF, []byte(c.in), Options{})
			got := brief(d.Links)
			for i, l := range d.Links {
				got[i] = strings.TrimSpace(got[i] + " " + l.Base)
			}
			if diff := cmp.Diff(c.want, got); diff != "" || d.Err != nil {
				t.Error(diff, d.Err)
			}
		})
	}
}

// TestWrapped: an address that goes on in the next line of a PDF file is joined; one that was cut is none.
func TestWrapped(t *testing.T) {
	for text, want := range map[string]string{
		"see http://a.cz/very-long-\npath/x.html, and": "X http://a.cz/very-long-path/x.html text",
		"http://a.cz/one-\ntwo-\nthree.html\nfour":     "X http://a.cz/one-two-three.html text",
		"http://a.cz/one-\n\u201etwo\u201d":            "",
		"http://a.cz/one-":                             "X http://a.cz/one- text",
		"http://a.cz/one-\nhttp://b.cz/two":            "X http://b.cz/two text",
		"on http://a.cz/\nNext line":                   "X http://a.cz/ text",
		"on http://a.cz/x/\ny/z.html.":                 "X http://a.cz/x/ text, X http://a.cz/x/y/z.html text",
		"on http://a.cz/x.\nhtml?y, and":               "X http://a.cz/x text, X http://a.cz/x.html?y text",
		"on http://www.\na.cz":                         "X http://www.a.cz text",
		"on http://www.a.\ncz/x/\ny.html":              "X http://www.a.cz/x/ text, X http://www.a.cz/x/y.html text",
		"on http://a.cz/x.\nthe next line.":            "X http://a.cz/x text",
		"on http://a.cz/x.\nNext/line.html":            "X http://a.cz/x text",
		"on http://a.cz/x.\nwww.b.cz/y":                "X http://a.cz/x text",
		"http://a.cz/x.html\ny.html":                   "X http://a.cz/x.html text",
		strings.Repeat("http://a.cz/one-\ntwo-\n", 3):  "",
	} {
		b := &builder{doc: &Doc{Kind: PDF}, o: Options{MaxLinks: 10}}
		b.text.buf = []byte(text)
		b.addresses()
		if got := strings.Join(brief(b.finish(&scratch{}).Links), ", "); got != want {
			t.Errorf("%.50q: %q, want %q", text, got, want)
		}
	}
}

func TestPlainText(t *testing.T) {
	// Lines of a text are its blocks.
	d := Parse(PlainText, []byte("Dobr\xfd den,\r\n\r\n  jak\tse m\xe1\x9a? P\xf8\xedli\x9a \x9elu\x9dou\xe8k\xfd k\xf9\xf2."), Options{})
	if want := "Dobrý den,\njak se máš? Příliš žluťoučký kůň."; d.Text != want || d.Charset != "windows-1250" {
		t.Errorf("got %q in %s", d.Text, d.Charset)
	}
}

func TestManifestBroken(t *testing.T) {
	// A member of the wrong type must not hide the others.
	d := Parse(Manifest, []byte(`{"start_url":5,"icons":[{"src":"a.png"}]}`), Options{})
	if diff := cmp.Diff([]string{"E a.png manifest/icons"}, brief(d.Links)); diff != "" || d.Err == nil {
		t.Error(diff, d.Err)
	}
}

func TestKindOf(t *testing.T) {
	// Types under which servers send these formats.
	cases := map[string]Kind{
		"text/html": HTML, "application/xhtml+xml": XHTML, "text/plain": PlainText, "text/css": CSS,
		"application/javascript": JS, "text/javascript": JS, "image/svg+xml": SVG, "application/rss+xml": XML,
		"application/vnd.apple.mpegurl": HLS, "audio/mpegurl": HLS, "application/dash+xml": DASH,
		"application/manifest+json": Manifest, "application/pdf": PDF, "application/vnd.google-earth.kmz": Packed,
		"application/x-bzip2": Packed, "application/x-ndjson": JSON, "application/geo+json": JSON, "text/vtt": VTT, "text/turtle": Turtle, "text/calendar": Card, "text/vcard": Card,
		"text/markdown": Markdown, "application/x-bibtex": Bibliography, "application/x-mswinurl": Shortcut, "message/rfc822": Mail, "multipart/related": Mail,
		"application/postscript": PostScript, "application/x-shockwave-flash": SWF, "model/gltf+json": GLTF, "model/gltf-binary": GLTF, "image/png": None, "": None,
	}
	for typ, want := range cases {
		if got := KindOf(typ); got != want {
			t.Errorf("%s: %v, want %v", typ, got, want)
		}
	}
}

func TestLooksLikeURL(t *testing.T) {
	// Each wrong guess is a request to somebody's server.
	yes := "http://a.cz/ https://a.cz:80?x //cdn.a.com/x.js /a/b /a.html ./a.js ../b/c.png img/a.png index.php?x=1 /wp-content/a.css?ver=5"
	no := "/ // /a/ab|c a/b a.b x.y.z /[a-z]/g </a> /{{x}}.js ${x}/a.js application/json 1/2 ./ .. //a 10.5 about.me jquery.min Math.floor /a//b http://a https://$1.com //1.2"
	for s := range strings.FieldsSeq(yes) {
		if !looksLikeURL(s) {
			t.Errorf("%s is one", s)
		}
	}
	for s := range strings.FieldsSeq(no) {
		if looksLikeURL(s) {
			t.Errorf("%s is none", s)
		}
	}
}

// Entities that stand for each other many times over stay within bounds (the "billion laughs").
func TestEntityBounds(t *testing.T) {
	var doc strings.Builder
	doc.WriteString(`<!DOCTYPE r [ <!ENTITY a0 "http://a.cz/x"> `)
	for i := 1; i < 20; i++ {
		fmt.Fprintf(&doc, `<!ENTITY a%d "%s"> `, i, strings.Repeat(fmt.Sprintf("&a%d;", i-1), 10))
	}
	doc.WriteString(`<!ENTITY own "&own;&own;"> ]><r>`)
	doc.WriteString(strings.Repeat(`<link>&a19;</link><link>&own;</link><link>&a0;</link>`, 1000))
	d := Parse(XML, []byte(doc.String()), Options{})
	if got := brief(d.Links); !slices.Equal(got, []string{"L http://a.cz/x rss:link"}) || len(d.Text) > 1<<20 || d.Err != nil {
		t.Errorf("%.500q %d %v", got, len(d.Text), d.Err)
	}
}
