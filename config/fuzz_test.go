package config

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"exclave/internal/conf"
	"exclave/internal/growthtest"
)

// A job.toml may come with a job from elsewhere: whatever it holds, reading it ends, with
// a configuration or with problems that say something in one line that a terminal can
// show; what has no problems is, written as a template and read again, the same.
func FuzzLoad(f *testing.F) {
	f.Add(string(Template(Default("cz"))))
	for _, s := range []string{
		"", "a = 1", "[job]\nname = \"x\"", "[[scope]]\nrule = \"hosts\"\ndecision = \"reject\"\nlist = [\"a.b\"]\n", "[[chain.extract]]\nkind = \"css\"\n",
		"[job]\nname = 1\nseeds = [1, \"\"]\n", "[http]\nconnect_to = {\"a:80\" = \"127.0.0.1:1\"}\nallow = [\"[::1]:80\"]\n", "[crawl]\nmax_time = \"9999999h\"\n",
		"[analysis]\nprofiles = [\"cz\", \"sk\"]\ndepth = -9\n", "[url]\nhost_rules = \"x\"\n", "[crawl.x.y]\n", "job = []\n", "[[job]]\n", "[frontier]\nmin_delay = 1e400\n",
		"[limits]\nhost_bytes = 9223372036854775808\n", "[order]\npolicies = [\"\\u001b[2J\"]\n",
	} {
		f.Add(s)
	}
	dir := f.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "seeds.txt"), []byte("http://a.cz/\n"), 0o600); err != nil {
		f.Fatal(err)
	}
	name := filepath.Join(dir, FileName)
	load := func(t *testing.T, text []byte) (*Config, conf.Problems) {
		t.Helper()
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return Load(dir)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "/") && !strings.Contains(text, "://") {
			t.Skip("names of files are those of this machine")
		}
		c, problems := load(t, []byte(text))
		if c == nil && len(problems) == 0 {
			t.Fatal("neither a configuration nor a problem")
		}
		for _, p := range problems {
			if s := p.String(); p.Msg == "" || strings.ContainsFunc(s, unicode.IsControl) {
				t.Errorf("problem %q", s)
			}
		}
		if len(problems) > 0 {
			return
		}
		written := Template(c)
		again, problems := load(t, written)
		if len(problems) > 0 {
			t.Fatalf("as a template: %v\n%s", problems, written)
		}
		if got := Template(again); !bytes.Equal(got, written) {
			t.Errorf("template %s\nbecame %s", written, got)
		}
	})
}

// Positions are looked for in the text beside the library that parses it: neither may
// take time that grows faster than the text.
func FuzzLoadGrowth(f *testing.F) {
	for _, s := range [][3]string{
		{"", "[a]\n", ""}, {"", "a.", "b = 1"}, {"[job]\n", "x = 1\n", ""}, {"a = ", "[", ""}, {"a = [", "1, ", "]"}, {"a = \"", "\\u0041", "\""},
		{"", "[[scope]]\nrule = \"hosts\"\n", ""}, {"", "# x\n", ""}, {"a = '''", "\n", "'''"}, {"a = {", "b = {", ""},
		{"[job]\nseeds = [", "\"\", ", "]"}, {"[http]\nallow = [", "\"10.0.0.0/8\",", "]"},
	} {
		f.Add([]byte(s[0]), []byte(s[1]), []byte(s[2]))
	}
	f.Fuzz(func(t *testing.T, head, unit, tail []byte) {
		growthtest.Repeated(t, head, unit, tail, func(text []byte) {
			if c, r := parse(text, FileName); c != nil {
				r.doc.Locate(r.Problems)
			}
		})
	})
}
