package interop_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"exclave/internal/sharedtest"
	"exclave/internal/urlx"
)

// The keys of CDX indexes must be those that pywb looks up: the package surt that
// it came with makes them of the same addresses, everything in ../shared/data/urls
// that parses.
func TestCDXKeyAgainstSurt(t *testing.T) {
	python := filepath.Join(filepath.Dir(sharedtest.Pywb(t, "cdx-indexer")), "python")
	var in strings.Builder
	var want []string
	seen := map[string]bool{}
	for _, s := range sharedAddresses(t) {
		u, err := urlx.Parse(s)
		if err != nil {
			continue
		}
		u = u.WithoutFragment()
		if seen[u.String()] {
			continue
		}
		seen[u.String()] = true
		in.WriteString(u.String() + "\n")
		want = append(want, u.String()+" "+urlx.CDXKey(u))
	}
	if len(want) < 500 {
		t.Fatalf("only %d addresses", len(want))
	}
	cmd := exec.CommandContext(t.Context(), python, "-c",
		"import sys\nfrom surt import surt\nfor line in sys.stdin:\n    print(line[:-1], surt(line[:-1]))")
	cmd.Stdin, cmd.Stderr = strings.NewReader(in.String()), os.Stderr
	out, err := cmd.Output()
	must(t, err)
	got := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(got) != len(want) {
		t.Fatalf("%d keys for %d addresses", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("ours %q\nsurt %q", want[i], got[i])
		}
	}
}

// sharedAddresses returns every string in the suites of ../shared/data/urls that
// may be an address.
func sharedAddresses(t *testing.T) []string {
	t.Helper()
	var out []string
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			out = append(out, v, "http://example.cz/"+v, "http://example.cz/?"+v)
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for k, e := range v {
				walk(k)
				walk(e)
			}
		}
	}
	for _, dir := range []string{"ada-wpt/tests/wpt", "urlcanon/testdata"} {
		files, err := filepath.Glob(filepath.Join(sharedtest.Path(t, "data/urls/"+dir), "*.json"))
		must(t, err)
		for _, file := range files {
			f, err := os.Open(file)
			must(t, err)
			var v any
			must(t, json.NewDecoder(bufio.NewReader(f)).Decode(&v))
			must(t, f.Close())
			walk(v)
		}
	}
	return out
}
