package markup

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCSS(t *testing.T) {
	cases := []struct {
		why, in string
		want    []string
	}{
		{"CSS Values 4: quoted, unquoted and empty url()", `a{b:url(x.png) url("y.png") url('z.png') url() url( w.png )}`,
			[]string{"E x.png css/url", "E y.png css/url", "E z.png css/url", "E w.png css/url"}},
		{"CSS Cascade 5: both forms of @import, with layers and conditions", `@import "a.css"; @IMPORT url(b.css) layer(x) screen; @import url("c.css") supports(display:grid);`,
			[]string{"E a.css css/@import", "E b.css css/@import", "E c.css css/@import"}},
		{"CSS Fonts 4: sources", `@font-face{font-family:"a.b";src:url(a.woff2) format("woff2"),local("b"),url(c.ttf)}`,
			[]string{"E a.woff2 css/url", "E c.ttf css/url"}},
		{"CSS Images 4: image-set takes strings", `a{b:image-set("a.png" 1x, url(b.png) 2x type("image/png")) -webkit-image-set(url(c.png) 1x)}`,
			[]string{"E a.png css/url", "E b.png css/url", "E c.png css/url"}},
		{"CSS Syntax 4.3.7: escapes", `a{b:url(a\ b\(c\).png) url("d\65 f.png")}`,
			[]string{"E a b(c).png css/url", "E def.png css/url"}},
		{"comments are not read", `/* url(a.png) @import "b.css"; */ a{b:url(c.png)}`, []string{"E c.png css/url"}},
		{"a namespace is a name", `@namespace url(http://www.w3.org/2000/svg); a{b:url(c.png)}`, []string{"E c.png css/url"}},
		{"strings elsewhere are text", `a::after{content:"x.png"} a[href="b.png"]{c:d}`, nil},
		{"custom properties are used by others", `:root{--a:url(a.png)}`, []string{"E a.png css/url"}},
		{"data URLs and fragments are not fetched", `a{b:url(data:image/png;base64,AA==);filter:url(#f)}`, nil},
		{"a style sheet may be cut anywhere", `a{b:url(x.png`, []string{"E x.png css/url"}},
		{"an import after a broken rule", `} ) @import "a.css"; b{c:url(d`, []string{"E a.css css/@import", "E d css/url"}},
	}
	for _, c := range cases {
		t.Run(c.why, func(t *testing.T) {
			if diff := cmp.Diff(c.want, brief(Parse(CSS, []byte(c.in), Options{}).Links)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFormats(t *testing.T) {
	cases := []struct {
		why  string
		kind Kind
		in   string
		want []string
	}{
		{"JS: everything that loads code", JS, `import a from '/m/a.js'; export * from "./b.js"; import "../c.js"; importScripts("d.js", 'e.js'); new Worker("f.js"); new SharedWorker("g.js"); import("react")`,
			[]string{"E /m/a.js js/import", "E ./b.js js/import", "E ../c.js js/import", "E d.js js/import", "E e.js js/import", "E f.js js/import", "E g.js js/import"}},
		{"JS: a regular expression with a quote does not turn strings inside out", JS, `x = /["']/.test(y) / 2; z = "/a/b.html"`, []string{"X /a/b.html js/string"}},
		{"JS: parts of URLs, types, dates and selectors are no URLs", JS, `a="/a/"+b; c=d+"/e.png"; f="text/css"; g="dd/mm/yyyy"; h="a.b"; i="//"; j="/"; k="./"; l="http://"; m="1.2.3"; n="#x/y.html"; o="?a=/b.c"; p="http://www.w3.org/2000/svg"`, nil},
		{"JS: escapes of JSON", JS, `x={"u":"https:\/\/a.cz\/b?c=\u017e"}`, []string{"X https://a.cz/b?c=ž js/string"}},
		{"JS: broken code is read on", JS, "var a = 'x\nfoo(); var b = \"/c/d.js\"; 3in x; e='/f/g.js'", []string{"X /c/d.js js/string", "X /f/g.js js/string"}},
		{"SVG: pictures, references, style, navigation", SVG, `<?xml version="1.0"?><?xml-stylesheet href='s.css'?><svg xmlns:xlink="http://www.w3.org/1999/xlink"><style>@import url(t.css);</style><image xlink:href="a.png"/><use href="b.svg#x"/><a xlink:href="c.html"><text>t</text></a><script href="d.js"/><g style="mask:url(e.svg#m)"/></svg>`,
			[]string{"E s.css xml-stylesheet/@href", "E t.css css/@import", "E a.png image/@xlink:href", "E b.svg#x use/@href", "L c.html a/@xlink:href", "E d.js script/@href", "E e.svg#m css/url"}},
		{"XML: its style sheet only", XML, `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="a.xsl"?><rss><link>http://a.cz</link><img src="b"/></rss>`,
			[]string{"E a.xsl xml-stylesheet/@href"}},
		{"HLS: RFC 8216 section 8 (media playlist)", HLS, "#EXTM3U\r\n#EXT-X-KEY:METHOD=AES-128,URI=\"k.key\",IV=0x1\r\n#EXT-X-MAP:URI=\"i.mp4\"\r\n#EXTINF:9.009,\r\nhttp://m.com/1.ts\r\n# comment\r\n2.ts\r\n",
			[]string{"E k.key hls/@uri", "E i.mp4 hls/@uri", "E http://m.com/1.ts hls/segment", "E 2.ts hls/segment"}},
		{"HLS: RFC 8216 section 8 (master playlist)", HLS, "#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",URI=\"a/m.m3u8\"\n#EXT-X-STREAM-INF:BANDWIDTH=1\nlow.m3u8\n",
			[]string{"E a/m.m3u8 hls/variant", "E low.m3u8 hls/variant"}},
		{"DASH: bases nest, templates are left out", DASH, `<?xml version="1.0"?><MPD><BaseURL>http://c.com/v/</BaseURL><Period><AdaptationSet><BaseURL>x/</BaseURL><Representation><SegmentList><Initialization sourceURL="i.mp4"/><SegmentURL media="1.m4s"/></SegmentList></Representation><SegmentTemplate media="$Number$.m4s" initialization="/init.mp4"/></AdaptationSet><AdaptationSet><Representation><BaseURL>one.mp4</BaseURL></Representation></AdaptationSet></Period></MPD>`,
			[]string{"E http://c.com/v/x/i.mp4 dash/@sourceurl", "E http://c.com/v/x/1.m4s dash/@media", "E http://c.com/init.mp4 dash/@initialization", "E http://c.com/v/one.mp4 dash/baseurl"}},
		{"Manifest: W3C appmanifest members", Manifest, `{"name":"N","start_url":"/?a","icons":[{"src":"i.png","sizes":"1x1"}],"screenshots":[{"src":"s.png"}],"shortcuts":[{"url":"/c","icons":[{"src":"j.png"}]}]}`,
			[]string{"E i.png manifest/icons", "E s.png manifest/screenshots", "L /?a manifest/start_url", "L /c manifest/shortcuts", "E j.png manifest/icons"}},
		{"plain text has no links", PlainText, "see http://a.cz/", nil},
	}
	for _, c := range cases {
		t.Run(c.why, func(t *testing.T) {
			d := Parse(c.kind, []byte(c.in), Options{})
			if d.Err != nil {
				t.Error(d.Err)
			}
			if diff := cmp.Diff(c.want, brief(d.Links)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

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
		{"bare host names", "%PDF-1.4\n/URI(www.g.cz)", []string{"L http://www.g.cz pdf/uri"}},
	}
	for _, c := range cases {
		t.Run(c.why, func(t *testing.T) {
			d := Parse(PDF, []byte(c.in), Options{})
			if diff := cmp.Diff(c.want, brief(d.Links)); diff != "" || d.Err != nil {
				t.Error(diff, d.Err)
			}
		})
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
		"application/manifest+json": Manifest, "application/pdf": PDF, "image/png": None, "": None,
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
