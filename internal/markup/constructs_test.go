package markup

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"exclave/internal/script"

	"github.com/google/go-cmp/cmp"
)

// construct is one way in which documents of a format refer to others: an example,
// and what is taken from it. It is a test, and a row of docs/extraction.md.
type construct struct {
	why  string // what it is, and the source of the rule
	kind Kind
	in   string   // the example, a whole document
	want []string // links as brief writes them; none for what looks like a link and is none
}

// constructs returns all, by the headings of docs/extraction.md.
func constructs() []struct {
	title string
	rows  []construct
} {
	return []struct {
		title string
		rows  []construct
	}{
		{"HTML", htmlConstructs()},
		{"CSS", cssConstructs()},
		{"JavaScript", jsConstructs()},
		{"JavaScript and the elements of its page", domConstructs()},
		{"XML and SVG", xmlConstructs()},
		{"JSON", jsonConstructs()},
		{"Playlists", mediaConstructs()},
		{"Texts of lines, and messages", lineConstructs()},
		{"Documents", officeConstructs()},
	}
}

func TestConstructs(t *testing.T) {
	for _, section := range constructs() {
		for _, c := range section.rows {
			t.Run(section.title+": "+c.why, func(t *testing.T) {
				d := Parse(c.kind, []byte(c.in), Options{})
				if diff := cmp.Diff(slices.Sorted(slices.Values(c.want)), slices.Sorted(slices.Values(brief(d.Links)))); diff != "" {
					t.Error(diff)
				}
				if d.Err != nil {
					t.Error(d.Err)
				}
			})
		}
	}
}

// What is found does not depend on which scripts were read before, also where a page has one twice.
func TestKnownScripts(t *testing.T) {
	known := script.NewCache()
	for _, section := range constructs() {
		for _, c := range section.rows {
			for _, in := range []string{c.in, c.in + c.in} {
				want := Parse(c.kind, []byte(in), Options{}).Links
				for range 3 {
					if diff := cmp.Diff(want, Parse(c.kind, []byte(in), Options{Scripts: known}).Links); diff != "" {
						t.Errorf("%s: %s", c.why, diff)
					}
				}
			}
		}
	}
}

var rewrite = flag.Bool("rewrite", false, "write docs/extraction.md instead of comparing it")

// TestExtractionPage compares docs/extraction.md with what the rows give today.
func TestExtractionPage(t *testing.T) {
	const path = "../../docs/extraction.md"
	page := extractionPage()
	if *rewrite {
		if err := os.WriteFile(path, page, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(old, page) {
		t.Error("docs/extraction.md is not what the tables give; write it with: go test ./internal/markup -run TestExtractionPage -rewrite")
	}
}

func extractionPage() []byte {
	var w bytes.Buffer
	w.WriteString(`# What is taken from documents

Each row is a document and the links that exclave takes from it, in the words of
crawl.log: the letter of the hop path, the address as it stands in the document, and
where it was found. L is navigation, E an embed, R a refresh, X a guess. The rows are
tests in internal/markup, and this page is written from them:

    go test ./internal/markup -run TestExtractionPage -rewrite

Scripts of a page that put addresses together are interpreted, within bounds and without reaching anything
([ADR 113](adr/0113-scripts-are-interpreted.md)); others, and libraries, are read string by string.
A crawl reads scripts of other files with the page that has them, when both are archived ([ADR 114](adr/0114-scripts-with-their-page.md)), with what they ask a server for,
load and import ([ADR 115](adr/0115-answers-are-read-with-their-page.md)). ` + "`js/fetch`" + ` is where a script reads the answer.
Such a page is given the time that frameworks take; its scripts may have 128 KB each, 512 KB together ([ADR 116](adr/0116-frameworks-run.md)).
What Alpine, petite-vue, Vue without a build and Knockout show by expressions in attributes is shown without these libraries, be they archived or not
([ADR 117](adr/0117-expressions-in-attributes-are-shown.md)).

` + "`exclave extract FILE`" + ` shows the same for a document of yours (howto/extract.md).
`)
	for _, section := range constructs() {
		fmt.Fprintf(&w, "\n## %s\n\n| what | example | links |\n| --- | --- | --- |\n", section.title)
		for _, c := range section.rows {
			var links []string
			for _, l := range c.want {
				links = append(links, code(l))
			}
			if links == nil {
				links = []string{"none"}
			}
			fmt.Fprintf(&w, "| %s | %s | %s |\n", cell(c.why), code(shown(c.in)), strings.Join(links, "<br>"))
		}
	}
	return w.Bytes()
}

// code returns s as code in a cell of a Markdown table, control characters visible.
func code(s string) string {
	s = cell(s)
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		s = " " + s + " "
	}
	return fence + s + fence
}

func cell(s string) string {
	var w strings.Builder
	for _, r := range s {
		switch {
		case r == '|':
			w.WriteString(`\|`)
		case r == '\n':
			w.WriteString("⏎")
		case r == '\r':
		case r < ' ' || r == 0x7F:
			fmt.Fprintf(&w, `\x%02X`, r)
		default:
			w.WriteRune(r)
		}
	}
	return w.String()
}
