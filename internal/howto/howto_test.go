package howto_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"exclave/internal/sharedtest"
)

// Issue: a page that nobody has followed sends its reader astray. README.md and each page of
// docs/howto is followed as it stands; -run TestHowto/seeds follows one.
func TestHowto(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		sharedtest.Missing(t, "no bash")
	}
	root := sharedtest.ModuleRoot(t)
	pages, err := filepath.Glob(filepath.Join(root, "docs", "howto", "*.md"))
	must(t, err)
	if len(pages) == 0 {
		t.Fatal("docs/howto has no page")
	}
	w := newWorld(t, root)
	for _, path := range append(pages, filepath.Join(root, "README.md")) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".md"), func(t *testing.T) { follow(t, w, path) })
	}
}

// follow does what a page says, to the first block that fails.
func follow(t *testing.T, w *world, path string) {
	page, err := os.ReadFile(path)
	must(t, err)
	all, problems := blocks(string(page))
	if len(problems) > 0 {
		t.Fatalf("%s:\n%s", path, strings.Join(problems, "\n"))
	}
	s := w.newScene(t, strings.TrimSuffix(filepath.Base(path), ".md"))
	for i, b := range all {
		if b.notRun != "" || b.lang == "text" {
			continue
		}
		want := ""
		if i+1 < len(all) && all[i+1].below && all[i+1].lang == "text" {
			want = all[i+1].text
		}
		if !t.Run("line "+strconv.Itoa(b.line), func(t *testing.T) { s.try(t, b, want) }) {
			t.Fatalf("%s:%d: this block failed; those behind it were not run", path, b.line)
		}
	}
	s.homely(t)
}

// try runs a block and compares what it printed, when that is known.
func (s *scene) try(t *testing.T, b block, want string) {
	var out string
	var err error
	switch b.lang {
	case "sh":
		s.need(t, b.text)
		s.accompany(t)
		out, err = s.bash(t, b.text)
	case "toml":
		out, err = s.settings(t, b.text)
		if want != "" && err == nil {
			t.Fatal("check has nothing against settings of which the page says otherwise")
		}
		if want != "" {
			err = nil
		}
	case "go":
		s.recipe(t, b)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Log(out)
	if want != "" && !matches(want, out) {
		t.Errorf("it printed\n%s\nthe page says\n%s", out, want)
	}
}

// patience bounds a block: what serves until it is stopped, say, is not one to be run.
const patience = 15 * time.Minute

// bash runs commands in the folder of the scene, and returns what they printed.
func (s *scene) bash(t *testing.T, commands string) (string, error) {
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", commands)
	cmd.Dir, cmd.Env = s.dir, append(s.env, "TMPDIR="+s.tmp)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // all of it can be ended
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	must(t, cmd.Start())
	late := time.AfterFunc(patience, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	err := cmd.Wait()
	if !late.Stop() {
		err = errors.Join(err, errors.New("it did not end within "+patience.String()))
	}
	return out.String(), err
}

// matches says whether a text is what a page shows: "…" stands for anything in a line, a
// line of "…" for any lines; spaces in a row count as one.
func matches(shown, text string) bool {
	var re strings.Builder
	re.WriteString(`\A`)
	for line := range strings.Lines(strings.TrimSpace(shown)) {
		if line = squeeze(line); line == "…" {
			re.WriteString(`(.*\n)*?`)
			continue
		}
		re.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*") + `\n`)
	}
	re.WriteString(`\z`)
	var lines strings.Builder
	for line := range strings.Lines(strings.TrimSpace(text)) {
		lines.WriteString(squeeze(line) + "\n")
	}
	return regexp.MustCompile(re.String()).MatchString(lines.String())
}

func squeeze(line string) string { return strings.Join(strings.Fields(line), " ") }

// What is compared must be able to differ.
func TestMatches(t *testing.T) {
	for _, c := range []struct {
		shown, text string
		want        bool
	}{
		{"a  b\n", "a b\n", true},
		{"a b\n", "a b\nc\n", false},
		{"a b\nc\n", "a b\n", false},
		{"a … d\n", "a b c d\n", true},
		{"a … d\n", "a b\nc d\n", false},
		{"…\nc\n…\n", "a\nb\nc\n", true},
		{"…\nc\n…\n", "a\nb\n", false},
		{"a.c\n", "abc\n", false},
		{"…\n", "", true},
	} {
		if got := matches(c.shown, c.text); got != c.want {
			t.Errorf("%q shows %q: %v, want %v", c.shown, c.text, got, c.want)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
