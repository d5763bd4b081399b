package conf

import (
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
)

func TestScan(t *testing.T) {
	for _, c := range []struct {
		why, text string
		want      positions
	}{
		{"keys and tables (TOML 1.0, table)", "a = 1\n[b]\n  c = 2 # d = 3\n", positions{"a": {1, 1}, "b": {2, 2}, "b.c": {3, 3}}},
		{"arrays of tables count their elements", "[[s]]\nr = 1\n[[s]]\nr = 2\n[s.t]\nu = 3\n", positions{
			"s": {1, 3}, "s[0]": {1, 3}, "s[0].r": {2, 1}, "s[1]": {3, 3}, "s[1].r": {4, 1}, "s[1].t": {5, 4}, "s[1].t.u": {6, 1}}},
		{"nested arrays of tables", "[[a]]\n[[a.b]]\nc = 1\n[[a.b]]\n[[a]]\n[[a.b]]\n", positions{
			"a": {1, 3}, "a[0]": {1, 3}, "a[0].b": {2, 5}, "a[0].b[0]": {2, 5}, "a[0].b[0].c": {3, 1}, "a[0].b[1]": {4, 5},
			"a[1]": {5, 3}, "a[1].b": {6, 5}, "a[1].b[0]": {6, 5}}},
		{"dotted and quoted keys (TOML 1.0, keys)", "h . \"x.y\".'z' = 1\n\"\" = 2\n\"a\\\"b\" = 3\n", positions{
			"h": {1, 1}, `h."x.y"`: {1, 5}, `h."x.y".z`: {1, 11}, `""`: {2, 1}, `"a\"b"`: {3, 1}}},
		{"inline tables", "a = { b = 1, c.d = [2] }\n", positions{"a": {1, 1}, "a.b": {1, 7}, "a.c": {1, 14}, "a.c.d": {1, 16}, "a.c.d[0]": {1, 21}}},
		{"arrays over lines, comments, a last comma", "a = [\n  \"x,]\", # ] \n  'y',\n]\nb = 1\n", positions{
			"a": {1, 1}, "a[0]": {2, 3}, "a[1]": {3, 3}, "b": {5, 1}}},
		{"multi-line strings that look like keys", "a = \"\"\"\nb = 1\n\\\"\"\"\"\"\"\nc = '''\n[d]\n''''\ne = 2\n", positions{
			"a": {1, 1}, "c": {4, 1}, "e": {7, 1}}},
		{"columns are characters, not bytes", "\"é\" = 1\na = { \"ř\" = 1, b = 2 }\n", positions{`"é"`: {1, 1}, "a": {2, 1}, `a."ř"`: {2, 7}, "a.b": {2, 16}}},
		{"CR LF", "a = 1\r\n[b]\r\nc = 2\r\n", positions{"a": {1, 1}, "b": {2, 2}, "b.c": {3, 1}}},
		{"arrays of inline tables", "a = [{b = 1}, {b = 2}]\n", positions{
			"a": {1, 1}, "a[0]": {1, 6}, "a[0].b": {1, 7}, "a[1]": {1, 15}, "a[1].b": {1, 16}}},
	} {
		var tree map[string]any
		if err := toml.Unmarshal([]byte(c.text), &tree); err != nil {
			t.Errorf("%s: the case is not TOML: %v", c.why, err)
		}
		if d := cmp.Diff(c.want, scanText(c.text).at); d != "" {
			t.Errorf("%s:\n%s", c.why, d)
		}
	}
}

func TestFindNearestTable(t *testing.T) {
	at := positions{"a": {1, 1}, "a.b[2]": {3, 1}}
	for path, want := range map[string]pos{
		// A missing key is reported where its table begins.
		"a.b[2].c": {3, 1}, "a.x": {1, 1}, "a.b[3].c": {1, 1}, `a."x.y"`: {1, 1}, "z": {},
	} {
		if got := at.find(path); got != want {
			t.Errorf("find(%s) = %v, want %v", path, got, want)
		}
	}
}

// A job.toml is a stranger's text too: whatever it holds, scan ends, and every
// key that the TOML library sees has a position.
func FuzzScan(f *testing.F) {
	for _, s := range []string{"", "a = 1", "[a]\nb.c = {d = [1, 2]}", "[[a]]\n[[a.b]]\nc = \"\"\"x\"\"\"\"\n", "a = [", "[", "a = '''", "\"\\u00e9\" = 1", "=", "a.=.b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := scanText(text)
		at := s.at
		if s.deep {
			return
		}
		var tree map[string]any
		if toml.Unmarshal([]byte(text), &tree) != nil {
			return
		}
		for key := range tree {
			if _, ok := at[Join("", key)]; !ok {
				t.Errorf("no position of %q", key)
			}
		}
	})
}
