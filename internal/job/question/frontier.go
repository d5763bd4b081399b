package question

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"exclave/chain/post"
	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/urlx"
)

// ErrFilter is wrapped by errors of a filter that cannot be understood.
var ErrFilter = errors.New("not a filter")

// Filter chooses pending URIs. Empty fields do not matter; all others must match.
type Filter struct {
	Host  string // exactly: the name of a queue, which queue_key makes
	SURT  string // prefix, as in [urlx.ExactSURTPrefix]
	Regex string // somewhere in the URL (RE2)
}

// compile returns what tells whether a record is chosen.
func (f Filter) compile() (func(*frontier.Record) bool, error) {
	prefix := ""
	if f.SURT != "" {
		var err error
		if prefix, err = urlx.ExactSURTPrefix(f.SURT); err != nil {
			return nil, fmt.Errorf("job: %w: SURT prefix: %w", ErrFilter, err)
		}
	}
	re, err := regexp.Compile(f.Regex)
	if err != nil {
		return nil, fmt.Errorf("job: %w: %w", ErrFilter, err)
	}
	return func(r *frontier.Record) bool {
		if f.Regex != "" && !re.MatchString(r.URL) { // of the host are all in its queue
			return false
		}
		if prefix == "" {
			return true
		}
		u, err := urlx.Parse(r.URL)
		return err == nil && strings.HasPrefix(urlx.SURT(u), prefix)
	}, nil
}

// FrontierSummary is what is pending in a job, and in which queues.
type FrontierSummary struct {
	Stats     frontier.Stats        `json:"stats"`
	Queues    frontier.QueueStates  `json:"queues"`
	Changes   frontier.QueueChanges `json:"queue_changes"` // of this run
	Exhausted int64                 `json:"exhausted"`     // hosts without pending URIs
	Biggest   []frontier.QueueSize  `json:"biggest"`
}

// Frontier summarises what is pending, with the n longest queues. It reads a row for each
// host.
func (a *Answers) Frontier(_ context.Context, n int) (s FrontierSummary, err error) {
	c := a.State.Census()
	s.Stats, s.Queues, s.Changes = c.Stats, c.Queues, c.Changes
	s.Biggest, s.Exhausted, err = a.State.Biggest(n)
	return s, err
}

// ShownQueue is everything known of a host and its queue. Fields without a value are
// left out of its JSON; fields may be added.
type ShownQueue struct {
	Host     string         `json:"host"`
	Known    bool           `json:"known"`
	State    string         `json:"state,omitempty"`
	Why      string         `json:"why,omitempty"` // the state in a sentence
	Waiting  uint64         `json:"waiting,omitempty"`
	Until    *time.Time     `json:"until,omitempty"` // its wake time
	Failures int            `json:"failures,omitempty"`
	Refused  int            `json:"refused,omitempty"` // answers 403 in a row
	Address  string         `json:"address,omitempty"`
	Visits   frontier.Tally `json:"visits,omitzero"`
	URIs     uint64         `json:"uris,omitempty"`    // of the host that are known
	Valid    uint64         `json:"valid,omitempty"`   // of them, valid pages
	Took     time.Duration  `json:"took,omitempty"`    // of an answer, smoothed, nanoseconds
	Retired  string         `json:"retired,omitempty"` // the budget that is spent
	Delay    string         `json:"delay,omitempty"`   // between two requests, by the configuration, in words
	HTTP     *ShownFacts    `json:"http,omitempty"`    // robots.txt of http://host
	HTTPS    *ShownFacts    `json:"https,omitempty"`   // of https://host
	Next     []string       `json:"next,omitempty"`    // first URLs in its queue
	// Failed are those of them that failed and are tried again.
	Failed []frontier.FailedURI `json:"failed,omitempty"`
	// Origins are those (scheme, host, port) that failed and have not recovered: URIs of
	// others are dispatched meanwhile.
	Origins []frontier.RestingOrigin `json:"origins,omitempty"`
}

// Queue tells everything known of a host and its queue.
func (a *Answers) Queue(ctx context.Context, host string) (*ShownQueue, error) {
	host = hostOf(host)
	out := &ShownQueue{Host: host}
	q, err := a.State.Queue(ctx, host)
	if q == nil || err != nil {
		return out, err
	}
	out.Known, out.State, out.Waiting, out.Failures, out.Refused = true, string(q.State), q.Waiting, q.Failures, q.Refused
	out.Visits, out.Next = q.Tally, q.Next
	out.URIs, out.Valid, out.Took, out.Retired = q.Known, q.Valid, q.Took, q.Retired.String()
	if !q.Until.IsZero() {
		out.Until = &q.Until
	}
	if q.Address.IsValid() {
		out.Address = q.Address.String()
	}
	out.Failed, out.Origins = q.Failed, q.Origins
	c := a.Config.Frontier
	out.Delay = fmt.Sprintf("%g × the time of the last answer, %v to %v; a Crawl-delay counts up to %v", c.DelayFactor, c.MinDelay, c.MaxDelay, c.MaxCrawlDelay)
	out.Why = a.orClosed(a.whyQueue(q), q.State, q.Failures, "http://"+host+"/")
	for _, o := range q.Origins {
		out.Why += whyOrigin(o, a.Clock.Now())
	}
	for _, u := range q.Failed {
		out.Why += fmt.Sprintf("; %s failed %s", u.URL, failures(u.Attempts, u.Status, u.At))
	}
	s := lookup{Answers: a, ctx: ctx}
	for scheme, into := range map[string]**ShownFacts{"http": &out.HTTP, "https": &out.HTTPS} {
		u, err := urlx.Parse(scheme + "://" + host + "/")
		if err != nil {
			continue // the row of DNS has no such origin
		}
		var shown Shown
		if err := s.facts(&shown, u); err != nil {
			return nil, err
		}
		if f := shown.Facts; f != nil && f.RobotsExpires != nil {
			*into = f
		}
	}
	return out, nil
}

// failures says how often the attempts at a URI failed, and how the last one did.
func failures(n int, last crawl.Status, at time.Time) string {
	if last == 0 { // by a program that did not keep it
		return fmt.Sprintf("%d×", n)
	}
	return fmt.Sprintf("%d×, the last time at %s: %s", n, at.UTC().Format(time.RFC3339), statusWords(last))
}

// orClosed returns why the queue of a URL waits: what is said of the queue, or the hours of a sheet that count for the URL.
func (a *Answers) orClosed(why string, state frontier.QueueState, failures int, url string) string {
	u, err := urlx.Parse(url)
	if err != nil {
		return why // the row of DNS
	}
	c, closed := a.Sheets.Now().ClosedFor(u, a.Clock.Now().Local())
	switch {
	case !closed || state == frontier.QueueExhausted || strings.Contains(why, c.String()):
		return why
	case state == frontier.QueueReady, state == frontier.QueueWaiting, state == frontier.QueueInactive, state == frontier.QueueResting && failures == 0:
		return "it is " + c.String()
	}
	return why + "; besides it is " + c.String()
}

// whyOrigin says what the queue of an origin that failed has to do with it.
func whyOrigin(o frontier.RestingOrigin, now time.Time) string {
	if !o.Until.After(now) {
		return ""
	}
	times := "1 failure"
	if o.Failures != 1 {
		times = fmt.Sprintf("%d failures", o.Failures)
	}
	return fmt.Sprintf("; %s backs off until %s (%s)", o.Origin, o.Until.UTC().Format(time.RFC3339), times)
}

// whyQueue says the state of a queue in a sentence.
func (a *Answers) whyQueue(q *frontier.Queue) string {
	now := a.Clock.Now()
	until := "now"
	if d := q.Until.Sub(now); d > 0 {
		until = "in " + d.Round(time.Second).String()
	}
	paused := ""
	if q.Paused.After(now) {
		paused = fmt.Sprintf("; its address is paused until %s, after pause_after requests", q.Paused.UTC().Format(time.RFC3339))
	}
	switch q.State {
	case frontier.QueueInProcess:
		if n := a.Config.Frontier.ConnectionsPerHost; n > 1 {
			return fmt.Sprintf("of its URIs some are in process, at most %d at a time", n)
		}
		return "one of its URIs is in process; a host has one at a time"
	case frontier.QueueReady:
		return "it is ready for the next free ToeThread" + paused
	case frontier.QueueWaiting:
		if q.OffHours { // those in force now may be others: orClosed
			return "it is snoozed because a URI of it was due outside the hours of a sheet, and tried again " + until + paused
		}
		return "it is snoozed for politeness after the last request; next " + until + paused
	case frontier.QueueAddress:
		address := ""
		if q.Address.IsValid() { // of a host that is one nobody asks a name server
			address = " " + q.Address.String()
		}
		return fmt.Sprintf("it is ready, but its address%s is at a limit (hosts_per_address, address_delay)%s; next %s", address, paused, until)
	case frontier.QueueRetired:
		meanwhile := ""
		if q.Retired == frontier.HostBudget {
			meanwhile = ", or in a sheet, and exclave reload does"
		}
		return fmt.Sprintf("the %s is spent; raise it in [limits], and the next run revives the queue%s", q.Retired, meanwhile)
	case frontier.QueueResting:
		if q.Failures == 0 {
			return "the origins of all its pending URIs back off after failures; next " + until
		}
		return fmt.Sprintf("it backs off (it counts %d failures, which answers halve); next %s", q.Failures, until)
	case frontier.QueueInactive:
		return "it is inactive: on disk, in line behind the hosts in memory; not before " + until
	}
	return "nothing is pending in its queue"
}

// EachPending calls fn for each pending URI that the filter chooses, up to limit of them
// (0 = all). Prerequisites (dns:, robots.txt) are left out.
func (a *Answers) EachPending(ctx context.Context, f Filter, limit int, fn func(*frontier.Record) error) error {
	f.Host = hostOf(f.Host)
	chosen, err := f.compile()
	if err != nil {
		return err
	}
	enough, n := errors.New("enough"), 0
	err = a.State.EachPending(ctx, f.Host, func(r *frontier.Record) error {
		if r.Claim.IsZero() || !chosen(r) {
			return nil
		}
		if err := fn(r); err != nil {
			return err
		}
		if n++; n == limit {
			return enough
		}
		return nil
	})
	if errors.Is(err, enough) {
		return nil
	}
	return err
}

// waitingLine is a pending URI, in the format of out-of-scope.jsonl, which seeds
// are read from.
type waitingLine struct {
	URL    string `json:"url"`
	Via    string `json:"via"`
	Hops   string `json:"hops"`
	Source string `json:"source"`
	Host   string `json:"host"`
	Seed   bool   `json:"seed,omitempty"`
}

// WritePending writes each pending URI that the filter chooses as a line of JSON, up to limit
// of them (0 = all).
func (a *Answers) WritePending(ctx context.Context, f Filter, limit int, w io.Writer) error {
	f.Host = hostOf(f.Host)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return a.EachPending(ctx, f, limit, func(r *frontier.Record) error {
		return e.Encode(waitingLine{r.URL, r.Via, r.Hops, r.SourceTag, r.Host, r.Seed})
	})
}

// Delete deletes the pending URIs that the filter chooses from the frontier. Each is finished
// with status -6000 and a line in crawl.log; a link to it found later changes nothing,
// unless it asks for more. URIs in process and prerequisites are left alone. It
// returns how many were deleted.
func (a *Answers) Delete(ctx context.Context, f Filter) (deleted int, err error) {
	f.Host = hostOf(f.Host)
	if f == (Filter{}) {
		return 0, fmt.Errorf("job: %w: it would choose everything", ErrFilter)
	}
	line := func(u *crawl.CrawlURI) []crawl.LogLine {
		return []crawl.LogLine{{Log: crawl.LogCrawl, Text: post.CrawlLogLine(u, "", a.Clock.Now())}}
	}
	var ids []crawl.ID
	flush := func() error {
		n, err := a.State.Drop(ctx, crawl.StatusDeletedByUser, line, ids...)
		deleted += n
		ids = ids[:0]
		return err
	}
	err = a.EachPending(ctx, f, 0, func(r *frontier.Record) error {
		if ids = append(ids, r.ID); len(ids) == 1000 {
			return flush()
		}
		return nil
	})
	return deleted, errors.Join(err, flush())
}

// hostOf is a host as it is looked for: its name, or that in a URL somebody copied.
func hostOf(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	if u, err := urlx.Parse(s); err == nil && strings.Contains(s, "://") {
		return u.Hostname()
	}
	return s
}
