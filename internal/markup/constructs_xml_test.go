package markup

// xmlConstructs are those of XML and its vocabularies.
func xmlConstructs() []construct {
	return []construct{
		{"pictures, references, style, navigation", SVG, `<?xml version="1.0"?><?xml-stylesheet href='s.css'?><svg xmlns:xlink="http://www.w3.org/1999/xlink"><style>@import url(t.css);</style><image xlink:href="a.png"/><use href="b.svg#x"/><a xlink:href="c.html"><text>t</text></a><script href="d.js"/><g style="mask:url(e.svg#m)"/></svg>`,
			[]string{"E s.css xml-stylesheet/@href", "E t.css css/@import", "E a.png image/@xlink:href", "E b.svg#x use/@href", "L c.html a/@xlink:href", "E d.js script/@href", "E e.svg#m css/url"}},
		{"its style sheet only", XML, `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="a.xsl"?><rss><link>http://a.cz</link><img src="b"/></rss>`,
			[]string{"E a.xsl xml-stylesheet/@href"}},
	}
}
