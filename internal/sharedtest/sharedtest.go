package sharedtest

import (
	"os"
	"path/filepath"
	"testing"
)

// Path returns the path of rel below ../shared of the module root, for example
// "data/lang/udhr". When it is absent the test is skipped with the reason, and
// fails instead when the environment has CI=true.
func Path(t testing.TB, rel string) string {
	t.Helper()
	root := ModuleRoot(t)
	p := filepath.Join(root, "..", "shared", filepath.FromSlash(rel))
	if _, err := os.Stat(p); err != nil {
		Missing(t, "test data ../shared/"+rel+" is not here")
	}
	return p
}

// Missing ends the test because something it needs is absent: a skip with the
// reason, a failure when CI=true.
func Missing(t testing.TB, reason string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal("CI=true: " + reason)
	}
	t.Skip(reason)
}

// ModuleRoot returns the folder of go.mod, found upwards from the working
// directory of the test.
func ModuleRoot(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("sharedtest: no go.mod above the working directory")
		}
		dir = up
	}
}
