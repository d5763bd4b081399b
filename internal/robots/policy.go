package robots

import "fmt"

// Policy says what a crawl does about robots.txt. The zero Policy is Obey.
type Policy uint8

const (
	// Obey does what the rules say.
	Obey Policy = iota
	// Ignore fetches whatever the rules say; for owners of the hosts crawled.
	Ignore
)

// Allowed is r.Allowed under the policy.
func (p Policy) Allowed(r *Rules, pathQuery string) (bool, string) {
	if p == Ignore {
		return true, ""
	}
	return r.Allowed(pathQuery)
}

// String returns "obey" or "ignore", the words of the configuration.
func (p Policy) String() string {
	if p == Ignore {
		return "ignore"
	}
	return "obey"
}

// MarshalText returns String.
func (p Policy) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads "obey" or "ignore".
func (p *Policy) UnmarshalText(text []byte) error {
	switch string(text) {
	case "obey":
		*p = Obey
	case "ignore":
		*p = Ignore
	default:
		return fmt.Errorf("%q: must be \"obey\" or \"ignore\"", text)
	}
	return nil
}
