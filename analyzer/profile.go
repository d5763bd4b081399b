package analyzer

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"exclave/internal/conf"
	"exclave/internal/urlx"
)

// Profile is the definition of a nation's pages. It is written in TOML
// (docs/formats/profile.md).
type Profile struct {
	Name        string   `toml:"name,required"` // letters, digits, - and _
	Nation      string   `toml:"nation"`        // for people
	Description string   `toml:"description"`   // for people
	MinPoints   int64    `toml:"min_points"`    // a page with as many is valid; wanted when points decide
	Depth       int32    `toml:"depth"`         // D: link depth archived from a valid page, 0 … 1,000,000
	JudgedTypes []string `toml:"judged_types"`  // MIME types that are judged; default DefaultTypes
	Evidence    Detail   `toml:"evidence"`      // default DetailFull
	// OwnDomains are the domains, in lower case and ASCII, of which the nation has a
	// harvest of its own: a new job leaves their hosts out. They change no verdict.
	OwnDomains []string `toml:"own_domains"`
	// Decide says what makes a page valid (ADR 53); default DecidePoints.
	Decide     Decider `toml:"decide"`
	Expression string  `toml:"expression"` // of expr-lang/expr; "" = none

	Searchers   []SearcherConfig `toml:"-"`
	Probability *Probability     `toml:"-"` // nil = none

	compiled *expression // Expression
}

// SearcherConfig is one [[searcher]] table of a profile.
type SearcherConfig struct {
	Kind        string  `toml:"kind,required"`   // a row of the table of searchers
	Name        string  `toml:"name"`            // in verdicts; default Kind, unique in the profile
	Points      int64   `toml:"points,required"` // for each element that counts, −MaxPoints … MaxPoints; negative for what is unwanted
	Cap         int64   `toml:"cap"`             // most points, or most negative points, of one page; 0 = no cap
	Distinct    bool    `toml:"distinct"`        // a value counts once however often it occurs
	MinDistinct int     `toml:"min_distinct"`    // with fewer different valid values nothing counts
	MinShare    float64 `toml:"min_share"`       // with a smaller Valid/Found nothing counts, 0 … 1

	own options // those of the kind; nil = there is no such kind
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
	data, err := ReadProfile(name)
	if err != nil {
		return Profile{}, err
	}
	p, problems := ParseProfile(data, name)
	return p, problems.Err("analyzer: profile")
}

// ReadProfile returns the TOML text of a profile: see [LoadProfile].
func ReadProfile(name string) ([]byte, error) {
	if !IsFile(name) {
		return BuiltinSource(name)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("analyzer: load profile: %w", err)
	}
	return data, nil
}

// IsFile tells the path of a profile from the name of a built-in one.
func IsFile(name string) bool {
	return strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".toml")
}

// ParseProfile reads the TOML text of a profile and reports every problem it
// has. file is where data comes from: word lists given by a path are looked
// for relative to its folder. With problems the Profile must not be used.
func ParseProfile(data []byte, file string) (Profile, conf.Problems) {
	doc, p, problems := parseProfile(data, file, kinds())
	if doc != nil {
		problems = doc.Locate(problems)
	}
	return p, problems
}

// checkProfile reports every problem of a profile, and of the files that it names.
func checkProfile(data []byte, file string, table kindTable) conf.Problems {
	doc, p, problems := parseProfile(data, file, table)
	if doc == nil {
		return problems
	}
	if len(problems) == 0 {
		for i, s := range p.Searchers {
			if o, ok := s.own.(namesFiles); ok {
				problems = append(problems, o.check().Below(conf.Element("searcher", i))...)
			}
		}
	}
	return doc.Locate(problems)
}

// parseProfile reads a profile with searchers of the kinds of a table. Its problems are
// not located yet, but for those of what is not TOML, of which there is no Doc.
func parseProfile(data []byte, file string, table kindTable) (*conf.Doc, Profile, conf.Problems) {
	doc, problems := conf.Parse(data, file)
	if doc == nil {
		return nil, Profile{}, problems
	}
	f := struct {
		Profile     Profile          `toml:"profile,required"`
		Searcher    []map[string]any `toml:"searcher"`
		Probability *Probability     `toml:"probability"`
	}{Profile: Profile{JudgedTypes: DefaultTypes()}}
	problems = doc.Decode(&f)
	p := f.Profile
	if p.Evidence == "" {
		p.Evidence = DetailFull
	}
	problems.Merge(p.Validate().Below("profile"))
	for i, d := range p.OwnDomains {
		p.OwnDomains[i], _ = domain(d)
	}
	for i, t := range f.Searcher {
		s, more := table.searcher(t, filepath.Dir(file))
		if slices.ContainsFunc(p.Searchers, func(b SearcherConfig) bool { return b.Name == s.Name }) {
			more.Add("name", "%q is taken by a searcher above; give this one a name of its own", s.Name)
		}
		problems = append(problems, more.Below(conf.Element("searcher", i))...)
		p.Searchers = append(p.Searchers, s)
	}
	if len(p.Searchers) == 0 && !slices.ContainsFunc(problems, func(p conf.Problem) bool { return p.Key == "searcher" }) {
		problems.Add("", "no [[searcher]]: nothing could ever be valid")
	}
	p.Probability = f.Probability
	if p.decider() == DecidePoints && !doc.Has("profile.min_points") && doc.Has("profile") {
		problems.Merge(conf.Problems{{Key: "profile.min_points", Msg: "is missing", Fix: "write a whole number"}})
	}
	problems.Merge(p.checkDeciders())
	return doc, p, problems
}

// checkDeciders returns what is wrong with what beside the points judges a page, and compiles it.
// Names of searchers are only looked at when there are no other problems: they may be among these.
func (p *Profile) checkDeciders() (ps conf.Problems) {
	if p.Probability != nil {
		ps.Merge(p.Probability.Validate().Below("probability"))
		ps.Merge(p.Probability.check(p.Searchers).Below("probability"))
	} else if p.Decide == DecideProbability {
		ps.Add("profile.decide", "the profile has no [probability]")
	}
	ps.Check(p.Decide != DecideExpression || p.Expression != "", "profile.decide", "the profile has no expression")
	ps.Merge(p.checkExpression().Below("profile"))
	return ps
}

// unreadable says why there is no text of a profile.
func unreadable(name string, err error) string {
	if errors.Is(err, ErrNoProfile) {
		return fmt.Sprintf("%q: %v", name, ErrNoProfile)
	}
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		err = p.Err // the message has the rest
	}
	return fmt.Sprintf("%s: %v", name, err)
}

const nameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

// Validate returns every value of the profile itself that cannot be; searchers have their
// own.
func (p Profile) Validate() (ps conf.Problems) {
	ps.Check(p.Name != "", "name", "is empty")
	ps.Check(strings.Trim(p.Name, nameLetters) == "", "name", "%q: letters, digits, - and _ only", p.Name)
	between(&ps, "min_points", p.MinPoints, -MaxPoints, MaxPoints)
	between(&ps, "depth", int64(p.Depth), 0, MaxDepth)
	for i, mt := range p.JudgedTypes {
		ok := strings.Contains(mt, "/") && !strings.ContainsAny(mt, "; ") && strings.ToLower(mt) == mt
		ps.Check(ok, conf.Element("judged_types", i), "%q: a MIME type in lower case without parameters is wanted, like text/html", mt)
	}
	ps.Check(slices.Contains([]Decider{"", DecidePoints, DecideProbability, DecideExpression}, p.Decide), "decide", `%q: "points", "probability" or "expression"`, p.Decide)
	ps.Check(p.Evidence.known(), "evidence", `%q: "full", "hashed" or "counts"`, p.Evidence)
	for i, d := range p.OwnDomains {
		_, ok := domain(d)
		ps.Check(ok, conf.Element("own_domains", i), "%q: a domain is wanted, like \"cz\" or \"gov.example\"", d)
	}
	return ps
}

func between(ps *conf.Problems, key string, n, low, high int64) {
	ps.Check(n >= low && n <= high, key, "%d: %d to %d is allowed", n, low, high)
}

// domain returns d in lower case and ASCII, without a dot before it, and whether it is a
// domain.
func domain(d string) (string, bool) {
	u, err := urlx.Parse("http://a." + strings.TrimPrefix(d, ".") + "/")
	if err != nil || u.IsIP() || u.Port() != "" || u.Userinfo() != "" || u.Path() != "/" || u.Query() != "" || u.Fragment() != "" {
		return d, false
	}
	return strings.TrimPrefix(u.Hostname(), "a."), true
}

// searcher reads a [[searcher]] of a profile that lies in the folder dir; keys of problems
// are those of the table.
func (k kindTable) searcher(t map[string]any, dir string) (SearcherConfig, conf.Problems) {
	var s SearcherConfig
	var problems conf.Problems
	kind, _ := t["kind"].(string)
	if known := k[kind]; known != nil {
		s.own = known()
		problems = conf.Read(t, &s, s.own)
		if o, ok := s.own.(namesFiles); ok {
			o.beside(dir)
		}
		if _, ok := s.own.(unwanted); ok {
			problems.Check(s.Points <= 0, "points", "%d: a searcher of kind %s takes points away; write %d", s.Points, kind, -s.Points)
		}
	} else { // its own options cannot be judged
		t = maps.Clone(t)
		common := conf.Keys(s)
		maps.DeleteFunc(t, func(key string, _ any) bool { return !slices.Contains(common, key) })
		problems = conf.Read(t, &s)
		problems.Merge(conf.Problems{{Key: "kind", Msg: fmt.Sprintf("%q: one of %s", kind, strings.Join(slices.Sorted(maps.Keys(k)), ", "))}})
	}
	s.Name = cmp.Or(s.Name, s.Kind)
	return s, problems
}

// Validate returns every value that cannot be, but for the options of the kind.
func (c SearcherConfig) Validate() (ps conf.Problems) {
	between(&ps, "points", c.Points, -MaxPoints, MaxPoints)
	between(&ps, "cap", c.Cap, 0, MaxPoints)
	between(&ps, "min_distinct", int64(c.MinDistinct), 0, maxDistinct)
	ps.Check(c.MinShare >= 0 && c.MinShare <= 1, "min_share", "%v: 0 to 1 is allowed", c.MinShare)
	return ps
}

// off says what the searcher does nothing without; "" = it works.
func (c SearcherConfig) off(job Config) Missing {
	if o, ok := c.own.(needsJob); ok {
		return o.off(job)
	}
	return ""
}
