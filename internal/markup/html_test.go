package markup

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"exclave/internal/robots"

	"github.com/google/go-cmp/cmp"
)

// brief writes links as "hop url context", which is all most cases need.
func brief(links []Link) []string {
	var out []string
	for _, l := range links {
		out = append(out, fmt.Sprintf("%c %s %s", l.Hop, l.URL, l.Context))
	}
	return out
}

func TestHTMLText(t *testing.T) {
	cases := []struct{ why, in, want string }{
		{"system 5: block elements become line ends", "<p>a</p><div>b<h1>c</h1>d</div>", "a\nb\nc\nd"},
		{"system 5: inline elements vanish without a blank", "<b>D</b>obrý <i>d</i>en <a href=x>t</a>am", "Dobrý den tam"},
		{"br ends a line, cells of a row stay on one", "a<br>b<table><tr><td>c<td>d<tr><th>e</table>f", "a\nb\nc\td\ne\nf"},
		{"head is off, the title kept apart", "<head><title>T</title><meta name=a content=b></head><body>x", "x"},
		{"system 1: a script over several lines does not leak", "a<script>\nvar x = '<p>no</p>';\n// </p>\nif (a<b) {}\n</script>b<style>\np { }\n</style>c", "abc"},
		{"a script inside an SVG does not leak", "<svg><script>var no=1</script><style>.no{}</style><text>yes</text></svg>", "yes"},
		{"a script that is never closed does not leak", "a<script>var no = 1; <p>no", "a"},
		{"the comment state of scripts (HTML 13.2.5.20)", "a<script><!-- <script> no </script> no --></script>b", "ab"},
		{"entities are decoded", "a&nbsp;&amp;&#269;&hellip;&lt;b&gt;", "a &č…<b>"},
		{"white space is collapsed, no-break spaces too", " a \n\t b\u00a0\u00a0c\u2003d ", "a b c d"},
		{"soft hyphens and zero width spaces are invisible", "po\u00adkus&shy;ný te\u200bxt", "pokusný text"},
		{"lines of preformatted text stay", "<pre>a\nb  c</pre>d\ne", "a\nb c\nd e"},
		{"noscript is for readers without scripts", "a<noscript>b</noscript>c", "abc"},
		{"noscript in the head belongs to the head", "<head><noscript><img src=x>no</noscript></head>yes", "yes"},
		{"text without body opens it", "<title>T</title>x<title>U</title>y", "xy"},
		{"templates are not shown, unless they are the shadow of an element", "a<template><p>no</p></template><div><template shadowrootmode=open>yes</template></div>", "a\nyes"},
		{"iframe content is never shown, srcdoc is", "a<iframe srcdoc='<p>in</p>'><p>no</p></iframe>b", "a\nin\nb"},
		{"text areas and options are text", "<select><option>a<option>b</select><textarea>c\nd</textarea>", "a\nb\nc\nd"},
		{"unclosed SVG does not swallow the page", "<svg><path d=x><p>a<title>t</title><script>no</script>b", "ab"},
		{"NUL is no letter", "a\x00b", "a b"},
	}
	for _, c := range cases {
		t.Run(c.why, func(t *testing.T) {
			if got := Parse(HTML, []byte(c.in), Options{}).Text; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestHTMLFacts(t *testing.T) {
	// One document with each fact a Doc has beside links and text.
	d := Parse(HTML, []byte(`<!doctype html><html lang=" cs-CZ " xml:lang=cs><head>
		<base target=_top><base href="http://a.cz/x/"><base href="http://b.cz/">
		<meta http-equiv=Content-Language content="cs, en">
		<meta name=ROBOTS content="NoIndex,follow , none">
		<title> Můj
			web </title><title>other</title></head><body><svg><title>no</title></svg><p lang=sk>x`), Options{KeepSource: true})
	want := &Doc{
		Kind: HTML, Base: "http://a.cz/x/", Title: "Můj web", Text: "x", Charset: "utf-8", CharsetFrom: "detected",
		Robots: robots.Directives{NoIndex: true, NoFollow: true},
		Langs:  []Lang{{"cs-CZ", "html", "lang"}, {"cs", "html", "xml:lang"}, {"cs, en", "meta", "content-language"}, {"sk", "p", "lang"}},
	}
	if !strings.HasPrefix(d.Source, "<!doctype html>") || !strings.HasSuffix(d.Source, "<p lang=sk>x") {
		t.Errorf("source %q", d.Source)
	}
	d.Source = ""
	if diff := cmp.Diff(want, d); diff != "" {
		t.Error(diff)
	}
}

func TestLinkText(t *testing.T) {
	// System 4: anchor text, ALT for IMG and AREA, none for FRAME and LINK.
	d := Parse(HTML, []byte(`<a href=1> Můj <b>text</b> <img src=i.png alt="obr  1"> </a>no<a href=2>`+strings.Repeat("ž", 150)+
		`</a><area href=3 alt=mapa><a href=4>neuzavřený<a href=5>další`), Options{})
	got := map[string]string{}
	for _, l := range d.Links {
		got[l.URL] = l.Text
	}
	want := map[string]string{"1": "Můj text obr 1", "i.png": "obr 1", "2": strings.Repeat("ž", 100), "3": "mapa", "4": "neuzavřený", "5": "další"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLinkKinds(t *testing.T) {
	// systems.md 1.3 case 13: frames use no depth, other embeds may not be pages.
	cases := map[string]LinkKind{
		`<iframe src=x>`: Frame, `<frame src=x>`: Frame, `<object data=x>`: Frame, `<embed src=x>`: Frame,
		`<object data=x type=image/png>`: Embed, `<embed src=x type=application/pdf>`: Embed, `<img src=x>`: Embed,
		`<iframe data-src=http://x.cz/>`: Frame, `<meta http-equiv=refresh content="0;x">`: Refresh, `<a href=x>`: Nav,
	}
	for in, want := range cases {
		d := Parse(HTML, []byte(in), Options{})
		if len(d.Links) != 1 || d.Links[0].Kind != want {
			t.Errorf("%s: %+v, want kind %v", in, d.Links, want)
		}
	}
}

func TestXHTML(t *testing.T) {
	// XML syntax closes any element with "/>"; in HTML the script would go on.
	in := []byte(`<?xml version="1.0" encoding="iso-8859-2"?><?xml-stylesheet href="a.css" type="text/css"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="a.js"/></head><body><p>` + "\xbe" + `</p><style><![CDATA[p{background:url(b.png)}]]></style></body></html>`)
	d := Parse(XHTML, in, Options{})
	if diff := cmp.Diff([]string{"E a.css xml-stylesheet/@href", "E a.js script/@src", "E b.png css/url"}, brief(d.Links)); diff != "" {
		t.Error(diff)
	}
	if d.Text != "ž" || d.CharsetFrom != "xml" {
		t.Errorf("text %q, charset from %s", d.Text, d.CharsetFrom)
	}
	if h := Parse(HTML, in, Options{}); h.Text != "" {
		t.Errorf("as HTML the script swallows the page, got %q", h.Text)
	}
}

// A page with more links than are taken has all that it embeds, as long as there is a link that can give way.
func TestEmbedsFirst(t *testing.T) {
	var b strings.Builder
	for i := range 9 {
		fmt.Fprintf(&b, `<img src=/%d.png><a href=/%d>text %[1]d<img src=/in%[1]d.png></a>`, i, i)
	}
	for _, c := range []struct {
		most    int
		want    []string
		dropped int
	}{
		{10, []string{"/0.png ", "/1.png ", "/2.png ", "/3.png ", "/4.png ", "/in0.png ", "/in1.png ", "/in2.png ", "/in3.png ", "/in4.png "}, 17},
		{24, []string{"/0 text 0", "/1 text 1", "/2 text 2", "/3 text 3", "/4 text 4", "/5 text 5"}, 3},
	} {
		var got []string
		d := Parse(HTML, []byte(b.String()), Options{MaxLinks: c.most})
		for _, l := range d.Links {
			if c.most == 10 || l.Kind == Nav {
				got = append(got, l.URL+" "+l.Text)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) || len(d.Links) != c.most || d.DroppedLinks != c.dropped {
			t.Errorf("of %d: %q, %d dropped, want %q, %d", len(d.Links), got, d.DroppedLinks, c.want, c.dropped)
		}
	}
}

// An open link that gives way does not leave its text to what stands in its place.
func TestEmbedsFirstInALink(t *testing.T) {
	d := Parse(HTML, []byte(`<a href=/a>text<img src=/b.png>more</a>`), Options{MaxLinks: 1})
	if len(d.Links) != 1 || d.Links[0].URL != "/b.png" || d.Links[0].Text != "" {
		t.Errorf("%+v", d.Links)
	}
}

func TestLimits(t *testing.T) {
	// Decision 4: memory per page is bounded by configuration.
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, `<p>žluťoučký %d<a href="/%d">x</a><img src="/%d.png" data-x="/guess/%d.html">`, i, i, i, i)
	}
	fmt.Fprintf(&b, "<a href=/%s>", strings.Repeat("x", maxURL))
	d := Parse(HTML, []byte(b.String()), Options{MaxText: 99, MaxLinks: 150, MaxSource: 50, KeepSource: true})
	switch {
	case len(d.Text) > 99 || !d.TextTruncated || !strings.HasPrefix(d.Text, "žluťoučký 0x\n"):
		t.Errorf("text %d %v %q", len(d.Text), d.TextTruncated, d.Text)
	case len(d.Links) != 150 || d.DroppedLinks != 151:
		t.Errorf("links %d, dropped %d", len(d.Links), d.DroppedLinks)
	case len(d.Source) > 50:
		t.Errorf("source %d", len(d.Source))
	}
	for _, l := range d.Links {
		if l.Kind == Speculative {
			t.Error("a guess crowds out a link")
		}
	}
}

func TestSrcdocDepth(t *testing.T) {
	// A document may hold itself in ever more quoting; two levels are read.
	in := "<img src=3.png>"
	for i := 2; i >= 0; i-- {
		in = fmt.Sprintf(`<img src=%d.png><iframe srcdoc="%s"></iframe>`, i, strings.NewReplacer("&", "&amp;", `"`, "&quot;").Replace(in))
	}
	want := []string{"E 0.png img/@src", "E 1.png img/@src", "E 2.png img/@src"}
	if diff := cmp.Diff(want, brief(Parse(HTML, []byte(in), Options{}).Links)); diff != "" {
		t.Error(diff)
	}
}

func TestRefreshURL(t *testing.T) {
	for in, want := range map[string]string{
		"5": "", "0;url=a": "a", `0; URL = "a b" x`: "a b", "1,/a": "/a", "0;urlish": "urlish", "": "", "3; url": "url", `0;url="`: "",
	} {
		if got := RefreshURL([]byte(in)); string(got) != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
