package main

import (
	"strings"
	"testing"

	"exclave/warc"
)

// Of a file with many odd records the first are said, and how many more there are: of each file anew.
func TestDoubts(t *testing.T) {
	var b strings.Builder
	d := doubts{to: &b}
	for _, f := range []struct {
		file string
		n    int
	}{{"a.warc", mostDoubts + 2}, {"b.warc", 1}, {"c.warc", mostDoubts}} {
		for i := range f.n {
			d.note(warc.Defect{File: f.file, Offset: int64(i), Kind: warc.KindStandard, Detail: "gowarc: odd"})
		}
	}
	d.end()
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != 2*mostDoubts+2 || lines[0] != "exclave: note: a.warc at 0: gowarc: odd" ||
		lines[mostDoubts] != "exclave: note: a.warc: 2 more such objections" || lines[mostDoubts+1] != "exclave: note: b.warc at 0: gowarc: odd" {
		t.Errorf("%d lines:\n%s", len(lines), b.String())
	}
}
