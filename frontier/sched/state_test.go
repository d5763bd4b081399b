package sched

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// States returns every state.
func States() (all []State) {
	for s := range numStates {
		all = append(all, s)
	}
	return all
}

// The table in the comment of move and the one in the program are the same.
func TestTableOfMoves(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "move.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]State{}
	for _, s := range States() {
		names[s.String()] = s
	}
	told := map[State]states{}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name != "move" {
			continue
		}
		for line := range strings.Lines(f.Doc.Text()) {
			from, to, ok := strings.Cut(line, "→")
			if !ok {
				continue
			}
			s, ok := names[strings.TrimSpace(from)]
			if _, twice := told[s]; !ok || twice {
				t.Errorf("the comment has %q twice, or there is no such state", from)
			}
			for _, name := range strings.Fields(to) {
				if _, ok := names[name]; !ok {
					t.Errorf("there is no state %q", name)
				}
				told[s] |= set(names[name])
			}
		}
	}
	for _, s := range States() {
		for _, to := range States() {
			if told[s].has(to) != moves(s).has(to) {
				t.Errorf("%v → %v: the comment says %v, the data %v", s, to, told[s].has(to), moves(s).has(to))
			}
		}
	}
}
