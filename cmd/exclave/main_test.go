package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"exclave/internal/fsx"
	"exclave/internal/sharedtest"
	"exclave/internal/testweb"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(sharedtest.InMemory(m), map[string]func(){"exclave": main})
}

// The scripts run the real main; the head of each says why it is there.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", RequireUniqueNames: true})
}

// Scripts that crawl or fetch from a small web on loopback, at $WEB.
func TestWebScripts(t *testing.T) {
	pages := http.NewServeMux()
	for path, page := range map[string]testweb.Page{
		"/cz": testweb.National("/en", testweb.Img("/pic")), "/en": testweb.Foreign(),
		"/pic": testweb.Image(1), "/moved": testweb.Redirect(301, "/cz"), "/loop": testweb.Redirect(302, "/loop"),
		"/robots.txt": testweb.Text("User-agent: *\nDisallow: /en\n"),
	} {
		pages.Handle(path, page)
	}
	srv, err := testweb.Start(testweb.Func(func(string) http.Handler { return pages }), testweb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	testscript.Run(t, testscript.Params{Dir: "testdata/web", RequireUniqueNames: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"lock": lock},
		Setup: func(e *testscript.Env) error {
			e.Setenv("WEB", "http://"+srv.HTTPAddr())
			return nil
		}})
}

// lock holds a lock file until the script ends, as another process would.
func lock(ts *testscript.TestScript, _ bool, args []string) {
	l, err := fsx.Real().Lock(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Defer(func() { ts.Check(l.Close()) })
}

// What others made, pages at $PAGES and more at $DATA, is judged and read as it should be.
func TestSharedScripts(t *testing.T) {
	dir, err := filepath.Abs(sharedtest.Path(t, "data"))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{Dir: "testdata/shared", Setup: func(e *testscript.Env) error {
		e.Setenv("DATA", dir)
		e.Setenv("PAGES", filepath.Join(dir, "pages"))
		return nil
	}})
}

// Scripts of users rely on exit codes: each is in the documentation, by number
// and by name, and so is what a "no" means for each verb that can say it.
func TestExitCodesDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(sharedtest.ModuleRoot(t), "docs", "howto", "exit-codes.md"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	for code, name := range codes() {
		if row := fmt.Sprintf("| %d | %s |", code, name); !strings.Contains(text, row) {
			t.Errorf("exit-codes.md has no row %q", row)
		}
	}
	if rows := regexp.MustCompile(`(?m)^\| \d+ \|`).FindAllString(text, -1); len(rows) != len(codes()) {
		t.Errorf("exit-codes.md has rows %q, there are %d codes", rows, len(codes()))
	}
	for _, verb := range newRoot(new(bool)).Commands() {
		if row := "\n| `" + verb.Name() + "` |"; !strings.Contains(text, row) {
			t.Errorf("exit-codes.md has no row %q", row)
		}
	}
}

// codes lists the codes by name.
func codes() map[exitCode]string {
	return map[exitCode]string{
		exitOK: "ok", exitNegative: "no", exitUsage: "usage", exitFailure: "failure",
		exitLocked: "locked", exitInterrupt: "interrupted",
	}
}
