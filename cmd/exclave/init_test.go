package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"exclave/config"
	"exclave/internal/fsx"
)

// A job's configuration may hold what is nobody else's business.
func TestInitModes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "job")
	if _, err := makeJob(dir, []string{"cz"}, "https://example.org/", nil); err != nil {
		t.Fatal(err)
	}
	for name, may := range map[string]os.FileMode{
		"": fsx.FolderMode | os.ModeDir, "job.toml": fsx.FileMode, "seeds.txt": fsx.FileMode,
	} {
		st, err := os.Stat(filepath.Join(dir, name))
		if err != nil || st.Mode()&^may != 0 {
			t.Errorf("%q: %v, may be %v (%v)", name, st.Mode(), may, err)
		}
	}
}

// Issue 17: a nation's own domain is out also behind seeds, as in System 1, and init says so and
// where to change it; which domain it is comes from the profile, or from the command line.
func TestInitOwnDomains(t *testing.T) {
	top := t.TempDir()
	mine := filepath.Join(top, "mine.toml")
	if err := os.WriteFile(mine, []byte("[profile]\nname = \"mine\"\nmin_points = 1\nown_domains = [\".Example\", \"gov.test\"]\n[[searcher]]\nkind = \"html_lang\"\npattern = \"x\"\npoints = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		why  string
		args []string
		out  []string
		says string
	}{
		{"a built-in profile names its nation's", []string{"--profile", "cz"}, []string{"cz"}, "leaves out .cz,"},
		{"so does a profile of one's own", []string{"--profile", mine}, []string{"example", "gov.test"}, "leaves out .example and .gov.test,"},
		{"the command line goes before it", []string{"--profile", "cz", "--own-domains", "sk,eu"}, []string{"sk", "eu"}, "leaves out .sk and .eu,"},
		{"and may want all", []string{"--profile", "cz", "--own-domains", ""}, nil, "leaves out no domain"},
	} {
		dir := filepath.Join(top, strings.ReplaceAll(c.why, " ", "-"))
		text, err := exec.Command("exclave", append([]string{"init", dir, "--contact", "https://example.org/"}, c.args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", c.why, err, text)
		}
		cfg, problems := config.Load(dir)
		if len(problems) > 0 {
			t.Fatalf("%s: %v", c.why, problems)
		}
		rule := func(name string) int {
			for i, r := range cfg.Scope {
				if r.Rule == name {
					return i
				}
			}
			return -1
		}
		at := rule("hosts")
		switch {
		case !strings.Contains(string(text), c.says):
			t.Errorf("%s: init says %q, want %q in it", c.why, text, c.says)
		case c.out == nil:
			if at >= 0 {
				t.Errorf("%s: %+v", c.why, cfg.Scope)
			}
			continue
		case at < rule("seeds") || at > rule("transclusion") || !slices.Equal(cfg.Scope[at].List, c.out):
			t.Errorf("%s: the rule is not behind seeds and before transclusion: %+v", c.why, cfg.Scope)
		}
		toml, err := os.ReadFile(filepath.Join(dir, config.FileName))
		if err != nil {
			t.Fatal(err)
		}
		_, line, _ := strings.Cut(string(text), config.FileName+":")
		line, _, _ = strings.Cut(line, ".")
		lines := strings.Split(string(toml), "\n")
		if n := slices.Index(lines, `rule = "hosts"`); lines[n-1] != "[[scope]]" || line != strconv.Itoa(n) {
			t.Errorf("%s: it names line %s of job.toml, the rule is at line %d", c.why, line, n)
		}
	}
}
