package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exclave/internal/sharedtest"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"exclave": main}) }

// The scripts run the real main; the head of each says why it is there.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", RequireUniqueNames: true})
}

// Scripts of users rely on exit codes: each is in the documentation, by number
// and by name.
func TestExitCodesDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(sharedtest.ModuleRoot(t), "docs", "howto", "exit-codes.md"))
	if err != nil {
		t.Fatal(err)
	}
	for code, name := range codes() {
		if row := fmt.Sprintf("| %d | %s |", code, name); !strings.Contains(string(text), row) {
			t.Errorf("exit-codes.md has no row %q", row)
		}
	}
	if rows := strings.Count(string(text), "\n| ") - 2; rows != len(codes()) {
		t.Errorf("exit-codes.md has %d rows, there are %d codes", rows, len(codes()))
	}
}
