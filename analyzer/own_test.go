package analyzer

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exclave/internal/conf"
)

// What follows, down to the test, is all there is to a kind of searcher with options of
// its own and a resource: the links to hosts of a list, as many as there must be at least.

type listedOptions struct {
	Hosts   string `toml:"hosts,required"` // a file of host names, one a line
	AtLeast int    `toml:"at_least"`       // with fewer links nothing is found

	opened, closed *int // for the test
}

func (o *listedOptions) Validate() (ps conf.Problems) {
	ps.Check(o.Hosts != "", "hosts", "is empty")
	ps.Check(o.AtLeast >= 1, "at_least", "%d is less than 1", o.AtLeast)
	return ps
}

func (o *listedOptions) beside(dir string) { o.Hosts = filepath.Join(dir, o.Hosts) }

func (o *listedOptions) check() (ps conf.Problems) {
	if _, err := os.Stat(o.Hosts); err != nil {
		ps.Add("hosts", "cannot be read")
	}
	return ps
}

type hostFile string

type hostList struct {
	text   string
	closed *int
}

func (h *hostList) Close() error { *h.closed++; return nil }

func (o *listedOptions) open(r *resources) (Searcher, error) {
	hosts, err := shared(r, hostFile(o.Hosts), func() (*hostList, error) {
		*o.opened++
		text, err := os.ReadFile(o.Hosts)
		return &hostList{string(text), o.closed}, err
	})
	return listed{hosts, o.AtLeast}, err
}

type listed struct {
	hosts   *hostList
	atLeast int
}

func (s listed) Search(_ context.Context, p *Page) (Finding, error) {
	var t tally
	if len(p.Outlinks) >= s.atLeast {
		for _, l := range p.Outlinks {
			t.add(strings.Contains(s.hosts.text, l.Host+"\n"), l.Host, "link")
		}
	}
	return t.finding(), nil
}

func (s listed) needsAddrs() bool { return true }

func (s listed) contents() map[string]string {
	return map[string]string{"hosts": fmt.Sprintf("%d bytes", len(s.hosts.text))}
}

// A searcher with options and a resource of its own is its file and one row of the table:
// profiles are read and checked, the resource is opened once and closed, a begun job knows
// what verdicts follow from, and nothing else had to be told.
func TestSearcherOfItsOwn(t *testing.T) {
	var opened, closed int
	table := kinds()
	table["listed"] = func() options { return &listedOptions{AtLeast: 1, opened: &opened, closed: &closed} } // the row

	dir := t.TempDir()
	file := filepath.Join(dir, "p.toml")
	const head = "[profile]\nname = \"p\"\nmin_points = 5\n"
	const text = head + "[[searcher]]\nkind = \"listed\"\nhosts = \"hosts.txt\"\npoints = 2\n" +
		"[[searcher]]\nkind = \"listed\"\nname = \"many\"\nhosts = \"hosts.txt\"\nat_least = 3\npoints = 1\n"
	if got, want := fmt.Sprint(checkProfile([]byte(text), file, table)), fmt.Sprintf("[%[1]s:6:1: searcher[0].hosts: cannot be read %[1]s:11:1: searcher[1].hosts: cannot be read]", file); got != want {
		t.Errorf("without its file: %s, want %s", got, want)
	}
	if err := os.WriteFile(filepath.Join(dir, "hosts.txt"), []byte("a.cz\nb.cz\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if problems := checkProfile([]byte(text), file, table); len(problems) > 0 {
		t.Error(problems)
	}
	const bad = head + "[[searcher]]\nkind = \"listed\"\nat_leest = 3\nat_least = 0\npoints = 2\npattern = \"x\"\n"
	want := fmt.Sprintf("[%[1]s:4:3: searcher[0].hosts: is missing; write a string in quotes %[1]s:6:1: searcher[0].at_leest: unknown key; did you mean at_least? "+
		"%[1]s:7:1: searcher[0].at_least: 0 is less than 1 "+
		"%[1]s:9:1: searcher[0].pattern: unknown key; remove it; known here are kind, name, points, cap, distinct, min_distinct, min_share, hosts, at_least]", file)
	if got := fmt.Sprint(checkProfile([]byte(bad), file, table)); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}

	_, p, problems := parseProfile([]byte(text), file, table)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	a, err := Open(t.Context(), Config{Further: []Profile{p}})
	if err != nil {
		t.Fatal(err)
	}
	if opened != 1 || !a.WantsAddrs() {
		t.Errorf("the list was opened %d times, addresses are wanted: %v", opened, a.WantsAddrs())
	}
	for links, points := range map[int]int64{1: 2, 2: 4, 3: 9} {
		page := &Page{Type: "text/html"}
		for _, host := range []string{"a.cz", "b.cz", "a.cz"}[:links] {
			page.Outlinks = append(page.Outlinks, Outlink{Host: host})
		}
		v, err := a.Run(t.Context(), page)
		if err != nil || v[0].Points != points || v[0].Valid != (points >= 5) {
			t.Errorf("%d links: %+v %v, want %d points", links, v, err, points)
		}
	}
	parts := fmt.Sprint(a.Parts())
	for _, want := range []string{"{profile p, searcher listed, hosts 10 bytes}", "{profile p, searcher many, at_least 3}"} {
		if !strings.Contains(parts, want) {
			t.Errorf("%s is not among %s", want, parts)
		}
	}
	if err := a.Close(); err != nil || closed != 1 {
		t.Errorf("closed %d times, %v", closed, err)
	}
}
