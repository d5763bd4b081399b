package decide

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"exclave/crawl"
	"exclave/internal/sheet"
	"exclave/internal/urlx"
)

func limit(n int) *int { return &n }

// day is what dates of addresses are compared with.
func day() time.Time { return time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC) }

// subject makes what a rule sees of a link.
func subject(t testing.TB, url, hops string, c crawl.Claim) *Subject {
	t.Helper()
	cand := &crawl.Candidate{URL: url, Key: url, Hops: hops, Claim: c}
	if key, ok := crawl.PrereqKey(url); ok && crawl.PrereqHops(hops) {
		cand.Key = key
	}
	s := &Subject{Cand: cand}
	if u, err := urlx.Parse(url); err == nil {
		cand.Host = u.Hostname()
	}
	return s
}

func one(t testing.TB, c RuleConfig) *Sequence {
	t.Helper()
	s, problems := Build([]RuleConfig{c}, t.TempDir(), day())
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return s
}

func TestRules(t *testing.T) {
	bin := crawl.Claim{Bin: true}
	depth := crawl.Claim{Link: [4]int32{0, 2}}
	judge := crawl.Claim{Analyse: true}
	none := crawl.Claim{}
	const page = "http://a.example.com/"
	for _, c := range []struct {
		why  string
		rule RuleConfig
		url  string
		hops string
		clm  crawl.Claim
		want Decision
	}{
		{"systems.md 1.1: the first rule accepts everything", RuleConfig{Rule: "accept"}, page, "", none, Accept},
		{"a sequence may begin the other way round", RuleConfig{Rule: "reject"}, page, "", none, Reject},
		{"Heritrix: max hops 20 are allowed", RuleConfig{Rule: "too-many-hops"}, page, strings.Repeat("L", 20), none, None},
		{"Heritrix: hops of every kind count", RuleConfig{Rule: "too-many-hops"}, page, strings.Repeat("LER", 7), none, Reject},
		{"0 means seeds only", RuleConfig{Rule: "too-many-hops", Max: limit(0)}, page, "L", none, Reject},
		{"Heritrix counts slashes: 20 are allowed", RuleConfig{Rule: "too-many-path-segments"}, page + strings.Repeat("a/", 19), "", none, None},
		{"Heritrix counts slashes: 21 are not", RuleConfig{Rule: "too-many-path-segments"}, page + strings.Repeat("a/", 20), "", none, Reject},
		{"Heritrix: a segment may follow itself twice in all", RuleConfig{Rule: "pathological-path"}, page + "x/x/y/", "", none, None},
		{"Heritrix: max repetitions 2, the third is one too many", RuleConfig{Rule: "pathological-path"}, page + "x/x/x/", "", none, Reject},
		{"a run of several segments repeats", RuleConfig{Rule: "pathological-path"}, page + "r/a/b/c/a/b/c/a/b/c/i.html", "", none, Reject},
		{"the same segment at other places is no trap", RuleConfig{Rule: "pathological-path"}, page + "a/b/a/c/a/d/", "", none, None},
		{"the last name has no slash behind it", RuleConfig{Rule: "pathological-path"}, page + "x/x/x", "", none, None},
		{"empty segments repeat as well", RuleConfig{Rule: "pathological-path"}, page + "///", "", none, Reject},
		{"thesis: the expression that drops .cz", RuleConfig{Rule: "regex", List: []string{`^.*\.cz[\W].*$`}}, "http://www.x.cz/", "L", none, Reject},
		{"and is silent about the rest", RuleConfig{Rule: "regex", List: []string{`^.*\.cz[\W].*$`}}, page, "L", none, None},
		{"the decision is configurable", RuleConfig{Rule: "regex", Decision: "accept", List: []string{`z$`, `\.com/$`}}, page, "", none, Accept},
		{"all of .cz", RuleConfig{Rule: "hosts", List: []string{"cz"}}, "https://www.x.cz:8080/a", "L", none, Reject},
		{"a label is not a suffix of letters", RuleConfig{Rule: "hosts", List: []string{"cz"}}, "http://xcz/", "L", none, None},
		{".cz in the path is not the host (systems.md: our profiles use a host rule)", RuleConfig{Rule: "hosts", List: []string{"cz"}}, "http://a.com/x.cz/", "L", none, None},
		{"the domain itself", RuleConfig{Rule: "hosts", List: []string{".example.com"}}, "http://example.com/", "L", none, Reject},
		{"the root dot changes nothing", RuleConfig{Rule: "hosts", List: []string{"Example.COM"}}, "http://a.example.com./", "L", none, Reject},
		{"names as people write them", RuleConfig{Rule: "hosts", List: []string{".háčky.example"}}, "http://www.háčky.example/", "L", none, Reject},
		{"an address has no domains above it", RuleConfig{Rule: "hosts", List: []string{"1", "127.0.0.2"}}, "http://127.0.0.1/", "L", none, None},
		{"an address is a host", RuleConfig{Rule: "hosts", List: []string{"[::1]"}}, "http://[::1]/", "L", none, Reject},
		{"pseudo-URIs have a host too", RuleConfig{Rule: "hosts", List: []string{"cz"}}, "dns:a.cz", "P", none, None},
		{"SURT prefixes accept by default", RuleConfig{Rule: "surt-prefixes", List: []string{"+http://(cz,", "http://(com,example,)/a"}}, "https://www.x.cz/", "", none, Accept},
		{"a prefix with a path", RuleConfig{Rule: "surt-prefixes", List: []string{"http://(com,example,)/a", "http://(com,example,)/a/b"}}, "http://example.com/a/c", "", none, Accept},
		{"a URL as it is written", RuleConfig{Rule: "surt-prefixes", List: []string{"http://example.com/private"}}, "http://example.com/private/x", "", none, Accept},
		{"and no wider", RuleConfig{Rule: "surt-prefixes", List: []string{"http://example.com/private"}}, "http://example.com/public", "", none, None},
		{"beside the prefixes", RuleConfig{Rule: "surt-prefixes", List: []string{"http://(com,example,)/a", "http://(org,"}}, "http://example.com/b", "", none, None},
		{"systems.md case 27: an embed of an archived page", RuleConfig{Rule: "transclusion"}, "http://x.cz/i.png", "LE", bin, Accept},
		{"systems.md case 27: also with a depth", RuleConfig{Rule: "transclusion"}, "http://x.cz/i.css", "E", depth, Accept},
		{"systems.md case 27: navigation is not transclusion", RuleConfig{Rule: "transclusion"}, "http://x.cz/", "EL", depth, None},
		{"a frame of a page that is not archived", RuleConfig{Rule: "transclusion"}, "http://x.cz/", "LE", judge, None},
		{"a parked embed is known, so that a later claim finds it", RuleConfig{Rule: "transclusion"}, "http://x.cz/i.png", "LE", none, Accept},
		{"Heritrix: max transclusion hops 2", RuleConfig{Rule: "transclusion"}, page, "LEE", bin, Accept},
		{"Heritrix: the third is too far", RuleConfig{Rule: "transclusion"}, page, "LEEE", bin, None},
		{"Heritrix: one speculative hop", RuleConfig{Rule: "transclusion"}, page, "LEX", depth, Accept},
		{"Heritrix: not two", RuleConfig{Rule: "transclusion"}, page, "LXX", depth, None},
		{"limits are settings", RuleConfig{Rule: "transclusion", Max: limit(3), MaxSpeculative: limit(2)}, page, "LXEX", depth, Accept},
		{"a redirect of a page is navigation", RuleConfig{Rule: "transclusion"}, "http://x.cz/", "LR", depth, None},
		{"a redirect of an image is not", RuleConfig{Rule: "transclusion"}, "http://x.cz/", "LER", bin, Accept},
		{"http to https must not cost the images of style sheets", RuleConfig{Rule: "transclusion"}, page, "REE", bin, Accept},
		{"a seed is no embed", RuleConfig{Rule: "transclusion"}, page, "", depth, None},
		{"robots.txt of a host outside the scope", RuleConfig{Rule: "prerequisite"}, "http://x.cz/robots.txt", "LEP", none, Accept},
		{"what is not asked for on behalf of others", RuleConfig{Rule: "prerequisite"}, page, "PL", none, None},
		{"a link is no seed", RuleConfig{Rule: "seeds"}, page, "", none, None},
	} {
		t.Run(c.why, func(t *testing.T) {
			if d := one(t, c.rule).Decide(subject(t, c.url, c.hops, c.clm)).Decision; d != c.want {
				t.Errorf("%+v says %v of %s %q %+v, want %v", c.rule, d, c.url, c.hops, c.clm, c.want)
			}
		})
	}
}

// A dns: URI has no URL, but the host rule must know it: its host is in scope or
// not like that of its pages.
func TestHostOfPseudoURI(t *testing.T) {
	s := &Subject{Cand: &crawl.Candidate{URL: "dns:a.cz", Host: "a.cz"}}
	if d := one(t, RuleConfig{Rule: "hosts", List: []string{"cz"}}).Decide(s).Decision; d != Reject {
		t.Errorf("dns:a.cz: %v", d)
	}
	for _, name := range Names() { // no rule may need a URL
		c := RuleConfig{Rule: name}
		if name == "regex" || name == "surt-prefixes" || name == "hosts" {
			c.List = []string{"example.org"}
		}
		one(t, c).Decide(s)
	}
}

// The requirement: the last rule that is not silent wins, and its name goes into
// the out-of-scope log.
func TestSequence(t *testing.T) {
	s, problems := Build([]RuleConfig{
		{Rule: "accept"},
		{Rule: "hosts", List: []string{"cz"}},
		{Rule: "hosts", List: []string{"sk"}},
		{Rule: "transclusion"},
		{Rule: "seeds"},
	}, "", day())
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, c := range []struct {
		url, hops string
		seed      bool
		want      Decision
		rule      string
	}{
		{"http://a.com/", "L", false, Accept, "accept"},
		{"http://a.cz/", "L", false, Reject, "hosts"},
		{"http://a.sk/", "L", false, Reject, "hosts#2"},
		{"http://a.sk/", "E", false, Accept, "transclusion"},
		{"http://a.cz/", "", true, Accept, "seeds"},
	} {
		sub := subject(t, c.url, c.hops, crawl.Claim{Bin: true})
		sub.Cand.Seed = c.seed
		if r := s.Decide(sub); r != (Ruling{Decision: c.want, Rule: c.rule}) {
			t.Errorf("%s %q: %+v, want %v %q", c.url, c.hops, r, c.want, c.rule)
		}
	}
	if r := (&Sequence{}).Decide(subject(t, "http://a.com/", "", crawl.Claim{})); r != (Ruling{}) {
		t.Errorf("no rules: %+v", r)
	}
}

// Sheets go before all rules, take the place of too-many-hops, and say nothing of prerequisites.
func TestUnderSheets(t *testing.T) {
	s, problems := Build([]RuleConfig{{Rule: "accept"}, {Rule: "too-many-hops"}, {Rule: "hosts", List: []string{"cz"}}, {Rule: "prerequisite"}}, "", day())
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	set, problems := sheet.Read([]sheet.Text{{Name: "a.toml", Data: []byte("[[sheet]]\nname=\"deep\"\ndomains=[\"deep.com\"]\nmax_hops=30\n[[sheet]]\nname=\"flat\"\ndomains=[\"flat.com\"]\nmax_hops=1\n" +
		"[[sheet]]\nname=\"in\"\ndomains=[\"in.cz\"]\nscope=\"accept\"\n[[sheet]]\nname=\"out\"\ndomains=[\"out.com\"]\nscope=\"reject\"\n")}}, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	s.Under(sheet.NewLive(set))
	for _, c := range []struct {
		url  string
		hops int
		want Ruling
	}{
		{"http://a.com/", 20, Ruling{Decision: Accept, Rule: "accept"}}, {"http://a.com/", 21, Ruling{Decision: Reject, Rule: "too-many-hops"}},
		{"http://deep.com/", 30, Ruling{Decision: Accept, Rule: "accept"}}, {"http://deep.com/", 31, Ruling{Decision: Reject, Rule: RuleSheet}},
		{"http://flat.com/", 1, Ruling{Decision: Accept, Rule: "accept"}}, {"http://flat.com/", 2, Ruling{Decision: Reject, Rule: RuleSheet}},
		{"http://in.cz/", 1, Ruling{Decision: Accept, Rule: RuleSheet}}, {"http://out.com/", 1, Ruling{Decision: Reject, Rule: RuleSheet}},
	} {
		if got := s.Decide(subject(t, c.url, strings.Repeat("L", c.hops), crawl.Claim{})); got != c.want {
			t.Errorf("%s after %d hops: %+v, want %+v", c.url, c.hops, got, c.want)
		}
	}
	if got := s.Decide(subject(t, "http://out.com/robots.txt", "LP", crawl.Claim{})); got.Rule == RuleSheet {
		t.Errorf("a prerequisite: %+v", got)
	}
}

// Lists of harvests are files, some of millions of lines, with comments.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "hosts.txt"), []byte("# national\ncz\n\n .Example.org \r\nbad host\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, problems := Build([]RuleConfig{{Rule: "hosts", File: "hosts.txt", List: []string{"sk"}}}, dir, day())
	if len(problems) != 1 || problems[0].Key != "[0].file" || !strings.Contains(problems[0].Msg, "hosts.txt:5:") {
		t.Errorf("problems: %v", problems)
	}
	for _, url := range []string{"http://a.cz/", "http://a.sk/", "http://www.example.org/"} {
		if d := s.Decide(subject(t, url, "L", crawl.Claim{})).Decision; d != Reject {
			t.Errorf("%s: %v", url, d)
		}
	}
}

// Every problem is reported at once, with its key: check reports them by line.
func TestBuildProblems(t *testing.T) {
	_, problems := Build([]RuleConfig{
		{Rule: "acept"},
		{Rule: "too-many-hops", Max: limit(-1)},
		{Rule: "too-many-hops", Max: limit(MaxHopPath)},
		{Rule: "accept", Max: limit(1), List: []string{"x"}},
		{Rule: "hosts"},
		{Rule: "hosts", Decision: "maybe", List: []string{"ok.cz", "http://a/"}},
		{Rule: "regex", List: []string{"("}},
		{Rule: "surt-prefixes", File: "missing.txt"},
		{Rule: "transclusion", MaxSpeculative: limit(-2)},
		{Rule: "traps", List: []string{"index", "calender"}},
		{Rule: "traps", List: []string{}},
	}, t.TempDir(), day())
	var keys []string
	for _, p := range problems {
		if p.Msg == "" {
			t.Errorf("%s: no message", p.Key)
		}
		keys = append(keys, p.Key)
	}
	want := "[0].rule [1].max [2].max [3].max [3].list [4].list [5].decision [5].list[1] [6].list[0] [7].file [8].max_speculative [9].list[1] [10].list"
	if got := strings.Join(keys, " "); got != want {
		t.Errorf("keys\n%s\nwant\n%s\n%v", got, want, problems)
	}
}

// A new job's scope must be one that builds, and does what systems.md 1.1 and
// case 27 say.
func TestDefaultScope(t *testing.T) {
	s, problems := Build(DefaultScope("cz"), "", day())
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	bin := crawl.Claim{Bin: true}
	for _, c := range []struct {
		url, hops string
		clm       crawl.Claim
		want      string
	}{
		{"http://firma.com/", "L", crawl.Claim{Analyse: true}, "ACCEPT accept"},
		{"http://firma.cz/", "L", crawl.Claim{Analyse: true, Bin: true}, "REJECT hosts"},
		{"http://firma.cz/i.png", "LE", bin, "ACCEPT transclusion"},
		{"http://firma.com/i.png", strings.Repeat("L", 20) + "E", bin, "ACCEPT transclusion"},
		{"http://firma.com/", strings.Repeat("L", 21), bin, "REJECT too-many-hops"},
		{"http://firma.com/a/a/a/a/", "E", bin, "REJECT pathological-path"},
		{"http://firma.cz/robots.txt", "LEP", crawl.Claim{}, "ACCEPT prerequisite"},
		{"http://firma.cz/robots.txt", "LL", crawl.Claim{Analyse: true}, "REJECT hosts"}, // a page links to it
		{"http://firma.com/calendar/2041/01/", "L", bin, "REJECT traps:calendar"},
		{"http://firma.com/calendar/2041/01/i.png", "E", bin, "ACCEPT transclusion"},
		{"http://firma.com/", "seed", crawl.Claim{Analyse: true}, "ACCEPT seeds"},
		{"http://firma.cz/", "seed", crawl.Claim{Analyse: true}, "REJECT hosts"},
		{"http://firma.com/pub/?C=N;O=D", "seed", crawl.Claim{Analyse: true}, "REJECT traps:index"},
		{"http://firma.com/?sort=a&order=b&limit=9", "redirect", crawl.Claim{Analyse: true}, "ACCEPT accept"},
		{"http://firma.cz/", "redirect", crawl.Claim{Analyse: true, Bin: true}, "REJECT hosts"},
	} {
		sub := subject(t, c.url, c.hops, c.clm)
		switch c.hops {
		case "seed":
			sub.Cand.Hops, sub.Cand.Seed = "", true
		case "redirect":
			sub.Cand.Hops, sub.Cand.Kind = "LR", crawl.LinkRedirect
		}
		r := s.Decide(sub)
		if got := fmt.Sprint(r.Decision, " ", r.Rule); got != c.want || (r.Trap != "") != strings.Contains(c.want, "traps:") {
			t.Errorf("%s %q: %s, want %s", c.url, c.hops, got, c.want)
		}
	}
	if s, problems := Build(DefaultScope(), "", day()); len(problems) > 0 || s.Len() != 8 {
		t.Errorf("without a national domain: %d rules, %v", s.Len(), problems)
	}
}

// A trap's path must not cost more than reading it.
func BenchmarkPathologicalPath(b *testing.B) {
	s := subject(b, "http://a.com/"+strings.Repeat("a/b/", 2000), "", crawl.Claim{})
	r := pathologicalPath(DefaultMaxRepetitions * 10000)
	for b.Loop() {
		r.Decide(s)
	}
}

// Host lists may have millions of entries: asking costs a look-up per label.
func BenchmarkHosts(b *testing.B) {
	r := hosts{d: Reject, set: map[string]struct{}{}}
	for i := range 100_000 {
		r.set[fmt.Sprintf("host%d.example", i)] = struct{}{}
	}
	s := subject(b, "http://a.b.c.example.com/", "", crawl.Claim{})
	for b.Loop() {
		r.Decide(s)
	}
}
