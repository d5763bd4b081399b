package robots

import (
	"fmt"
	"net/http"
	"slices"
	"time"
)

// Explained is what a robots.txt says of one path, and by what. Fields without a
// value are left out of its JSON, which is stable; fields may be added
// (docs/howto/robots.md).
type Explained struct {
	Allowed bool  `json:"allowed"`
	Rule    *Line `json:"rule,omitempty"` // that decided
	// Agent is the user-agent line of the group that counts: the last one before the
	// rule, or the first when no rule matched; nil when no group counts.
	Agent *Line  `json:"agent,omitempty"`
	Group string `json:"group,omitempty"` // whose rules count: the token, or "*"
	// Because is the paragraph of RFC 9309 by which it is so, when no rule decided,
	// with its reason.
	Because *Paragraph `json:"because,omitempty"`

	// CrawlDelay is what the file asks for, nanoseconds, at most [MaxCrawlDelay].
	CrawlDelay *time.Duration `json:"crawl_delay,omitempty"`
	DelayLine  *Line          `json:"crawl_delay_line,omitempty"`
	Sitemaps   []string       `json:"sitemaps,omitempty"` // as written, each once

	Library *Opinion `json:"library,omitempty"` // nil when it cannot be asked
}

// Line is a line of a robots.txt.
type Line struct {
	Number int    `json:"number,omitempty"` // from 1; 0 = the text is that of a rule in its normal form
	Text   string `json:"text"`             // at most maxText bytes
}

// Paragraph is one of RFC 9309 and what it says there.
type Paragraph struct {
	Number string `json:"rfc9309"` // "2.2.2"
	Says   string `json:"says"`
}

// maxText bounds a line that is shown.
const maxText = 1000

// Explain says what the answer with a status to a request for robots.txt means for
// the product token and a path with its query, as [FromStatus] and [Rules.Allowed]
// decide it, and what temoto/robotstxt says. A status of 0 or less is a request that
// failed.
func Explain(status int, body []byte, token, pathQuery string) Explained {
	if status < 200 || status >= 300 {
		return unread(status, pathQuery)
	}
	text := decode(body)
	p := parser{token: token}
	for n, line := range lines(text) {
		p.line(n, line)
	}
	rules, g := p.rules(), p.group()
	e := Explained{Allowed: true, Sitemaps: rules.Sitemaps(), DelayLine: lineOf(text, g.delayed)}
	if d, ok := rules.CrawlDelay(); ok {
		e.CrawlDelay = &d
	}
	if g.named {
		e.Group = "*"
		if p.ours.named {
			e.Group = token
		}
	}
	by := rules.deciding(pathQuery)
	e.Agent = lineOf(text, agentOf(g, by))
	switch {
	case by != nil:
		e.Allowed, e.Rule = by.allow, lineOf(text, by.line)
	case pathQuery == ownPath:
		e.Because = &Paragraph{"2.2.2", "robots.txt itself is always allowed"}
	case !g.named:
		e.Because = &Paragraph{"2.2.1", "no group is for this crawler, and none for all"}
	default:
		e.Because = &Paragraph{"2.2.2", "no rule of the group matches"}
	}
	e.Library = compare(body, text, token, pathQuery, e.Allowed, by)
	return e
}

// unread explains an answer that is no robots.txt.
func unread(status int, pathQuery string) Explained {
	allowed, _ := FromStatus(status, nil, "").Allowed(pathQuery)
	e := Explained{Allowed: allowed}
	switch {
	case pathQuery == ownPath:
		e.Because = &Paragraph{"2.2.2", "robots.txt itself is always allowed"}
	case status == http.StatusTooManyRequests:
		e.Because = &Paragraph{"2.3.1.4", "429 counts as unreachable: a server that is overloaded has not said that it has no rules (ADR 15; by the letter of 2.3.1.3 all would be allowed)"}
	case status >= 300 && status < 400:
		e.Because = &Paragraph{"2.3.1.2", "redirects that were not followed to an end: as if there were no robots.txt, all is allowed"}
	case status >= 400 && status < 500:
		e.Because = &Paragraph{"2.3.1.3", "there is no robots.txt: all is allowed"}
	default:
		e.Because = &Paragraph{"2.3.1.4", "robots.txt cannot be reached: nothing is allowed until it can"}
	}
	e.Library = compareStatus(status, pathQuery, e)
	return e
}

// ExplainUnreachable is [Explain] of a robots.txt that cannot be had since a time, which counts as absent after a while, 0 = never; absent
// says that it does now.
func ExplainUnreachable(status int, pathQuery string, since time.Time, after time.Duration, absent bool) Explained {
	e := unread(status, pathQuery)
	switch day := since.UTC().Format(time.DateOnly); {
	case pathQuery == ownPath || since.IsZero():
	case absent:
		e.Allowed = true
		e.Because = &Paragraph{"2.3.1.4", "robots.txt cannot be reached since " + day + ", for longer than robots.unreachable_for: it counts as absent, so all is allowed"}
		e.Library = compareStatus(status, pathQuery, e)
	case after > 0:
		e.Because.Says += fmt.Sprintf("; that is so since %s, and asked for again after %s it counts as absent (robots.unreachable_for)", day, since.Add(after).UTC().Format(time.DateOnly))
	}
	return e
}

// agentOf returns the user-agent line that put a rule into the group, or the first.
func agentOf(g *group, by *rule) int32 {
	if len(g.agents) == 0 {
		return 0
	}
	if by == nil {
		return g.agents[0]
	}
	i, _ := slices.BinarySearch(g.agents, by.line)
	return g.agents[max(i-1, 0)]
}

// lineOf returns a line of a file; nil for line 0.
func lineOf(text []byte, number int32) *Line {
	if number == 0 {
		return nil
	}
	for n, line := range lines(text) {
		if n == number {
			return &Line{int(n), string(line[:min(len(line), maxText)])}
		}
	}
	return nil
}
