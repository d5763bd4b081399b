package markup

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
)

// cssTokens writes the tokens of a style sheet that matter, one a line, as we and as tdewolff/parse divide it.
func cssTokens(src []byte) (ours, theirs []string) {
	l := cssLexer{src: src}
	for k, text := l.next(); k != cssEnd; k, text = l.next() {
		ours = append(ours, fmt.Sprintf("%d %q", k, text))
	}
	of := map[css.TokenType]cssKind{
		css.AtKeywordToken: cssAt, css.SemicolonToken: cssSemicolon, css.LeftBraceToken: cssOpenBrace, css.RightBraceToken: cssCloseBrace,
		css.FunctionToken: cssFunction, css.LeftParenthesisToken: cssOpen, css.RightParenthesisToken: cssClose, css.StringToken: cssText, css.URLToken: cssAddress,
	}
	z := css.NewLexer(parse.NewInputBytes(src[:len(src):len(src)]))
	for tt, text := z.Next(); tt != css.ErrorToken; tt, text = z.Next() {
		if k, matters := of[tt]; matters {
			theirs = append(theirs, fmt.Sprintf("%d %q", k, text))
		}
	}
	return ours, theirs
}

// ofUnicode is what only theirs knows as one token; the standard has it no more.
var ofUnicode = regexp.MustCompile(`[uU]\+`)

func compareCSSTokens(t *testing.T, src []byte) {
	t.Helper()
	src = bytes.ToValidUTF8(ofUnicode.ReplaceAll(src, []byte("u-")), nil)
	if ours, theirs := cssTokens(src); strings.Join(ours, "\n") != strings.Join(theirs, "\n") {
		t.Errorf("%.300q\nis  %.2000q\nnot %.2000q", src, ours, theirs)
	}
}

// Tokens of style sheets are those of tdewolff/parse: of the suite for parsers, of real pages, and of what is hard.
func TestCSSTokens(t *testing.T) {
	for _, s := range []string{
		"", "a", "url(", "url()", "url( )", "url(a", "url(a)b", "url( a )b", "url(a b)c", "url(a(b)c", "url(a\"b)c", "url(a\\)b)c", "url(a\\\nb)c", "url(a\\", "url(\"a\")b", "url('a' )b", "url('a'b)c", "url('a", "url('a\n)b",
		"url(\x00)a", "url(a\x00b)c", "url(\x7f)(", "URL(a)", "u\\rl(a)", "u\\72l(a)", "\\75 rl(a)", "\\url(a)", "xurl(a)", "-url(a)", "--url(a)", "#url(a)", "@url(a)", "5url(a)", "5.url(a)", "5.5url(a)", "5e3url(a)", "5eurl(a)", "5e-url(a)",
		"+url(a)", "+5url(a)", "-5url(a)", "-.5url(a)", ".url(a)", "5%url(a)", "5--url(a)", "<!--url(a)-->url(b)", "<!-url(a)", "-->(", "--->(", "/*url(a)*/url(b)", "/*url(a)", "/*/url(a)*/(", "/url(a)", "*/url(a)",
		"'a\\'b'c('", "'a\\\nb'(", "'a\\\r\nb'(", "'a\nb'(", "'a\\", "\"a'b\"(", "'a\\41\nb'(", "'\\000041 '(", "\\(", "\\\n(", "a\\\n(", "a\\(b(", "@\\69mport 'a';", "@-a(", "@--a(", "@5(", "@;", "#\\a (", "#\\\n(",
		"a{b:c(d(e)f);g:'h'}", "@media(a:b){c{}}", "é(", "\\é(", "a\\é(", "$=(", "||(", "~=|=^=*=", "[a='b'](", "image-set('a' 1x, url(b) 2x)", "a b( c", "5e+5e(", "1.e(", "1..5e(", "-a-b(", "-\\61(", "-\\\n(",
	} {
		compareCSSTokens(t, []byte(s))
	}
	var cases []any
	if err := json.Unmarshal(readShared(t, "data/links/css-parsing-tests/component_value_list.json"), &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if in, is := c.(string); is {
			compareCSSTokens(t, []byte(in))
		}
	}
	for _, page := range []string{"htmldate_1509819104_cs.html", "no_tine.no.fotballskole.html", "readability_aktualne_cs.html"} {
		compareCSSTokens(t, readShared(t, "data/pages/"+page))
	}
}

func FuzzCSSTokens(f *testing.F) {
	f.Add([]byte(`@import url("a\)b" );c{d:url( e f)g;h:image-set('i\'' 1x)}/**/<!-- 5e-3url(j) -- u\rl(k)-->`))
	f.Add([]byte("u\\72l(a \\\n'b\\\r\nc\n#\\a (-\\61(+.5e+5--x(@-x url('a\n))"))
	f.Fuzz(func(t *testing.T, src []byte) { compareCSSTokens(t, src) })
}
