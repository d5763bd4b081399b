package markup

import (
	"slices"
	"strings"
	"testing"
)

func TestRealPages(t *testing.T) {
	// Pages as servers sent them: what a reader of the page finds in it.
	cases := []struct {
		file, title, lang, charset string
		links                      []string
		text, not                  []string
	}{
		{
			"htmldate_1509819104_cs.html", "Janovická knihovna zve na výstavu o nebezpečném živobytí převaděčů na Šumavě - Novinky.cz", "", "utf-8",
			[]string{"E /pro/static/0.14.163/css/plum.min.css?version=0.14.163 link/@href[rel=stylesheet]", "L https://www.novinky.cz/hledani form/@action", "E //d15-a.sdn.cz/d_15/c_img_E_J/qXcBOGp.jpeg?fl=cro,0,0,800,450%7Cres,240,,1%7Cjpg,80,,1 img/@srcset"},
			[]string{"Po stopách králů Šumavy"}, []string{"function", "window.", "{"},
		},
		{
			"readability_aktualne_cs.html", "West Ham hrozí gigantům, okouzlil i Linekera. Součkovu práci je snadné přehlédnout - Aktuálně.cz", "cs", "utf-8",
			nil, []string{"Linekera"}, []string{"function(", "var ", "googletag"},
		},
		{
			"no_1484494308.html", "Forstærket håb om 737 MAX-erstatning løfter Norwegian-aktie - sn.dk - Forsiden - Erhverv", "da", "utf-8",
			[]string{"L /senestenyt a/@href", "E //s1.adform.net/banners/scripts/adx.js script/@src", "E /themes/sn2014_theme/images/favicon.ico link/@href[rel=icon]"},
			[]string{"Nordvestsjælland\n"}, []string{"function(", "var "},
		},
		{
			"no_tine.no.fotballskole.html", "NFF: TINE Fotballskole viktig for barneidretten gjennom pandemien", "no", "utf-8",
			[]string{"E /_/asset/no.tine.tine:1603095474169/fonts/SariWeb.woff2 css/url", "E //www.googletagmanager.com/ns.html?id=GTM-T7CS5NX iframe/@src"},
			[]string{"Råvare"}, []string{"dataLayer", "font-face"},
		},
	}
	for _, c := range cases {
		t.Run(c.file, func(t *testing.T) {
			d := Parse(HTML, readShared(t, "data/pages/"+c.file), Options{})
			if d.Title != c.title || d.Charset != c.charset || d.Err != nil || d.DroppedLinks != 0 {
				t.Errorf("%q %s %v %d", d.Title, d.Charset, d.Err, d.DroppedLinks)
			}
			if c.lang != "" && (len(d.Langs) == 0 || d.Langs[0] != Lang{c.lang, "html", "lang"}) {
				t.Errorf("langs %v", d.Langs)
			}
			got := brief(d.Links)
			for _, l := range c.links {
				if !slices.Contains(got, l) {
					t.Errorf("no link %s", l)
				}
			}
			for _, s := range c.text {
				if !strings.Contains(d.Text, s) {
					t.Errorf("no text %q", s)
				}
			}
			for _, s := range c.not {
				if strings.Contains(d.Text, s) {
					t.Errorf("%q leaks into the text", s)
				}
			}
		})
	}
}

func TestHeritrixSites(t *testing.T) {
	// The pages Heritrix tests itself with, and the links it must find there.
	cases := []struct {
		file string
		base string
		want []string
	}{
		{"BackgroundImageExtractionSelfTestCase/htdocs/index.html", "", []string{"E example-background-image.jpeg body/@background"}},
		{"FramesSelfTestCase/htdocs/index.html", "", []string{"E topframe.html frame/@src", "E leftframe.html frame/@src", "E rightframe.html frame/@src", "L noframe.html a/@href"}},
		{"BadURIsStopPageParsingSelfTest/htdocs/one.html", "http://a:b/", []string{"L goodone.html a/@href"}},
		{"BadURIsStopPageParsingSelfTest/htdocs/two.html", "http:///lcweb.loc.gov/rr/amed/afs/afsctylng.html", []string{"L goodtwo.html a/@href"}},
		{"BadURIsStopPageParsingSelfTest/htdocs/three.html", "/cata;pgs-new.html", []string{"L goodthree.html a/@href"}},
		{"BadURIsStopPageParsingSelfTest/htdocs/index.html", "", []string{"L one.html a/@href", "L two.html a/@href", "L three.html a/@href"}},
		{"CharsetSelfTest/htdocs/index.html", "", []string{"L link.html a/@href"}},
		{"FlashParseSelfTest/htdocs/index.html", "", []string{"E pirates.swf param/@value", "E pirates.swf embed/@src"}},
		{"FormLoginSelfTest/htdocs/index.html", "", nil},
		{"SimpleSelfTest/htdocs/index.html", "", []string{"L link1.html a/@href", "L link2.html a/@href", "L link3.html a/@href"}},
	}
	for _, c := range cases {
		d := Parse(HTML, readShared(t, "data/links/heritrix-selftest-sites/"+c.file), Options{})
		if d.Base != c.base {
			t.Errorf("%s: base %q", c.file, d.Base)
		}
		got := brief(d.Links)
		for _, w := range c.want {
			if !slices.Contains(got, w) {
				t.Errorf("%s: no %q in %q", c.file, w, got)
			}
		}
		if c.want == nil && len(got) > 0 {
			t.Errorf("%s: %q", c.file, got)
		}
	}
}
