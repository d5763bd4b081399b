package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"exclave/internal/sharedtest"
)

// TestInputs: what was measured is what is shipped.
func TestInputs(t *testing.T) {
	r := written(t)
	list, err := nations()
	if err != nil {
		t.Fatal(err)
	}
	shared := ""
	if slices.ContainsFunc(r.Inputs, func(i input) bool { return i.Name == sharedSet }) {
		if dir := filepath.Join("..", "..", "..", "shared", "data"); exists(dir) {
			shared = dir
		}
	}
	_, now, err := set(shared)
	if err != nil {
		t.Fatal(err)
	}
	more, err := currentInputs(list)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range stale(r.Inputs, append(now, more...)) {
		t.Errorf("%s: docs/recognition.md was measured with another one; run %s", i, r.Command)
	}
	if shared == "" {
		sharedtest.Path(t, "data/lang/udhr") // skips, or fails where the data must be there
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
