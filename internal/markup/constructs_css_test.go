package markup

// cssConstructs are those of style sheets.
func cssConstructs() []construct {
	return []construct{
		{"an escape in the name of url()", CSS, `p{background:u\72l(a.png)} b{background:\75rl( "b.png" )} i{background:u\72l( c/d.png )}`, []string{"E a.png css/url", "E b.png css/url", "E c/d.png css/url"}},
		{"an import behind a rule, which no browser takes", CSS, `@charset "utf-8"; @layer a; @import "b.css"; p{color:red} @import url(c.css);`, []string{"E b.css css/@import", "X c.css css/@import"}},
		{"CSS Values 4: quoted, unquoted and empty url()", CSS, `a{b:url(x.png) url("y.png") url('z.png') url() url( w.png )}`,
			[]string{"E x.png css/url", "E y.png css/url", "E z.png css/url", "E w.png css/url"}},
		{"CSS Cascade 5: both forms of @import, with layers and conditions", CSS, `@import "a.css"; @IMPORT url(b.css) layer(x) screen; @import url("c.css") supports(display:grid);`,
			[]string{"E a.css css/@import", "E b.css css/@import", "E c.css css/@import"}},
		{"CSS Fonts 4: sources", CSS, `@font-face{font-family:"a.b";src:url(a.woff2) format("woff2"),local("b"),url(c.ttf)}`,
			[]string{"E a.woff2 css/url", "E c.ttf css/url"}},
		{"CSS Images 4: image-set takes strings", CSS, `a{b:image-set("a.png" 1x, url(b.png) 2x type("image/png")) -webkit-image-set(url(c.png) 1x)}`,
			[]string{"E a.png css/url", "E b.png css/url", "E c.png css/url"}},
		{"CSS Syntax 4.3.7: escapes", CSS, `a{b:url(a\ b\(c\).png) url("d\65 f.png")}`,
			[]string{"E a b(c).png css/url", "E def.png css/url"}},
		{"comments are not read", CSS, `/* url(a.png) @import "b.css"; */ a{b:url(c.png)}`, []string{"E c.png css/url"}},
		{"what a condition asks about", CSS, `@supports (background:url(no.png)) and (b:image-set("no.png" 1x)){a{b:url(a.png)}} @import url(b.css) supports(b:url(no.png));`, []string{"E a.png css/url", "X b.css css/@import"}},
		{"a namespace is a name", CSS, `@namespace url(http://www.w3.org/2000/svg); a{b:url(c.png)}`, []string{"E c.png css/url"}},
		{"strings elsewhere are text", CSS, `a::after{content:"x.png"} a[href="b.png"]{c:d}`, nil},
		{"custom properties are used by others", CSS, `:root{--a:url(a.png)}`, []string{"E a.png css/url"}},
		{"those of a page are relative to the style sheet that uses them (Chromium), which is another where the page does not", HTML, `<html style="--a:url(a.png)"><link rel=stylesheet href="theme/x.css"><style>p { --b : url('b.png'); --c:url(/c.png); color: var( --b , red) }</style>`,
			[]string{"E theme/x.css link/@href[rel=stylesheet]", "E theme/a.png css/url", "E b.png css/url", "E /c.png css/url", "X a.png css/url"}},
		{"data URLs and fragments are not fetched", CSS, `a{b:url(data:image/png;base64,AA==);filter:url(#f)}`, nil},
		{"a style sheet may be cut anywhere", CSS, `a{b:url(x.png`, []string{"E x.png css/url"}},
		{"icons of Leaflet, which it finds beside the one in its style sheet", CSS, `.leaflet-default-icon-path{background-image:url(i/marker-icon.png)}`, []string{"E i/marker-icon.png css/url", "X i/marker-icon-2x.png css/url", "X i/marker-shadow.png css/url"}},
		{"pictures that are called as those of Leaflet end", CSS, `a{background:url(i/my-marker-icon.png)}`, []string{"E i/my-marker-icon.png css/url"}},
		{"rules and declarations that begin as comments of other languages", CSS, "// a{b:url(no.png)}\n.c{d:url(e.png); // f:url(no.png);\n g:url(h.png)} @media print{ // i{ b:url(no.png); j{k:url(no.png)} }\n l{m:url(//n.cz/o.png)} }", []string{"E e.png css/url", "E h.png css/url", "E //n.cz/o.png css/url"}},
		{"an import after a broken rule", CSS, `} ) @import "a.css"; b{c:url(d`, []string{"E a.css css/@import", "E d css/url"}},
	}
}
