package analyzer

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"exclave/dict"
	"exclave/internal/geoip"
	"exclave/internal/urlx"

	"github.com/BurntSushi/toml"
)

// Profile is the definition of a nation's pages. It is written in TOML
// (docs/formats/profile.md).
type Profile struct {
	Name        string   // letters, digits, - and _
	Nation      string   // for people
	Description string   // for people
	MinPoints   int64    // a page with as many is valid
	Depth       int32    // D: link depth archived from a valid page, 0 … 1,000,000
	JudgedTypes []string // MIME types that are judged; default DefaultTypes
	Evidence    Detail   // default DetailFull
	// OwnDomains are the domains, in lower case and ASCII, of which the nation has a
	// harvest of its own: a new job leaves their hosts out. They change no verdict.
	OwnDomains []string
	Searchers  []SearcherConfig
}

// SearcherConfig is one [[searcher]] table of a profile.
type SearcherConfig struct {
	Kind        string   // a row of the table of searchers
	Name        string   // in verdicts; default Kind, unique in the profile
	Points      int64    // for each element that counts, −MaxPoints … MaxPoints; negative for what is unwanted
	Cap         int64    // most points, or most negative points, of one page; 0 = no cap
	Distinct    bool     // a value counts once however often it occurs
	MinDistinct int      // with fewer different valid values nothing counts
	MinShare    float64  // with a smaller Valid/Found nothing counts, 0 … 1
	Pattern     string   // RE2, searched in the value in lower case
	List        string   // word list: name of a built-in one, or path of a file
	Countries   []string // codes of two letters, in upper case
}

// Bounds of a profile's numbers.
const (
	MaxPoints = 1_000_000
	MaxDepth  = 1_000_000
)

// DefaultTypes are the MIME types judged when a profile names none.
func DefaultTypes() []string {
	return []string{"text/html", "application/xhtml+xml", "text/plain"}
}

// Problem is one thing wrong in a profile.
type Problem struct {
	Key  string // path of the key: searcher[0].pattern, counted from 0; empty = the whole file
	Msg  string // what is wrong and what is allowed
	Line int    // from 1, for broken TOML; 0 = find it by Key
	Col  int    // from 1, with Line
}

func (p Problem) String() string {
	switch {
	case p.Line > 0:
		return fmt.Sprintf("%d:%d: %s", p.Line, p.Col, p.Msg)
	case p.Key != "":
		return p.Key + ": " + p.Msg
	}
	return p.Msg
}

// ErrNoProfile reports a built-in profile that does not exist.
var ErrNoProfile = errors.New("no such built-in profile")

//go:embed profiles/*.toml
var builtin embed.FS

// Builtins returns the names of the built-in profiles, sorted.
func Builtins() []string {
	files, err := fs.Glob(builtin, "profiles/*.toml")
	if err != nil {
		return nil
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(path.Base(f), ".toml")
	}
	return files
}

// BuiltinSource returns the TOML text of the built-in profile of that name.
func BuiltinSource(name string) ([]byte, error) {
	data, err := builtin.ReadFile("profiles/" + name + ".toml")
	if err != nil {
		return nil, fmt.Errorf("analyzer: profile %q: %w (built in are %s)", name, ErrNoProfile, strings.Join(Builtins(), ", "))
	}
	return data, nil
}

// LoadProfile loads a profile by the name of a built-in one, or, when name
// holds a path separator or ends in .toml, from that file. All problems of the
// file are in the error.
func LoadProfile(name string) (Profile, error) {
	data, err := readProfile(name)
	if err != nil {
		return Profile{}, err
	}
	p, problems := ParseProfile(data, name)
	if len(problems) == 0 {
		return p, nil
	}
	errs := make([]error, len(problems))
	for i, pr := range problems {
		errs[i] = fmt.Errorf("analyzer: profile %s: %s", name, pr)
	}
	return Profile{}, errors.Join(errs...)
}

func readProfile(name string) ([]byte, error) {
	if !isFile(name) {
		return BuiltinSource(name)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("analyzer: load profile: %w", err)
	}
	return data, nil
}

// isFile tells the path of a profile from the name of a built-in one.
func isFile(name string) bool {
	return strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".toml")
}

// ParseProfile reads the TOML text of a profile and reports every problem it
// has. file is where data comes from: word lists given by a path are looked
// for relative to its folder. With problems the Profile must not be used.
func ParseProfile(data []byte, file string) (Profile, []Problem) {
	var root map[string]any
	if err := toml.Unmarshal(data, &root); err != nil {
		return Profile{}, []Problem{syntaxProblem(err)}
	}
	r := &reader{}
	p := r.profile(root)
	for i, s := range p.Searchers {
		if dict.IsFile(s.List) && !filepath.IsAbs(s.List) {
			p.Searchers[i].List = filepath.Join(filepath.Dir(file), s.List)
		}
	}
	return p, r.problems
}

func syntaxProblem(err error) Problem {
	var pe toml.ParseError
	if errors.As(err, &pe) {
		return Problem{Msg: pe.Message, Line: pe.Position.Line, Col: pe.Position.Col}
	}
	return Problem{Msg: err.Error()}
}

func (r *reader) profile(root map[string]any) Profile {
	t := table{r: r, vals: root}
	head := t.table("profile")
	p := Profile{
		Name:        head.str("name", true),
		Nation:      head.str("nation", false),
		Description: head.str("description", false),
		MinPoints:   head.integer("min_points", true, -MaxPoints, MaxPoints),
		Depth:       int32(head.integer("depth", false, 0, MaxDepth)),
		JudgedTypes: head.strs("judged_types"),
		Evidence:    Detail(head.str("evidence", false)),
		OwnDomains:  head.domains("own_domains"),
	}
	if strings.Trim(p.Name, nameLetters) != "" {
		head.problem("name", "%q: letters, digits, - and _ only", p.Name)
	}
	if p.JudgedTypes == nil {
		p.JudgedTypes = DefaultTypes()
	}
	for _, mt := range p.JudgedTypes {
		if !strings.Contains(mt, "/") || strings.ContainsAny(mt, "; ") || strings.ToLower(mt) != mt {
			head.problem("judged_types", "%q: a MIME type in lower case without parameters is wanted, like text/html", mt)
		}
	}
	if p.Evidence == "" {
		p.Evidence = DetailFull
	}
	if !p.Evidence.known() {
		head.problem("evidence", `%q: "full", "hashed" or "counts"`, p.Evidence)
	}
	head.unknown()
	for _, st := range t.tables("searcher") {
		p.Searchers = append(p.Searchers, st.searcher(p.Searchers))
	}
	if len(p.Searchers) == 0 {
		r.problems = append(r.problems, Problem{Msg: "no [[searcher]]: nothing could ever be valid"})
	}
	t.unknown()
	return p
}

const nameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

// searcher reads one [[searcher]]; before are those above it.
func (t table) searcher(before []SearcherConfig) SearcherConfig {
	s := SearcherConfig{
		Kind:        t.str("kind", true),
		Name:        t.str("name", false),
		Points:      t.integer("points", true, -MaxPoints, MaxPoints),
		Cap:         t.integer("cap", false, 0, MaxPoints),
		Distinct:    t.boolean("distinct"),
		MinDistinct: int(t.integer("min_distinct", false, 0, maxDistinct)),
		MinShare:    t.float("min_share", 0, 1),
	}
	if s.Name == "" {
		s.Name = s.Kind
	}
	if slices.ContainsFunc(before, func(b SearcherConfig) bool { return b.Name == s.Name }) {
		t.problem("name", "%q is taken by a searcher above; give this one a name of its own", s.Name)
	}
	table := kinds()
	k, ok := table[s.Kind]
	if !ok {
		if s.Kind != "" {
			t.problem("kind", "%q: one of %s", s.Kind, strings.Join(sortedKeys(table), ", "))
		}
		return s // its options cannot be judged
	}
	for _, o := range k.options {
		required := slices.Contains(k.required, o)
		switch o {
		case "pattern":
			s.Pattern = t.str(o, required)
			if _, err := compile(s.Pattern); err != nil {
				t.problem(o, "%v", err)
			}
		case "list":
			s.List = t.str(o, required)
		case "countries":
			s.Countries = t.countries(o, required)
		}
	}
	t.unknown()
	return s
}

// domains reads a list of domains.
func (t table) domains(key string) []string {
	list := t.strs(key)
	for i, d := range list {
		u, err := urlx.Parse("http://a." + strings.TrimPrefix(d, ".") + "/")
		if err != nil || u.IsIP() || u.Port() != "" || u.Userinfo() != "" || u.Path() != "/" || u.Query() != "" || u.Fragment() != "" {
			t.problem(fmt.Sprintf("%s[%d]", key, i), "%q: a domain is wanted, like \"cz\" or \"gov.example\"", d)
			continue
		}
		list[i] = strings.TrimPrefix(u.Hostname(), "a.")
	}
	return list
}

// countries reads a list of country codes.
func (t table) countries(key string, required bool) []string {
	if _, there := t.vals[key]; !there {
		if required {
			t.problem(key, "missing: an array of country codes is wanted, like [\"CZ\"]")
		}
		return nil
	}
	before := len(t.r.problems)
	list := t.strs(key)
	if required && len(list) == 0 && len(t.r.problems) == before {
		t.problem(key, "is empty")
	}
	for i, c := range list {
		code, ok := geoip.Code(c)
		if !ok {
			t.problem(fmt.Sprintf("%s[%d]", key, i), "%q: a country code of two letters is wanted (ISO 3166-1)", c)
		}
		list[i] = code
	}
	return list
}
