package mime

import (
	"strings"
	"testing"
)

func utf16le(s string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteByte(byte(r))
		b.WriteByte(byte(r >> 8))
	}
	return b.String()
}

func TestDetect(t *testing.T) {
	const (
		mp4  = "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom\x00\x00\x00\x08free"
		png  = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01"
		webm = "\x1a\x45\xdf\xa3\x01\x00\x00\x00\x00\x00\x00\x1fB\x86\x81\x01B\xf7\x81\x01B\xf2\x81\x04B\xf3\x81\x08B\x82\x84webm"
		page = "<!DOCTYPE html>\n<html lang=cs><title>x</title>"
	)
	cases := []struct {
		why, name, declared, head, hint string
		typ                             string
		class                           Class
		lied                            bool
	}{
		{"systems.md 1.2: servers send video as text/plain", "/v.mp4", "text/plain", mp4, "", "video/mp4", Binary, true},
		{"systems.md 1.2: the same without an extension", "/v", "text/plain; charset=utf-8", webm, "", "video/webm", Binary, true},
		{"systems.md 1.2: binary without known magic is not text", "/x", "text/plain", "\x47\x40\x11\x10\x00\x42\xf0\x25\x00\x01\xc1\x00\x00\xff\x01\xff\x00\x01\xfc\x80", "", "application/octet-stream", Binary, true},
		{"case 8: HTML declared octet-stream", "/", "application/octet-stream", page, "", "text/html", HTML, true},
		{"case 8: HTML fragment declared octet-stream", "/", "application/octet-stream", "<div>a</div>", "", "text/html", HTML, true},
		{"case 8: CSS declared text/plain, by link context", "/style", "text/plain", "body{color:red}", "link/@href[rel=stylesheet]", "text/css", Container, true},
		{"case 8: CSS declared text/plain, by @import", "/style", "text/plain", "body{color:red}", "css/@import", "text/css", Container, true},
		{"case 8: CSS declared text/plain, by extension", "/s.css?v=1", "text/plain", "body{color:red}", "", "text/css", Container, true},
		{"a page declared so", "/", "text/html; charset=windows-1250", page, "", "text/html", HTML, false},
		{"an HTML error page in place of a style sheet", "/s.css", "text/css", page, "link/@href[rel=stylesheet]", "text/html", HTML, true},
		{"an HTML error page in place of an image", "/x.png", "image/png", page, "img/@src", "text/html", HTML, true},
		{"plain text that is a page", "/readme", "text/plain", "\n\n" + page, "", "text/html", HTML, true},
		{"plain text that shows a tag stays text", "/readme", "text/plain", "<div> is a tag", "", "text/plain", Text, false},
		{"an empty body has only its declaration", "/", "text/html", "", "", "text/html", HTML, false},
		{"nothing declared, nothing there", "/", "", "", "", "", Unknown, false},
		{"nothing declared, text there", "/x", "", "Dobrý den", "", "text/plain", Text, false},
		{"windows-1250 stays text", "/x", "text/plain", "P\xf8\xedli\x9a \x9elu\x9dou\xe8k\xfd k\xf9\xf2", "", "text/plain", Text, false},
		{"a bitmap's two letters of magic occur in words", "/x", "text/plain", "BMW je auto", "", "text/plain", Text, false},
		{"UTF-16 with a byte order mark is text", "/x", "text/plain", "\xff\xfe" + utf16le("Příliš žluťoučký kůň"), "", "text/plain", Text, false},
		{"UTF-16 without a mark holding a page", "/x", "application/octet-stream", utf16le(page), "", "text/html", HTML, true},
		{"a NUL in a page does not make it a binary", "/", "text/html", page + strings.Repeat("abc ", 50) + "\x00", "", "text/html", HTML, false},
		{"nor do several in a short one", "/", "text/html", "<html>\x00\x00<a href=x>", "", "text/html", HTML, false},
		{"nor in one that only its name tells of", "/a.html", "", "<html>\x00\x00<a href=x>", "", "text/html", HTML, false},
		{"nor some in front", "/", "text/html", "\x00\x01 <!DOCTYPE HTML><p>x</p>", "", "text/html", HTML, false},
		{"but a page of nothing else is none", "/", "text/html", "<html>" + strings.Repeat("\x00\x01", 50), "", "application/octet-stream", Binary, true},
		{"a PNG that holds a page, declared as one", "/", "text/html", png + "<html><body>", "", "image/png", Binary, true},
		{"so of MP4", "/", "text/html", mp4 + "<html><body>", "", "video/mp4", Binary, true},
		{"so of ZIP", "/", "text/html", "PK\x03\x04\x14\x00\x06\x00<html><body>", "", "application/zip", Binary, true},
		{"so of PDF", "/", "text/html", "%PDF-1.4\n\x00<html><body>", "", "application/pdf", PDF, true},
		{"XHTML keeps its type", "/", "application/xhtml+xml", `<?xml version="1.0"?><!DOCTYPE html PUBLIC "x"><html xmlns="http://www.w3.org/1999/xhtml">`, "", "application/xhtml+xml", HTML, false},
		{"XHTML sent as XML is a page for browsers", "/", "text/xml", `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">`, "", "application/xhtml+xml", HTML, true},
		{"a feed sent as HTML is XML", "/feed", "text/html", `<?xml version="1.0"?><rss version="2.0">`, "", "text/xml", XML, true},
		{"a feed keeps its subtype", "/feed", "application/rss+xml", `<?xml version="1.0"?><rss version="2.0">`, "", "application/rss+xml", XML, false},
		{"SVG sent as XML", "/a.svg", "text/xml", `<?xml version="1.0"?><!-- x --><svg xmlns="http://www.w3.org/2000/svg">`, "", "image/svg+xml", Container, true},
		{"SVG with an internal subset", "/a", "image/svg+xml", `<!DOCTYPE svg PUBLIC "x" "y" [<!ENTITY a "b>">]><svg:svg>`, "", "image/svg+xml", Container, false},
		{"XML without a declaration, by its namespace", "/a.kml", "", "<kml xmlns=\"http://www.opengis.net/kml/2.2\"><Document>", "", "text/xml", XML, false},
		{"the same with a prefix, sent as text", "/a", "text/plain", "<!-- x -->\n<wsdl:definitions\n name='a' xmlns:wsdl='http://schemas.xmlsoap.org/wsdl/'>", "", "text/xml", XML, true},
		{"the same with a type of its own", "/a", "application/gpx+xml", `<gpx xmlns="http://www.topografix.com/GPX/1/1">`, "", "application/gpx+xml", XML, false},
		{"a piece of a page with a namespace", "/a", "", `<div xmlns="http://www.w3.org/1999/xhtml">`, "", "text/html", HTML, false},
		{"a page with a namespace", "/a", "text/html", `<html xmlns="http://www.w3.org/1999/xhtml" xmlns:og="x">`, "", "text/html", HTML, false},
		{"a page that begins with an element of its own", "/a", "text/html", `<my:el xmlns:my="urn:x">`, "", "text/html", HTML, false},
		{"KML without a declaration or a namespace, by its name", "/a.kml", "text/plain", "<kml><Document/></kml>", "", "application/vnd.google-earth.kml+xml", XML, true},
		{"WebVTT, whatever it is called", "/a", "text/plain", "WEBVTT\n\n", "", "text/vtt", Text, true},
		{"a text that begins with the word", "/a", "text/plain", "WEBVTTs are", "", "text/plain", Text, false},
		{"a calendar sent as bytes", "/a", "application/octet-stream", "BEGIN:VCALENDAR\r\n", "", "text/calendar", Text, true},
		{"a visiting card", "/a.php", "text/plain", "BEGIN:VCARD\n", "", "text/vcard", Text, true},
		{"a shortcut", "/a.url", "application/octet-stream", "[InternetShortcut]\r\nURL=http://a.cz/", "", "application/x-mswinurl", Binary, true},
		{"JSON lines by their name", "/a.jsonl", "application/octet-stream", "{}\n{}", "", "application/x-ndjson", Binary, true},
		{"Turtle by its name", "/a.ttl", "text/plain", "@prefix a: <b> .", "", "text/turtle", Text, true},
		{"a saved page by its name", "/a.mht", "", "MIME-Version: 1.0\r\n", "", "message/rfc822", Binary, false},
		{"Flash", "/a", "text/plain", "FWS\x09\x00\x00\x00\x00", "", "application/x-shockwave-flash", Binary, true},
		{"bzip2", "/a", "", "BZh91AY&SY\x00", "", "application/x-bzip2", Binary, false},
		{"a text that begins with a tag", "/a", "text/plain", "<kml> has an attribute xmlns=", "", "text/plain", Text, false},
		{"HLS playlist sent as text", "/a", "text/plain", "#EXTM3U\n#EXT-X-VERSION:3", "", "application/vnd.apple.mpegurl", Container, true},
		{"DASH by its root", "/a", "application/octet-stream", `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011">`, "", "application/dash+xml", Container, true},
		{"a DTD by what it begins with", "/a", "text/plain", "<!-- x > -->\n<!ENTITY % b '<p>'>", "", "application/xml-dtd", XML, true},
		{"of HTML, with a page in its comments", "/a.dtd", "application/xml-dtd", "<!-- x -->\n<!ENTITY % b 'c' -- <!DOCTYPE HTML><html> -->", "", "application/xml-dtd", XML, false},
		{"and by a section", "/a", "", "<?x ?><![%b;[<!ELEMENT c (d)>", "", "application/xml-dtd", XML, false},
		{"a module of one by its name, when it begins in a long comment", "/a.mod", "text/plain", "<!-- " + strings.Repeat("x", 4000), "", "application/xml-dtd", XML, true},
		{"other modules are no markup", "/go.mod", "text/plain", "module a", "", "text/plain", Text, false},
		{"a text about a DTD", "/a", "text/plain", "<! ENTITY x>", "", "text/plain", Text, false},
		{"PLS", "/a", "application/octet-stream", "[Playlist]\nFile1=a", "", "audio/x-scpls", Container, true},
		{"SMIL without a namespace", "/a", "application/smil", "<smil><body>", "", "text/xml", XML, true},
		{"ASX under the type of a video", "/a", "video/x-ms-asf", "<ASX version='3'>", "", "text/xml", XML, true},
		{"a manifest by its link", "/m.json", "application/json", `{"icons":[]}`, "link/@href[rel=manifest]", "application/json", Binary, false},
		{"a manifest by its type", "/m", "application/manifest+json", `{"icons":[]}`, "", "application/manifest+json", Container, false},
		{"a script by its link", "/a", "application/octet-stream", "var a=1", "script/@src", "text/javascript", Container, true},
		{"a script declared as HTML, without a tag", "/a.js", "text/html", "var a=1", "", "text/javascript", Container, true},
		{"an old script type is believed", "/a", "application/x-javascript", "var a=1", "", "application/x-javascript", Container, false},
		{"PDF sent as a page", "/a", "text/html", "%PDF-1.4\nabc", "", "application/pdf", PDF, true},
		{"JPEG declared PNG", "/a", "image/png", "\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01", "", "image/png", Binary, false},
		{"an image declared as a page", "/a", "text/html", png, "", "image/png", Binary, true},
		{"an office file is a zip", "/a.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "PK\x03\x04\x14\x00\x06\x00", "", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", Binary, false},
		{"text cannot be an image", "/a.png", "image/png", "not found", "", "text/plain", Text, true},
		{"an unknown binary keeps a binary type", "/a", "application/x-foo", "\x00\x01\x02\x03\x04", "", "application/x-foo", Binary, false},
		{"a broken declaration is none", "/a", "html", page, "", "text/html", HTML, false},
		{"a page behind comments", "/", "text/plain", "<!-- a --><!-- b -->\n<HTML><body>", "", "text/html", HTML, true},
	}
	for _, c := range cases {
		t.Run(c.why, func(t *testing.T) {
			got := Detect(c.name, c.declared, []byte(c.head), HintsOf(c.hint))
			if got.Type != c.typ || got.Class != c.class || got.Lied != c.lied {
				t.Errorf("got %q %v lied=%v, want %q %v lied=%v", got.Type, got.Class, got.Lied, c.typ, c.class, c.lied)
			}
		})
	}
}

// ADR 35: what links let expect adds types and takes none away, in whatever order they are found.
func TestHintsAdd(t *testing.T) {
	text := []byte("a b c")
	for _, c := range []struct {
		why, name, declared string
		hints               Hints
		types               string
		open                Hints
	}{
		{"text that nothing else is known of", "/x", "text/plain", 0, "text/plain", HintCSS | HintScript | HintManifest | HintPlaylist},
		{"a page loads it as a style sheet", "/x", "text/plain", HintCSS, "text/css text/plain", HintScript | HintManifest | HintPlaylist},
		{"another as a script", "/x", "text/plain", HintCSS | HintScript, "text/css text/javascript text/plain", HintManifest | HintPlaylist},
		{"its name says so already", "/x.css", "text/plain", 0, "text/css", HintScript | HintManifest | HintPlaylist},
		{"its name and a page", "/x.css", "application/octet-stream", HintCSS, "text/css", HintScript | HintManifest | HintPlaylist},
		{"a page without a tag", "/x", "text/html", HintCSS, "text/css text/html", HintScript | HintManifest | HintPlaylist},
		{"what is declared is not doubted", "/x", "text/css", HintScript, "text/css", 0},
	} {
		i := Detect(c.name, c.declared, text, c.hints)
		if got := strings.Join(i.Types(), " "); got != c.types || i.Open != c.open || i.Class != ClassOf(i.Type) {
			t.Errorf("%s: %s, open %b, class %v; want %s, open %b", c.why, got, i.Open, i.Class, c.types, c.open)
		}
	}
}

// Programs make scripts and say that they are pages, which have tags in their strings.
func TestScriptsThatAreSaidToBePages(t *testing.T) {
	for body, want := range map[string]string{
		`document.write("<img src=a.png>")`:    "text/javascript text/html",
		" \n<!-- a --><script>b()</script>":    "text/html",
		"<p>not found: <a href=/>home</a></p>": "text/html",
	} {
		if got := strings.Join(Detect("/count.php", "text/html", []byte(body), HintScript).Types(), " "); got != want {
			t.Errorf("%q: %s, want %s", body, got, want)
		}
	}
}

func TestDeclared(t *testing.T) {
	// Headers as real servers write them; mime.ParseMediaType refuses some.
	cases := []struct{ header, typ, charset string }{
		{"text/html; charset=UTF-8", "text/html", "utf-8"},
		{"Text/HTML;charset='windows-1250'", "text/html", "windows-1250"},
		{`text/html; charset="iso-8859-2"; x`, "text/html", "iso-8859-2"},
		{"text/html; =; charset=utf-8;", "text/html", "utf-8"},
		{"text/html, text/html", "text/html", ""},
		{"*/*", "", ""},
		{"", "", ""},
	}
	for _, c := range cases {
		if typ, charset := parseDeclared(c.header); typ != c.typ || charset != c.charset {
			t.Errorf("%q: got %q %q, want %q %q", c.header, typ, charset, c.typ, c.charset)
		}
	}
}

func FuzzDetect(f *testing.F) {
	f.Add("/a.css", "text/plain", []byte("body{}"), "css/@import")
	f.Add("/", "text/html; charset=", []byte("<!DOCTYPE x [<!ENTITY"), "")
	f.Add("", ";;", []byte("\xff\xfe<\x00h\x00"), "")
	f.Fuzz(func(t *testing.T, name, declared string, head []byte, hint string) {
		i := Detect(name, declared, head, HintsOf(hint))
		if len(head) > 0 && i.Type == "" {
			t.Error("a body that is there has a type")
		}
		if i.Class != ClassOf(i.Type) {
			t.Errorf("class %v of %q", i.Class, i.Type)
		}
	})
}

func BenchmarkDetect(b *testing.B) {
	head := []byte("<!DOCTYPE html><html><body>" + strings.Repeat("<p>Dobrý den</p>\n", 200))
	b.ReportAllocs()
	for b.Loop() {
		Detect("/index.html", "text/html; charset=utf-8", head, 0)
	}
}
