package seedlog

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// trapRules are the rules that refuse what leads no further: Heritrix's by the names
// of their classes, this program's as package decide names them, and Heritrix's
// statuses of crawl.log. Other logs name none.
func trapRules() []string {
	return append([]string{
		"TooManyHopsDecideRule", "PathologicalPathDecideRule", "TooManyPathSegmentsDecideRule",
		"too-many-hops", "pathological-path", "too-many-path-segments", "traps",
	}, numbers(trapStatuses())...)
}

// trapStatuses are those of crawl.log: deemed chaff, too many link hops, too many
// embed hops (Heritrix's FetchStatusCodes).
func trapStatuses() []int { return []int{-4000, -4001, -4002} }

func numbers(of []int) (out []string) {
	for _, n := range of {
		out = append(out, strconv.Itoa(n))
	}
	return out
}

// IsTrap says whether the rule that a log names refuses traps: too many hops, a path
// that repeats itself, too many segments, an address that looks like one. What stands
// behind the name of a rule of ours ("too-many-hops#2", "traps:calendar") does not matter.
func IsTrap(rule string) bool { return slices.Contains(trapRules(), ruleKind(rule)) }

// ruleKind is a rule of ours without which of its kind it is and what it found.
func ruleKind(rule string) string {
	if i := strings.IndexAny(rule, "#:"); i > 0 {
		return rule[:i]
	}
	return rule
}

// Bounds of what is counted by rule: a log may say anything.
const (
	maxRules    = 100 // different names
	maxRuleName = 100 // bytes
	otherRules  = "(others)"
)

// rules counts entries, and what is left out, by rule.
type rules struct {
	n     map[string]*ruleCount
	take  bool // also traps
	told  bool // the statuses of a crawl.log were chosen: none of them is a trap
	other ruleCount
}

type ruleCount struct {
	taken, left int64
	trap        bool
}

func newRules(o Options) rules {
	r := rules{n: map[string]*ruleCount{}, take: o.Traps, told: len(o.Statuses) > 0}
	for _, name := range slices.Sorted(maps.Keys(o.Resume.Rules)) {
		r.of(name).taken += o.Resume.Rules[name]
	}
	for _, name := range slices.Sorted(maps.Keys(o.Resume.Traps)) {
		r.of(name).left += o.Resume.Traps[name]
	}
	return r
}

func (r *rules) of(name string) *ruleCount {
	trap := IsTrap(name)
	if full := len(r.n) >= maxRules || len(name) > maxRuleName; full && trap {
		name = ruleKind(name)
	} else if full || name == otherRules {
		return &r.other
	}
	c := r.n[name]
	if c == nil {
		c = &ruleCount{trap: trap}
		r.n[strings.Clone(name)] = c
	}
	return c
}

// leftOut counts an entry by its rule, if it has one, and says whether it is left out. A
// list, which people write, is never thinned.
func (r *rules) leftOut(rule []byte, f Format) bool {
	if len(rule) == 0 {
		return false
	}
	c := r.n[string(rule)]
	if c == nil {
		c = r.of(string(rule))
	}
	if c.trap && !r.take && f != List && (f != Crawl || !r.told) {
		c.left++
		return true
	}
	c.taken++
	return false
}

func (r *rules) counted() (taken, left map[string]int64) {
	put := func(to *map[string]int64, name string, n int64) {
		if n == 0 {
			return
		}
		if *to == nil {
			*to = map[string]int64{}
		}
		(*to)[name] = n
	}
	for name, c := range r.n {
		put(&taken, name, c.taken)
		put(&left, name, c.left)
	}
	put(&taken, otherRules, r.other.taken)
	return taken, left
}

// LeftOut is how many lines were left out because they were refused as traps.
func (s *State) LeftOut() (n int64) {
	for _, of := range s.Traps {
		n += of
	}
	return n
}
