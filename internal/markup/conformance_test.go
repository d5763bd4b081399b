package markup

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"exclave/internal/sharedtest"
)

// The suites of other people: each test takes from a case what this package
// promises, which is less than a parser or a browser does.

func readShared(t testing.TB, rel string) []byte {
	t.Helper()
	b, err := os.ReadFile(sharedtest.Path(t, rel))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSrcsetSuite(t *testing.T) {
	// WPT: what the browser selects is among the candidates, and there are none
	// where it selects nothing.
	var cases []struct{ Srcset, Selected_url, Desc string }
	if err := json.Unmarshal(readShared(t, "data/links/srcset_cases.json"), &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if strings.Contains(c.Desc, "U+0001") {
			continue // the file has lost the character
		}
		var got []string
		srcset([]byte(c.Srcset), func(u []byte) { got = append(got, string(u)) })
		found := c.Selected_url == "" && len(got) == 0
		for _, u := range got {
			found = found || u == c.Selected_url
		}
		if !found {
			t.Errorf("%s: %q gives %q, want %q", c.Desc, c.Srcset, got, c.Selected_url)
		}
	}
	if len(cases) < 200 {
		t.Errorf("only %d cases", len(cases))
	}
}

// cssValues walks the component values of the suite and collects what url(…)
// tokens and functions hold.
func cssValues(v any, out *[]string) {
	list, ok := v.([]any)
	if !ok {
		return
	}
	if len(list) > 1 {
		switch {
		case list[0] == "url":
			if s, _ := list[1].(string); s != "" {
				*out = append(*out, s)
			}
		case list[0] == "function":
			if name, _ := list[1].(string); strings.EqualFold(name, "url") {
				if s, ok := onlyString(list[2:]); ok {
					*out = append(*out, s)
				}
				return
			}
		}
	}
	for _, x := range list {
		cssValues(x, out)
	}
}

// onlyString returns the argument of url(…) when it is one string and nothing else.
func onlyString(args []any) (s string, ok bool) {
	for _, a := range args {
		switch l, _ := a.([]any); {
		case a == " ":
		case len(l) == 2 && l[0] == "string" && !ok:
			s, ok = l[1].(string)
		case len(l) == 2 && l[0] == "error" && l[1] == "eof-in-string":
		default:
			return "", false
		}
	}
	return s, ok
}

func TestCSSSuite(t *testing.T) {
	var cases []any
	if err := json.Unmarshal(readShared(t, "data/links/css-parsing-tests/component_value_list.json"), &cases); err != nil {
		t.Fatal(err)
	}
	found := 0
	for i := 0; i+1 < len(cases); i += 2 {
		in, _ := cases[i].(string)
		var all, want []string
		cssValues(cases[i+1], &all)
		for _, u := range all {
			if u, ok := cleanURL([]byte(u)); ok {
				want = append(want, u)
			}
		}
		got := map[string]bool{}
		for _, l := range Parse(CSS, []byte(in), Options{}).Links {
			got[l.URL] = true
		}
		for _, u := range want {
			found++
			// The lexer keeps NUL and hands an escaped line end on; neither occurs
			// in a style sheet that works.
			if !got[u] && !strings.ContainsAny(in, "\x00") && !strings.Contains(in, "\\\n") {
				t.Errorf("%q: no %q in %v", in, u, got)
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d references in the suite", found)
	}
}

func TestCSSBytesSuite(t *testing.T) {
	// CSS Syntax 3.2: byte order mark, then HTTP, then @charset, then UTF-8.
	var cases []any
	if err := json.Unmarshal(readShared(t, "data/links/css-parsing-tests/stylesheet_bytes.json"), &cases); err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(cases); i += 2 {
		in := cases[i].(map[string]any)
		if in["environment_encoding"] != nil {
			continue // the encoding of the page that links here is not known
		}
		var raw []byte
		for _, r := range in["css_bytes"].(string) {
			raw = append(raw, byte(r))
		}
		label, _ := in["protocol_encoding"].(string)
		want := cases[i+1].([]any)[1].(string)
		if got := Parse(CSS, raw, Options{DeclaredCharset: label}).Charset; got != want {
			t.Errorf("%v: %s, want %s", in, got, want)
		}
	}
}

func TestEncodingSuite(t *testing.T) {
	// html5lib: the prescan finds the declared encoding, and nothing where a
	// browser falls back.
	for _, f := range []string{"tests1.dat", "tests2.dat"} {
		for _, c := range strings.Split(string(readShared(t, "data/links/html5lib-tests/encoding/"+f)), "#data\n")[1:] {
			data, want, ok := strings.Cut(c, "\n#encoding\n")
			if !ok {
				t.Fatalf("%s: %q", f, c)
			}
			want = strings.ToLower(strings.TrimSpace(want))
			got, from, _ := declaration(HTML, []byte(data), "")
			if name, n := bom([]byte(data)); n > 0 {
				got = name
			} else if got == "" || from != "meta" {
				got = "windows-1252"
			}
			if name, _ := lookup(want); got != name && got != want {
				t.Errorf("%s: %q: got %s, want %s", f, data, got, want)
			}
		}
	}
}

// treeCase is one case of the html5lib tree construction suite.
type treeCase struct{ data, document string }

func treeCases(t testing.TB) []treeCase {
	files, err := filepath.Glob(sharedtest.Path(t, "data/links/html5lib-tests/tree-construction") + "/*.dat")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	var out []treeCase
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range strings.Split("\n"+string(b), "\n#data\n")[1:] {
			data, rest, _ := strings.Cut(c, "\n#errors")
			_, doc, _ := strings.Cut(rest, "\n#document\n")
			if !strings.Contains(rest, "#document-fragment") && !strings.Contains(rest, "#script-on") {
				out = append(out, treeCase{data, doc})
			}
		}
	}
	return out
}

// visible takes from the printed tree the text that a reader sees, and apart
// from it the text of scripts and styles.
func visible(doc string) (text, hidden string) {
	var path []string
	for _, line := range strings.Split(doc, "\n| ") {
		line = strings.TrimPrefix(line, "| ")
		body := strings.TrimLeft(line, " ")
		depth := (len(line) - len(body)) / 2
		path = append(path[:min(depth, len(path))], body)
		if !strings.HasPrefix(body, "\"") {
			continue
		}
		s := strings.TrimSuffix(strings.TrimRight(body[1:], "\n"), "\"")
		shown := true
		for _, p := range path[:len(path)-1] {
			switch p {
			case "<script>", "<style>", "<svg style>", "<svg script>":
				hidden += s + " "
				shown = false
			case "<title>", "<svg title>", "<head>", "<template>", "content", "<iframe>":
				shown = false
			}
		}
		if shown {
			text += s
		}
	}
	return text, hidden
}

func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

func TestTreeSuite(t *testing.T) {
	// The tree is not built, so misnested tables differ in order and a few odd
	// cases in content; scripts and styles must never show.
	cases := treeCases(t)
	same := 0
	for _, c := range cases {
		d := Parse(HTML, []byte(c.data), Options{})
		if d.Err != nil {
			t.Errorf("%q: %v", c.data, d.Err)
		}
		text, hidden := visible(c.document)
		if letters(text) == letters(d.Text) {
			same++
		}
		for _, w := range strings.Fields(hidden) {
			if w = letters(w); len(w) > 3 && strings.Contains(d.Text, w) && !strings.Contains(text, w) {
				t.Errorf("%q: %q leaks into %q", c.data, w, d.Text)
			}
		}
	}
	t.Logf("%d of %d texts equal the tree's", same, len(cases))
	if same*100 < 98*len(cases) {
		t.Errorf("only %d of %d texts equal the tree's", same, len(cases))
	}
}

func TestTokenizerSuite(t *testing.T) {
	// Entities, broken tags and control characters: nothing but valid UTF-8 comes
	// out, and an entity in text is what the standard says it is.
	files, err := filepath.Glob(sharedtest.Path(t, "data/links/html5lib-tests/tokenizer") + "/*.test")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var suite struct {
			Tests []struct {
				Description, Input string
				Output             []any
				DoubleEscaped      bool
				InitialStates      []string
			}
		}
		if err := json.Unmarshal(b, &suite); err != nil {
			t.Fatal(f, err)
		}
		for _, c := range suite.Tests {
			d := Parse(HTML, []byte(c.Input), Options{})
			if d.Err != nil || !utf8.ValidString(d.Text) || !utf8.ValidString(d.Title) {
				t.Errorf("%s: %s: %v %q", f, c.Description, d.Err, d.Text)
			}
			if c.DoubleEscaped || len(c.InitialStates) > 0 || len(c.Output) != 1 {
				continue
			}
			if tok, ok := c.Output[0].([]any); ok && tok[0] == "Character" {
				if want := letters(tok[1].(string)); want != letters(d.Text) {
					t.Errorf("%s: %s: %q gives %q", filepath.Base(f), c.Description, c.Input, d.Text)
				}
			}
		}
	}
}
