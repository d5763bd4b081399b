package howto_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"exclave/internal/sharedtest"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`^#+ (.*)$`)
)

// A link that leads nowhere sends its reader nowhere: each one between the pages of the
// documentation has its file, and its heading.
func TestLinks(t *testing.T) {
	root := sharedtest.ModuleRoot(t)
	pages := map[string]string{}
	must(t, filepath.WalkDir(filepath.Join(root, "docs"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(path)
		pages[path] = string(text)
		return err
	}))
	for _, name := range []string{"README.md", "CHANGELOG.md"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		must(t, err)
		pages[filepath.Join(root, name)] = string(text)
	}
	links := 0
	for path, text := range pages {
		for i, line := range strings.Split(prose(text), "\n") {
			for _, m := range link.FindAllStringSubmatch(withoutCode(line), -1) {
				file, anchor, _ := strings.Cut(m[1], "#")
				if strings.Contains(file, ":") { // of the internet: nothing is asked there
					continue
				}
				links++
				target := path
				if file != "" {
					target = filepath.Join(filepath.Dir(path), filepath.FromSlash(file))
				}
				if _, err := os.Stat(target); err != nil {
					t.Errorf("%s:%d: %s is not there", path, i+1, m[1])
				} else if anchor != "" && !anchors(pages[target])[anchor] {
					t.Errorf("%s:%d: %s has no heading of that name", path, i+1, m[1])
				}
			}
		}
	}
	if links < 100 {
		t.Errorf("only %d links were found", links)
	}
}

// prose blanks what is in fences: it may look like a link, or like a heading.
func prose(page string) string {
	lines, in := strings.Split(page, "\n"), false
	for i, line := range lines {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			in = !in
		}
		if in {
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n")
}

// withoutCode blanks the code in a line that stands between runs of backticks of the same length, and has some itself.
func withoutCode(line string) string {
	for from := 0; ; {
		at := strings.Index(line[from:], "``")
		if at < 0 {
			return line
		}
		at += from
		behind := at + len(line[at:]) - len(strings.TrimLeft(line[at:], "`"))
		mark := line[at:behind]
		end := strings.Index(line[behind:], mark)
		if end < 0 {
			return line
		}
		line = line[:at] + line[behind+end+len(mark):]
		from = at
	}
}

// anchors are the names that GitHub gives to the headings of a page.
func anchors(page string) map[string]bool {
	out := map[string]bool{}
	for _, line := range strings.Split(prose(page), "\n") {
		if m := heading.FindStringSubmatch(line); m != nil {
			out[strings.Map(func(r rune) rune {
				switch {
				case r == ' ':
					return '-'
				case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
					return unicode.ToLower(r)
				}
				return -1
			}, m[1])] = true
		}
	}
	return out
}
