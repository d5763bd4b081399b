package urlx

import (
	"errors"
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/idna"
)

// HostRules says which host names mean the same, as the host resolver of LARM
// does: the first rule that fits replaces the start of a name, the first that
// fits then replaces the end, then a name that is a synonym becomes the other.
// Names only take part in keys; requests go to the host as found. HostRules
// never change after ParseHostRules returned them.
type HostRules struct {
	starts, ends affixes
	synonyms     map[string]string
	sum          uint64 // of the rules in the order in which they count
}

// affixes maps the start or end of a name to what replaces it.
type affixes map[string]replacement

type replacement struct {
	order int // the least of those that fit counts
	to    string
}

// HostRuleError is a line of a file of host rules that cannot be used.
type HostRuleError struct {
	Line int    // from 1
	Msg  string // what is wrong
	Fix  string // what to do
}

// Error returns "line 3: what is wrong; what to do".
func (e *HostRuleError) Error() string { return fmt.Sprintf("line %d: %s; %s", e.Line, e.Msg, e.Fix) }

// hostRule is a line: keyword, what is replaced, by what.
var hostRule = regexp.MustCompile(`^([A-Za-z]+) *\(([^)]*)\)[ \t]*[=:][ \t]*(.*)$`)

// maxHost is the most bytes a host name has (RFC 1035 §2.3.4).
const maxHost = 255

const hostRuleForm = `write startsWith(START)=NEW, endsWith(END)=NEW or synonym(HOST)=HOST`

// ParseHostRules reads a file of host rules (docs/formats/host-rules.md), such
// as LARM's hostResolver.properties. stripWWW says whether that rule is on beside
// them: rules that go round in circles with each other, or with it, are refused.
// It returns every error of the file. The rules of a file that holds none are nil.
func ParseHostRules(data []byte, stripWWW bool) (*HostRules, []*HostRuleError) {
	h := &HostRules{starts: affixes{}, ends: affixes{}, synonyms: map[string]string{}}
	var errs []*HostRuleError
	lines := map[string]int{}  // of the rules, by their left side
	probes := map[int]string{} // a host that each rule fits, by line
	for i, line := range strings.Split(strings.TrimPrefix(string(data), "\ufeff"), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == '!' {
			continue
		}
		probe, left, err := h.add(line)
		if err == nil && lines[left] > 0 {
			err = &HostRuleError{Msg: fmt.Sprintf("%s stands in line %d already", left, lines[left]), Fix: "remove one of the two"}
		}
		if err != nil {
			err.Line = i + 1
			errs = append(errs, err)
			continue
		}
		lines[left], probes[i+1] = i+1, probe
	}
	if len(errs) > 0 {
		return nil, errs
	}
	if len(lines) == 0 {
		return nil, nil
	}
	h.sum = h.hash()
	for _, left := range lines {
		if err := (Rules{StripWWW: stripWWW, Hosts: h}).settles(probes[left]); err != nil {
			errs = append(errs, &HostRuleError{left, err.Error(), "remove or change one of these rules"})
		}
	}
	slices.SortFunc(errs, func(a, b *HostRuleError) int { return a.Line - b.Line })
	if len(errs) > 0 {
		return nil, errs
	}
	return h, nil
}

// add takes a line. It returns a host that the rule fits, and the rule's left side.
func (h *HostRules) add(line string) (probe, left string, bad *HostRuleError) {
	m := hostRule.FindStringSubmatch(line)
	if m == nil {
		return "", "", &HostRuleError{Msg: fmt.Sprintf("%q is no rule", clip(line)), Fix: hostRuleForm}
	}
	from, to := strings.TrimSpace(m[2]), m[3]
	for _, s := range []*string{&from, &to} {
		var err error
		if *s, err = hostPart(*s); err != nil {
			return "", "", &HostRuleError{Msg: err.Error(), Fix: "write letters, digits, '-', '_' and dots, without scheme, port or path"}
		}
	}
	if from == "" {
		return "", "", &HostRuleError{Msg: m[1] + "() fits every host", Fix: "write what is replaced between the parentheses"}
	}
	left = m[1] + "(" + from + ")"
	switch m[1] {
	case "startsWith":
		h.starts[from] = replacement{len(h.starts), to}
		return from + "example.org", left, nil
	case "endsWith":
		h.ends[from] = replacement{len(h.ends), to}
		return "example" + from, left, nil
	case "synonym":
		for _, s := range []*string{&from, &to} {
			u, err := Parse("http://" + *s)
			if err != nil {
				return "", "", &HostRuleError{Msg: fmt.Sprintf("%q is no host", *s), Fix: "write whole host names: synonym(www.example.org)=example.org"}
			}
			*s = u.Hostname()
		}
		h.synonyms[from] = to
		return from, left, nil
	}
	fix := hostRuleForm
	for _, word := range []string{"startsWith", "endsWith", "synonym"} {
		if strings.EqualFold(m[1], word) {
			fix = "write " + word + ": upper and lower case matter"
		}
	}
	return "", "", &HostRuleError{Msg: fmt.Sprintf("%q is no kind of rule", m[1]), Fix: fix}
}

// hostPart is a part of a name as hosts have it here: lower case, ACE. A comma is
// a dot, which the parser of LARM's files could not read.
func hostPart(s string) (string, error) {
	if len(s) > maxHost {
		return "", fmt.Errorf("%q is longer than %d bytes", clip(s), maxHost)
	}
	labels := strings.Split(strings.ToLower(strings.ReplaceAll(s, ",", ".")), ".")
	for i, l := range labels {
		if !isASCII(l) {
			ace, err := idna.Lookup.ToASCII(l)
			if err != nil {
				return "", fmt.Errorf("%q: %w", clip(l), err)
			}
			labels[i] = ace
		}
	}
	out := strings.Join(labels, ".")
	if strings.Contains(out, "..") {
		return "", fmt.Errorf("%q has an empty label", clip(s))
	}
	if strings.IndexFunc(out, func(r rune) bool {
		return !isLetter(byte(r)) && (r < '0' || '9' < r) && !strings.ContainsRune("-_.", r)
	}) >= 0 {
		return "", fmt.Errorf("%q is no part of a host name", clip(s))
	}
	return out, nil
}

// clip shortens what an error quotes.
func clip(s string) string {
	const most = 80
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}

// apply returns what host becomes, once. An IP address has neither start nor end.
func (h *HostRules) apply(host string, ip bool) string {
	if !ip {
		if best, n := h.starts.find(host, func(i int) string { return host[:i] }); n > 0 {
			host = orKeep(best.to+host[n:], host)
		}
		if best, n := h.ends.find(host, func(i int) string { return host[len(host)-i:] }); n > 0 {
			host = orKeep(host[:len(host)-n]+best.to, host)
		}
	}
	if other, ok := h.synonyms[host]; ok {
		return other
	}
	return host
}

// find returns the first rule that fits an end of host, given by its length, and
// that length. It looks up each possible end, so the number of rules costs nothing.
func (a affixes) find(host string, end func(int) string) (best replacement, n int) {
	if len(a) == 0 {
		return best, 0
	}
	for i := 1; i <= len(host); i++ {
		if r, ok := a[end(i)]; ok && (n == 0 || r.order < best.order) {
			best, n = r, i
		}
	}
	return best, n
}

// orKeep returns replaced, unless it lost the domain that the host was in: www.cz
// under startsWith(www.)= is a site of its own.
func orKeep(replaced, host string) string {
	if dotted(host) && !dotted(replaced) {
		return host
	}
	return replaced
}

// settles reports rules that never come to an end with a host.
func (r Rules) settles(host string) error {
	u, err := Parse("http://" + host)
	if err != nil {
		return nil // no address has this host, so none meets the rules
	}
	way := []string{host}
	for range maxPasses {
		next := r.host(host, u)
		if next == host {
			return nil
		}
		host = next
		if len(way) < 4 {
			way = append(way, clip(host))
		}
	}
	msg := fmt.Sprintf("the host %s never comes to rest: %s → …", way[0], strings.Join(way, " → "))
	if r.StripWWW {
		msg += " (strip_www is on)"
	}
	return errors.New(msg)
}

// hash sums the rules in the order in which they count.
func (h *HostRules) hash() uint64 {
	f := fnv.New64a()
	write := func(words ...string) { _, _ = fmt.Fprintf(f, "%q\n", words) }
	for _, a := range []affixes{h.starts, h.ends} {
		from := make([]string, len(a))
		for s, r := range a {
			from[r.order] = s
		}
		for _, s := range from {
			write(s, a[s].to)
		}
		write()
	}
	from := make([]string, 0, len(h.synonyms))
	for s := range h.synonyms {
		from = append(from, s)
	}
	slices.Sort(from)
	for _, s := range from {
		write(s, h.synonyms[s])
	}
	return f.Sum64()
}
