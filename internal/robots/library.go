package robots

import (
	"fmt"
	"strings"

	"github.com/temoto/robotstxt"
)

// Opinion is what temoto/robotstxt, the library of the trade, says.
type Opinion struct {
	Same    bool   `json:"same"` // as we do
	Allowed bool   `json:"allowed"`
	Error   string `json:"error,omitempty"` // why it says nothing
	// Because is the paragraph of RFC 9309 by which we decide otherwise.
	Because *Paragraph `json:"because,omitempty"`
}

// ask asks the library about a file. Its panics over a stranger's bytes are errors.
func ask(status int, body []byte, token, pathQuery string) (allowed bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	r, err := robotstxt.FromStatusAndBytes(status, body)
	if err != nil {
		return false, err
	}
	return r.TestAgent(pathQuery, token), nil
}

// compareStatus compares what an answer that is no robots.txt means; nil when there
// was none that the library could be told.
func compareStatus(status int, pathQuery string, ours Explained) *Opinion {
	if status <= 0 {
		return nil
	}
	allowed, err := ask(status, nil, "", pathQuery)
	o := &Opinion{Same: err == nil && allowed == ours.Allowed, Allowed: allowed}
	if err != nil {
		o.Error = oneLine(err)
	}
	if !o.Same {
		o.Because = ours.Because
	}
	return o
}

// compare asks the library about a file. When it differs, the file is written anew in
// steps, each of which says one thing as the standard means it, so that ours stays the
// same. The first step after which the library agrees names the paragraph.
func compare(body, text []byte, token, pathQuery string, ours bool, by *rule) *Opinion {
	allowed, err := ask(200, body, token, pathQuery)
	o := &Opinion{Same: err == nil && allowed == ours, Allowed: allowed}
	if o.Same {
		return o
	}
	if err != nil {
		o.Allowed, o.Error = false, oneLine(err)
	}
	if pathQuery == ownPath {
		o.Because = &Paragraph{"2.2.2", "robots.txt itself is always allowed"}
		return o
	}
	for _, s := range rewritten(body, text, token, pathQuery, by) {
		if allowed, e := ask(200, s.body, s.token, s.path); e != nil || allowed != ours {
			continue
		}
		o.Because = &s.because
		if err != nil && s.because.Number != "2.3" && s.because.Number != "2.5" {
			o.Because = &Paragraph{"2.3.1.5", "each line that can be parsed counts, whatever the others are"}
		}
		return o
	}
	o.Because = &Paragraph{"2.2.3", "* stands for any characters and $ for the end of the path, wherever the standard lets them stand"}
	return o
}

// oneLine is what the library says of an error: its first line that says something.
func oneLine(err error) string {
	text := strings.TrimPrefix(err.Error(), "Parse error(s): ")
	text = strings.TrimSpace(text)
	text, _, _ = strings.Cut(text, "\n")
	return text[:min(len(text), 200)]
}

// rewriting is a file that says the same by the standard, and what was made plain in it.
type rewriting struct {
	because     Paragraph
	body        []byte
	token, path string
}

// rewritten returns a file in steps from what was read to the one rule that decides.
func rewritten(body, text []byte, token, pathQuery string, by *rule) (out []rewriting) {
	path := pathQuery
	step := func(number, says string, body []byte) {
		out = append(out, rewriting{Paragraph{number, says}, body, token, path})
	}
	if len(body) > MaxSize {
		step("2.5", fmt.Sprintf("the first %d KiB are read", MaxSize>>10), body[:MaxSize])
	}
	step("2.3", "the file is UTF-8; one that says by its first bytes that it is UTF-16 is decoded", text)

	// The lines that the standard knows, in its spelling.
	var plain, known, spelt, grouped, chosen strings.Builder
	p := parser{token: token}
	begun := false
	for n, line := range lines(text) {
		p.line(n, line)
		bare, _, _ := strings.Cut(string(line), "#")
		if strings.TrimSpace(bare) == "" {
			continue
		}
		plain.WriteString(bare + "\n")
		key, value, ok := split(line)
		if key = canonical(key); !ok || key != keyAgent && key != keyAllow && key != keyDisallow {
			continue
		}
		known.WriteString(bare + "\n")
		if key == keyAgent {
			value, _, _ = strings.Cut(strings.ReplaceAll(value, "\t", " "), " ")
			begun = true
		}
		fmt.Fprintf(&spelt, "%s: %s\n", key, value)
		if begun {
			fmt.Fprintf(&grouped, "%s: %s\n", key, value)
		}
	}
	step("2.2", "lines end with CR, LF or both; comments and empty lines separate nothing", []byte(plain.String()))
	step("2.2.4", "other records do not interfere: they end no group and no list of user-agent lines", []byte(known.String()))
	step("2.2.4", "common misspellings of a record are accepted", []byte(spelt.String()))
	step("2.1", "rules before the first user-agent line belong to no group", []byte(grouped.String()))

	rules := p.group().rules
	next := rules // one on a line at most, in order
	for n, line := range lines(text) {
		if len(next) > 0 && next[0].line == n {
			_, value, _ := split(line)
			fmt.Fprintf(&chosen, "%s: %s\n", next[0].key(), value)
			next = next[1:]
		}
	}
	token = "*"
	step("2.2.1", "the groups whose user-agent line is the crawler's product token, without case, are one; those for * count when there is none",
		under(chosen.String()))

	path = normalise(pathQuery, false)
	special := strings.ContainsAny(pathQuery, "*$") || strings.Contains(path, "%2A") || strings.Contains(path, "%24")
	all := rules
	if special || by != nil && (strings.Contains(by.pattern, "%2A") || strings.Contains(by.pattern, "%24")) {
		step("2.2.3", "* and $ are special in a rule only, where %2A and %24 stand for the characters", written(all))
	} else {
		step("2.2.2", "octets are compared as they are escaped in URIs", written(all))
	}
	all = keep(all, func(r rule) bool { return strings.HasPrefix(r.pattern, "/") || strings.HasPrefix(r.pattern, "*") })
	step("2.2", "the path of a rule begins with /", written(all))
	all = keep(all, func(r rule) bool { return r.match(path) })
	step("2.2.2", "a rule matches from the first octet of the path on", written(all))
	if by != nil {
		equal := keep(all, func(r rule) bool { return r.octets() == by.octets() && r.allow != by.allow })
		says := "the match with the most octets of the rule decides"
		if len(equal) > 0 {
			says = "of an allow and a disallow rule that are equivalent allow is used"
		}
		step("2.2.2", says, written([]rule{*by}))
	}
	return out
}

func keep(rules []rule, wanted func(rule) bool) (out []rule) {
	for _, r := range rules {
		if wanted(r) {
			out = append(out, r)
		}
	}
	return out
}

func (r rule) key() string {
	if r.allow {
		return keyAllow
	}
	return keyDisallow
}

// written writes rules in their normal form into a group for everybody.
func written(rules []rule) []byte {
	var b strings.Builder
	for _, r := range rules {
		b.WriteString(r.String() + "\n")
	}
	return under(b.String())
}

func under(rules string) []byte { return []byte("user-agent: *\n" + rules) }
