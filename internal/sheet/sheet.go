package sheet

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"exclave/internal/conf"
	"exclave/internal/urlx"
)

// Settings are what sheets may set. A key that is nil is not set.
type Settings struct {
	Blocked *bool   `toml:"blocked"` // nothing is asked
	Reason  *string `toml:"reason"`  // why, one word for crawl.log; read when blocked
}

// over returns s with the keys that more sets replaced.
func (s Settings) over(more Settings) Settings {
	return Settings{Blocked: cmp.Or(more.Blocked, s.Blocked), Reason: cmp.Or(more.Reason, s.Reason)}
}

// Sheet is one [[sheet]] table: settings, and the parts of the web they apply to.
type Sheet struct {
	Name    string   `toml:"name"`    // for the reader, and the reason of a block that gives none
	SURTs   []string `toml:"surts"`   // SURT prefixes, or what [urlx.SURTPrefix] makes one of
	Hosts   []string `toml:"hosts"`   // these hosts, on every port
	Domains []string `toml:"domains"` // these hosts and all below them
	Settings
}

// file is a file of sheets.
type file struct {
	Sheet []Sheet `toml:"sheet"`
}

// prefix is a SURT prefix with the settings of all sheets that apply below it.
type prefix struct {
	surt     string
	settings Settings
	outer    int // index of the longest other prefix that this one begins with; -1 = none
}

// Set is the sheets of a job. The zero value, and nil, have none.
type Set struct{ prefixes []prefix }

// Text is a file of sheets as it was read.
type Text struct {
	Name string // in problems
	Data []byte
}

// Read makes a set of files. Of sheets with the same prefix the later one wins. With problems there is no set.
func Read(texts []Text) (*Set, conf.Problems) {
	var all []prefix
	var problems conf.Problems
	for _, t := range texts {
		doc, ps := conf.Parse(t.Data, t.Name)
		if len(ps) > 0 {
			problems.Merge(ps)
			continue
		}
		var f file
		ps = doc.Decode(&f)
		for i, s := range f.Sheet {
			found, bad := s.prefixes()
			all = append(all, found...)
			ps = append(ps, bad.Below(conf.Element("sheet", i))...)
		}
		problems = append(problems, doc.Locate(ps)...)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return newSet(all), nil
}

// prefixes returns a prefix for every part of the web the sheet names.
func (s Sheet) prefixes() (out []prefix, problems conf.Problems) {
	problems.Check(s.Name != "", "name", "a sheet needs a name")
	problems.Check(len(s.SURTs)+len(s.Hosts)+len(s.Domains) > 0, "", "the sheet applies to nothing: it has neither surts nor hosts nor domains")
	if s.Settings.Reason == nil {
		s.Settings.Reason = &s.Name // a block of this sheet shall not give the reason of an outer one
	}
	problems.Check(!strings.ContainsAny(*s.Settings.Reason, " \t\r\n,"), "reason", "%q has a blank or a comma, which divide annotations in crawl.log; a sheet without a reason gives its name", *s.Settings.Reason)
	add := func(key, said string, host bool, ends ...string) {
		p, err := urlx.SURTPrefix(said)
		if err != nil {
			problems.Add(key, "%v", err)
			return
		}
		if host {
			if strings.ContainsAny(said, "/:(") {
				problems.Add(key, "%q is no name of a host", said)
				return
			}
			p = strings.TrimSuffix(p, ")")
		}
		for _, end := range ends {
			out = append(out, prefix{surt: p + end, settings: s.Settings})
		}
	}
	for i, said := range s.SURTs {
		add(conf.Element("surts", i), said, false, "")
	}
	for i, said := range s.Hosts {
		add(conf.Element("hosts", i), said, true, ")", ":")
	}
	for i, said := range s.Domains {
		add(conf.Element("domains", i), said, true, "")
	}
	return out, problems
}

// newSet sorts the prefixes and lays each over those it begins with.
func newSet(all []prefix) *Set {
	slices.SortStableFunc(all, func(a, b prefix) int { return strings.Compare(a.surt, b.surt) })
	s := &Set{}
	for _, p := range all {
		last := len(s.prefixes) - 1
		if last >= 0 && s.prefixes[last].surt == p.surt {
			s.prefixes[last].settings = s.prefixes[last].settings.over(p.settings)
			continue
		}
		p.outer = s.covering(last, p.surt)
		if p.outer >= 0 {
			p.settings = s.prefixes[p.outer].settings.over(p.settings)
		}
		s.prefixes = append(s.prefixes, p)
	}
	return s
}

// covering returns which of prefix i and those outside it surt begins with, -1 when with none.
func (s *Set) covering(i int, surt string) int {
	for i >= 0 && !strings.HasPrefix(surt, s.prefixes[i].surt) {
		i = s.prefixes[i].outer
	}
	return i
}

// Of returns the settings in force for a URL. It costs one binary search.
func (s *Set) Of(u *urlx.URL) Settings {
	if s == nil || len(s.prefixes) == 0 {
		return Settings{}
	}
	surt := urlx.SURT(u)
	after := sort.Search(len(s.prefixes), func(i int) bool { return s.prefixes[i].surt > surt })
	if i := s.covering(after-1, surt); i >= 0 {
		return s.prefixes[i].settings
	}
	return Settings{}
}

// Blocked reports whether nothing may be asked for the URL, and why.
func (s *Set) Blocked(u *urlx.URL) (reason string, blocked bool) {
	of := s.Of(u)
	if of.Blocked == nil || !*of.Blocked {
		return "", false
	}
	return *of.Reason, true
}
