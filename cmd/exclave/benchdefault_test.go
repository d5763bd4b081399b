package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"exclave/internal/testweb/benchweb"
)

// The job of exclave init, not edited, on the web that is measured, with all kinds of traps.
func TestDefaultJob(t *testing.T) {
	if testing.Short() {
		t.Skip("crawls for seconds")
	}
	var out, said bytes.Buffer
	code := run([]string{"bench", "--default-job", "--traps", "--json", "-"}, strings.NewReader(""), &out, &said)
	var r defaultReport
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	t.Logf("%d requests; within %d clicks %d of %d, all %d of %d; in traps %.4f: %v", r.Requests, nearClicks, r.NearHit, r.Near, r.Found, r.National, r.TrapShare, r.Web.TrapsByKind)
	if code != int(exitOK) {
		t.Errorf("exit code %d: %s", code, r.wrong())
		for _, m := range r.Missing[:min(len(r.Missing), 5)] {
			t.Logf("missing, %d clicks: %s", m.Clicks, strings.Join(m.Way, " → "))
		}
	}
	// Otherwise nothing was shown.
	if far := r.National - r.Near; r.Near < 500 || far < 300 || r.ByRun[2].National == 0 || r.Refused == 0 {
		t.Errorf("the web is too easy: %+v %+v", r.ByClicks, r.ByRun)
	}
	// A trap that nobody enters shows nothing. Some are refused at their entry.
	for _, kind := range []string{"farm", "nonsense", "relative", "list, query", "variants", "calendar, Czech", "list, Czech", "search", "session, path"} {
		if r.Web.TrapsByKind[kind] == 0 {
			t.Errorf("no page of trap %q was asked for: %v", kind, r.Web.TrapsByKind)
		}
	}
}

// Each bar alone makes a run bad, and nothing else does.
func TestWhatIsWrongWithADefaultJob(t *testing.T) {
	good := func() *defaultReport {
		return &defaultReport{Near: 50, NearHit: 50, National: 100, Found: 98, FoundShare: 0.98, TrapShare: 0.05}
	}
	if what := good().wrong(); what != "" {
		t.Errorf("a good run: %s", what)
	}
	for want, change := range map[string]func(*defaultReport){
		"missed 1 of 50 national pages within 4 clicks": func(r *defaultReport) { r.NearHit-- },
		"found 97.90 %":   func(r *defaultReport) { r.FoundShare = 0.979 },
		"made 5.01 %":     func(r *defaultReport) { r.TrapShare = 0.0501 },
		"asked 1 times":   func(r *defaultReport) { r.OwnRequests = 1 },
		"for 2 resources": func(r *defaultReport) { r.ForbiddenGot = 2 },
		"left 3 defects":  func(r *defaultReport) { r.Defects = 3 },
	} {
		r := good()
		change(r)
		if what := r.wrong(); !strings.Contains(what, want) || strings.Contains(what, ";") && !strings.Contains(want, "resources") {
			t.Errorf("%q is said to be %q", want, what)
		}
	}
}

// Pages are counted by their distance, and one that was not asked for has its way.
func TestDefaultJobIsJudged(t *testing.T) {
	p := benchweb.DefaultParams()
	p.Hosts, p.Resources, p.Deep, p.Locality = 40, 2000, true, 0.8
	web, err := benchweb.New(p)
	if err != nil {
		t.Fatal(err)
	}
	clicks, _ := web.Clicks()
	counts := make([]byte, p.Resources)
	lost, private := -1, 0
	for id, n := range clicks {
		r := web.Resource(id)
		if !r.Reachable {
			private++
		}
		counts[id] = 1
		if n == nearClicks && r.National && lost < 0 {
			lost, counts[id] = id, 0
		}
	}
	var r defaultReport
	r.judge(web, counts)
	if r.Near-r.NearHit != 1 || r.National-r.Found != 1 || r.ByClicks[nearClicks].Found != r.ByClicks[nearClicks].National-1 || r.ForbiddenGot != private || private == 0 {
		t.Errorf("%+v", r)
	}
	if len(r.Missing) != 1 || r.Missing[0].Clicks != nearClicks || len(r.Missing[0].Way) < nearClicks+1 ||
		!strings.HasSuffix(r.Missing[0].Way[len(r.Missing[0].Way)-1], "national "+web.Resource(lost).URL) {
		t.Errorf("%+v", r.Missing)
	}
	all := 0
	for _, row := range r.ByRun {
		all += row.National
	}
	if all != r.National {
		t.Errorf("%d pages by run, %d by clicks", all, r.National)
	}
}
