package sheet

import (
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"exclave/internal/conf"
	"exclave/internal/urlx"
)

// Sheet is one [[sheet]] table: settings, and the parts of the web they apply to.
type Sheet struct {
	Name    string   `toml:"name"`    // for the reader, and the reason of a block that gives none
	SURTs   []string `toml:"surts"`   // SURT prefixes, or what [urlx.ExactSURTPrefix] makes one of
	Hosts   []string `toml:"hosts"`   // these hosts, on every port, by every scheme
	Domains []string `toml:"domains"` // these hosts and all below them, likewise
	// Profiles are those of the job to whose URIs it applies: to what a page led that is valid for one, within the depth.
	Profiles []string `toml:"profiles"`
	Settings

	file   string                  // where it was read
	places map[string]conf.Problem // of keys that can be wrong for a reason beyond the files
}

// file is a file of sheets.
type file struct {
	Sheet []Sheet `toml:"sheet"`
}

// Set is the sheets of a job. The zero value, and nil, have none.
type Set struct {
	every     *index            // of every scheme
	schemes   map[string]*index // of those that have prefixes of their own: these and those of every scheme
	sheets    int
	byProfile []ofProfiles        // in the order in which they were read
	named     uint8               // profiles that they name
	layers    map[uint8]*Settings // by the set of these that a URI is of
	names     []string            // of all profiles of the job
}

// Text is a file of sheets as it was read.
type Text struct {
	Name string // in problems
	Data []byte
}

// Read makes a set of files, for a job with profiles of these names. Of sheets with the same prefix, and of those by profile,
// the later one wins. With problems there is no set.
func Read(texts []Text, profiles []string) (*Set, conf.Problems) {
	all := prefixes{of: map[string][]prefix{}}
	var byProfile []ofProfiles
	var problems conf.Problems
	sheets := 0
	for _, t := range texts {
		doc, ps := conf.Parse(t.Data, t.Name)
		if len(ps) > 0 {
			problems.Merge(ps)
			continue
		}
		var f file
		ps = doc.Decode(&f)
		for i := range f.Sheet {
			s := &f.Sheet[i]
			s.file = t.Name
			at := conf.Element("sheet", i)
			whole := !slices.ContainsFunc(ps, func(p conf.Problem) bool { return strings.HasPrefix(p.Key, at) })
			s.locate(doc, at)
			ps.Merge(s.addTo(&all, whole).Below(at))
			of, bad := s.forProfiles(profiles)
			ps.Merge(bad.Below(at))
			if of != 0 {
				byProfile = append(byProfile, ofProfiles{s, of})
			}
		}
		sheets += len(f.Sheet)
		problems = append(problems, doc.Locate(ps)...)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	set := newSet(&all)
	set.sheets = sheets
	set.addProfiles(byProfile, profiles)
	return set, nil
}

// addTo adds a prefix for every part of the web the sheet names. Of one that was not read as a whole, what is missing is no problem.
func (s *Sheet) addTo(all *prefixes, whole bool) (problems conf.Problems) {
	problems.Check(s.Name != "", "name", "a sheet needs a name")
	if whole {
		problems.Check(len(s.SURTs)+len(s.Hosts)+len(s.Domains)+len(s.Profiles) > 0, "", "the sheet applies to nothing: it has neither surts nor hosts nor domains nor profiles")
		problems.Check(!s.empty(), "", "the sheet sets nothing; give it a setting, such as blocked = true, or take it out")
	}
	if s.Blocked != nil && *s.Blocked && s.Reason == nil && s.Name != "" {
		s.Reason = &s.Name // a block of this sheet shall not give the reason of an outer one
	}
	problems = append(problems, s.Validate()...)
	own := []*Sheet{s}
	all.grow("", 2*len(s.Hosts)+len(s.Domains))
	for i, said := range s.SURTs {
		p, err := urlx.ExactSURTPrefix(said)
		if err != nil {
			problems.Add(conf.Element("surts", i), "%v", err)
			continue
		}
		if _, path, ends := strings.Cut(p, ")"); ends && strings.TrimPrefix(path, "/") != "" {
			for _, part := range s.hostOnly() {
				problems.Add(conf.Element("surts", i), "%q ends within a path, and %s is about whole hosts; make it a sheet of its own, for the host", said, part)
			}
		}
		scheme, surt, _ := strings.Cut(p, "://")
		if s.Limits != (Limits{}) && namesPort(surt) {
			problems.Add(conf.Element("surts", i), "%q names a port, and limits is about whole hosts; make it a sheet of its own, for the host", said)
		}
		all.add(scheme, surt, own)
	}
	hosts := func(key string, names []string, below bool) {
		for i, said := range names {
			name, ip, err := hostPrefix(said)
			if err != nil {
				problems.Add(conf.Element(key, i), "%v", err)
				continue
			}
			if below && !ip { // nothing is below an address: 10.0.0.1 is not 10.0.0.10
				all.add("", name, own)
			} else {
				all.add("", name+")", own)
				all.add("", name+":", own)
			}
		}
	}
	hosts("hosts", s.Hosts, false)
	hosts("domains", s.Domains, true)
	s.SURTs, s.Hosts, s.Domains = nil, nil, nil // long lists are not kept beside the prefixes
	return problems
}

// namesPort reports whether a prefix, without its scheme, has a port.
func namesPort(surt string) bool {
	host, _, _ := strings.Cut(surt, ")")
	if strings.HasPrefix(host, "([") { // an IPv6 address, or the beginning of one
		_, host, _ = strings.Cut(host, "]")
	}
	return strings.Contains(host, ":")
}

// hostPrefix returns the SURT prefix of a host, without its scheme and open at its end, and whether the host is an IP address.
func hostPrefix(said string) (prefix string, ip bool, err error) {
	if strings.Contains(said, "*") {
		return "", false, errors.New(withoutStar(said))
	}
	name := said
	if a, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(said, "["), "]")); err == nil && a.Is6() {
		name = "[" + a.String() + "]"
	} else if strings.ContainsAny(said, "/:(") {
		return "", false, fmt.Errorf("%q is no name of a host", said)
	}
	p, err := urlx.ExactSURTPrefix(name)
	_, p, _ = strings.Cut(p, "://")
	prefix, ip = strings.CutSuffix(p, ")")
	return prefix, ip, err
}

// empty reports whether the sheet has no setting.
func (s *Sheet) empty() bool {
	empty := true
	s.each(func(string, string) { empty = false })
	return empty
}

// withoutStar says what to write instead of a pattern of hosts.
func withoutStar(said string) string {
	rest := strings.TrimLeft(said, "*.")
	if rest == "" || strings.Contains(rest, "*") {
		return fmt.Sprintf("%q: a * stands for nothing here; what is for all hosts is in job.toml, and domains means a domain and all below it", said)
	}
	return fmt.Sprintf("%q: a * stands for nothing here; write domains = [%q], which is this host and all below it", said, rest)
}

// none are the settings where no sheet applies.
func none() *Settings { return &Settings{} }

// Of returns the settings in force for a URL of some profiles, bit i for profile i; they are not to be changed. Key by key
// a sheet by address goes before one by profile. A nil set has none.
func (s *Set) Of(u *urlx.URL, profiles uint8) *Settings {
	p, layer := s.longest(u), s.layer(profiles)
	switch {
	case p != nil && layer != nil:
		return layer.over(p.settings)
	case p != nil:
		return p.settings
	case layer != nil:
		return layer
	}
	return none()
}

// all returns the sheets that apply to something, each once.
func (s *Set) all() (out []*Sheet) {
	if s == nil {
		return nil
	}
	seen := map[*Sheet]bool{}
	var last *Sheet // of a long list
	add := func(of *Sheet) {
		if of != last && !seen[of] {
			seen[of] = true
			out = append(out, of)
		}
		last = of
	}
	for p := range s.prefixes() {
		for _, of := range p.own {
			add(of)
		}
	}
	for _, of := range s.byProfile {
		add(of.Sheet)
	}
	return out
}

// SourceAddresses returns what has says is wrong with the addresses that connections come from.
func (s *Set) SourceAddresses(has func(address string) error) (ps conf.Problems) {
	for _, of := range s.all() {
		if a := of.HTTP.SourceAddress; a != nil {
			if err := has(*a); err != nil {
				ps = append(ps, of.problem("http.source_address", "%v", err))
			}
		}
	}
	return ps
}

// Len returns how many sheets there are.
func (s *Set) Len() int {
	if s == nil {
		return 0
	}
	return s.sheets
}

// Applied is a setting in force for a URL, and why.
type Applied struct {
	Key    string `json:"key"` // as in a sheet: "blocked", "frontier.min_delay"
	Value  string `json:"value"`
	Sheet  string `json:"sheet"`
	File   string `json:"file"`
	Prefix string `json:"prefix"` // the SURT prefix by which the sheet applies, "" when by a profile
	// Profile is the profile by which it applies when no prefix is why; of several the first of the job.
	Profile string `json:"profile,omitempty"`
}

// Explain returns every setting in force for a URL of some profiles with the sheet that it is from, sorted by keys. Budgets are those
// of its host, see [Set.BudgetsOf].
func (s *Set) Explain(u *urlx.URL, profiles uint8) (out []Applied) {
	seen := map[string]bool{}
	for key := range (&Limits{}).budgets() {
		seen[key] = true
	}
	add := func(of *Sheet, prefix, profile string) {
		of.each(func(key, value string) {
			if low := strings.ToLower(key); !seen[low] { // names of header fields
				seen[low] = true
				out = append(out, Applied{key, value, of.Name, of.file, prefix, profile})
			}
		})
	}
	for p, scheme := range s.covering(u) {
		for _, of := range slices.Backward(p.own) {
			add(of, scheme+"://"+p.surt, "")
		}
	}
	if s.layer(profiles) != nil {
		for _, of := range slices.Backward(s.byProfile) {
			if of.hasAny(profiles) {
				add(of.Sheet, "", s.names[bits.TrailingZeros8(of.profiles&profiles)])
			}
		}
	}
	if u != nil {
		own, _, _ := strings.Cut(urlx.SURT(u), "://")
		for _, b := range s.budgetsOf(u.Hostname(), own) {
			out = append(out, Applied{b.key, strconv.FormatInt(*b.n, 10), b.of.Name, b.of.file, b.scheme + "://" + b.prefix.surt, ""})
		}
	}
	slices.SortFunc(out, func(a, b Applied) int { return strings.Compare(a.Key, b.Key) })
	return out
}

// Blocks reports whether nothing may be asked, and why.
func (s *Settings) Blocks() (reason string, blocked bool) {
	if s.Blocked == nil || !*s.Blocked {
		return "", false
	}
	return *s.Reason, true
}

// Live is the set in force of a job that may run: it is replaced as a whole. nil has no sheets.
type Live struct{ set atomic.Pointer[Set] }

// NewLive returns the holder of a set.
func NewLive(s *Set) *Live {
	l := &Live{}
	l.set.Store(s)
	return l
}

// Now returns the set in force.
func (l *Live) Now() *Set {
	if l == nil {
		return nil
	}
	return l.set.Load()
}

// Replace puts another set in force.
func (l *Live) Replace(s *Set) { l.set.Store(s) }

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
