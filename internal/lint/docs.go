package lint

import (
	"fmt"
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// ADRIndex returns docs/adr/README.md as it must be: a row for every record.
func ADRIndex(root string) (string, error) {
	files, err := filepath.Glob(filepath.Join(root, "docs", "adr", "[0-9]*.md"))
	if err != nil {
		return "", fmt.Errorf("lint: %w", err)
	}
	var b strings.Builder
	b.WriteString(`# Decision records

Why the program is as it is. A record is not rewritten after it was accepted: a later one
supersedes it, and its status says so. [The template](0000-template.md) shows the form. This list
is written by ` + "`go test ./internal/lint -rewrite`" + `.

| record | status |
| --- | --- |
`)
	for _, name := range files {
		base := filepath.Base(name)
		if strings.HasPrefix(base, "0000") {
			continue
		}
		title, status, err := adrHead(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "| [%s %s](%s) | %s |\n", base[:4], title, base, status)
	}
	return b.String(), nil
}

// adrHead reads the title, without its number, and the whole paragraph of the status: what is
// superseded, and by what, is the part that a reader of the list needs.
func adrHead(name string) (title, status string, err error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return "", "", fmt.Errorf("lint: %w", err)
	}
	inStatus := false
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if t, ok := strings.CutPrefix(line, "# "); ok && title == "" {
			title = strings.TrimLeft(t, "0123456789. :–-")
		}
		if s, ok := strings.CutPrefix(line, "Status:"); ok && status == "" {
			inStatus, line = true, s
		}
		if inStatus = inStatus && line != ""; inStatus {
			status = strings.TrimSpace(status + " " + strings.TrimSpace(line))
		}
	}
	if title == "" || status == "" {
		return "", "", fmt.Errorf("lint: %s: no title (# …) or no Status: line", filepath.Base(name))
	}
	return title, status, nil
}

// quoted is a name in a document: `Type.method`, `package.Name`, `path/of/package`.
var quoted = regexp.MustCompile("`([A-Za-z0-9_./{},]+)`")

// unknownNames returns the names in a document that nothing in the module has: who renames something that a
// document leads to mends the document.
func unknownNames(m *module, document string) []string {
	d := declared(m)
	var unknown []string
	for _, match := range quoted.FindAllStringSubmatch(document, -1) {
		for _, name := range alternatives(match[1]) {
			if !d.has(name) {
				unknown = append(unknown, name)
			}
		}
	}
	slices.Sort(unknown)
	return slices.Compact(unknown)
}

// alternatives returns the names that "a/{b,c}" stands for.
func alternatives(name string) []string {
	before, rest, ok := strings.Cut(name, "{")
	in, after, closed := strings.Cut(rest, "}")
	if !ok || !closed {
		return []string{name}
	}
	var all []string
	for _, one := range strings.Split(in, ",") {
		all = append(all, before+one+after)
	}
	return all
}

// names are what a module declares: paths of packages and files, "package.Name" and "Type.Name", of methods
// and fields, too.
type names map[string]bool

// has reports whether a name with a slash or a dot is declared; others may be words of any kind.
func (d names) has(name string) bool {
	dir, base := path.Split(name)
	parts := strings.Split(base, ".")
	switch {
	case base == "" || path.Ext(base) == ".toml": // of a job
		return true
	case path.Ext(base) == ".go" || len(parts) == 1:
		return dir == "" && len(parts) == 1 || d[name] || d["internal/"+name]
	}
	if dir != "" && !d.has(dir+parts[0]) {
		return false
	}
	for i := range parts[1:] {
		if !d[parts[i]+"."+parts[i+1]] {
			return false
		}
	}
	return true
}

func declared(m *module) names {
	d := names{}
	for _, f := range m.files {
		d[f.name], d[path.Base(f.name)], d[f.pkg] = true, true, true
		pkg := path.Base(f.pkg)
		member := func(of string, name *ast.Ident) { d[of+"."+name.Name], d[pkg+"."+name.Name] = true, true }
		fields := func(of string, list *ast.FieldList) {
			for _, field := range list.List {
				for _, name := range field.Names {
					member(of, name)
				}
			}
		}
		for _, decl := range f.syntax.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv == nil {
					member(pkg, decl.Name)
				} else {
					member(receiver(decl.Recv.List[0].Type), decl.Name)
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					switch spec := spec.(type) {
					case *ast.ValueSpec:
						for _, name := range spec.Names {
							member(pkg, name)
						}
					case *ast.TypeSpec:
						member(pkg, spec.Name)
						switch t := spec.Type.(type) {
						case *ast.StructType:
							fields(spec.Name.Name, t.Fields)
						case *ast.InterfaceType:
							fields(spec.Name.Name, t.Methods)
						}
					}
				}
			}
		}
	}
	return d
}

// receiver is the name of the type of a receiver.
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}
