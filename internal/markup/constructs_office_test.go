package markup

import (
	"archive/zip"
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// zipped is a document of one part, or of several: name, content, name, content …
func zipped(parts ...string) string {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i+1 < len(parts); i += 2 {
		f, err := w.Create(parts[i])
		if err == nil {
			_, err = f.Write([]byte(parts[i+1]))
		}
		if err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

// shown is an example as docs/extraction.md has it: of a document in ZIP its part.
func shown(in string) string {
	if !strings.HasPrefix(in, "PK\x03\x04") {
		return in
	}
	(&builder{doc: &Doc{}}).parts([]byte(in), func(name string, data []byte) { in = name + ": " + string(data) })
	return in
}

// officeConstructs are of Office Open XML (ECMA-376), OpenDocument 1.3, EPUB 3 and RTF 1.9.
func officeConstructs() []construct {
	of := func(why string, k Kind, name, part string, want ...string) construct {
		return construct{why, k, zipped(name, part), want}
	}
	return []construct{
		of("hyperlinks of Word, Excel and PowerPoint", OOXML, "word/_rels/document.xml.rels", `<Relationships><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink" Target="https://a.cz/?x=1&amp;y=2" TargetMode="External"/></Relationships>`,
			"L https://a.cz/?x=1&y=2 ooxml/hyperlink"),
		of("pictures that are elsewhere", OOXML, "ppt/slides/_rels/slide1.xml.rels", `<Relationships><Relationship Type="x/image" Target="http://a.cz/i.png" TargetMode="External"/></Relationships>`, "E http://a.cz/i.png ooxml/image"),
		of("parts of the document itself are no links", OOXML, "word/_rels/document.xml.rels", `<Relationships><Relationship Type="x/image" Target="media/i.png"/><Relationship Type="x/hyperlink" Target="file:///C:/a.docx" TargetMode="External"/><Relationship Type="x/hyperlink" Target="http://a.cz/part"/></Relationships>`),
		of("fields", OOXML, "word/document.xml", `<w:p><w:instrText> HYPERLINK "http://a.cz/" \o "tip"</w:instrText><w:instrText>PAGE \* MERGEFORMAT</w:instrText></w:p>`, "L http://a.cz/ field/hyperlink"),
		of("fields that stand in several runs, one in another, and simple ones", OOXML, "word/document.xml", `<w:fldChar w:fldCharType="begin"/><w:instrText> HYPERLINK "</w:instrText><w:instrText>http://a.cz/</w:instrText><w:fldChar w:fldCharType="begin"/><w:instrText> INCLUDEPICTURE \d "http://a.cz/i.png" </w:instrText><w:fldChar w:fldCharType="end"/><w:instrText>page" </w:instrText><w:fldChar w:fldCharType="separate"/><w:t>b</w:t><w:fldChar w:fldCharType="end"/><w:fldSimple w:instr='HYPERLINK \o "http://tip.cz/" "http://b.cz/"'/><w:fldSimple w:instr=' HYPERLINK \l "http://mark.cz/"'/><w:fldChar w:fldCharType="begin"/><w:instrText>HYPERLINK http://cut.cz/</w:instrText>`,
			"E http://a.cz/i.png field/includepicture", "L http://a.cz/page field/hyperlink", "L http://b.cz/ field/hyperlink", "L http://cut.cz/ field/hyperlink"),
		of("formulas of Excel", OOXML, "xl/worksheets/sheet1.xml", `<c><f>IF(A1&gt;0,HYPERLINK("http://a.cz/?x=1&amp;y=2","b"),HYPERLINK("http://b.cz/"&amp;A1))</f><v>b</v></c><c><f>_xlfn.IMAGE("http://a.cz/i.png")</f></c><c><f>SUM("http://no.cz/")</f></c>`,
			"L http://a.cz/?x=1&y=2 formula/hyperlink", "E http://a.cz/i.png formula/image"),
		of("files beside a document of Word, as it may lie on a server", OOXML, "word/_rels/document.xml.rels", `<Relationships><Relationship Type="x/hyperlink" Target="annex.pdf" TargetMode="External"/><Relationship Type="x/hyperlink" Target="C:\a\b.doc" TargetMode="External"/><Relationship Type="x/hyperlink" Target="/home/a/b.doc" TargetMode="External"/><Relationship Type="x/hyperlink" Target="#here" TargetMode="External"/></Relationships>`,
			"L annex.pdf ooxml/hyperlink"),
		of("and of OpenDocument, which is outside of its package", ODF, "content.xml", `<text:p><text:a xlink:href="../annex.odt">b</text:a><text:a xlink:href="content.xml">c</text:a><text:a xlink:href="#d">e</text:a></text:p>`, "L annex.odt odf/a"),
		of("formulas of OpenDocument", ODF, "content.xml", `<table:table-cell table:formula='of:=HYPERLINK("http://a.cz/";"b")'><text:p>b</text:p></table:table-cell>`, "L http://a.cz/ formula/hyperlink"),
		of("addresses written out", OOXML, "word/document.xml", `<w:p><w:t>See http://a.cz/x, or www.b.cz.</w:t></w:p>`, "X http://a.cz/x text"),
		of("links and pictures of OpenDocument", ODF, "content.xml", `<text:p>a <text:a xlink:href="https://a.cz/">b</text:a><draw:image xlink:href="http://a.cz/i.png"/><draw:image xlink:href="Pictures/1.png"/></text:p>`,
			"L https://a.cz/ odf/a", "E http://a.cz/i.png odf/image"),
		of("sections and backgrounds of OpenDocument that are elsewhere", ODF, "styles.xml", `<style:background-image xlink:href="https://a.cz/b.png"/><style:background-image xlink:href="Pictures/c.png"/><text:section-source xlink:href="https://a.cz/d.odt"/>`, "E https://a.cz/b.png odf/background-image", "E https://a.cz/d.odt odf/section-source"),
		of("tables of the web in Excel", OOXML, "xl/connections.xml", `<connections><connection><webPr url="https://a.cz/t.html"/></connection></connections>`, "E https://a.cz/t.html ooxml/webpr"),
		of("what a package of EPUB names that is elsewhere", EPUB, "OEBPS/content.opf", `<package><metadata><link rel="record" href="https://a.cz/r.xml"/></metadata><manifest><item href="https://a.cz/b.mp3"/><item href="c.xhtml"/></manifest></package>`, "L https://a.cz/r.xml epub/link/@href", "E https://a.cz/b.mp3 epub/item/@href"),
		of("style sheets of EPUB", EPUB, "OEBPS/s.css", `@font-face{src:url(https://a.cz/f.woff)} p{background:url(i.png)}`, "E https://a.cz/f.woff epub/css/url"),
		of("links of an EPUB to elsewhere", EPUB, "OEBPS/k1.xhtml", `<html><body><a href="https://a.cz/">a</a> <a href="k2.xhtml">next</a><img src="http://a.cz/i.png"/></body></html>`, "L https://a.cz/ epub/a/@href", "E http://a.cz/i.png epub/img/@src"),
		{"actions of PDF, and the files beside one (ISO 32000-2, 12.6.4)", PDF, "%PDF-1.7 1 0 obj<</A<</S/URI/URI(http://a.cz/x\\(1\\))>>>>endobj 2 0 obj<</A<</S/GoToR/F(b 1.pdf)>>>>endobj 3 0 obj<</A<</S/GoToR/F<</FS/URL/F(http://a.cz/c.pdf)>>>>>>endobj 4 0 obj<</A<</S/Launch/F(no.exe)>>>>endobj",
			[]string{"L http://a.cz/x(1) pdf/uri", "L b%201.pdf pdf/gotor", "L http://a.cz/c.pdf pdf/gotor"}},
		{"addresses written out in PDF, over the end of a line", PDF, "%PDF-1.7 1 0 obj<</Type/Page/Contents 2 0 R/Resources<</Font<</F<</Encoding/WinAnsiEncoding>>>>>>>>endobj 2 0 obj<<>>stream\nBT /F 9 Tf 12 TL (see http://a.cz/long-) Tj T* (path/b.html) Tj ET\nendstream endobj",
			[]string{"X http://a.cz/long-path/b.html text"}},
		{"fields of RTF in several groups", RTF, `{\rtf1{\field{\*\fldinst {HYPERLINK }{"http://a.cz/}{b"}}{\fldrslt x}}}`, []string{"L http://a.cz/b field/hyperlink"}},
		{"fields of RTF, and addresses written out", RTF, `{\rtf1\ansi{\field{\*\fldinst{HYPERLINK "https://a.cz/"}}{\fldrslt here}} http://b.cz/\par}`, []string{"L https://a.cz/ field/hyperlink", "X http://b.cz/ text"}},
	}
}

// Functions are those outside of strings, and a quote in a string is doubled.
func TestFormulaStrings(t *testing.T) {
	for code, want := range map[string]string{
		`IF(A1="(","HYPERLINK(",IMAGE("http://b.cz/a.png"))`:            "http://b.cz/a.png",
		`HYPERLINK("http://a.cz/?q=""x""")`:                             `http://a.cz/?q="x"`,
		`HYPERLINK("http://a.cz/?q=""x""","HYPERLINK(""http://no/"")")`: `http://a.cz/?q="x"`,
		`"a"&HYPERLINK( "http://a.cz/" )&HYPERLINK("http://b.cz/")`:     "http://a.cz/ http://b.cz/",
		`IF('5" (old)'!A1,HYPERLINK("http://a.cz/"))`:                   "http://a.cz/",
		`IF('it''s "'!A1,HYPERLINK("http://a.cz/"))`:                    "http://a.cz/",
		`'HYPERLINK("http://a.cz/")`:                                    "http://a.cz/",
		`HYPERLINK("http://a.cz/""`:                                     "",
		`HYPERLINK("http://a.cz/""x`:                                    "",
		`HYPERLINK("http://a.cz/"`:                                      "http://a.cz/",
		`HYPERLINK("http://a.cz/"&A1)`:                                  "",
		`"HYPERLINK("&IMAGE("http://a.cz/i"`:                            "http://a.cz/i",
	} {
		b := &builder{doc: &Doc{Kind: OOXML}, o: Options{MaxLinks: 100}}
		b.formula(code)
		var got []string
		for _, l := range b.doc.Links {
			got = append(got, l.URL)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
}

// The text of documents is that of their readers: blocks on lines of their own, cells apart, title and language.
func TestOfficeText(t *testing.T) {
	for _, c := range []struct {
		why, in           string
		kind              Kind
		text, title, lang string
	}{
		{"Word", zipped("docProps/core.xml", `<cp:coreProperties><dc:title>Zpráva</dc:title></cp:coreProperties>`, "word/styles.xml", `<w:lang w:val="cs-CZ"/>`,
			"word/document.xml", `<w:body><w:p><w:r><w:t>Příliš </w:t></w:r><w:r><w:t>žluťoučký</w:t><w:tab/><w:t>kůň</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:t>1</w:t></w:p></w:tc></w:tr></w:tbl><w:p><w:instrText>PAGE</w:instrText></w:p></w:body>`),
			OOXML, "Příliš žluťoučký\tkůň\n1", "Zpráva", "cs-CZ"},
		{"Excel", zipped("xl/sharedStrings.xml", "<sst><si><t>a</t></si><si><r><t>b</t></r><r><t>c</t></r></si></sst>", "xl/worksheets/sheet1.xml", "<c><v>17</v></c><c><is><t>d</t></is></c>"), OOXML, "a\nbc\nd", "", ""},
		{"PowerPoint", zipped("ppt/slides/slide1.xml", "<a:p><a:r><a:t>x</a:t></a:r><a:br/><a:r><a:t>y</a:t></a:r></a:p>", "ppt/presProps.xml", "<a:t>no</a:t>"), OOXML, "x\ny", "", ""},
		{"Writer", zipped("meta.xml", "<dc:title>T</dc:title><dc:language>sk</dc:language>", "content.xml", `<office:body><text:h>N</text:h><text:p>a<text:s/>b<text:tab/>c</text:p><number:text>no</number:text></office:body>`), ODF, "N\na b\tc", "T", "sk"},
		{"EPUB", zipped("c.opf", "<dc:title>Kniha</dc:title><dc:language>cs</dc:language>", "k.xhtml", "<html><head><title>no</title></head><body><h1>A</h1><p>b</p></body></html>"), EPUB, "A\nb", "Kniha", "cs"},
		{"RTF", `{\rtf1\ansi\ansicpg1250{\fonttbl{\f0 Arial;}}{\info{\title Dopis}{\author no}}\uc1 \'9elu\'9d\u357?\par{\*\generator no}a\tab b\bin3 }}}c}`, RTF, "žluťť\na\tbc", "Dopis", ""},
	} {
		d := Parse(c.kind, []byte(c.in), Options{})
		lang := ""
		if len(d.Langs) > 0 {
			lang = d.Langs[0].Value
		}
		if d.Text != c.text || d.Title != c.title || lang != c.lang || d.Err != nil {
			t.Errorf("%s: text %q, title %q, language %q, %v", c.why, d.Text, d.Title, lang, d.Err)
		}
	}
}

// A damaged document gives what is left of it; 200 of each kind, and each cut anywhere.
func TestDamagedOffice(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range officeConstructs() {
		for n := range 200 {
			b := []byte(c.in)
			for range 1 + n%5 {
				b[r.IntN(len(b))] ^= byte(1 + r.IntN(255))
			}
			check(t, c.kind, b, "")
		}
		for n := range len(c.in) {
			check(t, c.kind, []byte(c.in[:n]), "")
		}
	}
	long := zipped("word/document.xml", strings.Repeat("<w:p><w:t>slovo http://a.cz/</w:t></w:p>", 1000))
	if d := Parse(OOXML, []byte(long[:len(long)/2]), Options{}); !strings.HasPrefix(d.Text, "slovo http://a.cz/\nslovo") || len(d.Links) != 1 {
		t.Errorf("half of a document: %d bytes of text, %d links", len(d.Text), len(d.Links))
	}
	// A bomb is unpacked to the bound, and no more.
	bomb := zipped("word/document.xml", "<w:t>"+strings.Repeat("a ", 40<<20))
	if d := Parse(OOXML, []byte(bomb), Options{MaxText: 100}); len(d.Text) > 100 || !d.TextTruncated {
		t.Errorf("%d bytes", len(d.Text))
	}
}
