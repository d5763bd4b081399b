package lint

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// row is a row of the import table. In patterns "x/…" is x and everything below.
type row struct {
	packages []string // whose imports the row governs; the first row that matches counts
	may      []string // packages of the module they may import
	why      string
}

// table is the import table of the architecture, from the bottom up.
func table() []row {
	level0 := []string{
		"internal/fsx/…", "internal/clock", "internal/urlx", "internal/mime", "internal/markup", "internal/script",
		"internal/record", "internal/resolve", "internal/robots", "internal/geoip", "internal/crawllog", "internal/aside", "internal/logparts", "internal/seedlog", "internal/collection", "internal/printable", "internal/traps", "internal/extsort", "internal/conf", "internal/yield", "internal/ipaddr", "internal/whois", "internal/simhash", "internal/near", "internal/sheet", "internal/cookies", "internal/secret", "internal/pdf",
	}
	level1 := append(slices.Clone(level0), "crawl", "warc/…", "dict", "langid")
	level3 := append(slices.Clone(level1), "analyzer", "frontier", "chain/…")
	job := append(slices.Clone(level3), "config", "internal/job/…")
	with := func(base []string, more ...string) []string { return append(slices.Clone(base), more...) }
	return []row{
		{[]string{"*test"}, []string{"…"}, "test packages import what they test"},
		{[]string{"internal/conf"}, nil, "the kit of configurations knows no setting"},
		{[]string{"internal/script"}, nil, "scripts are interpreted without a page to put them in"},
		{level0, level0, "level 0 knows only itself"},
		{[]string{"crawl", "dict"}, level0, "level 1 packages stand alone on level 0"},
		{[]string{"langid"}, with(level0, "dict"), "a language is told of words, wherever they are from"},
		{[]string{"warc/…"}, with(level0, "warc/…"), "warc knows nothing of crawls"},
		{[]string{"analyzer/labelled"}, level0, "the labelled set knows no judge"},
		{[]string{"analyzer"}, with(level0, "dict", "langid"), "the analyzer works without a crawl"},
		{[]string{"frontier/schema"}, []string{"crawl", "internal/mime"}, "the schema is pure: bytes in, values out"},
		{[]string{"frontier/rules"}, with(level0, "crawl", "frontier/schema"), "rules change rows; they know no store and nobody who uses them"},
		{[]string{"frontier/store"}, []string{"frontier/schema", "internal/fsx", "internal/yield"}, "the store knows tables, no rules"},
		{[]string{"frontier/sched"}, []string{"crawl", "frontier/schema"}, "scheduling has no store, no I/O, no lock and no clock"},
		{[]string{"frontier/commit"}, with(level0, "crawl", "frontier/rules", "frontier/schema", "frontier/store"), "a commit has its order; who is asked next hears of it by a function"},
		{[]string{"frontier/…"}, with(level0, "crawl", "frontier/…"), "the frontier knows URIs, not what is done with them"},
		{[]string{"chain/decide"}, with(level0, "crawl", "dict"), "rules look at URIs"},
		{[]string{"chain"}, with(level0, "crawl", "chain/decide"), "the framework knows no processor"},
		{[]string{"chain/extract"}, with(level0, "crawl", "chain", "chain/decide", "analyzer"), "the analyzer is a processor of extraction"},
		{[]string{"chain/write"}, with(level0, "crawl", "chain", "chain/decide", "warc"), "only writers know WARC"},
		{[]string{"chain/prefetch", "chain/fetch", "chain/post"}, with(level0, "crawl", "chain", "chain/decide"), "processors know the frontier by its interfaces"},
		{[]string{"chain/standard"}, with(level1, "analyzer", "chain/…"), "the table of processors knows all of them"},
		{[]string{"internal/judge"}, with(level1, "analyzer", "chain", "chain/extract", "chain/fetch"), "a document is judged without a crawl: no job, no state, no configuration"},
		{[]string{"internal/reading"}, with(level1, "chain", "chain/extract", "chain/standard"), "a document is read without a crawl, by the table of processors"},
		{[]string{"internal/wordlist"}, with(level0, "dict", "warc"), "lists are made of files, archives among them; nothing is judged here"},
		{[]string{"internal/webanalyzer"}, with(level0, "dict", "analyzer"), "the original's settings become a profile; nothing is judged here"},
		{[]string{"internal/labels"}, with(level0, "analyzer", "internal/judge"), "labelled pages are judged without a crawl"},
		{[]string{"internal/evaluation", "internal/calibration"}, with(level0, "analyzer", "internal/labels", "internal/evaluation"), "they compute on pages that were judged"},
		{[]string{"internal/rescore"}, with(level0, "crawl", "analyzer", "internal/labels"), "a log is judged again without a job"},
		{[]string{"config"}, level3, "the configuration is composed of what is below it"},
		{[]string{"internal/job/seeds"}, with(level0, "crawl", "chain/decide", "chain/fetch", "config"), "seeds reach the frontier by an interface; what runs the job is above"},
		{[]string{"internal/job/progress"}, with(level0, "frontier", "chain"), "what is told of a crawl is given to it: it knows neither job nor state"},
		{[]string{"internal/job/folder"}, with(level0, "crawl", "config"), "names and layout of a job's folder: it opens no state and no archive"},
		{[]string{"internal/job/rules"}, with(level0, "crawl", "analyzer", "chain/decide", "frontier", "config", "internal/job/folder"), "what a job decides by; nothing is done with it here"},
		{[]string{"internal/job/elsewhere"}, with(level0, "warc/…", "internal/job/folder"), "files that are elsewhere are found by the register; no state is asked"},
		{[]string{"internal/job/records"}, with(level1, "frontier", "internal/job/folder", "internal/job/elsewhere"), "single records of the archive: no rule, no configuration beyond the folder"},
		{[]string{"internal/job/view"}, with(level1, "analyzer", "chain", "chain/decide", "frontier", "internal/job/folder", "internal/job/records", "internal/job/rules"), "a job at rest is only looked at; what runs or answers is above"},
		{[]string{"internal/job/verify"}, with(level1, "chain/post", "frontier", "internal/job/elsewhere", "internal/job/folder", "internal/job/lines", "internal/job/progress", "internal/job/view"), "verification reads a job at rest; it knows nothing of running one"},
		{[]string{"internal/job/divide"}, with(level0, "crawl", "warc", "frontier", "internal/job/folder", "internal/job/records", "internal/job/rules", "internal/job/view"), "an archive is divided at rest, by the rules of claims; nothing is judged or crawled here"},
		{[]string{"internal/job/moved"}, with(level0, "frontier", "internal/job/folder"), "what was moved away is registered; which files are complete, whoever has the state says"},
		{[]string{"internal/job/storage"}, with(level0, "warc/…", "internal/job/folder", "internal/job/moved"), "files are stored and registered; which are complete, whoever has the state says"},
		{[]string{"internal/job/evidence"}, with(level0, "internal/job/folder"), "a secret in the job's folder"},
		{[]string{"internal/job/checkpoint"}, with(level0, "crawl", "warc", "frontier", "config", "internal/job/folder", "internal/job/evidence", "internal/job/view"), "a checkpoint asks an open state by an interface, and looks at one at rest; it runs nothing"},
		{[]string{"internal/job/lines"}, with(level0, "crawl", "frontier"), "what a line of a log means, to who reads it again"},
		{[]string{"internal/job/pause"}, with(level0, "internal/job/folder"), "why a crawl is paused: it is steered by a function, its controller is above"},
		{[]string{"internal/job/question"}, with(level1, "analyzer", "chain", "chain/decide", "chain/post", "chain/standard", "chain/write", "frontier", "config", "internal/job/checkpoint", "internal/job/folder", "internal/job/moved", "internal/job/progress", "internal/job/records", "internal/job/rules", "internal/job/seeds", "internal/job/view"), "questions are answered from what is open; who runs or serves is above"},
		{[]string{"internal/job/rebuild"}, with(level1, "analyzer", "chain", "chain/decide", "chain/post", "chain/standard", "chain/write", "frontier", "internal/job/folder", "internal/job/rules", "internal/job/records", "internal/job/lines"), "a state is made anew of archive and logs: the processors that scope links, but no job that runs"},
		{[]string{"internal/job"}, job, "the composition root knows everything below it; each room below has its row"},
		{[]string{"internal/control", "internal/metrics"}, with(job, "internal/control"), "they look at a running job and steer it"},
		{[]string{"internal/live"}, job, "the view shows snapshots of a job and draws on what is below it"},
		{[]string{"cmd/…"}, []string{"…"}, "commands know everything"},
		{[]string{"tools/recognition/lingua"}, nil, "another module: it knows nothing of ours"},
		{[]string{"tools/s3server"}, nil, "another module: it knows nothing of ours"},
		{[]string{"tools/comparebrowser"}, with(level3, "internal/reading", "internal/testweb/…"), "it reads pages as the extract chain does, and serves them"},
		{[]string{"tools/recognition"}, with(level3, "analyzer/labelled", "internal/judge", "internal/labels", "internal/evaluation", "internal/calibration", "internal/webanalyzer"), "it measures profiles as commands do"},
		{[]string{"tools/…"}, with(level1, "analyzer", "analyzer/labelled"), "tools build data"},
		{[]string{"internal/testweb/…", "internal/sharedtest", "internal/lint", "internal/interop", "internal/howto", "internal/heritrixlogs"}, []string{"…"}, "helpers of tests"},
	}
}

// restricted are packages that only certain files may import. Tests may import any package of
// ours, but a library only where the code beside them may.
func restricted() []row {
	return []row{
		{[]string{"internal/testweb/…"}, []string{"cmd/exclave/demo*.go", "cmd/exclave/bench*.go", "internal/testweb/…", "internal/job/jobtest/*.go", "tools/comparebrowser/*.go"}, "a synthetic web has no place in a crawl"},
		{[]string{"internal/sharedtest", "internal/growthtest", "internal/lint", "internal/interop", "internal/howto", "internal/heritrixlogs", "internal/job/jobtest", "frontier/frontiertest", "warc/dedup/deduptest", "warc/store/storetest"}, []string{"warc/store/storetest/*.go"}, "for tests only"},
		{[]string{"frontier/schema", "frontier/rules", "frontier/store", "frontier/sched", "frontier/commit"}, []string{"frontier/…"}, "the rooms of the frontier are for the frontier (ADR 43)"},
		{[]string{"github.com/nlnwa/gowarc/…"}, []string{"warc/…"}, "gowarc stays behind warc (ADR 13)"},
		{[]string{"github.com/minio/…"}, []string{"warc/store/*.go"}, "S3 is spoken in one package (ADR 77)"},
		{[]string{"github.com/temoto/robotstxt"}, []string{"internal/robots/*.go"}, "a second opinion that decides nothing (ADR 48)"},
		{[]string{"github.com/oschwald/…"}, []string{"internal/geoip/*.go"}, "databases of addresses stay behind geoip (ADR 48)"},
		{[]string{"github.com/cockroachdb/pebble/v2"}, []string{"frontier/store/*.go", "frontier/frontierbench/run.go", "internal/fsx/*.go", "internal/job/*_test.go", "internal/job/*/*_test.go", "internal/job/jobtest/*.go"}, "Pebble stays behind frontier/store"},
		{[]string{"github.com/BurntSushi/toml"}, []string{"internal/conf/*.go"}, "there is one way to decode (ADR 46)"},
		{[]string{"github.com/expr-lang/…"}, []string{"analyzer/*.go"}, "expressions are of profiles (ADR 53)"},
		{[]string{"github.com/spf13/cobra", "github.com/spf13/pflag"}, []string{"cmd/…"}, "only commands know the command line"},
		{[]string{"github.com/pemistahl/…"}, []string{"tools/recognition/lingua/*.go"}, "a yardstick of 127 MB has no place in a program (ADR 60)"},
	}
}

// pureStd is all that packages import that are not this module's, where they only compute.
func pureStd() map[string][]string {
	return map[string][]string{"frontier/sched": {"cmp", "fmt", "maps", "math/bits", "net/netip", "slices", "time"}}
}

// checkImports compares every import with the table.
func checkImports(m *module) []string {
	var problems []string
	for _, f := range m.files {
		governing, ok := rowOf(f.pkg)
		if !ok && !f.test {
			problems = append(problems, fmt.Sprintf("%s: package %s has no row in the import table", f.name, f.pkg))
			continue
		}
		for _, spec := range f.syntax.Imports {
			imported := strings.Trim(spec.Path.Value, `"`)
			rel, ours := strings.CutPrefix(imported, m.path+"/")
			if ours && f.test {
				continue
			}
			if ours && !anyMatch(governing.may, rel) {
				problems = append(problems, fmt.Sprintf("%s: must not import %s: %s", m.at(spec.Pos()), rel, governing.why))
			}
			if pure, is := pureStd()[f.pkg]; is && !ours && !f.test && !slices.Contains(pure, imported) {
				problems = append(problems, fmt.Sprintf("%s: must not import %s: %s", m.at(spec.Pos()), imported, governing.why))
			}
			for _, r := range restricted() {
				if anyMatch(r.packages, rel) && !anyMatch(r.may, f.name) {
					problems = append(problems, fmt.Sprintf("%s: must not import %s: %s", m.at(spec.Pos()), rel, r.why))
				}
			}
		}
	}
	return problems
}

// unmatched returns the patterns of the rows that name no package of the module: what was renamed
// or removed has no rule any more, and looks as if it had one.
func unmatched(m *module) []string {
	packages := map[string]bool{}
	for _, f := range m.files {
		packages[f.pkg] = true
	}
	var problems []string
	for _, r := range slices.Concat(table(), restricted()) {
		for _, p := range slices.Concat(r.packages, r.may) {
			if strings.Contains(p, ".") || p == "…" { // a library, a file, anything
				continue
			}
			if !slices.ContainsFunc(slices.Collect(maps.Keys(packages)), func(pkg string) bool { return anyMatch([]string{p}, pkg) }) {
				problems = append(problems, fmt.Sprintf("import table: %s is no package (%s)", p, r.why))
			}
		}
	}
	slices.Sort(problems)
	return slices.Compact(problems)
}

func rowOf(pkg string) (row, bool) {
	for _, r := range table() {
		if anyMatch(r.packages, pkg) {
			return r, true
		}
	}
	return row{}, false
}

func anyMatch(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		if p == "…" {
			return true
		}
		if base, below := strings.CutSuffix(p, "/…"); below {
			return name == base || strings.HasPrefix(name, base+"/")
		}
		if strings.HasPrefix(p, "*") {
			name = path.Base(name)
		}
		ok, err := path.Match(p, name)
		return err == nil && ok
	})
}
