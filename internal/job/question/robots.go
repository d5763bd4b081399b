package question

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"exclave/config"
	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/job/records"
	"exclave/internal/record"
	"exclave/internal/robots"
	"exclave/internal/urlx"
	"exclave/warc"
)

// RobotsAnswer is what robots.txt decides on URLs. Fields without a value are left
// out of its JSON, which is stable; fields may be added (docs/howto/robots.md).
type RobotsAnswer struct {
	Token  string      `json:"token"`            // product token that was looked for
	Policy string      `json:"policy,omitempty"` // of the job: obey, ignore, obey-but-embeds, most-favored
	URLs   []RobotsURL `json:"urls"`             // in the order they were asked for
}

// RobotsURL is what robots.txt decides on one URL.
type RobotsURL struct {
	URL string `json:"url"`
	// Known is false when the job has not asked for the robots.txt of the origin, or not for so
	// long that nothing is left of it. Then nothing below is known.
	Known bool `json:"known"`
	// Policy is that of a sheet, "" where none says another one than the job.
	Policy  string     `json:"policy,omitempty"`
	File    string     `json:"robots_txt,omitempty"` // URL of the robots.txt, or the file that was given
	Status  string     `json:"status,omitempty"`     // of the request for it, in words
	Read    *time.Time `json:"read,omitempty"`
	Expires *time.Time `json:"expires,omitempty"`
	From    string     `json:"from,omitempty"` // where its text is: the state, or a place in a WARC file

	*robots.Explained
	Notes []string `json:"notes,omitempty"`
}

// Robots tells what the robots.txt that the job has read decides on URLs, by which line, and whether
// temoto/robotstxt would say the same. token is the product token to look for; "" is the job's.
// The error wraps [ErrURL] when one is no URL. It may be called from any goroutine between Open and Close.
// For a robots.txt that is in the archive it reads every capture row of the state (about a second for a million).
func (a *Answers) Robots(ctx context.Context, urls []string, token string) (*RobotsAnswer, error) {
	q := robotsQuestion{cfg: a.Config, state: a.State, records: a.Records, token: token}
	if token == "" {
		q.token = a.Config.HTTP.RobotsToken
	}
	out := &RobotsAnswer{Token: q.token, Policy: a.Config.Robots.Policy.String()}
	for _, raw := range urls {
		u, err := urlx.Parse(raw)
		if err != nil {
			return nil, fmt.Errorf("job: robots: %w: %w", ErrURL, err)
		}
		if !u.IsWeb() {
			return nil, fmt.Errorf("job: robots %s: %w: scheme %s; robots.txt is for http:// and https://", urlx.HideUserinfo(raw), ErrURL, u.Scheme())
		}
		said, err := q.url(ctx, urlx.HideUserinfo(raw), u)
		if err != nil {
			return nil, fmt.Errorf("job: robots %s: %w", urlx.HideUserinfo(raw), err)
		}
		of, err := profilesOf(a.State, a.Config, u)
		if err != nil {
			return nil, fmt.Errorf("job: robots %s: %w", urlx.HideUserinfo(raw), err)
		}
		if p := a.Sheets.Now().Of(u, of).Robots.Policy; p != nil && *p != a.Config.Robots.Policy {
			said.Policy = p.String()
		}
		out.URLs = append(out.URLs, said)
	}
	return out, nil
}

// robotsQuestion is asked for URLs, one after the other.
type robotsQuestion struct {
	cfg     *config.Config
	state   *frontier.Frontier
	records records.Reader
	token   string

	read map[string]robotsText // by origin
}

// robotsText is the text of a robots.txt.
type robotsText struct {
	body  []byte
	from  string // "" when it is not available, as notes say
	notes []string
}

func (q *robotsQuestion) url(ctx context.Context, raw string, u *urlx.URL) (RobotsURL, error) {
	origin, path := u.Origin(), u.WithoutFragment().PathQuery()
	out := RobotsURL{URL: raw, File: crawl.RobotsURL(origin)}
	f, err := q.state.Origin(ctx, origin)
	if err != nil {
		return out, err
	}
	if out.Known = !f.Expires.IsZero(); !out.Known {
		return out, nil
	}
	out.Status, out.Read, out.Expires = statusWords(f.Status), &f.Fetched, &f.Expires
	rules := new(robots.Rules)
	if err := rules.UnmarshalBinary(f.Robots); err != nil {
		return out, err
	}
	if f.Status < 200 || f.Status >= 300 {
		e := robots.Explain(int(f.Status), nil, q.token, path)
		if rules.Unreachable() || !rules.Since().IsZero() {
			allowed, _ := rules.Allowed(path)
			e = robots.ExplainUnreachable(int(f.Status), path, rules.Since(), q.cfg.Robots.UnreachableFor, allowed)
		}
		out.Explained = &e
		return out, nil
	}
	text, err := q.text(ctx, f)
	if err != nil {
		return out, err
	}
	out.From, out.Notes = text.from, text.notes
	allowed, rule := rules.Allowed(path)
	ours := q.token == q.cfg.HTTP.RobotsToken
	switch {
	case text.from != "":
		e := robots.Explain(200, text.body, q.token, path)
		out.Explained = &e
		if ours && e.Allowed != allowed {
			e.Allowed = allowed
			out.Notes = append(out.Notes, fmt.Sprintf("the crawl goes by the rules it read at that time, for the token it had then: %q; the text says otherwise", rule))
		}
	case ours: // the rules are there still
		out.Explained = &robots.Explained{Allowed: allowed}
		if rule != "" {
			out.Rule = &robots.Line{Text: rule}
		}
		if d, ok := rules.CrawlDelay(); ok {
			out.CrawlDelay = &d
		}
	default:
		out.Known = false
	}
	return out, nil
}

// text returns the text of a robots.txt that was read: from the state, where it is kept for the first
// archived page of its host, or from the archive.
func (q *robotsQuestion) text(ctx context.Context, f crawl.OriginFacts) (robotsText, error) {
	if t, ok := q.read[f.Origin]; ok {
		return t, nil
	}
	t, err := q.find(ctx, f)
	if err != nil {
		return t, err
	}
	if t.from == "" {
		t.notes = append(t.notes, "its text is not available; the rules in the state decide")
	}
	if q.read == nil {
		q.read = map[string]robotsText{}
	}
	q.read[f.Origin] = t
	return t, nil
}

func (q *robotsQuestion) find(ctx context.Context, f crawl.OriginFacts) (t robotsText, err error) {
	key := crawl.RobotsKey(f.Origin)
	d, ok, err := q.state.Deferred(ctx, key)
	if err != nil {
		return t, err
	}
	if ok && len(d.Raw) > 0 {
		var x record.Exchange
		if err := x.UnmarshalBinary(d.Raw); err != nil {
			return t, fmt.Errorf("answer kept for the archive: %w", err)
		}
		_, t.body, err = answerBody(bytes.NewReader(x.Response))
		t.from = "the state"
		return t, err
	}
	var carried []crawl.Span
	err = q.state.EachCapture(func(c frontier.Capture) error {
		if c.Abandoned == "" && slices.Contains(c.Carried, key) {
			carried = append(carried, c.Span)
		}
		return ctx.Err()
	})
	if err != nil {
		return t, err
	}
	var newest time.Time
	for _, span := range carried {
		if err := q.archived(ctx, &t, &newest, f, span); err != nil {
			t.notes = append(t.notes, err.Error()) // another copy may be whole
		}
	}
	return t, nil
}

// archived takes the robots.txt out of a capture that carried it, if it is newer than what was found.
func (q *robotsQuestion) archived(ctx context.Context, t *robotsText, newest *time.Time, f crawl.OriginFacts, span crawl.Span) (err error) {
	file, name, err := q.records.File(ctx, span.File)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	in := warc.NewReaderAt(file, span.Start, span.End)
	in.SecondOpinion(func(d warc.Defect) {
		t.notes = append(t.notes, fmt.Sprintf("%s at %d: %s", name, d.Offset, d.Detail))
	})
	asked := false
	for {
		e, err := in.Next()
		if errors.Is(err, io.EOF) && asked {
			return nil // an older answer, with another status
		}
		if err != nil {
			return fmt.Errorf("%s from %d on: %w", name, span.Start, err)
		}
		if e.Type() != warc.TypeResponse && e.Type() != warc.TypeResource { // of HTTP/0.9
			continue
		}
		// Redirects stand before the answer that they led to.
		if asked = asked || e.TargetURI() == crawl.RobotsURL(f.Origin); !asked {
			continue
		}
		status, body, err := answerBody(e.Block)
		if err != nil {
			return fmt.Errorf("%s at %d: %w", name, e.Offset, err)
		}
		if status != int(f.Status) {
			continue
		}
		at, err := e.Date()
		if err == nil && at.After(*newest) {
			*newest, t.body, t.from = at, body, fmt.Sprintf("%s at %d", name, e.Offset)
		}
		return err
	}
}

// answerBody returns status and body of an answer, decoded as far as robots.txt are read.
func answerBody(answer io.Reader) (status int, body []byte, err error) {
	// Nothing spills to disk: a job at rest is only looked at.
	rec, err := record.Load(io.LimitReader(answer, record.MaxExchange), "", record.MaxExchange)
	if err != nil {
		return 0, nil, err
	}
	body, _ = rec.Body(robots.MaxSize)                    // a broken coding leaves the rules before it, as for the crawl
	if status = rec.Head().Status; rec.HeaderLen() == 0 { // HTTP/0.9
		status = http.StatusOK
	}
	return status, bytes.Clone(body), rec.Close()
}
