package howto_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// settings puts the settings of a block into a new job, beside whose job.toml lies what the
// scene has, and returns what check says. Those of a searcher are put into a profile; a profile stands for itself.
func (s *scene) settings(t *testing.T, text string) (string, error) {
	at := &scene{world: s.world, dir: t.TempDir(), tmp: s.tmp}
	profile := "cz"
	head := ""
	if strings.HasPrefix(text, "[[searcher]]") {
		head = "[profile]\nname = \"mine\"\nmin_points = 1\n"
	}
	if head != "" || strings.HasPrefix(text, "[profile]") {
		profile = "my.toml"
		must(t, os.WriteFile(filepath.Join(at.dir, profile), []byte(head+text), 0o644))
	}
	if out, err := at.bash(t, "exclave init my-job --profile "+profile+" --contact https://library.example/crawler && echo http://a.example/ >>my-job/seeds.txt"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	job := filepath.Join(at.dir, "my-job")
	beside, err := os.ReadDir(s.dir)
	must(t, err)
	for _, e := range beside {
		must(t, os.Symlink(filepath.Join(s.dir, e.Name()), filepath.Join(job, e.Name())))
	}
	if profile == "cz" {
		name := filepath.Join(job, "job.toml")
		template, err := os.ReadFile(name)
		must(t, err)
		must(t, os.WriteFile(name, []byte(apply(t, string(template), text)), 0o600))
	}
	return at.bash(t, "exclave check my-job")
}

// apply writes the settings of a block into a job.toml: those of a table in place of the
// line that the template has for each, elements of arrays of tables behind all.
func apply(t *testing.T, template, text string) string {
	lines := strings.Split(template, "\n")
	table, array := "", false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		key, _, isKey := strings.Cut(line, "=")
		switch {
		case strings.HasPrefix(line, "[["):
			array = true
			lines = append(lines, line)
		case strings.HasPrefix(line, "["):
			table, array = line, false
		case array:
			lines = append(lines, line)
		case isKey && !set(lines, table, strings.TrimSpace(key), line):
			t.Fatalf("a new job.toml has no line %s of %s", key, table)
		}
	}
	return strings.Join(lines, "\n")
}

// set replaces a line of a table, and says whether there was one.
func set(lines []string, table, key, line string) bool {
	in := ""
	for i, old := range lines {
		if strings.HasPrefix(old, "[") {
			in = strings.TrimSpace(old)
		}
		if k, _, ok := strings.Cut(old, "="); ok && in == table && strings.TrimSpace(k) == key {
			lines[i] = line
			return true
		}
	}
	return false
}
