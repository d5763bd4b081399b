package lint

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"exclave/internal/sharedtest"
)

// The rules of architecture and style hold for the whole module.
func TestModule(t *testing.T) {
	problems, err := Check(sharedtest.ModuleRoot(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Error(p)
	}
}

// Every row of the import table is about a package that exists.
func TestImportTableNamesPackages(t *testing.T) {
	m, err := read(sharedtest.ModuleRoot(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range unmatched(m) {
		t.Error(p)
	}
	if got := unmatched(&module{path: m.path}); len(got) == 0 {
		t.Error("a module without packages has none of those in the table, and nothing was found")
	}
}

var rewrite = flag.Bool("rewrite", false, "write docs/adr/README.md")

// A decision that nobody finds is taken again: the index has every record, with
// title and status (style: docs that are generated fail a test when stale).
func TestADRIndex(t *testing.T) {
	root := sharedtest.ModuleRoot(t)
	want, err := ADRIndex(root)
	if err != nil {
		t.Fatal(err)
	}
	index := filepath.Join(root, "docs", "adr", "README.md")
	if *rewrite {
		if err := os.WriteFile(index, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/adr/README.md is stale: go test ./internal/lint -rewrite")
	}
}

// The list tells which part of a record is superseded, and by what, over all lines of the status.
func TestADRIndexShowsTheWholeStatus(t *testing.T) {
	root := t.TempDir()
	adr := filepath.Join(root, "docs", "adr")
	if err := os.MkdirAll(adr, 0o755); err != nil {
		t.Fatal(err)
	}
	const record = "# 4. Memory: bounded\n\nStatus: accepted (plan); superseded in part by\n[23](0023-x.md): hosts\n\n## Context\n\nStatus: no\n"
	if err := os.WriteFile(filepath.Join(adr, "0004-memory.md"), []byte(record), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := ADRIndex(root)
	if err != nil {
		t.Fatal(err)
	}
	const row = "| [0004 Memory: bounded](0004-memory.md) | accepted (plan); superseded in part by [23](0023-x.md): hosts |\n"
	if !strings.HasSuffix(got, row) {
		t.Errorf("the index ends in %q, want %q", got[max(0, len(got)-len(row)):], row)
	}
}

// What the map of the program names is there, under that name.
func TestDocumentsNameWhatIsThere(t *testing.T) {
	root := sharedtest.ModuleRoot(t)
	m, err := read(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ARCHITECTURE.md", "LOCKS.md"} {
		text, err := os.ReadFile(filepath.Join(root, "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, unknown := range unknownNames(m, string(text)) {
			t.Errorf("docs/%s leads to %s, which is not there", name, unknown)
		}
	}
	const document = "`lint.Check` `module.gone` `internal/{lint,gone}` `internal/lint/module.go` `internal/lint/gone.go` `gone.Check` " +
		"`lint.module.files` `lint.module.gone` `job.toml` `recovered/` `any word` `word` `names.has` `gone/lint.Check`"
	want := []string{"gone.Check", "gone/lint.Check", "internal/gone", "internal/lint/gone.go", "lint.module.gone", "module.gone"}
	if got := unknownNames(m, document); !slices.Equal(got, want) {
		t.Errorf("unknown are %q, want %q", got, want)
	}
}

// Each check is seen to fail: a tree that breaks one rule, and only that one.
func TestFindings(t *testing.T) {
	const doc = "// Package x is here.\npackage x\n"
	for _, c := range []struct {
		why   string
		files map[string]string
		want  string // "" = nothing is wrong
	}{
		{"frontier must not know chains (level 2)",
			map[string]string{"frontier/doc.go": doc, "frontier/a.go": "package x\n\nimport _ \"m/chain\"\n"},
			"frontier/a.go:3: must not import chain: "},
		{"scheduling has no lock",
			map[string]string{"frontier/sched/doc.go": doc, "frontier/sched/a.go": "package x\n\nimport _ \"sync\"\n"},
			"frontier/sched/a.go:3: must not import sync: "},
		{"scheduling has no store",
			map[string]string{"frontier/sched/doc.go": doc, "frontier/sched/a.go": "package x\n\nimport _ \"m/internal/fsx\"\n"},
			"frontier/sched/a.go:3: must not import internal/fsx: "},
		{"scheduling has no clock",
			map[string]string{"frontier/sched/doc.go": doc, "frontier/sched/a.go": "package x\n\nimport \"time\"\n\nfunc f() time.Time { return time.Now() }\n"},
			"frontier/sched/a.go:5: time.Now: "},
		{"scheduling has no goroutine",
			map[string]string{"frontier/sched/doc.go": doc, "frontier/sched/a.go": "package x\n\nfunc f() { go f() }\n"},
			"frontier/sched/a.go:3: scheduling has no goroutine"},
		{"the exception of chain/write is not one of chain/fetch",
			map[string]string{"chain/fetch/doc.go": doc, "chain/fetch/a.go": "package x\nimport _ \"m/warc\"\n"},
			"chain/fetch/a.go:2: must not import warc: "},
		{"chain/write writes WARC",
			map[string]string{"chain/write/doc.go": doc, "chain/write/a.go": "package x\nimport _ \"m/warc\"\n"}, ""},
		{"level 0 must not look up",
			map[string]string{"internal/urlx/doc.go": doc, "internal/urlx/a.go": "package x\nimport _ \"m/crawl\"\n"},
			"internal/urlx/a.go:2: must not import crawl: "},
		{"crawl and warc must not know each other (level 1)",
			map[string]string{"warc/doc.go": doc, "warc/cdx/doc.go": doc, "warc/cdx/a.go": "package x\nimport _ \"m/crawl\"\n"},
			"warc/cdx/a.go:2: must not import crawl: "},
		{"only job, console and cmd know the whole configuration",
			map[string]string{"chain/standard/doc.go": doc, "chain/standard/a.go": "package x\nimport _ \"m/config\"\n"},
			"chain/standard/a.go:2: must not import config: "},
		{"job must not know what looks at it",
			map[string]string{"internal/job/doc.go": doc, "internal/job/a.go": "package x\nimport _ \"m/internal/live\"\n"},
			"internal/job/a.go:2: must not import internal/live: "},
		{"testweb is for tests and demo",
			map[string]string{"cmd/exclave/main.go": "// Command x.\npackage main\nimport _ \"m/internal/testweb\"\n"},
			"cmd/exclave/main.go:3: must not import internal/testweb: "},
		{"testweb in the demo, sharedtest in tests",
			map[string]string{"cmd/exclave/main.go": "// Command x.\npackage main\n", "cmd/exclave/demo.go": "package main\nimport _ \"m/internal/testweb\"\n",
				"cmd/exclave/a_test.go": "package main\nimport _ \"m/internal/sharedtest\"\n"}, ""},
		{"gowarc behind warc (ADR 13)",
			map[string]string{"crawl/doc.go": doc, "crawl/a.go": "package x\nimport _ \"github.com/nlnwa/gowarc/v2\"\n"},
			"crawl/a.go:2: must not import github.com/nlnwa/gowarc/v2: "},
		{"gowarc behind warc, in tests too",
			map[string]string{"crawl/doc.go": doc, "crawl/a_test.go": "package x\nimport _ \"github.com/nlnwa/gowarc/v2\"\n"},
			"crawl/a_test.go:2: must not import github.com/nlnwa/gowarc/v2: "},
		{"tests of warc know gowarc",
			map[string]string{"warc/doc.go": doc, "warc/a_test.go": "package x\nimport _ \"github.com/nlnwa/gowarc/v2\"\n"}, ""},
		{"a package that nobody put into the table",
			map[string]string{"util/doc.go": doc}, "util/doc.go: package util has no row"},
		{"style 3: a package comment", map[string]string{"crawl/a.go": "package x\n"}, "crawl: has 0 package comments"},
		{"style 3: only one", map[string]string{"cmd/a/a.go": "// One.\npackage main\n", "cmd/a/b.go": "// Two.\npackage main\n"}, "cmd/a: has 2 package comments"},
		{"style 3: in doc.go", map[string]string{"crawl/a.go": doc, "crawl/b.go": "package x\n"}, "crawl/a.go: the package comment belongs in doc.go"},
		{"style 6: a file of one subject", map[string]string{"crawl/doc.go": doc + strings.Repeat("\n", 598)}, ""},
		{"style 6: not longer", map[string]string{"crawl/doc.go": doc + strings.Repeat("\n", 599)}, "crawl/doc.go: has 601 lines"},
		{"style 6: tests too", map[string]string{"crawl/doc.go": doc, "crawl/a_test.go": doc[len("// Package x is here.\n"):] + strings.Repeat("\n", 600)}, "crawl/a_test.go: has 601 lines"},
		{"style 10: no sleeps in tests",
			map[string]string{"crawl/doc.go": doc, "crawl/a_test.go": "package x\nimport \"time\"\nfunc f() { time.Sleep(1) }\n"},
			"crawl/a_test.go:3: a test must not sleep"},
		{"style 10: time is fake in a synctest bubble",
			map[string]string{"crawl/doc.go": doc, "crawl/a_test.go": "package x\nimport (\"testing/synctest\"; \"time\")\nvar _ = func() { synctest.Test(nil, func() { time.Sleep(1) }) }\n"}, ""},
		{"style 2: no init", map[string]string{"crawl/doc.go": doc + "func init() {}\n"}, "crawl/doc.go:3: init"},
		{"nothing but main knows stdout: text of strangers passes what makes it safe",
			map[string]string{"crawl/doc.go": doc + "import \"os\"\nvar x = os.Stderr\n"}, "crawl/doc.go:4: os.Stderr is past what keeps"},
		{"TOML is decoded in one way (ADR 46)",
			map[string]string{"chain/doc.go": doc, "chain/a.go": "package x\nimport _ \"github.com/BurntSushi/toml\"\n"},
			"chain/a.go:2: must not import github.com/BurntSushi/toml: "},
		{"Validate has one signature (ADR 46)",
			map[string]string{"crawl/doc.go": doc + "type c struct{}\nfunc (c) Validate() []error { return nil }\n"}, "crawl/doc.go:4: Validate: "},
		{"this one",
			map[string]string{"crawl/doc.go": doc + "import \"m/internal/conf\"\ntype c struct{}\nfunc (c) Validate() (ps conf.Problems) { return nil }\n"}, ""},
		{"style 8: no panic", map[string]string{"crawl/doc.go": doc + "func f() { panic(1) }\n"}, "crawl/doc.go:3: panic"},
		{"style 2: no package-level state, seen across files",
			map[string]string{"crawl/doc.go": doc + "var m = map[int]int{}\n", "crawl/a.go": "package x\nfunc f() { m[1] = 2 }\n"},
			"crawl/a.go:2: changes a package-level variable"},
		{"style 2: a local variable may have the same name",
			map[string]string{"crawl/doc.go": doc + "var m int\nfunc f() { m := 1; m = 2; m++; _ = m }\nfunc g(m int) { m = 1 }\n"}, ""},
		{"style 16: no TODO", map[string]string{"crawl/doc.go": doc + "// TO" + "DO: later\n"}, "crawl/doc.go:3: TO" + "DO"},
		{"no silenced lint", map[string]string{"crawl/doc.go": doc + "var x int //no" + "lint:unused\n"}, "crawl/doc.go:3: //no" + "lint"},
	} {
		root := t.TempDir()
		c.files["go.mod"] = "module m\n"
		for name, text := range c.files {
			name = filepath.Join(root, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := Check(root)
		switch {
		case err != nil:
			t.Errorf("%s: %v", c.why, err)
		case c.want == "" && len(got) > 0, c.want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], c.want)):
			t.Errorf("%s: got %q, want %q", c.why, got, c.want)
		}
	}
}
