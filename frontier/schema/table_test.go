package schema

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// documented returns the letters and the names of rows that docs/formats/state.md lists.
func documented(t *testing.T) (tables, names []string) {
	text, err := os.ReadFile("../../docs/formats/state.md")
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile("`([^`]*)`")
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 || !strings.Contains(cells[1], "`") {
			continue
		}
		for key := range strings.SplitSeq(cells[1], ", ") {
			c := code.FindStringSubmatch(key)
			if c == nil {
				continue
			}
			letter, name, named := strings.Cut(c[1], " ")
			if len(letter) == 1 {
				tables = append(tables, letter)
			}
			if letter == Meta.String() && named {
				names = append(names, strings.TrimSuffix(name, "…"))
			}
		}
	}
	return tables, names
}

// metaNames returns the names of the single rows.
func metaNames() []MetaName {
	return []MetaName{MetaFormat, MetaStats, MetaCommit, MetaClean, MetaKilled, MetaQueues, MetaLine, MetaLimits, MetaDomains, MetaCounted, MetaDepths, MetaParts, MetaMark}
}

func TestDocumentHasTheTables(t *testing.T) {
	// docs/formats/state.md and the program have the same tables and rows.
	var tables, names []string
	for _, d := range Tables() {
		tables = append(tables, d.Table.String())
	}
	for _, n := range metaNames() {
		names = append(names, string(n))
	}
	gotTables, gotNames := documented(t)
	compare := func(what string, have, want []string) {
		slices.Sort(have)
		slices.Sort(want)
		if have, want = slices.Compact(have), slices.Compact(want); !slices.Equal(have, want) {
			t.Errorf("docs/formats/state.md has %s %q, the program has %q", what, have, want)
		}
	}
	compare("tables", gotTables, tables)
	compare("rows of table m", gotNames, names)
}

func TestTablesDiffer(t *testing.T) {
	// No two tables share a letter, and every table can be checked.
	seen := map[Table]string{}
	for _, d := range Tables() {
		if seen[d.Table] != "" {
			t.Errorf("%s and %s have keys with %v", seen[d.Table], d.Name, d.Table)
		}
		seen[d.Table] = d.Name
		if p := d.Table.Prefix(); len(p) != 1 || Table(p[0]) != d.Table || d.Check == nil {
			t.Errorf("%s: keys begin with %q", d.Name, p)
		}
	}
}
