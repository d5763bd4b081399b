package analyzer

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"exclave/internal/conf"
	"exclave/internal/urlx"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"
)

// looksFor is for options of searchers that answer a question of expressions: lang("cs") is
// whether a searcher that looks for the language "cs" counted anything. The question is the
// name of the function; what is returned is in lower case.
type looksFor interface {
	looksFor() (function string, what []string)
}

// scope is what an expression sees: the page, and what was found on it. Nothing else is
// there, so that the log has all that a verdict follows from.
type scope struct {
	URL         string  `expr:"url"`
	Host        string  `expr:"host"`
	Via         string  `expr:"via"`
	Words       int     `expr:"words"`
	Points      int64   `expr:"points"`
	Probability float64 `expr:"probability"`

	TLD       func(domains ...string) bool               `expr:"tld"`
	InlinkTLD func(domains ...string) bool               `expr:"inlink_tld"`
	Lang      func(codes ...string) bool                 `expr:"lang"`
	Country   func(codes ...string) bool                 `expr:"country"`
	Found     func(searcher string) int                  `expr:"found"`
	Valid     func(searcher string) int                  `expr:"valid"`
	Distinct  func(searcher string) int                  `expr:"distinct"`
	Counted   func(searcher string) int                  `expr:"counted"`
	Share     func(searcher string) float64              `expr:"share"`
	Value     func(searcher string, name string) float64 `expr:"value"`
}

// maxNodes bounds an expression: its time is that of its nodes.
const maxNodes = 1000

// expression is a compiled expression of a profile.
type expression struct {
	program *vm.Program
	answers map[string][]string // "lang cs" → the searchers that look for it
}

// compileExpression compiles an expression of a profile with such searchers. The problem
// says where in the expression it is.
func compileExpression(source string, searchers []SearcherConfig) (*expression, error) {
	c := &constants{searchers: searchers, answers: map[string][]string{}}
	program, err := expr.Compile(source, expr.Env(&scope{}), expr.AsBool(), expr.WarnOnAny(), expr.DisableAllBuiltins(), expr.MaxNodes(maxNodes), expr.Patch(c))
	if err == nil && c.err != nil {
		err = c.err.Bind(file.NewSource(source))
	}
	if e := (*file.Error)(nil); errors.As(err, &e) {
		return nil, fmt.Errorf("line %d, column %d of the expression: %s", e.Line, e.Column+1, e.Message)
	}
	if err != nil {
		return nil, err
	}
	return &expression{program, c.answers}, nil
}

// constants looks at the arguments of the functions: each is a text that stands in the
// profile, so that what is misspelt is found when the profile is opened.
type constants struct {
	searchers []SearcherConfig
	answers   map[string][]string
	err       *file.Error // the first
}

// Visit implements [ast.Visitor].
func (c *constants) Visit(node *ast.Node) {
	call, ok := (*node).(*ast.CallNode)
	if !ok || c.err != nil {
		return
	}
	callee, ok := call.Callee.(*ast.IdentifierNode)
	if !ok {
		return
	}
	var texts []string
	for _, a := range call.Arguments {
		s, ok := a.(*ast.StringNode)
		if !ok {
			c.problem(a, "%s takes texts in quotes", callee.Value)
			return
		}
		texts = append(texts, s.Value)
	}
	if len(texts) == 0 {
		c.problem(call, "%s() asks for nothing; name what is meant, in quotes", callee.Value)
		return
	}
	for i, t := range texts {
		if msg := c.check(callee.Value, i, t, texts); msg != "" {
			c.problem(call.Arguments[i], "%s", msg)
			return
		}
	}
}

func (c *constants) problem(at ast.Node, format string, args ...any) {
	if c.err == nil {
		c.err = &file.Error{Location: at.Location(), Message: fmt.Sprintf(format, args...)}
	}
}

// check returns what is wrong with an argument of a function.
func (c *constants) check(function string, i int, text string, all []string) string {
	switch function {
	case "tld", "inlink_tld":
		if _, ok := domain(text); !ok {
			return fmt.Sprintf("%q: a domain is wanted, like \"pt\" or \"co.uk\"", text)
		}
	case "lang", "country":
		return c.answer(function, strings.ToLower(text))
	case "value":
		if i == 1 {
			s := slices.IndexFunc(c.searchers, func(s SearcherConfig) bool { return s.Name == all[0] })
			if values := c.searchers[s].valuesOf(); !slices.Contains(values, text) {
				return fmt.Sprintf("%q: %s has %s", text, all[0], strings.Join(values, ", "))
			}
			return ""
		}
		fallthrough
	default:
		if !slices.ContainsFunc(c.searchers, func(s SearcherConfig) bool { return s.Name == text }) {
			return fmt.Sprintf("%q: no searcher is called so", text)
		}
	}
	return ""
}

// answer notes which searchers look for what a function asks, and for nothing beside.
func (c *constants) answer(function, what string) string {
	key := function + " " + what
	if c.answers[key] != nil {
		return ""
	}
	for _, s := range c.searchers {
		if o, ok := s.own.(looksFor); ok {
			if f, wanted := o.looksFor(); f == function && len(wanted) == 1 && wanted[0] == what {
				c.answers[key] = append(c.answers[key], s.Name)
			}
		}
	}
	if c.answers[key] == nil {
		return fmt.Sprintf("%s(%q): no searcher of the profile looks for it and for nothing else; add one", function, what)
	}
	return ""
}

// judge evaluates the expression for a verdict that has findings, points, words and
// probability. What goes wrong on some page (a division by zero) makes it false.
func (e *expression) judge(v *Verdict, page Seen) bool {
	host := hostOf(page.URL)
	s := &scope{URL: page.URL, Host: host, Via: page.Via, Words: v.words(), Points: v.Points}
	if v.Probability != nil {
		s.Probability = *v.Probability
	}
	s.TLD = func(domains ...string) bool { return within(host, domains) }
	s.InlinkTLD = func(domains ...string) bool { return page.Via != "" && within(hostOf(page.Via), domains) }
	s.Lang = func(codes ...string) bool { return e.anyCounted("lang", codes, v) }
	s.Country = func(codes ...string) bool { return e.anyCounted("country", codes, v) }
	s.Found = func(n string) int { return v.found(n).Found }
	s.Valid = func(n string) int { return v.found(n).Valid }
	s.Distinct = func(n string) int { return v.found(n).Distinct }
	s.Counted = func(n string) int { return v.found(n).Counted }
	s.Share = func(n string) float64 { return v.found(n).value("share", v.words()) }
	s.Value = func(n, value string) float64 { return v.found(n).value(value, v.words()) }
	out, err := expr.Run(e.program, s)
	yes, _ := out.(bool)
	return err == nil && yes
}

// anyCounted reports whether a searcher that looks for one of the codes counted anything.
func (e *expression) anyCounted(function string, codes []string, v *Verdict) bool {
	return slices.ContainsFunc(codes, func(code string) bool {
		return slices.ContainsFunc(e.answers[function+" "+strings.ToLower(code)], func(name string) bool { return v.found(name).Counted > 0 })
	})
}

// hostOf returns the host of a URL, "" when it is none.
func hostOf(url string) string {
	u, err := urlx.Parse(url)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// within reports whether a host lies in one of the domains.
func within(host string, domains []string) bool {
	return slices.ContainsFunc(domains, func(d string) bool {
		d, ok := domain(d)
		return ok && (host == d || strings.HasSuffix(host, "."+d))
	})
}

// checkExpression returns what is wrong with the expression of a profile, which may have none.
func (p *Profile) checkExpression() (ps conf.Problems) {
	if p.Expression == "" {
		return nil
	}
	e, err := compileExpression(p.Expression, p.Searchers)
	if err != nil {
		ps.Add("expression", "%v", err)
	}
	p.compiled = e
	return ps
}
