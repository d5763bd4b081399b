package lint

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Check runs all checks over the module at root and returns what they found,
// sorted, as "file:line: what is wrong".
func Check(root string) ([]string, error) {
	m, err := read(root)
	if err != nil {
		return nil, err
	}
	problems := slices.Concat(checkImports(m), checkComments(m), checkLength(m), checkStyle(m))
	slices.Sort(problems)
	return problems, nil
}

// module is the parsed source of a module.
type module struct {
	path  string
	fset  *token.FileSet
	files []*file
}

// file is one Go file; name and pkg are relative to the module, with slashes.
type file struct {
	name, pkg string
	test      bool
	syntax    *ast.File
}

func read(root string) (*module, error) {
	m := &module{fset: token.NewFileSet()}
	var err error
	if m.path, err = modulePath(filepath.Join(root, "go.mod")); err != nil {
		return nil, err
	}
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() && name != root && (base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")) {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(base) != ".go" {
			return nil
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		syntax, err := parser.ParseFile(m.fset, rel, data, parser.ParseComments)
		if err != nil {
			return fmt.Errorf("lint: parse: %w", err)
		}
		m.files = append(m.files, &file{name: rel, pkg: path.Dir(rel), test: strings.HasSuffix(base, "_test.go"), syntax: syntax})
		return nil
	})
	return m, err
}

func modulePath(gomod string) (string, error) {
	data, err := os.ReadFile(gomod)
	if err != nil {
		return "", fmt.Errorf("lint: %w", err)
	}
	sc := bufio.NewScanner(bytes.NewReader(data))
	for sc.Scan() {
		if p, ok := strings.CutPrefix(sc.Text(), "module "); ok {
			return strings.TrimSpace(p), nil
		}
	}
	return "", errors.New("lint: go.mod names no module")
}

// at returns the file and line of a position.
func (m *module) at(p token.Pos) string {
	place := m.fset.Position(p)
	return fmt.Sprintf("%s:%d", place.Filename, place.Line)
}
