package urlx_test

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"exclave/internal/sharedtest"
	"exclave/internal/urlx"
	"exclave/warc"
)

// corpus returns the payload digests of every address that the WARC files of
// others hold an answer 200 of.
func corpus(t *testing.T) map[string]map[string]bool {
	t.Helper()
	pages := map[string]map[string]bool{}
	dir := sharedtest.Path(t, "data/warc")
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, ".warc") && !strings.HasSuffix(file, ".warc.gz") {
			return err
		}
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer f.Close()
		// Some are damaged on purpose; what is whole in them counts.
		r := warc.NewTolerantReader(f, func(warc.Defect) {})
		for {
			e, err := r.Next()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			if e.Type() != "response" {
				continue
			}
			block, err := io.ReadAll(e.Block)
			if err != nil {
				continue
			}
			head, body, ok := bytes.Cut(block, []byte("\r\n\r\n"))
			line, _, _ := bytes.Cut(head, []byte("\r\n"))
			if status := bytes.Fields(line); !ok || len(status) < 2 || string(status[1]) != "200" {
				continue
			}
			digest := e.Header.Get("WARC-Payload-Digest")
			if digest == "" {
				sum := sha1.Sum(body)
				digest = hex.EncodeToString(sum[:])
			}
			if pages[e.TargetURI()] == nil {
				pages[e.TargetURI()] = map[string]bool{}
			}
			pages[e.TargetURI()][digest] = true
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// wrong returns the pairs of addresses that the rules merge though no answer of
// one was ever an answer of the other.
func wrong(pages map[string]map[string]bool, rules urlx.Rules) []string {
	byKey := map[string][]string{}
	for _, address := range slices.Sorted(maps.Keys(pages)) {
		if u, err := urlx.Parse(address); err == nil {
			byKey[rules.Key(u)] = append(byKey[rules.Key(u)], address)
		}
	}
	var out []string
	for _, same := range byKey {
		for i, a := range same {
			for _, b := range same[i+1:] {
				if !overlap(pages[a], pages[b]) {
					out = append(out, a+" "+b)
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

func overlap(a, b map[string]bool) bool {
	for d := range a {
		if b[d] {
			return true
		}
	}
	return false
}

// TestNeverMergesWhatDiffers: two addresses whose servers never gave the same
// answer must stay two. Where a rule merges such a pair after all, it stands here,
// so that a rule that begins to merge more is seen.
func TestNeverMergesWhatDiffers(t *testing.T) {
	pages := corpus(t)
	if len(pages) < 140 {
		t.Errorf("only %d addresses in the corpus", len(pages))
	}
	known := map[string][]string{
		"StripWWW": {"http://example.com/ http://www.example.com/"}, // another day's answer
	}
	check := func(name string, rules urlx.Rules) {
		if got := wrong(pages, rules); !slices.Equal(got, known[name]) {
			t.Errorf("%s merges %q, known are %q", name, got, known[name])
		}
	}
	check("no rule", urlx.Rules{})
	fields := reflect.TypeFor[urlx.Rules]()
	for i := range fields.NumField() {
		var rules urlx.Rules
		if f := reflect.ValueOf(&rules).Elem().Field(i); f.Kind() == reflect.Bool {
			f.SetBool(true)
			check(fields.Field(i).Name, rules)
		}
	}
}

// TestRulesMergeNothingElse: a pair of addresses may be one page or two; only the
// rule that is about their difference may merge them, and without rules nothing does.
func TestRulesMergeNothingElse(t *testing.T) {
	const id = "0123456789abcdef0123456789abcdef"
	cases := []struct{ a, b, rule string }{
		{"http://a.cz/", "https://a.cz/", ""},
		{"http://a.cz/", "http://a.cz:8080/", ""},
		{"http://a.cz/", "http://a.cz./", ""},
		{"http://a.cz/", "http://u@a.cz/", ""},
		{"http://a.cz/", "http://a.cz/?", ""},
		{"http://a.cz/?a", "http://a.cz/?a=", ""},
		{"http://a.cz/?a+b", "http://a.cz/?a%20b", ""},
		{"http://a.cz/?a=1&a=2", "http://a.cz/?a=2&a=1", ""},
		{"http://a.cz/?A", "http://a.cz/?a", ""},
		{"http://a.cz/a%2Fb", "http://a.cz/a/b", ""},
		{"http://a.cz/a%3Fb", "http://a.cz/a?b", ""},
		{"http://a.cz/a%23b", "http://a.cz/a", ""},
		{"http://a.cz/?a=1%26b=2", "http://a.cz/?a=1&b=2", ""},
		{"http://a.cz/%2541", "http://a.cz/%41", ""},
		{"http://a.cz/%%34%31", "http://a.cz/A", ""},
		{"http://a.cz/%C5%BD", "http://a.cz/%C5%BE", ""},
		{"http://a.cz/?http://b.cz//c", "http://a.cz/?http:/b.cz/c", ""},
		{"http://a.cz/a/b", "http://a.cz/a;b", ""},
		{"http://www.cz/", "http://cz/", ""},
		{"http://www1.a.cz/", "http://a.cz/", ""},
		{"http://a.cz/index.html", "http://a.cz/index.of.html", ""},
		{"http://a.cz/?cfid=1", "http://a.cz/?cfid=2", ""},
		{"http://a.cz/?sid=1", "http://a.cz/?sid=2", ""},
		{"http://a.cz/?sid=" + id + "0", "http://a.cz/?sid=" + id + "1", ""},
		{"http://a.cz/?id=" + id, "http://a.cz/", ""},
		{"http://a.cz/?aspsessionid=1", "http://a.cz/?aspsessionid=2", ""},
		{"http://a.cz/(4hqa0555fwsecu455xqckv45)/a.html", "http://a.cz/a.html", ""},
		{"http://a.cz/(a)/b.aspx", "http://a.cz/b.aspx", ""},
		{"http://a.cz/?source=x", "http://a.cz/?source=y", ""},
		{"http://a.cz/?utm=x", "http://a.cz/?utm=y", ""},
		{"http://a.cz/x", "http://www.a.cz/x", "StripWWW"},
		{"http://a.cz/x/", "http://a.cz/x/index.html", "StripIndex"},
		{"http://a.cz/x/", "http://a.cz/x/Default.aspx", "StripIndex"},
		{"http://a.cz/x", "http://a.cz/x/", "StripTrailingSlash"},
		{"http://a.cz/x/y", "http://a.cz//x///y", "MergeSlashes"},
		{"http://a.cz/x", "http://a.cz/X", "LowerCasePath"},
		{"http://a.cz/~x-", "http://a.cz/%7ex%2D", "NormalEscapes"},
		{"http://a.cz/?%5b", "http://a.cz/?%5B", "NormalEscapes"},
		{"http://a.cz/100%", "http://a.cz/100%25", "NormalEscapes"},
		{"http://a.cz/x", "http://a.cz/x;jsessionid=1", "StripSessionIDs"},
		{"http://a.cz/x.aspx", "http://a.cz/(S(4hqa0555fwsecu455xqckv45))/x.aspx", "StripSessionIDs"},
		{"http://a.cz/?cfid=1&cftoken=2", "http://a.cz/", "StripSessionIDs"},
		{"http://a.cz/?x&sid=" + id, "http://a.cz/?x", "StripSessionIDs"},
		{"http://a.cz/?utm_source=x", "http://a.cz/", "StripTracking"},
		{"http://a.cz/?a=1&b=2", "http://a.cz/?b=2&a=1", "SortQuery"},
	}
	fields := reflect.TypeFor[urlx.Rules]()
	for _, c := range cases {
		key := func(r urlx.Rules, s string) string {
			u, err := urlx.Parse(s)
			if err != nil {
				t.Fatal(err)
			}
			return r.Key(u)
		}
		if key(urlx.Rules{}, c.a) == key(urlx.Rules{}, c.b) {
			t.Errorf("%s and %s are one without rules", c.a, c.b)
		}
		for i := range fields.NumField() {
			var rules urlx.Rules
			f := reflect.ValueOf(&rules).Elem().Field(i)
			if f.Kind() != reflect.Bool {
				continue
			}
			f.SetBool(true)
			name := fields.Field(i).Name
			if got := key(rules, c.a) == key(rules, c.b); got != (name == c.rule) {
				t.Errorf("%s: %s and %s are one: %v", name, c.a, c.b, got)
			}
		}
	}
}
