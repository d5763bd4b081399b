package howto_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tables are the rows behind which a recipe puts its own, by the file of the table.
func tables() map[string]string {
	return map[string]string{
		"chain/standard/kinds.go": `		{chain.Extract, "http", `,
		"analyzer/searcher.go":    `		"email":`,
	}
}

// recipe puts Go code where the page says it belongs, in the file that it named last: a
// whole file, or a row of a table and the functions it needs. With the row the program is
// compiled, and the rest of the page has that one. The checkout is not changed.
func (s *scene) recipe(t *testing.T, b block) {
	name := filepath.Join(s.root, filepath.FromSlash(b.path))
	code, whole := b.text, strings.HasPrefix(b.text, "package ")
	if !whole {
		old, err := os.ReadFile(name)
		must(t, err)
		row, functions, _ := strings.Cut(b.text, "\n\n")
		before, behind, ok := strings.Cut(string(old), tables()[b.path])
		line, behind, ok2 := strings.Cut(behind, "\n")
		if tables()[b.path] == "" || !ok || !ok2 {
			t.Fatalf("%s has no row to put this one behind", b.path)
		}
		code = before + tables()[b.path] + line + "\n" + row + "\n" + behind + "\n" + functions
	} else if _, err := os.Stat(name); err == nil {
		t.Fatalf("%s is there already", b.path)
	}
	if s.overlay == nil {
		s.overlay = map[string]string{}
	}
	s.overlay[name] = filepath.Join(s.tmp, filepath.Base(name))
	must(t, os.WriteFile(s.overlay[name], []byte(code), 0o644))
	if whole {
		return
	}
	text, err := json.Marshal(map[string]any{"Replace": s.overlay})
	must(t, err)
	must(t, os.WriteFile(filepath.Join(s.tmp, "overlay.json"), text, 0o644))
	s.world = &world{root: s.root, bin: s.tmp, held: s.held, env: append(s.env, "PATH="+s.tmp+":"+os.Getenv("PATH"))}
	build(t, s.root, s.bin, "-overlay", filepath.Join(s.tmp, "overlay.json"))
}
