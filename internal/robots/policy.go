package robots

import (
	"fmt"
	"slices"
)

// Policy says what a crawl does about robots.txt. The zero Policy is Obey.
type Policy uint8

const (
	// Obey does what the rules say.
	Obey Policy = iota
	// Ignore fetches whatever the rules say; for owners of the hosts crawled.
	Ignore
	// ObeyButEmbeds obeys, but fetches what pages need that are archived: images, style sheets, scripts.
	ObeyButEmbeds
	// MostFavored fetches what any crawler may that the file names, as Heritrix's policy of that name.
	MostFavored
)

// words are the policies in the configuration.
func words() []string { return []string{"obey", "ignore", "obey-but-embeds", "most-favored"} }

// Allowed is r.Allowed under the policy. needed says that an archived page needs what is at the path.
func (p Policy) Allowed(r *Rules, pathQuery string, needed bool) (bool, string) {
	if p == Ignore {
		return true, ""
	}
	allowed, by := r.Allowed(pathQuery)
	if !allowed && !r.unreachable {
		allowed = p == ObeyButEmbeds && needed || p == MostFavored && r.favored(pathQuery)
	}
	return allowed, by
}

// String returns the word of the configuration.
func (p Policy) String() string { return words()[p] }

// MarshalText returns String.
func (p Policy) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads a word of the configuration.
func (p *Policy) UnmarshalText(text []byte) error {
	i := slices.Index(words(), string(text))
	if i < 0 {
		return fmt.Errorf("%q: must be %q, %q, %q or %q", text, Obey, Ignore, ObeyButEmbeds, MostFavored)
	}
	*p = Policy(i)
	return nil
}

// favored reports whether a group for others allows the path.
func (r *Rules) favored(pathQuery string) bool {
	return r.anyAll || slices.ContainsFunc(r.others, func(rules []rule) bool {
		of := Rules{rules: rules}
		allowed, _ := of.Allowed(pathQuery)
		return allowed
	})
}

// Bounds of what is read of a file for [MostFavored]: how many crawlers it names, and how many bytes are read for
// all of them together.
const (
	maxAgents     = 200
	maxAgentBytes = 32 << 20
)

// FavorMost adds what other crawlers may that body names: of files that name very many, or are very long, those named
// first.
func (r *Rules) FavorMost(body []byte) {
	text := decode(body)
	var tokens []string
	for _, line := range lines(text) {
		key, value, ok := split(line)
		if !ok || canonical(key) != keyAgent || len(tokens) == maxAgents || (len(tokens)+2)*len(text) > maxAgentBytes {
			continue
		}
		if token := tokenOf(value); token != "" && !slices.Contains(tokens, token) {
			tokens = append(tokens, token)
		}
	}
	for _, token := range append(tokens, "") { // "" is everybody else
		switch of := Parse(text, token); {
		case !slices.ContainsFunc(of.rules, func(x rule) bool { return !x.allow }):
			r.anyAll, r.others = true, nil
			return
		case !slices.ContainsFunc(r.others, func(seen []rule) bool { return slices.EqualFunc(seen, of.rules, rule.equal) }):
			r.others = append(r.others, of.rules)
		}
	}
}
