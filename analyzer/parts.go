package analyzer

import (
	"crypto/sha256"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"exclave/internal/conf"
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
	add("analysis.profiles", strings.Join(a.Names(), ", "))
	add("analysis.max_text", strconv.Itoa(a.maxText))
	for _, o := range a.profs {
		profile := "profile " + o.Name
		parts = append(parts, Part{profile + ", min_points", strconv.FormatInt(o.MinPoints, 10)})
		add(profile+", judged_types", strings.Join(sorted(o.JudgedTypes), ", "))
		o.deciderParts(func(name, value string) { add(profile+", "+name, value) })
		for i, s := range o.Searchers {
			at := profile + ", searcher " + s.Name + ", "
			add(at+"kind", s.Kind)
			add(at+"points", strconv.FormatInt(s.Points, 10))
			add(at+"cap", strconv.FormatInt(s.Cap, 10))
			add(at+"distinct", strconv.FormatBool(s.Distinct))
			add(at+"min_distinct", strconv.Itoa(s.MinDistinct))
			add(at+"min_share", strconv.FormatFloat(s.MinShare, 'g', -1, 64))
			var contents map[string]string
			if c, ok := o.searchers[i].(hasContents); ok {
				contents = c.contents()
			}
			for _, f := range conf.Fields(reflect.ValueOf(s.own).Elem()) {
				value, named := contents[f.Key]
				if !named {
					value = plain(f.Value)
				}
				add(at+f.Key, value)
			}
		}
	}
	return parts
}

// deciderParts adds what beside the points decides, or stands in verdicts.
func (p *Profile) deciderParts(add func(name, value string)) {
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	if d := p.decider(); d != DecidePoints {
		add("decide", string(d))
	}
	add("expression", p.Expression)
	if p.Probability == nil {
		return
	}
	add("probability.bias", number(p.Probability.Bias))
	add("probability.min", number(p.Probability.Min))
	add("probability.needs", strings.Join(p.Probability.Needs, ", "))
	for _, t := range p.Probability.Terms {
		add("probability, "+t.name(), fmt.Sprintf("%s of %s %s, cap %v, weight %v, words %v", t.Value, t.Of, t.Scale, t.Cap, t.Weight, t.Words))
	}
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

func short(value string) string {
	if len(value) < longValue {
		return value
	}
	return fmt.Sprintf("%d bytes, sha256 %.16x", len(value), sha256.Sum256([]byte(value)))
}

// plain returns the value of an option; lists are sets.
func plain(v reflect.Value) string {
	if v.Kind() != reflect.Slice {
		return fmt.Sprint(v.Interface())
	}
	list := make([]string, v.Len())
	for i := range list {
		list[i] = plain(v.Index(i))
	}
	return strings.Join(sorted(list), ", ")
}
