package markup

// xmlConstructs are those of XML and its vocabularies.
func xmlConstructs() []construct {
	return []construct{
		{"pictures, references, style, navigation", SVG, `<?xml version="1.0"?><?xml-stylesheet href='s.css'?><svg xmlns:xlink="http://www.w3.org/1999/xlink"><style>@import url(t.css);</style><image xlink:href="a.png"/><use href="b.svg#x"/><a xlink:href="c.html"><text>t</text></a><script href="d.js"/><g style="mask:url(e.svg#m)"/></svg>`,
			[]string{"E s.css xml-stylesheet/@href", "E t.css css/@import", "E a.png image/@xlink:href", "E b.svg#x use/@href", "L c.html a/@xlink:href", "E d.js script/@href", "E e.svg#m css/url"}},
		{"style sheets of XML", XML, `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="a.xsl"?><x><img src="b"/><link rel="stylesheet" href="c.css"/></x>`,
			[]string{"E a.xsl xml-stylesheet/@href"}},
		{"document types and external entities (XML 1.0, 4.2.2)", XML, `<!DOCTYPE book PUBLIC "-//X//DTD//EN" "book.dtd" [ <!ENTITY one SYSTEM "one.xml"> <!ENTITY % two PUBLIC "-//Y" 'two.mod'> <!ENTITY three "four"> ]><book/>`,
			[]string{"E book.dtd doctype/@system", "E one.xml doctype/@system", "E two.mod doctype/@system"}},
		{"a document type that everybody knows", XML, `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd"><html xmlns="http://www.w3.org/1999/xhtml"><a href="b.html">c</a><img src="d.png"/></html>`,
			[]string{"L b.html a/@href", "E d.png img/@src"}},
		{"entities of a DTD file", XML, `<!ENTITY % html4 PUBLIC "-//A//B" "html4.mod" > %html4; <!ELEMENT a (b)>`, []string{"E html4.mod doctype/@system"}},
		{"schemas of a document, strong links first", XML, `<r xmlns:i="http://www.w3.org/2001/XMLSchema-instance" xmlns:l="http://www.w3.org/1999/xlink" l:href="page"><s i:schemaLocation="urn:a a.xsd
urn:b  b.xsd"/><t i:noNamespaceSchemaLocation="c.xsd"/></r>`,
			[]string{"E a.xsd xsi:schemalocation", "E b.xsd xsi:schemalocation", "E c.xsd xsi:nonamespaceschemalocation", "L page r/@xlink:href"}},
		{"XML Schema", XML, `<q:schema xmlns:q="http://www.w3.org/2001/XMLSchema" targetNamespace="http://a.cz/ns/x"><q:import namespace="http://b.cz/ns/y" schemaLocation="a.xsd"/><q:include schemaLocation="b.xsd"/><q:redefine schemaLocation="c.xsd"/><q:override schemaLocation="d.xsd"/></q:schema>`,
			[]string{"E a.xsd import/@schemalocation", "E b.xsd include/@schemalocation", "E c.xsd redefine/@schemalocation", "E d.xsd override/@schemalocation"}},
		{"XSLT", XML, `<xsl:stylesheet xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:import href="a.xsl"/><xsl:include href="b.xsl"/><xsl:template match="x"><a href="{@c}">d</a></xsl:template></xsl:stylesheet>`,
			[]string{"E a.xsl import/@href", "E b.xsl include/@href"}},
		{"RELAX NG", XML, `<grammar xmlns="http://relaxng.org/ns/structure/1.0" datatypeLibrary="http://www.w3.org/2001/XMLSchema-datatypes"><include href="a.rng"/><start><externalRef href="b.rng"/></start></grammar>`,
			[]string{"E a.rng include/@href", "E b.rng externalref/@href"}},
		{"RELAX NG in its compact syntax", RNC, "namespace a = \"http://b.cz/\"\n# include \"no.rnc\"\ninclude \"a.rnc\" { start = x }\ny = external 'b.rnc'\n", []string{"E a.rnc rnc/include", "E b.rnc rnc/include"}},
		{"XInclude, xml:base", XML, `<b xml:base="http://a.cz/c/" xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="d.xml"/></b>`, []string{"E d.xml include/@href"}},
		{"XLink", XML, `<a xmlns:xlink="http://www.w3.org/1999/xlink"><b xlink:href="c"/><d xlink:href="e" xlink:show="embed"/><f xlink:type="locator" xlink:href="#g"/></a>`, []string{"L c b/@xlink:href", "E e d/@xlink:href"}},
		{"RSS 2.0", XML, `<rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>T</title><link>http://a.cz/</link><image><url>http://a.cz/i.png</url></image><atom:link rel="self" href="f.xml"/><item><link>http://a.cz/1</link><guid isPermaLink="false">/x/1.html</guid><description>&lt;img src="b.png"&gt; text</description><content:encoded><![CDATA[<a href="c.html">d</a>]]></content:encoded><enclosure url="e.mp3"/><media:content url="g.mp4"/></item></channel></rss>`,
			[]string{"L http://a.cz/ rss:link", "E http://a.cz/i.png rss:image/url", "L f.xml atom:link/@href[rel=self]", "L http://a.cz/1 rss:link", "E b.png img/@src", "L c.html a/@href", "E e.mp3 enclosure/@url", "E g.mp4 content/@url"}},
		{"RSS 1.0", XML, `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel rdf:about="http://a.cz/"><image rdf:resource="http://a.cz/i.png"/></channel><image rdf:about="http://a.cz/i.png"/><item rdf:about="http://a.cz/1"><link>http://a.cz/2</link></item><item rdf:about="urn:x:3"/></rdf:RDF>`,
			[]string{"L http://a.cz/ channel/@rdf:about", "E http://a.cz/i.png image/@rdf:resource", "E http://a.cz/i.png image/@rdf:about", "L http://a.cz/1 item/@rdf:about", "L http://a.cz/2 rss:link"}},
		{"KML, with HTML in its descriptions", XML, `<kml xmlns="http://www.opengis.net/kml/2.2"><description><![CDATA[<a href="http://a.cz/">b</a>]]> &lt;img src="i.png"&gt;</description><NetworkLink><Link><href>n.kml</href></Link></NetworkLink><description>http://b.cz/</description></kml>`,
			[]string{"L http://a.cz/ a/@href", "E i.png img/@src", "E n.kml kml:href", "X http://b.cz/ xml/text"}},
		{"Atom", XML, `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="cs"><icon>i.ico</icon><link href="a"/><link rel="enclosure" href="b.mp3"/><link rel="hub" href="http://h.cz/"/><entry><content type="html">&lt;img src="c.png"&gt;</content></entry><entry><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><a href="d">e</a></div></content></entry><entry><summary type="text/html"><![CDATA[<a href="g">h</a>]]></summary><content src="f.html"/></entry></feed>`,
			[]string{"E i.ico atom:icon", "L a atom:link/@href[rel=alternate]", "E b.mp3 atom:link/@href[rel=enclosure]", "E c.png img/@src", "L d a/@href", "L g a/@href", "E f.html content/@src"}},
		{"OPML", XML, `<opml version="2.0"><body><outline text="a" xmlUrl="http://a.cz/f.xml" htmlUrl="http://a.cz/"/></body></opml>`, []string{"L http://a.cz/f.xml outline/@xmlurl", "L http://a.cz/ outline/@htmlurl"}},
		{"sitemaps, with their pictures and languages", XML, `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml"><url><loc> http://a.cz/?a=1&amp;b=2 </loc><lastmod> 2026-01-02</lastmod><priority>0.8</priority><image:image><image:loc>i.png</image:loc><image:title>T</image:title></image:image><xhtml:link rel="alternate" hreflang="de" href="http://a.cz/de"/></url></urlset>`,
			[]string{"M http://a.cz/?a=1&b=2 sitemap:loc[lastmod=2026-01-02,priority=0.8]", "E i.png image:loc", "L http://a.cz/de link/@href[rel=alternate]"}},
		{"an index of sitemaps, cut", XML, `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>http://a.cz/1.xml</loc></sitemap><sitemap><loc>http://a.cz/2.x`, []string{"M http://a.cz/1.xml sitemap:index/loc"}},
		{"sitemaps without a namespace, or of another", XML, `<urlset xmlns="urn:x"><url><loc>http://a.cz/1</loc><lastmod>a b</lastmod></url><url><loc>/2</loc></url></urlset>`, []string{"M http://a.cz/1 sitemap:loc", "M /2 sitemap:loc"}},
		{"MathML and SVG in XML", XML, `<d><math xmlns="http://www.w3.org/1998/Math/MathML"><mi href="a">x</mi></math><svg xmlns="http://www.w3.org/2000/svg"><image href="b.png"/><a href="c"/></svg></d>`, []string{"L a mi/@href", "E b.png image/@href", "L c a/@href"}},
		{"vocabularies nobody here knows: absolute addresses", XML, `<x xmlns="http://a.cz/ns/1.0" u="http://b.cz/c"><v href="d.html">http://e.cz/f.html</v><w namespace="http://g.cz/ns/2"/></x>`, []string{"X http://b.cz/c xml/attribute", "X http://e.cz/f.html xml/text"}},
		{"broken XML keeps what was found", XML, "<rss><channel><link>http://a.cz/</link></item><item \x01 ><link>http://b.cz/</link>&", []string{"L http://a.cz/ rss:link", "L http://b.cz/ rss:link"}},
	}
}
