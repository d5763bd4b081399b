package standard

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"exclave/chain"
	"exclave/internal/conf"
)

// config reads chains as job.toml has them.
func config(t *testing.T, text string) map[chain.Name][]StepConfig {
	t.Helper()
	var c struct {
		Chain map[chain.Name][]StepConfig `toml:"chain"`
	}
	doc, problems := conf.Parse([]byte(text), "job.toml")
	if doc != nil {
		problems = doc.Decode(&c)
	}
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return c.Chain
}

// The chains of a new job, in the order of architecture.md, run.
func TestDefault(t *testing.T) {
	steps, problems := Build(&Env{}, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	chains, err := chain.NewChains(steps)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range chains.Stats() {
		names = append(names, s.Step)
	}
	want := "pre-fetch/preselector pre-fetch/preconditions fetch/archive fetch/dns fetch/ftp fetch/whois fetch/http " +
		"extract/sitemap extract/ftp extract/http extract/html extract/text extract/css extract/js extract/xml extract/json extract/playlist extract/manifest extract/pdf extract/swf extract/office extract/packed extract/soft-404 extract/directives extract/web-analyzer " +
		"write/warc post/crawl-state-updater post/links-log post/links-scoper post/frontier-scheduler post/crawl-log post/analysis-log"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("steps\n%s\nwant\n%s", got, want)
	}
}

// A table that a person reads: every row says what it is, once.
func TestKinds(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range Kinds() {
		key := fmt.Sprint(k.Chain, "/", k.Kind)
		if seen[key] || k.Doc == "" || k.New == nil || !slices.Contains(chain.Names(), k.Chain) {
			t.Errorf("row %s: %q", key, k.Doc)
		}
		seen[key] = true
	}
}

// Architecture decision 9: processors, their options and rules are in TOML; a
// chain that is not mentioned is the default one.
func TestBuild(t *testing.T) {
	steps, problems := Build(&Env{}, config(t, `
[[chain.extract]]
kind = "html"
options = { max_body = 1000, max_outlinks = 5 }
[[chain.extract]]
kind = "css"
enabled = false
[[chain.extract]]
kind = "html"
rules = [{ rule = "hosts", list = ["example.org"] }]
[[chain.post]]
kind = "links-scoper"
options = { obey_nofollow = false }
`))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	ex := steps[chain.Extract]
	if len(ex) != 2 || ex[0].Name != "extract/html" || ex[0].Filter != nil || ex[1].Name != "extract/html#2" || ex[1].Filter == nil {
		t.Errorf("extract: %+v", ex)
	}
	if len(steps[chain.Post]) != 1 || len(steps[chain.Write]) != 1 {
		t.Errorf("post %v, write %v", steps[chain.Post], steps[chain.Write])
	}
	if _, err := chain.NewChains(steps); err != nil {
		t.Error(err)
	}
}

// Every problem at once, with the key that check looks up the line of; a step
// that is switched off must be right too, or switching it on is a surprise.
func TestBuildProblems(t *testing.T) {
	_, problems := Build(&Env{}, config(t, `
[[chain.extrakt]]
kind = "html"
[[chain.extract]]
kind = "htlm"
[[chain.extract]]
kind = "warc"
[[chain.extract]]
kind = "html"
enabled = false
options = { max_body = 0, max_bodies = 1 }
[[chain.extract]]
kind = "css"
options = { max_body = "much" }
[[chain.extract]]
kind = "http"
options = { max_outlinks = 0 }
[[chain.write]]
kind = "warc"
options = { level = 1 }
rules = [{ rule = "hosts" }, { rule = "hots" }]
[[chain.post]]
kind = "links-scoper"
options = { max_frame_hops = -1 }
`))
	var got []string
	for _, p := range problems {
		if p.Msg == "" {
			t.Errorf("%s: no message", p.Key)
		}
		got = append(got, p.Key)
	}
	want := []string{
		"extrakt", "extract[0].kind", "extract[1].kind", "extract[2].options.max_bodies", "extract[2].options.max_body",
		"extract[3].options.max_body", "extract[4].options.max_outlinks", "write[0].options.level", "write[0].rules[0].list",
		"write[0].rules[1].rule", "post[0].options.max_frame_hops",
	}
	if !slices.Equal(got, want) {
		t.Errorf("keys\n%v\nwant\n%v\n%v", got, want, problems)
	}
}
