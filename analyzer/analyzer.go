package analyzer

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"exclave/internal/conf"
	"exclave/internal/mime"
)

// Config says how pages are judged. The zero value of each field but Profiles
// is replaced by its default.
type Config struct {
	Profiles []string `toml:"profiles"` // names of built-in profiles, or paths of TOML files; at least one
	Evidence Detail   `toml:"evidence"` // "full", "hashed", "counts"; empty = as each profile says
	MaxText  int      `toml:"max_text"` // bytes of text, and of source, looked at; default 1 MiB
	GeoIP    string   `toml:"geoip"`    // MaxMind DB file of countries; empty = searchers of that kind are off

	// MaxMind DB file of autonomous systems, whose names stand in the evidence of those searchers; empty = none
	GeoIPASN string `toml:"geoip_asn"`

	// Whois says that the caller fills in Page.Whois; else searchers of that kind are off.
	Whois bool `toml:"-"`

	Dir     string    `toml:"-"` // where relative paths in Profiles, GeoIP and GeoIPASN start; empty = the working directory
	Key     []byte    `toml:"-"` // of the hashes of DetailHashed; a secret, else telephone numbers can be guessed; empty = one for this Analyzer alone
	Further []Profile `toml:"-"` // profiles that are loaded already; run after Profiles
}

// DefaultConfig returns every default. It names no profile: no country is
// preferred.
func DefaultConfig() Config {
	return Config{MaxText: 1 << 20}
}

// Validate returns every value of c itself that cannot be; profiles are checked by Open,
// or by LoadProfile.
func (c Config) Validate() (ps conf.Problems) {
	ps.Check(len(c.Profiles)+len(c.Further) > 0, "profiles", "names no profile: built in are %v", Builtins())
	ps.Check(c.Evidence == "" || c.Evidence.known(), "evidence", "%q: \"full\", \"hashed\" or \"counts\"", c.Evidence)
	ps.Check(c.MaxText >= 0, "max_text", "%d: a number of bytes is wanted", c.MaxText)
	return ps
}

// Analyzer judges pages by its profiles.
type Analyzer struct {
	maxText int
	key     []byte
	profs   []opened
	addrs   bool // some searcher looks at addresses
	host    bool // some searcher looks at how other pages of the host were judged
	whois   bool // some searcher looks at WHOIS answers
	shared  resources
	words   wordPool
}

// opened is a profile whose searchers are ready.
type opened struct {
	Profile
	searchers []Searcher // beside Profile.Searchers
}

// Open loads the profiles and opens what their searchers need. The Analyzer
// must be closed. All problems are in the error.
func Open(ctx context.Context, c Config) (*Analyzer, error) {
	if err := c.Validate().Err("analyzer: open"); err != nil {
		return nil, err
	}
	if c.MaxText == 0 {
		c.MaxText = DefaultConfig().MaxText
	}
	profiles, err := c.load()
	if err != nil {
		return nil, err
	}
	a := &Analyzer{maxText: c.MaxText, key: slices.Clone(c.Key)}
	if len(a.key) == 0 {
		a.key = make([]byte, 32)
		_, _ = rand.Read(a.key) // never fails
	}
	problems := c.provide(&a.shared)
	for i := range problems {
		problems[i].Fix = "" // it is about job.toml
	}
	if err := problems.Err("analyzer: open"); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	for _, p := range profiles {
		if c.Evidence != "" {
			p.Evidence = c.Evidence
		}
		if err := a.add(ctx, p, c); err != nil {
			return nil, errors.Join(err, a.Close())
		}
	}
	return a, nil
}

// path returns where a file that c names lies.
func (c Config) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(c.Dir, name)
}

func (c Config) load() ([]Profile, error) {
	var out []Profile
	var errs []error
	for _, name := range c.Profiles {
		if IsFile(name) {
			name = c.path(name)
		}
		p, err := LoadProfile(name)
		out, errs = append(out, p), append(errs, err)
	}
	out = append(out, c.Further...)
	for i, p := range out {
		if p.Name != "" && slices.ContainsFunc(out[:i], func(q Profile) bool { return q.Name == p.Name }) {
			errs = append(errs, fmt.Errorf("analyzer: profile %s is given twice", p.Name))
		}
	}
	return out, errors.Join(errs...)
}

// Names returns the names of the profiles of c, as [Analyzer.Names] does.
func (c Config) Names() ([]string, error) {
	profiles, err := c.load()
	return namesOf(profiles), err
}

// CheckFiles returns what is wrong with the files that c names, and with those that the
// profiles name. Problems of a profile stand in its own file, the others have the keys of
// c.
func (c Config) CheckFiles() conf.Problems {
	var r resources
	ps := c.provide(&r)
	if err := r.close(); err != nil {
		ps.Add("", "%v", err)
	}
	var seen []string
	for i, name := range c.Profiles {
		if IsFile(name) {
			name = c.path(name)
		}
		data, err := ReadProfile(name)
		if err != nil {
			ps = append(ps, conf.Problem{Key: conf.Element("profiles", i), Msg: unreadable(name, err),
				Fix: "built in are " + strings.Join(Builtins(), ", ") + "; the path of another one ends in .toml"})
			continue
		}
		ps = append(ps, checkProfile(data, name, kinds())...)
		if p, err := LoadProfile(name); err == nil {
			if slices.Contains(seen, p.Name) {
				ps = append(ps, conf.Problem{Key: conf.Element("profiles", i), Msg: "profile " + p.Name + " is given twice", Fix: "name it once, or give the other one another name"})
			}
			seen = append(seen, p.Name)
		}
	}
	return ps
}

// provide opens what the job names for the kinds of searchers that need it.
func (c Config) provide(r *resources) (ps conf.Problems) {
	table := kinds()
	for _, kind := range slices.Sorted(maps.Keys(table)) {
		if o, ok := table[kind]().(needsJob); ok {
			ps = append(ps, o.provide(c, r)...)
		}
	}
	return ps
}

// Missing is what searchers are off without, in words.
type Missing string

// What a job may leave out.
const (
	MissingGeoIP Missing = "no GeoIP database is configured"
	MissingWhois Missing = "no WHOIS server is asked"
)

// Off says which searchers are off, and for want of what.
type Off struct {
	Missing   Missing
	Searchers []string // profile/searcher
}

// String returns a sentence.
func (n Off) String() string {
	if len(n.Searchers) == 1 {
		return fmt.Sprintf("%s; searcher %s is off", n.Missing, n.Searchers[0])
	}
	return fmt.Sprintf("%s; searchers %s are off", n.Missing, strings.Join(n.Searchers, ", "))
}

// Notices returns what a user should know of searchers of c that are off; none
// is an error. Profiles that cannot be loaded are left to Open.
func (c Config) Notices() (out []Off) {
	profiles, _ := c.load() // those that are in order
	for _, p := range profiles {
		for _, s := range p.Searchers {
			missing := s.off(c)
			if missing == "" {
				continue
			}
			i := slices.IndexFunc(out, func(n Off) bool { return n.Missing == missing })
			if i < 0 {
				i, out = len(out), append(out, Off{Missing: missing})
			}
			out[i].Searchers = append(out[i].Searchers, p.Name+"/"+s.Name)
		}
	}
	return out
}

// add opens the searchers of a profile, but for those that are off.
func (a *Analyzer) add(ctx context.Context, p Profile, c Config) error {
	p.Searchers = slices.DeleteFunc(slices.Clone(p.Searchers), func(s SearcherConfig) bool { return s.off(c) != "" })
	p.Probability = p.Probability.named()
	a.shared.profile = len(a.profs)
	a.profs = append(a.profs, opened{Profile: p})
	o := &a.profs[len(a.profs)-1]
	for _, sc := range p.Searchers {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("analyzer: open profile %s: %w", p.Name, err)
		}
		if sc.own == nil {
			return fmt.Errorf("analyzer: open profile %s: searcher %s: no kind %q", p.Name, sc.Name, sc.Kind)
		}
		s, err := sc.own.open(&a.shared)
		if err != nil {
			return fmt.Errorf("analyzer: open profile %s: searcher %s: %w", p.Name, sc.Name, err)
		}
		if n, ok := s.(needsAddrs); ok && n.needsAddrs() {
			a.addrs = true
		}
		if n, ok := s.(needsHost); ok && n.needsHost() {
			a.host = true
		}
		if n, ok := s.(needsWhois); ok && n.needsWhois() {
			a.whois = true
		}
		o.searchers = append(o.searchers, s)
	}
	return nil
}

// Close closes the searchers that have something to close, and what they shared. No Run
// may be under way.
func (a *Analyzer) Close() error {
	var errs []error
	for _, o := range a.profs {
		for _, s := range o.searchers {
			if c, ok := s.(io.Closer); ok {
				errs = append(errs, c.Close())
			}
		}
	}
	a.profs = nil
	return errors.Join(append(errs, a.shared.close())...)
}

// WantsAddrs reports whether some searcher looks at the addresses of a page's
// outlinks; without one they need not be found out.
func (a *Analyzer) WantsAddrs() bool { return a.addrs }

// WantsHost reports whether some searcher looks at how other pages of the host were judged;
// without one they need not be counted.
func (a *Analyzer) WantsHost() bool { return a.host }

// WantsWhois reports whether some searcher looks at WHOIS answers; without one nobody need be asked.
func (a *Analyzer) WantsWhois() bool { return a.whois }

// Profiles returns the profiles in the order of the verdicts, without searchers
// that are off.
func (a *Analyzer) Profiles() []Profile {
	out := make([]Profile, len(a.profs))
	for i, o := range a.profs {
		out[i] = o.Profile
	}
	return out
}

// Names returns the names of the profiles, in the order of the verdicts.
func (a *Analyzer) Names() []string { return namesOf(a.Profiles()) }

func namesOf(profiles []Profile) (names []string) {
	for _, p := range profiles {
		names = append(names, p.Name)
	}
	return names
}

// Languages returns the codes of the languages that the profiles look for, each once, in the order of the profiles.
func (a *Analyzer) Languages() (codes []string) {
	for _, p := range a.Profiles() {
		for _, s := range p.Searchers {
			if code := s.language(); code != "" && !slices.Contains(codes, code) {
				codes = append(codes, code)
			}
		}
	}
	return codes
}

// Judges reports whether some profile judges documents of a MIME type, given
// in lower case without parameters.
func (a *Analyzer) Judges(mimeType string) bool {
	return slices.ContainsFunc(a.profs, func(o opened) bool { return slices.Contains(o.JudgedTypes, mimeType) })
}

// IsText reports whether a document is one that some profile judges. The type
// is sniffed: name is its URL or file name, serverType the Content-Type header,
// head the first bytes of the decoded body (mime.HeadSize are enough).
func (a *Analyzer) IsText(name, serverType string, head []byte) bool {
	return a.Judges(mime.Detect(name, serverType, head, 0).Type)
}

// Run returns the verdict of each profile on p, in the order of Profiles. The
// first Config.MaxText bytes of text and source are looked at. An error is a
// failure of a searcher's resources; or ctx's, and then the verdicts are what the
// searchers that came to their end make of the page.
func (a *Analyzer) Run(ctx context.Context, p *Page) ([]Verdict, error) {
	p = p.bounded(a.maxText)
	p.pool = &a.words
	defer a.words.put(p)
	out := make([]Verdict, len(a.profs))
	for i, o := range a.profs {
		out[i] = Verdict{Profile: o.Name, Min: o.MinPoints}
		if !slices.Contains(o.JudgedTypes, p.Type) {
			continue
		}
		if err := a.judge(ctx, o, p, &out[i]); err != nil && ctx.Err() == nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return out, fmt.Errorf("analyzer: run %s: %w", p.URL, err)
	}
	return out, nil
}

func (a *Analyzer) judge(ctx context.Context, o opened, p *Page, v *Verdict) error {
	v.Judged = true
	v.By = make([]Scored, 0, len(o.searchers))
	if o.needsWords() {
		n := p.WordCount()
		v.Words = &n
	}
	defer func() { o.decide(v, Seen{URL: p.URL, Via: p.Via}) }()
	for i, s := range o.searchers {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		c := o.Searchers[i]
		f, err := s.Search(ctx, p)
		if err != nil {
			return fmt.Errorf("analyzer: run %s: profile %s: searcher %s: %w", p.URL, o.Name, c.Name, err)
		}
		f.Evidence = o.Evidence.hide(f.Evidence, a.key)
		sc := c.score(f)
		v.By = append(v.By, sc)
		v.Points += sc.Points
	}
	return nil
}

// score turns counts into points by the settings of one searcher.
func (c SearcherConfig) score(f Finding) Scored {
	n := f.Valid
	if c.Distinct {
		n = f.Distinct
	}
	if f.Distinct < c.MinDistinct || float64(f.Valid) < c.MinShare*float64(f.Found) {
		n = 0
	}
	points := int64(n) * c.Points
	if c.Cap > 0 {
		points = max(-c.Cap, min(c.Cap, points))
	}
	return Scored{Searcher: c.Name, Finding: f, Counted: n, PointsEach: c.Points, Points: points}
}
