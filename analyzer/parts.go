package analyzer

import (
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"exclave/dict"
)

// Part is a setting that verdicts follow from.
type Part struct {
	Name  string // "profile cz, searcher email, points"
	Value string // as a person would write it; of what is long, how long it is and a digest
}

// longValue is the length from which a value is only told by its digest.
const longValue = 64

// Parts returns what the verdicts follow from, without what only people and evidence are told
// from, the depths, and what is in the database of countries. Settings that are not set are left out.
func (a *Analyzer) Parts() []Part {
	var parts []Part
	add := func(name, value string) {
		if value != "" && value != "0" && value != "false" {
			parts = append(parts, Part{name, short(value)})
		}
	}
	var names []string
	for _, o := range a.profs {
		names = append(names, o.Name)
	}
	add("analysis.profiles", strings.Join(names, ", "))
	add("analysis.max_text", strconv.Itoa(a.maxText))
	for _, o := range a.profs {
		profile := "profile " + o.Name
		parts = append(parts, Part{profile + ", min_points", strconv.FormatInt(o.MinPoints, 10)})
		add(profile+", judged_types", strings.Join(sorted(o.JudgedTypes), ", "))
		for i, s := range o.Searchers {
			at := profile + ", searcher " + s.Name + ", "
			add(at+"kind", s.Kind)
			add(at+"points", strconv.FormatInt(s.Points, 10))
			add(at+"cap", strconv.FormatInt(s.Cap, 10))
			add(at+"distinct", strconv.FormatBool(s.Distinct))
			add(at+"min_distinct", strconv.Itoa(s.MinDistinct))
			add(at+"min_share", strconv.FormatFloat(s.MinShare, 'g', -1, 64))
			add(at+"pattern", s.Pattern)
			add(at+"countries", strings.Join(sorted(s.Countries), ", "))
			if d, ok := o.searchers[i].(dictionary); ok {
				add(at+"list", digest(d.list))
			}
		}
	}
	return parts
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

func short(value string) string {
	if len(value) < longValue {
		return value
	}
	return fmt.Sprintf("%d bytes, sha256 %.16x", len(value), sha256.Sum256([]byte(value)))
}

// digest tells one list of words from another; lists are sorted.
func digest(l *dict.List) string {
	h := sha256.New()
	for w := range l.All() {
		_, _ = io.WriteString(h, w+"\n") // never fails
	}
	return fmt.Sprintf("%d words, sha256 %.8x", l.Len(), h.Sum(nil))
}
