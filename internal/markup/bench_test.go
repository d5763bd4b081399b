package markup

import (
	"bytes"
	"os"
	"testing"
	"unicode/utf8"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
	"github.com/tdewolff/parse/v2/js"
	"golang.org/x/net/html"
)

func benchPage(b *testing.B) []byte {
	if os.Getenv("EXCLAVE_HTML") != "" {
		return benchFile(b, "EXCLAVE_HTML", nil)
	}
	return readShared(b, "data/pages/readability_aktualne_cs.html")
}

func BenchmarkHTML(b *testing.B) {
	page := benchPage(b)
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		Parse(HTML, page, Options{})
	}
}

// BenchmarkHTMLAgain reads a page whose scripts are those of a page before, as most of a site's are.
func BenchmarkHTMLAgain(b *testing.B) {
	page := benchPage(b)
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	o := Options{Scripts: NewScripts()}
	for range 2 {
		Parse(HTML, page, o)
	}
	for b.Loop() {
		Parse(HTML, page, o)
	}
}

// BenchmarkTokenizer is the floor: the tokens alone, attributes read. The text of a script or a
// style sheet is one token.
func BenchmarkTokenizer(b *testing.B) {
	page := benchPage(b)
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		bareTokens(page, func(string, []byte) {})
	}
}

// BenchmarkTokenizers is the floor of a page with scripts and style sheets in it: its tokens in
// each of its three languages.
func BenchmarkTokenizers(b *testing.B) {
	page := benchPage(b)
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		bareTokens(page, func(element string, text []byte) {
			switch element {
			case "script":
				bareJSTokens(text)
			case "style":
				bareCSSTokens(text)
			}
		})
	}
}

// bareTokens reads a page with the bare tokenizer and gives raw the texts of its scripts and style sheets.
func bareTokens(page []byte, raw func(element string, text []byte)) {
	z := html.NewTokenizer(bytes.NewReader(page))
	in := ""
	for {
		t := z.Next()
		switch t {
		case html.ErrorToken:
			return
		case html.TextToken:
			if in != "" {
				raw(in, z.Raw())
			}
			continue
		}
		name, more := z.TagName()
		in = ""
		if t == html.StartTagToken {
			switch string(name) {
			case "script":
				in = "script"
			case "style":
				in = "style"
			}
		}
		for more {
			_, _, more = z.TagAttr()
		}
	}
}

func BenchmarkHTMLWindows1250(b *testing.B) {
	page := encode(b, "windows-1250", string(benchPage(b)))
	if utf8.Valid(page) {
		b.Fatal("not encoded")
	}
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		Parse(HTML, page, Options{DeclaredCharset: "windows-1250"})
	}
}

// benchFile is the file that an environment variable names, else the bytes given.
func benchFile(b *testing.B, variable string, otherwise []byte) []byte {
	name := os.Getenv(variable)
	if name == "" {
		return otherwise
	}
	src, err := os.ReadFile(name)
	if err != nil {
		b.Fatal(err)
	}
	return src
}

func benchSheet(b *testing.B) []byte {
	return benchFile(b, "EXCLAVE_CSS", bytes.Repeat([]byte("@font-face{font-family:A;src:url(../a.woff2) format(\"woff2\")}\n.menu > li:hover::after{content:\"\\2014\";background:#fff url('i/x.png') no-repeat;color:rgba(1,2,3,.5);margin:0 auto}\n/* a comment */\n@media screen and (max-width:600px){.a,.b{display:none}}\n"), 400))
}

func BenchmarkCSS(b *testing.B) {
	sheet := benchSheet(b)
	b.SetBytes(int64(len(sheet)))
	b.ReportAllocs()
	for b.Loop() {
		Parse(CSS, sheet, Options{})
	}
}

// BenchmarkCSSLexer is the floor of BenchmarkCSS: the tokens of another lexer alone.
func BenchmarkCSSLexer(b *testing.B) {
	sheet := benchSheet(b)
	b.SetBytes(int64(len(sheet)))
	b.ReportAllocs()
	for b.Loop() {
		bareCSSTokens(sheet)
	}
}

func bareCSSTokens(sheet []byte) {
	l := css.NewLexer(parse.NewInputBytes(sheet[:len(sheet):len(sheet)]))
	for tt := css.CommentToken; tt != css.ErrorToken; {
		tt, _ = l.Next()
	}
}

func benchScript(b *testing.B) []byte {
	return benchFile(b, "EXCLAVE_JS", bytes.Repeat([]byte("(function(w,d){var a=d.createElement('script');a.src=\"/js/app.min.js?v=3\";for(var i=0;i<10;i++){w[i]=i/2}}(window,document));\n"), 500))
}

func BenchmarkJS(b *testing.B) {
	script := benchScript(b)
	b.SetBytes(int64(len(script)))
	b.ReportAllocs()
	for b.Loop() {
		Parse(JS, script, Options{})
	}
}

// BenchmarkJSLexer is the floor of BenchmarkJS: the tokens of another lexer alone.
func BenchmarkJSLexer(b *testing.B) {
	script := benchScript(b)
	b.SetBytes(int64(len(script)))
	b.ReportAllocs()
	for b.Loop() {
		bareJSTokens(script)
	}
}

// bareJSTokens tells the lexer where regular expressions are, as a parser would. It ends at what is no script.
func bareJSTokens(script []byte) {
	l := js.NewLexer(parse.NewInputBytes(script[:len(script):len(script)]))
	value := false // the last token ends one
	for tt := js.CommentToken; tt != js.ErrorToken; {
		tt, _ = l.Next()
		if !value && (tt == js.DivToken || tt == js.DivEqToken) {
			tt, _ = l.RegExp()
		}
		switch tt {
		case js.WhitespaceToken, js.LineTerminatorToken, js.CommentToken, js.CommentLineTerminatorToken:
		case js.CloseParenToken, js.CloseBracketToken, js.CloseBraceToken, js.StringToken, js.TemplateToken, js.TemplateEndToken, js.RegExpToken, js.ThisToken:
			value = true
		default:
			value = js.IsIdentifier(tt) || js.IsNumeric(tt)
		}
	}
}

// BenchmarkDecode: what finding out the charset costs, by what is declared.
func BenchmarkDecode(b *testing.B) {
	page := benchPage(b)
	for name, c := range map[string]struct {
		body     []byte
		declared string
	}{
		"utf-8":                 {page, "utf-8"},
		"windows-1250":          {encode(b, "windows-1250", string(page)), "windows-1250"},
		"windows-1250 as utf-8": {encode(b, "windows-1250", string(page)), "utf-8"},
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(c.body)))
			b.ReportAllocs()
			for b.Loop() {
				decode(HTML, c.body, c.declared)
			}
		})
	}
}

func benchXML() []byte {
	return bytes.Repeat([]byte("<entry xmlns:m='http://search.yahoo.com/mrss/'><title>A title of some words</title><link rel=\"alternate\" href=\"http://a.cz/2024/x.html\"/><id>urn:x:1</id><m:content url=\"http://a.cz/i.jpg\" type=\"image/jpeg\"/><summary>Words and words and words and more of them</summary><updated>2024-01-01T00:00:00Z</updated></entry>\n"), 800)
}

func BenchmarkXML(b *testing.B) {
	doc := append([]byte(`<feed xmlns="http://www.w3.org/2005/Atom">`), benchXML()...)
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		Parse(XML, doc, Options{})
	}
}

// BenchmarkXMLTokenizer is the floor of BenchmarkXML.
func BenchmarkXMLTokenizer(b *testing.B) {
	doc := benchXML()
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		z := html.NewTokenizer(bytes.NewReader(doc))
		z.AllowCDATA(true)
		for z.Next() != html.ErrorToken {
			z.NextIsNotRawText()
			if _, more := z.TagName(); more {
				for more {
					_, _, more = z.TagAttr()
				}
			}
		}
	}
}
