package howto_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// block is a fenced block of a page.
type block struct {
	line   int    // of its fence, from 1
	lang   string // sh, toml, go, text, or what has a reason
	text   string // its lines, each with its end
	below  bool   // it stands directly below the block before it
	notRun string // the reason; "": it is run
	path   string // the last Go file named before it
}

var (
	fence   = regexp.MustCompile("^( *)```(\\w*)$")
	mark    = regexp.MustCompile(`^ *<!-- howto: (.*) -->$`)
	reason  = regexp.MustCompile(`^not run: (\S.*)$`)
	item    = regexp.MustCompile(`^(\d+\. |\* )`)
	goFile  = regexp.MustCompile("`([a-z/_]+\\.go)`")
	checked = map[string]bool{"sh": true, "toml": true, "go": true, "text": true}
)

// blocks takes a page apart. Problems are those of its author.
func blocks(page string) (out []block, problems []string) {
	bad := func(line int, format string, args ...any) {
		problems = append(problems, fmt.Sprintf("line %d: %s", line, fmt.Sprintf(format, args...)))
	}
	var open *block
	indent, deep := "", 0 // of the open block; of the list item
	why, path := "", ""
	last := "" // what the last line that is not blank was: "block", "mark" or "text"
	blank := true
	for i, line := range strings.Split(page, "\n") {
		n := i + 1
		m := fence.FindStringSubmatch(line)
		switch {
		case open != nil && m != nil && m[2] == "" && m[1] == indent:
			out, open, last = append(out, *open), nil, "block"
		case open != nil:
			open.text += strings.TrimPrefix(line, indent) + "\n"
		case m != nil:
			open = &block{line: n, lang: m[2], below: last == "block" && why == "", notRun: why, path: path}
			if why == "" && !checked[m[2]] {
				bad(n, "a block of %q is neither run nor has a reason why not", m[2])
			}
			indent, why = m[1], ""
		case strings.TrimSpace(line) == "":
		case mark.MatchString(line):
			if r := reason.FindStringSubmatch(mark.FindStringSubmatch(line)[1]); r != nil {
				why = r[1]
			} else {
				bad(n, "want <!-- howto: not run: the reason -->")
				why = "no reason"
			}
			last = "mark"
		default:
			if why != "" {
				bad(n, "the reason why something is not run stands above no block")
				why = ""
			}
			if m := item.FindString(line); m != "" {
				deep = len(m)
			} else if line[0] != ' ' {
				deep = 0
			}
			if blank && strings.HasPrefix(line, strings.Repeat(" ", deep+4)) {
				bad(n, "a block without fences is not run: say what it is")
			}
			for _, m := range goFile.FindAllStringSubmatch(line, -1) {
				path = m[1]
			}
			last = "text"
		}
		blank = strings.TrimSpace(line) == ""
	}
	if open != nil {
		bad(open.line, "the block has no end")
	}
	for i, b := range out {
		if b.lang == "text" && b.notRun == "" && (!b.below || out[i-1].lang != "sh" && out[i-1].lang != "toml") {
			bad(b.line, "what this should be compared with does not stand directly above it")
		}
	}
	return out, problems
}

// A block that is silently passed over is as good as none: everything that could be one is
// run, or has a reason, or is a problem.
func TestBlocks(t *testing.T) {
	for _, c := range []struct{ why, page, blocks, problems string }{
		{"a command", "a\n\n```sh\nls\n```\n", "3 sh run \"ls\\n\"", ""},
		{"in an item of a list", "1. a\n\n   ```sh\n   ls\n     x\n   ```\n", "3 sh run \"ls\\n  x\\n\"", ""},
		{"a reason", "<!-- howto: not run: no Grafana -->\n```yaml\nx\n```", "2 yaml no Grafana \"x\\n\"", ""},
		{"output", "```sh\nls\n```\n\n```text\nx\n```\n", "1 sh run \"ls\\n\", 5 text run \"x\\n\"", ""},
		{"no reason", "<!-- howto: not run: -->\n```sh\nx\n```", "2 sh no reason \"x\\n\"", "line 1: want <!-- howto: not run: the reason -->"},
		{"another word", "<!-- howto: skip: x -->\n```sh\nx\n```", "2 sh no reason \"x\\n\"", "line 1: want <!-- howto: not run: the reason -->"},
		{"a reason for nothing", "<!-- howto: not run: x -->\nText.\n", "", "line 2: the reason why something is not run stands above no block"},
		{"no language", "```\nx\n```", "1  run \"x\\n\"", "line 1: a block of \"\" is neither run nor has a reason why not"},
		{"an unknown language", "```yaml\nx\n```", "1 yaml run \"x\\n\"", "line 1: a block of \"yaml\" is neither run nor has a reason why not"},
		{"indented", "Do:\n\n    rm x\n", "", "line 3: a block without fences is not run: say what it is"},
		{"indented in a list", "1. Do:\n\n       rm x\n", "", "line 3: a block without fences is not run: say what it is"},
		{"a paragraph of an item", "1. Do:\n\n   this\n", "", ""},
		{"output of nothing", "```sh\nls\n```\nprints\n```text\nx\n```\n", "1 sh run \"ls\\n\", 5 text run \"x\\n\"", "line 5: what this should be compared with does not stand directly above it"},
		{"no end", "```sh\nls\n", "", "line 1: the block has no end"},
	} {
		got, problems := blocks(c.page)
		var text []string
		for _, b := range got {
			run := b.notRun
			if run == "" {
				run = "run"
			}
			text = append(text, fmt.Sprintf("%d %s %s %q", b.line, b.lang, run, b.text))
		}
		if s := strings.Join(text, ", "); s != c.blocks {
			t.Errorf("%s: got %s, want %s", c.why, s, c.blocks)
		}
		if s := strings.Join(problems, "; "); s != c.problems {
			t.Errorf("%s: got problems %q, want %q", c.why, s, c.problems)
		}
	}
}
