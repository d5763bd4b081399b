package main

import (
	"strings"
	"testing"

	"exclave/analyzer"
	"exclave/config"
)

// Only the profile whose findings are used is compared with the new one.
func TestOtherSearchers(t *testing.T) {
	p, err := analyzer.LoadProfile("cz")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		job  []string
		from string
		in   string // the profile that the note names, "" = no note
	}{
		{[]string{"cz", "sk"}, "", ""},
		{[]string{"sk", "cz"}, "sk", "sk"},
		{[]string{"sk"}, "", "sk"},
	} {
		cfg := config.Default("cz")
		cfg.Analysis.Profiles = c.job
		notes := otherSearchers(cfg, p, c.from)
		switch {
		case c.in == "" && len(notes) > 0:
			t.Errorf("%v from %q: %q", c.job, c.from, notes)
		case c.in != "" && (len(notes) != 1 || !strings.Contains(notes[0], "in profile "+c.in+" of the job")):
			t.Errorf("%v from %q: %q, want one note about %s", c.job, c.from, notes, c.in)
		}
	}
}
