package extract

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exclave/analyzer"
	"exclave/crawl"
)

// judgedHosts count verdicts.
type judgedHosts struct{ noHosts }

type noHosts struct{}

func (noHosts) Host(context.Context, string) (crawl.HostFacts, error) { return crawl.HostFacts{}, nil }
func (noHosts) Origin(context.Context, string) (crawl.OriginFacts, error) {
	return crawl.OriginFacts{}, nil
}
func (noHosts) Deferred(context.Context, string) (crawl.Deferred, bool, error) {
	return crawl.Deferred{}, false, nil
}

func (judgedHosts) HostVerdicts(_ context.Context, host string) (v crawl.HostVerdicts, err error) {
	if host == "a.com" {
		v = crawl.HostVerdicts{Judged: 6, Valid: [crawl.MaxProfiles]uint64{5, 2}}
	}
	return v, nil
}

// A page that is judged again does not count on what it was judged to be before.
func TestHostVerdictsWithoutItself(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.toml")
	if err := os.WriteFile(file, []byte("[profile]\nname = \"p\"\nmin_points = 1\n[[searcher]]\nkind = \"host\"\npoints = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := analyzer.Open(t.Context(), analyzer.Config{Profiles: []string{file}})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	w := NewWebAnalyzer(a, judgedHosts{}, DefaultConfig())
	for _, tt := range []struct {
		why, url string
		prior    *crawl.Prior
		want     string
	}{
		{"the first time", "http://a.com/", nil, `"found":6,"valid":5`},
		{"it was valid", "http://a.com/", &crawl.Prior{Outcome: crawl.Outcome{Judged: true, ValidFor: 3}}, `"found":5,"valid":4`},
		{"it was not valid", "http://a.com/", &crawl.Prior{Outcome: crawl.Outcome{Judged: true}}, `"found":5,"valid":5`},
		{"it was fetched only", "http://a.com/", &crawl.Prior{}, `"found":6,"valid":5`},
		{"a host of which nothing is known", "http://b.com/", nil, `"found":0,"valid":0`},
	} {
		u := answer(t, tt.url, "200 OK", "Content-Type: text/html\r\n", "<p>x")
		u.Claim.Analyse, u.Prior = true, tt.prior
		process(t, u, append(all(), w)...)
		if !strings.Contains(string(u.Judged.JSON), tt.want) {
			t.Errorf("%s: %s, want %s", tt.why, u.Judged.JSON, tt.want)
		}
	}
}
