package job_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"exclave/config"
	"exclave/internal/job"
	"exclave/internal/testweb"
)

// Decision 5: the key decides sameness, what is requested is the address as it was
// found first. The rules must never reach the request: the server may tell apart
// what they merge.
func TestOneURLOneFetch(t *testing.T) {
	page := testweb.Foreign()
	web := testweb.Hosts{"www.a.test": page, "a.test": page, "old.test": page, "w3.a.test": page,
		"seed.test": testweb.Foreign(
			// Each line is one key. The first stands for all.
			"http://www.a.test//%7ex/%2f/Index.HTML?b=1&PHPSESSID=0123456789abcdef0123456789abcdef&utm_source=x&a=2#here",
			"http://a.test/~X/%2F?a=2&b=1", "http://w3.a.test/~x/%2f/index.html?a=2&b=1", "http://old.test/%7EX/%2f/?a=2&b=1",
			"https://a.test/~x/%2f?a=2&b=1", // the scheme is part of the key
			"http://a.test/~x?a=2&b=1",
		)}
	const seed = "http://seed.test/"
	j := newJob(t, web, func(c *config.Config) {
		u := &c.URL
		u.StripWWW, u.StripIndex, u.StripTrailingSlash, u.MergeSlashes, u.LowerCasePath = true, true, true, true, true
		u.NormalEscapes, u.StripSessionIDs, u.StripTracking, u.SortQuery = true, true, true, true
		u.HostRules = "hosts.properties"
		file := filepath.Join(c.Dir, u.HostRules)
		must(t, os.WriteFile(file, []byte("startsWith(w3.)=\nsynonym(old.test)=a.test\n"), 0o644))
		must(t, os.WriteFile(filepath.Join(c.Dir, "seeds.txt"), nil, 0o644))
		for _, p := range c.Validate() {
			t.Error(p)
		}
	})
	h := j.run(job.Options{}, seed)
	want := []string{
		"http://a.test/~x?a=2&b=1",
		seed,
		"http://www.a.test//%7ex/%2f/Index.HTML?b=1&PHPSESSID=0123456789abcdef0123456789abcdef&utm_source=x&a=2",
	}
	var got []string
	for url, n := range h.hits {
		if strings.HasSuffix(url, "/robots.txt") || strings.HasPrefix(url, "https:") {
			continue
		}
		if n != 1 {
			t.Errorf("%s was asked for %d times", url, n)
		}
		got = append(got, url)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("requests %q\nwant     %q", got, want)
	}
	if _, ok := h.outcomes["https://a.test/~x/%2f?a=2&b=1"]; !ok {
		t.Error("the address with the other scheme was taken for the same")
	}

	// Other host rules would make other keys: the state refuses them.
	must(t, os.WriteFile(filepath.Join(j.cfg.Dir, "hosts.properties"), []byte("startsWith(w3.)=\n"), 0o644))
	for _, p := range j.cfg.Validate() {
		t.Error(p)
	}
	if b, err := job.Open(t.Context(), j.cfg, job.Options{Version: "test", Software: "exclave/test"}); err == nil || !strings.Contains(err.Error(), "host_rules") {
		if err == nil {
			must(t, b.Close())
		}
		t.Errorf("opened with other host rules: %v", err)
	}
}
