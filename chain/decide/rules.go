package decide

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"sort"
	"strings"

	"exclave/crawl"
	"exclave/internal/sheet"
	"exclave/internal/traps"
	"exclave/internal/urlx"
)

// Sequence asks rules in order: the last that is not silent wins.
type Sequence struct {
	rules  []Rule
	names  []string
	sheets *sheet.Live
}

// Under has the sheets of a job go before the rules: a decision by them is that of the rule "sheet".
func (s *Sequence) Under(sheets *sheet.Live) { s.sheets = sheets }

// Decide returns what the sheets say, or else the last rule that is not silent.
func (s *Sequence) Decide(sub *Subject) Ruling {
	if r := s.bySheet(sub); r.Decision != None {
		return r
	}
	for i := len(s.rules) - 1; i >= 0; i-- {
		if t, ok := s.rules[i].(*trapRule); ok {
			if p := t.find(sub); p != "" {
				return Ruling{Reject, s.names[i] + ":" + string(p), p}
			}
		} else if d := s.rules[i].Decide(sub); d != None {
			return Ruling{Decision: d, Rule: s.names[i]}
		}
	}
	return Ruling{}
}

// RuleSheet is what decisions of sheets are known by.
const RuleSheet = "sheet"

// bySheet returns what the sheets say. They say nothing of prerequisites: without these nothing is had that they let in.
func (s *Sequence) bySheet(sub *Subject) Ruling {
	sub.maxHops = nil
	set := s.sheets.Now()
	if set.Len() == 0 || sub.Cand.IsPrereq() {
		return Ruling{}
	}
	of := set.Of(sub.Cand.Parsed(), sub.Cand.Claim.Profiles())
	sub.maxHops = of.MaxHops
	switch {
	case of.MaxHops != nil && len(sub.Cand.Hops) > *of.MaxHops, of.Scope != nil && *of.Scope == sheet.Reject:
		return Ruling{Decision: Reject, Rule: RuleSheet}
	case of.Scope != nil:
		return Ruling{Decision: Accept, Rule: RuleSheet}
	}
	return Ruling{}
}

// Len returns the number of rules.
func (s *Sequence) Len() int { return len(s.rules) }

// always decides the same of everything.
type always Decision

// Decide implements [Rule].
func (a always) Decide(*Subject) Decision { return Decision(a) }

// tooManyHops rejects hop paths that are longer, of whatever letters.
type tooManyHops int

// Decide implements [Rule].
func (m tooManyHops) Decide(s *Subject) Decision {
	if s.maxHops != nil { // the sheets have decided
		return None
	}
	return rejectIf(len(s.Cand.Hops) > int(m))
}

func rejectIf(b bool) Decision {
	if b {
		return Reject
	}
	return None
}

func acceptIf(b bool) Decision {
	if b {
		return Accept
	}
	return None
}

type tooManyPathSegments int

// Decide implements [Rule].
func (m tooManyPathSegments) Decide(s *Subject) Decision {
	u := s.Cand.Parsed()
	return rejectIf(u != nil && u.PathSegments() > int(m))
}

// pathologicalPath rejects paths in which a segment, or a run of up to maxPeriod
// segments, follows itself more often than the limit: /a/b/a/b/a/b/.
type pathologicalPath int

// maxPeriod keeps the cost linear in the path's length.
const maxPeriod = 16

// Decide implements [Rule].
func (m pathologicalPath) Decide(s *Subject) Decision {
	u := s.Cand.Parsed()
	if u == nil {
		return None
	}
	// What follows the last slash is a name, not a folder.
	segs := strings.Split(strings.TrimPrefix(u.Path(), "/"), "/")
	segs = segs[:len(segs)-1]
	for p := 1; p <= maxPeriod && p*(int(m)+1) <= len(segs); p++ {
		same := 0
		for i := p; i < len(segs); i++ {
			if segs[i] != segs[i-p] {
				same = 0
			} else if same++; same >= p*int(m) {
				return Reject
			}
		}
	}
	return None
}

// trapRule rejects addresses that look like those of endless webs. A redirect leads to
// one address and may be the only way to a page.
type trapRule struct{ finder *traps.Finder }

// Decide implements [Rule].
func (r *trapRule) Decide(s *Subject) Decision { return rejectIf(r.find(s) != "") }

func (r *trapRule) find(s *Subject) traps.Pattern {
	u := s.Cand.Parsed()
	if u == nil || s.Cand.Kind == crawl.LinkRedirect {
		return ""
	}
	return r.finder.Find(u, s.via)
}

type regexList struct {
	d    Decision
	list []*regexp.Regexp
}

// Decide implements [Rule].
func (r regexList) Decide(s *Subject) Decision {
	for _, re := range r.list {
		if re.MatchString(s.Cand.URL) {
			return r.d
		}
	}
	return None
}

// surtPrefixes holds sorted prefixes of which none begins with another, so only
// the greatest that is not above a SURT can be its prefix.
type surtPrefixes struct {
	d    Decision
	list []string
}

func newSURTPrefixes(d Decision, list []string) surtPrefixes {
	slices.Sort(list)
	out := list[:0]
	for _, p := range list {
		if len(out) == 0 || !strings.HasPrefix(p, out[len(out)-1]) {
			out = append(out, p)
		}
	}
	return surtPrefixes{d, slices.Clip(out)}
}

func surtPrefix(s string) (string, error) {
	p, err := urlx.ExactSURTPrefix(s)
	if err != nil {
		return "", fmt.Errorf("not a SURT prefix: %w", err) // which names it, without a password
	}
	return p, nil
}

// Decide implements [Rule].
func (r surtPrefixes) Decide(s *Subject) Decision {
	u := s.Cand.Parsed()
	if u == nil {
		return None
	}
	surt := urlx.SURT(u)
	i := sort.SearchStrings(r.list, surt)
	if i < len(r.list) && r.list[i] == surt || i > 0 && strings.HasPrefix(surt, r.list[i-1]) {
		return r.d
	}
	return None
}

// hosts decides about hosts and everything below them: "cz" is all of .cz.
type hosts struct {
	d   Decision
	set map[string]struct{}
}

// hostEntry returns the normal form of a host or domain of a list.
func hostEntry(s string) (string, error) {
	if strings.Contains(s, "*") {
		if rest := strings.TrimLeft(s, "*."); rest != "" && !strings.Contains(rest, "*") {
			return "", fmt.Errorf("%q: a * stands for nothing here; write %q, which is it and all below it", s, rest)
		}
		return "", fmt.Errorf("%q: a * stands for nothing here; name domains, each is it and all below it", s)
	}
	s = strings.TrimPrefix(s, ".")
	if a, err := netip.ParseAddr(strings.Trim(s, "[]")); err == nil {
		return a.String(), nil
	}
	if s == "" || strings.ContainsAny(s, "/:@?# ") {
		return "", fmt.Errorf("%q is not a host name or domain", s)
	}
	u, err := urlx.Parse("http://" + s + "/")
	if err != nil {
		return "", fmt.Errorf("%q is not a host name or domain: %w", s, err)
	}
	return strings.TrimSuffix(u.Hostname(), "."), nil
}

// Decide implements [Rule].
func (r hosts) Decide(s *Subject) Decision {
	h := strings.TrimSuffix(s.Cand.Host, ".")
	if u := s.Cand.Parsed(); u != nil {
		if u.Scheme() == "whois" {
			return None // whom is asked says nothing of what about
		}
		h = strings.TrimSuffix(u.Hostname(), ".")
		if u.IsIP() {
			return r.decide(h)
		}
	}
	for h != "" {
		if d := r.decide(h); d != None {
			return d
		}
		_, h, _ = strings.Cut(h, ".")
	}
	return None
}

func (r hosts) decide(h string) Decision {
	if _, ok := r.set[h]; ok {
		return r.d
	}
	return None
}

// transclusion accepts what archived pages embed, wherever it is (design,
// systems.md case 27). A candidate without any claim is accepted too: it is only
// kept in mind, and not requested until an archived page claims it. If it were
// refused, a claim that grows later would find nothing to grow on.
type transclusion struct{ max, spec int }

// Decide implements [Rule].
func (t transclusion) Decide(s *Subject) Decision {
	c := s.Cand.Claim
	if c.Analyse && !c.Bin && c.Link == [crawl.MaxProfiles]int32{} {
		return None
	}
	// A redirect of a page is navigation, one of an image is not.
	w := s.Cand.Reached()
	if w.Loose { // only kept in mind
		w = crawl.WaysOf(s.Cand.Hops, "")
	}
	return acceptIf(w.Within(t.max, t.spec))
}

// prerequisite accepts what a page cannot be fetched without.
type prerequisite struct{}

// Decide implements [Rule].
func (prerequisite) Decide(s *Subject) Decision {
	return acceptIf(s.Cand.IsPrereq())
}

type seeds struct{}

// Decide implements [Rule].
func (seeds) Decide(s *Subject) Decision { return acceptIf(s.Cand.Seed) }
