package markup

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"exclave/internal/sharedtest"

	"golang.org/x/net/html"
)

// ours and theirs write the tokens of a document, one a line, texts that touch put together.
func ours(src []byte, cdata bool) []string {
	l := lexer{src: src, cdata: cdata}
	var out tokens
	for size := 0; ; {
		k := l.next()
		if size += l.size; k == tokEnd {
			if size != len(src) || l.pos != len(src) {
				out.add(fmt.Sprintf("! %d of %d bytes", size, len(src)))
			}
			return out.flush()
		}
		switch k {
		case tokText:
			out.text += string(l.text)
		case tokStart, tokVoid:
			var attrs []string
			for _, a := range l.attrs {
				attrs = append(attrs, fmt.Sprintf("%q=%q", a.key, a.val))
			}
			out.add(fmt.Sprintf("<%q %v %v", l.name, attrs, k == tokVoid))
		case tokClose:
			out.add(fmt.Sprintf("</%q", l.name))
		case tokComment:
			out.add(fmt.Sprintf("! %q", html.UnescapeString(string(l.text)))) // theirs does, the standard does not
		case tokDoctype:
			out.add(fmt.Sprintf("d %q", html.UnescapeString(string(l.text))))
		case tokNothing, tokEnd:
		}
	}
}

func theirs(src []byte) []string {
	z := html.NewTokenizer(bytes.NewReader(src))
	var out tokens
	for {
		k := z.Next()
		if k == html.ErrorToken {
			return out.flush()
		}
		switch k {
		case html.TextToken:
			out.text += string(z.Text())
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			var attrs []string
			for n := 0; more; n++ {
				var key, val []byte
				key, val, more = z.TagAttr()
				if n < maxAttrs {
					attrs = append(attrs, fmt.Sprintf("%q=%q", key, val))
				}
			}
			out.add(fmt.Sprintf("<%q %v %v", name, attrs, k == html.SelfClosingTagToken))
		case html.EndTagToken:
			name, _ := z.TagName()
			out.add(fmt.Sprintf("</%q", name))
		case html.CommentToken:
			if string(z.Raw()) != "</>" {
				out.add(fmt.Sprintf("! %q", z.Text()))
			}
		case html.DoctypeToken:
			out.add(fmt.Sprintf("d %q", bytes.ReplaceAll(z.Text(), []byte{0}, []byte("\uFFFD")))) // as the standard has it
		}
	}
}

type tokens struct {
	all  []string
	text string
}

func (t *tokens) add(s string) { t.all = append(t.flush(), s) }

func (t *tokens) flush() []string {
	if t.text != "" {
		t.all, t.text = append(t.all, fmt.Sprintf("t %q", t.text)), ""
	}
	return t.all
}

var inScript = regexp.MustCompile(`(?is)<script.*<!--.*<[^a-z/]`)

// compareTokens demands that our tokens are those of golang.org/x/net/html. Where the two differ knowingly, it is the document that is changed: theirs
// tells a tag "<p a=b a=/>" to end with "/>", cuts the dashes off a comment that has no end, and takes "<" before anything but a letter in a comment of a
// script for the comment's end.
func compareTokens(t *testing.T, src []byte) {
	t.Helper()
	a, b := ours(src, false), theirs(src)
	if strings.Join(a, "\n") == strings.Join(b, "\n") {
		return
	}
	if inScript.Match(src) {
		return
	}
	for i := 0; i < len(a) || i < len(b); i++ {
		var x, y string
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		same := x == y || strings.HasPrefix(x, "<") && strings.TrimSuffix(strings.TrimSuffix(x, "true"), "false") == strings.TrimSuffix(strings.TrimSuffix(y, "true"), "false") && bytes.Contains(src, []byte("/>")) ||
			strings.HasPrefix(x, "! ") && strings.HasPrefix(y, "! ") && i == len(a)-1 && strings.TrimRight(x, `-!"`) == strings.TrimRight(y, `-!"`)
		if !same {
			at := 0
			for at < len(x) && at < len(y) && x[at] == y[at] {
				at++
			}
			at = max(at-100, 0)
			t.Fatalf("%.300q\ntoken %d is\n…%.300s\nwant\n…%.300s", src, i, x[min(at, len(x)):], y[min(at, len(y)):])
		}
	}
}

// Tokens are those of golang.org/x/net/html: of all documents of html5lib's tests, of real pages, and of what is hard.
func TestTokens(t *testing.T) {
	for _, s := range []string{
		"", "a", "<", "</", "<!", "<?", "a<b", "a<b>", "a</b", "</>", "</ x>y", "<!->x", "<!-->x", "<!--->x", "<!---->x", "<!--a--!>b", "<!--a--!-->b", "<!--a--->b", "<!--a", "<!--a-", "<!--a--", "<!--a--!",
		"<!doctype html>x", "<!DOCTYPE", "<!doctypehtml>", "<![CDATA[x]]>y", "<!x>y", "<?x y?>z",
		"<a b>c", "<a b=c>d", "<a b='c\"d'e>f", "<a/b/c=d/>e", "<a =b==c>d", "<A B=C b=d>e", "<a b= >c", "<a b = c>d", "<a b = 'c' / >d", "<a b=c/>d", "<a b=/>c", "<a / b>c", "<a b='", "<a b", "<a\x00b \x00=\x00>c\x00d",
		"a\r\nb\rc<a b='\r\n'><!--\r-->", "&amp;&amp&lt &notit;&notit &copy=1 &#65;&#x41 &#0;&#x80;&semi;&;& &#;&#x;",
		"<a b='&amp;&amp&lt &notit;&notit &copy=1 &copy1 &copy;=1 &#65;&#x41 &#65=&semi;&;& &#;&#x;&fjlig;&NotEqualTilde;&ampx;&AMP'>",
		"<script>a</script>b", "<script>a</scriptx></script >b", "<script><!--</script>b", "<script><!--<script></script>--></script>b", "<script><!--<script></script>c</script>b", "<script><!--><script></script>b",
		"<script><!-- --><script></script>b", "<script><!--<script>--></script>b", "<script><!--<script </script/>-></script>-->", "<script>a", "<script><!--<script>a", "<script></SCRIPT\n>b", "<script/>a</script>", "<script><!--<scriptx></script>b",
		"<style><!--</style>b--></style>", "<title>&lt;<b></titl></title>c", "<textarea>&amp;\r\n\x00</textarea>", "<iframe><a></iframe>b", "<noscript><a></noscript>", "<plaintext><a></plaintext>", "<xmp><a>&lt;</xmp>b", "<title></title>", "<title>",
	} {
		compareTokens(t, []byte(s))
	}
	for _, n := range []int{fewAttrs - 1, fewAttrs, fewAttrs + 1, 40, maxAttrs, maxAttrs + 9} { // each name once, however many there are
		var tag strings.Builder
		for i := range n {
			fmt.Fprintf(&tag, " A%d=%d a%d=again", i, i, i/2)
		}
		compareTokens(t, []byte("<p"+tag.String()+"><b"+tag.String()+">"))
	}
	// A script goes on behind "<" in a comment, too, which theirs takes for the comment's end.
	if got := strings.Join(ours([]byte("<script><!--<\n<script></script>x</script>b"), false), " "); !strings.HasSuffix(got, `</"script" t "b"`) || !strings.Contains(got, "</script>x") {
		t.Error(got)
	}
	documents := 0
	for _, root := range []string{"data/links/html5lib-tests", "data/pages", "data/links/heritrix-selftest-sites"} {
		err := filepath.WalkDir(sharedtest.Path(t, root), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, doc := range append(bytes.Split(text, []byte("#data\n")), text) {
				documents++
				compareTokens(t, doc)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if documents < 1000 {
		t.Errorf("only %d documents", documents)
	}
	// A section is text as it stands, where it is one.
	if got := strings.Join(ours([]byte("<![CDATA[a&amp;<b>]]>c<![CDATA[d"), true), " "); got != `t "a&amp;<b>cd"` {
		t.Error(got)
	}
}

func FuzzTokens(f *testing.F) {
	f.Add([]byte(`<a href="x?a=1&copy=2&amp;b" b=c/><script><!--<script></script>--></script><!--a--!><?x?><title>&lt;</title>`))
	f.Add([]byte("<A\x00 B='\r\n&notit;'/ c d=e>&#x41;</></ x><!doctype x><plaintext></plaintext>"))
	f.Fuzz(func(t *testing.T, src []byte) { compareTokens(t, src) })
}
