package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
)

// checkComments wants exactly one comment per package, in doc.go unless the
// package is one file or a command.
func checkComments(m *module) []string {
	var problems []string
	packages := map[string][]*file{}
	for _, f := range m.files {
		if !f.test {
			packages[f.pkg] = append(packages[f.pkg], f)
		}
	}
	for pkg, files := range packages {
		n := 0
		for _, f := range files {
			if f.syntax.Doc == nil {
				continue
			}
			n++
			if path.Base(f.name) != "doc.go" && f.syntax.Name.Name != "main" && len(files) > 1 {
				problems = append(problems, f.name+": the package comment belongs in doc.go")
			}
		}
		if n != 1 {
			problems = append(problems, fmt.Sprintf("%s: has %d package comments, not one", pkg, n))
		}
	}
	return problems
}

var unfinished = regexp.MustCompile(`\b(TODO|FIXME|XXX|HACK)\b|//\s*nolint|//nolint`)

// panics says which files may panic, and why.
func panics() map[string]string {
	return map[string]string{
		"internal/script/ends.go": "exceptions of scripts, and the end of their bounds: job and the try statement recover them",
		"frontier/store/death.go": "hands on a panic that is not of a folder that could not be synced",
		"frontier/store/store.go": "hands on a panic that is not of a store that died",
	}
}

// timeless is what the scheduler may use of package time.
func timeless() []string {
	return []string{"Time", "Duration", "UnixMilli", "Millisecond", "Second", "Minute"}
}

// maxLines is the length of a file, that of a test too: a longer one has more than one subject (style 6).
const maxLines = 600

// checkLength finds files that are too long.
func checkLength(m *module) []string {
	var problems []string
	for _, f := range m.files {
		if n := m.fset.File(f.syntax.Pos()).LineCount(); n > maxLines {
			problems = append(problems, fmt.Sprintf("%s: has %d lines, more than %d: divide it by subject", f.name, n, maxLines))
		}
	}
	return problems
}

// checkStyle finds what the style forbids and syntax shows.
func checkStyle(m *module) []string {
	var problems []string
	vars := m.packageVars()
	for _, f := range m.files {
		bad := func(p token.Pos, format string, args ...any) {
			problems = append(problems, m.at(p)+": "+fmt.Sprintf(format, args...))
		}
		for _, g := range f.syntax.Comments {
			for _, c := range g.List {
				if word := unfinished.FindString(c.Text); word != "" && f.pkg != "internal/lint" {
					bad(c.Pos(), "%s: decide, or write an issue", word)
				}
			}
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Name.Name == "init" && n.Recv == nil {
					bad(n.Pos(), "init has effects that nobody asked for")
				}
				if n.Name.Name == "Validate" && n.Recv != nil && !returnsProblems(n.Type) {
					bad(n.Pos(), "Validate: settings say what is wrong with them by Validate() conf.Problems (ADR 46)")
				}
			case *ast.CallExpr:
				if isCall(n, "synctest", "Test") {
					return false // time is fake in there: sleeping costs nothing
				}
				if f.test && isCall(n, "time", "Sleep") {
					bad(n.Pos(), "a test must not sleep: use testing/synctest, a channel or an injected clock")
				}
				if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "panic" && !f.test && panics()[f.name] == "" {
					bad(n.Pos(), "panic: return an error")
				}
			case *ast.GoStmt:
				if f.pkg == "frontier/sched" && !f.test {
					bad(n.Pos(), "scheduling has no goroutine")
				}
			case *ast.SelectorExpr:
				id, ok := n.X.(*ast.Ident)
				if ok && id.Name == "time" && f.pkg == "frontier/sched" && !f.test && !slices.Contains(timeless(), n.Sel.Name) {
					bad(n.Pos(), "time.%s: scheduling has no clock, now is a parameter", n.Sel.Name)
				}
				if ok && id.Name == "os" && (n.Sel.Name == "Stdout" || n.Sel.Name == "Stderr") && !f.test && f.name != "cmd/exclave/main.go" && !strings.HasPrefix(f.name, "tools/") {
					bad(n.Pos(), "os.%s is past what keeps text of strangers from steering the terminal: use the command's", n.Sel.Name)
				}
			case *ast.AssignStmt:
				for _, lhs := range n.Lhs {
					if n.Tok != token.DEFINE && !f.test && vars.changes(f, lhs) {
						bad(lhs.Pos(), "changes a package-level variable: two crawls run in one process")
					}
				}
			case *ast.IncDecStmt:
				if !f.test && vars.changes(f, n.X) {
					bad(n.Pos(), "changes a package-level variable: two crawls run in one process")
				}
			}
			return true
		})
	}
	return problems
}

// returnsProblems reports that a method has no parameter, and conf.Problems as result.
func returnsProblems(t *ast.FuncType) bool {
	if t.Params.NumFields() > 0 || t.Results.NumFields() != 1 {
		return false
	}
	switch r := t.Results.List[0].Type.(type) {
	case *ast.SelectorExpr:
		id, ok := r.X.(*ast.Ident)
		return ok && id.Name == "conf" && r.Sel.Name == "Problems"
	case *ast.Ident:
		return r.Name == "Problems"
	}
	return false
}

func isCall(c *ast.CallExpr, pkg, name string) bool {
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != name {
		return false
	}
	id, ok := sel.X.(*ast.Ident)
	return ok && id.Name == pkg
}

// packageVars holds the package-level variables of each package.
type packageVars map[string]map[string]bool

func (m *module) packageVars() packageVars {
	vars := packageVars{}
	for _, f := range m.files {
		for _, d := range f.syntax.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, s := range g.Specs {
				for _, name := range s.(*ast.ValueSpec).Names {
					if vars[f.pkg] == nil {
						vars[f.pkg] = map[string]bool{}
					}
					vars[f.pkg][name.Name] = true
				}
			}
		}
	}
	return vars
}

// changes reports whether an assignment to lhs reaches a package-level variable.
func (v packageVars) changes(f *file, lhs ast.Expr) bool {
	for {
		switch x := lhs.(type) {
		case *ast.IndexExpr:
			lhs = x.X
		case *ast.SelectorExpr:
			lhs = x.X
		case *ast.StarExpr:
			lhs = x.X
		case *ast.ParenExpr:
			lhs = x.X
		case *ast.Ident:
			if x.Name == "_" || !v[f.pkg][x.Name] {
				return false
			}
			// The parser resolves names within a file; unresolved is another file's.
			return x.Obj == nil || f.syntax.Scope.Objects[x.Name] == x.Obj
		default:
			return false
		}
	}
}
