package decide

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"exclave/internal/conf"
	"exclave/internal/traps"
)

// RuleConfig is one rule of job.toml. Docs: docs/adr/0016-chains-and-jumps.md.
type RuleConfig struct {
	Rule string `toml:"rule"` // one of [Names]
	// Decision of hosts, regex and surt-prefixes on a match: "accept" or
	// "reject"; empty is the rule's own default.
	Decision string `toml:"decision,omitempty"`
	// Max is the limit of too-many-hops, too-many-path-segments,
	// pathological-path and transclusion; nil is the default.
	Max *int `toml:"max,omitempty"`
	// MaxSpeculative limits the guessed links of transclusion; nil is 1.
	MaxSpeculative *int `toml:"max_speculative,omitempty"`
	// List holds host names or domains, regular expressions (RE2, searched
	// anywhere in the URL), SURT prefixes, or the patterns of traps; of those no list
	// means all.
	List []string `toml:"list,omitempty"`
	// File has further entries of the list, one per line; empty lines and lines
	// that begin with '#' are skipped. A relative path starts at the job's folder.
	File string `toml:"file,omitempty"`
}

// The limits that Heritrix users know.
const (
	DefaultMaxHops           = 20
	DefaultMaxPathSegments   = 20
	DefaultMaxRepetitions    = 2
	DefaultMaxTransclusion   = 2
	DefaultMaxSpeculative    = 1
	MaxHopPath               = 200 // letters of a hop path that are kept; more have no effect on rules
	defaultHostsDecision     = Reject
	defaultRegexDecision     = Reject
	defaultSURTDecision      = Accept
	maxLine                  = 1 << 16
	keyDecision, keyMax      = "decision", "max"
	keySpeculative           = "max_speculative"
	keyList, keyFile         = "list", "file"
	ruleAccept, ruleReject   = "accept", "reject"
	ruleHops, ruleSegments   = "too-many-hops", "too-many-path-segments"
	rulePathological         = "pathological-path"
	ruleRegex, ruleSURT      = "regex", "surt-prefixes"
	ruleHosts, ruleEmbeds    = "hosts", "transclusion"
	rulePrereq, ruleSeedsAre = "prerequisite", "seeds"
	ruleTraps                = "traps"
)

// kind says how a rule is built and which keys it takes beyond "rule".
type kind struct {
	name  string
	keys  []string
	build func(b *builder) Rule
}

// kinds is the table of rules.
func kinds() []kind {
	list := []string{keyDecision, keyList, keyFile}
	return []kind{
		{ruleAccept, nil, func(*builder) Rule { return always(Accept) }},
		{ruleReject, nil, func(*builder) Rule { return always(Reject) }},
		{ruleHops, []string{keyMax}, func(b *builder) Rule {
			return tooManyHops(b.limit(keyMax, b.cfg.Max, DefaultMaxHops, 0, MaxHopPath-1))
		}},
		{ruleSegments, []string{keyMax}, func(b *builder) Rule {
			return tooManyPathSegments(b.limit(keyMax, b.cfg.Max, DefaultMaxPathSegments, 1, 10000))
		}},
		{rulePathological, []string{keyMax}, func(b *builder) Rule {
			return pathologicalPath(b.limit(keyMax, b.cfg.Max, DefaultMaxRepetitions, 1, 1000))
		}},
		{ruleTraps, []string{keyList}, func(b *builder) Rule { return b.traps() }},
		{ruleRegex, list, func(b *builder) Rule { return b.regex() }},
		{ruleSURT, list, func(b *builder) Rule { return b.surt() }},
		{ruleHosts, list, func(b *builder) Rule { return b.hosts() }},
		{ruleEmbeds, []string{keyMax, keySpeculative}, func(b *builder) Rule {
			return transclusion{
				max:  b.limit(keyMax, b.cfg.Max, DefaultMaxTransclusion, 0, MaxHopPath-1),
				spec: b.limit(keySpeculative, b.cfg.MaxSpeculative, DefaultMaxSpeculative, 0, MaxHopPath-1),
			}
		}},
		{rulePrereq, nil, func(*builder) Rule { return prerequisite{} }},
		{ruleSeedsAre, nil, func(*builder) Rule { return seeds{} }},
	}
}

// Names returns the names of all rules.
func Names() []string {
	var out []string
	for _, k := range kinds() {
		out = append(out, k.name)
	}
	return out
}

// DefaultScope returns the scope that a new job begins with: everything but what is too
// far, traps, and the excluded hosts and domains (the national domain, which is covered
// elsewhere). These hold for seeds too, which come from logs; what archived pages embed
// is let in nevertheless, but for paths that grow without end.
func DefaultScope(excluded ...string) []RuleConfig {
	limit := func(n int) *int { return &n }
	rules := []RuleConfig{{Rule: ruleAccept}, {Rule: ruleHops, Max: limit(DefaultMaxHops)}, {Rule: ruleSeedsAre}}
	patterns := make([]string, 0, len(traps.All()))
	for _, p := range traps.All() { // so that one can be taken out
		patterns = append(patterns, string(p))
	}
	rules = append(rules, RuleConfig{Rule: ruleTraps, List: patterns})
	if len(excluded) > 0 {
		rules = append(rules, RuleConfig{Rule: ruleHosts, Decision: ruleReject, List: excluded})
	}
	return append(rules,
		RuleConfig{Rule: ruleEmbeds, Max: limit(DefaultMaxTransclusion), MaxSpeculative: limit(DefaultMaxSpeculative)},
		RuleConfig{Rule: ruleSegments, Max: limit(DefaultMaxPathSegments)},
		RuleConfig{Rule: rulePathological, Max: limit(DefaultMaxRepetitions)},
		RuleConfig{Rule: rulePrereq},
	)
}

// Build makes the sequence of a list of rules; relative files start at dir, and dates are
// compared with today. With problems, whose keys are those of the list ("[2].max"), the
// sequence must not be used.
func Build(cfgs []RuleConfig, dir string, today time.Time) (*Sequence, conf.Problems) {
	s := &Sequence{}
	var problems conf.Problems
	count := map[string]int{}
	table := kinds()
	for i, c := range cfgs {
		b := &builder{cfg: c, dir: dir, today: today, at: conf.Element("", i)}
		j := slices.IndexFunc(table, func(k kind) bool { return k.name == c.Rule })
		if j < 0 {
			b.bad("rule", "%q is not a rule; the rules are %s", c.Rule, strings.Join(Names(), ", "))
			problems = append(problems, b.problems...)
			continue
		}
		b.unwanted(table[j].keys)
		r := table[j].build(b)
		problems = append(problems, b.problems...)
		count[c.Rule]++
		name := c.Rule
		if n := count[c.Rule]; n > 1 {
			name = fmt.Sprintf("%s#%d", name, n)
		}
		s.rules, s.names = append(s.rules, r), append(s.names, name)
	}
	return s, problems
}

// builder makes one rule and collects its problems.
type builder struct {
	cfg      RuleConfig
	dir, at  string
	today    time.Time
	problems conf.Problems
}

func (b *builder) bad(key, format string, args ...any) {
	b.problems.Add(b.at+"."+key, format, args...)
}

// unwanted reports keys that the rule has no use for.
func (b *builder) unwanted(keys []string) {
	c := b.cfg
	for _, k := range []struct {
		key string
		set bool
	}{
		{keyDecision, c.Decision != ""}, {keyMax, c.Max != nil}, {keySpeculative, c.MaxSpeculative != nil},
		{keyList, c.List != nil}, {keyFile, c.File != ""},
	} {
		if k.set && !slices.Contains(keys, k.key) {
			b.bad(k.key, "rule %q does not take it; remove it", c.Rule)
		}
	}
}

func (b *builder) limit(key string, p *int, def, lo, hi int) int {
	if p == nil {
		return def
	}
	if *p < lo || *p > hi {
		b.bad(key, "%d is not between %d and %d", *p, lo, hi)
	}
	return *p
}

func (b *builder) decision(def Decision) Decision {
	switch b.cfg.Decision {
	case "":
		return def
	case ruleAccept:
		return Accept
	case ruleReject:
		return Reject
	}
	b.bad(keyDecision, "%q is neither \"accept\" nor \"reject\"", b.cfg.Decision)
	return def
}

// entries calls add for every entry of list and file.
func (b *builder) entries(add func(entry string) error) {
	if len(b.cfg.List) == 0 && b.cfg.File == "" {
		b.bad(keyList, "rule %q has neither list nor file; give one of them", b.cfg.Rule)
		return
	}
	for i, e := range b.cfg.List {
		if err := add(strings.TrimSpace(e)); err != nil {
			b.bad(conf.Element(keyList, i), "%v", err)
		}
	}
	if b.cfg.File == "" {
		return
	}
	name := b.cfg.File
	if !filepath.IsAbs(name) {
		name = filepath.Join(b.dir, name)
	}
	if err := eachLine(name, func(n int, line string) {
		if err := add(line); err != nil {
			b.bad(keyFile, "%s:%d: %v", b.cfg.File, n, err)
		}
	}); err != nil {
		b.bad(keyFile, "%v", err)
	}
}

func eachLine(name string, fn func(n int, line string)) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, maxLine)
	for n := 1; sc.Scan(); n++ {
		if l := bytes.TrimSpace(sc.Bytes()); len(l) > 0 && l[0] != '#' {
			fn(n, string(l))
		}
	}
	return errors.Join(sc.Err(), f.Close())
}

func (b *builder) traps() Rule {
	var patterns []traps.Pattern
	for i, p := range b.cfg.List {
		if _, err := traps.New(b.today, traps.Pattern(p)); err != nil {
			b.bad(conf.Element(keyList, i), "%v", err)
		}
		patterns = append(patterns, traps.Pattern(p))
	}
	if b.cfg.List != nil && len(patterns) == 0 {
		b.bad(keyList, "is empty; name patterns, or remove the rule")
	}
	f, err := traps.New(b.today, patterns...)
	if err != nil { // each was reported
		return always(None)
	}
	return &trapRule{f}
}

func (b *builder) regex() Rule {
	r := regexList{d: b.decision(defaultRegexDecision)}
	b.entries(func(e string) error {
		re, err := regexp.Compile(e)
		if err == nil {
			r.list = append(r.list, re)
		}
		return err
	})
	return r
}

func (b *builder) surt() Rule {
	var list []string
	d := b.decision(defaultSURTDecision)
	b.entries(func(e string) error {
		p, err := surtPrefix(e)
		if err == nil {
			list = append(list, p)
		}
		return err
	})
	return newSURTPrefixes(d, list)
}

func (b *builder) hosts() Rule {
	r := hosts{d: b.decision(defaultHostsDecision), set: map[string]struct{}{}}
	b.entries(func(e string) error {
		h, err := hostEntry(e)
		if err == nil {
			r.set[h] = struct{}{}
		}
		return err
	})
	return r
}
