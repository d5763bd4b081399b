package question

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/crawllog"
	"exclave/internal/job/folder"
	"exclave/internal/logparts"
	"exclave/internal/sheet"
	"exclave/internal/urlx"
)

// Why is why a URL is where it is: sentences, in the order of what happened to it.
type Why struct {
	URL       string   `json:"url"`
	Known     bool     `json:"known"`
	Sentences []string `json:"sentences"`
}

func (w *Why) say(format string, a ...any) {
	w.Sentences = append(w.Sentences, fmt.Sprintf(format, a...))
}

// Why tells when and where a URL was found, which rule accepted or rejected it, what it waits
// for, and how it ended. It reads crawl.log or out-of-scope.jsonl from its
// beginning: about a second for a million lines.
func (a *Answers) Why(ctx context.Context, url string) (*Why, error) {
	shown, err := a.Show(ctx, url, false)
	if err != nil {
		return nil, err
	}
	w := &Why{URL: shown.URL, Known: shown.Known}
	if !shown.Known {
		return w, a.whyUnknown(ctx, w, shown)
	}
	if err := a.whyKnown(ctx, w, shown); err != nil {
		return nil, err
	}
	return w, nil
}

// whyUnknown looks a URL that the state does not have up among the refused links.
func (a *Answers) whyUnknown(ctx context.Context, w *Why, s *Shown) error {
	var first struct{ URL, Via, Rule, Time string }
	times := 0
	err := a.scanLog(ctx, crawl.LogScope, s.URL, func(_ logparts.Place, text []byte) error {
		line := first
		if err := json.Unmarshal(text, &line); err != nil {
			return err
		}
		if line.URL != s.URL {
			return nil
		}
		if times++; times == 1 {
			first = line
		}
		return nil
	})
	if err != nil {
		return err
	}
	if times > 0 {
		w.say("It was left out: rule %s of the scope refused the link to it%s. It was found on %s at %s (%d× in %s).",
			first.Rule, inWords(refusedWords(first.Rule)), first.Via, first.Time, times, crawl.LogScope.Name())
	} else {
		w.say("It was never seen: it is no seed, and no page that was read links to it under this address, but for links that are not kept: what a page says not to follow (nofollow), and those of pages for what does not exist (soft 404).")
		if n := a.State.Stats().Refused; n > 0 {
			w.say("Or a link to it was not followed: %d were refused by a cap, or stood behind pages that led to nothing. They are counted only.", n)
		}
	}
	if s.Scope != nil {
		w.say("Were a link to it found on a seed now, the scope would say %s (%s).", s.Scope.Decision, orNone(s.Scope.Rule))
	}
	return nil
}

func orNone(rule string) string {
	if rule == "" {
		return "by no rule"
	}
	return "rule " + rule
}

func (a *Answers) whyKnown(ctx context.Context, w *Why, s *Shown) error {
	switch {
	case s.Seed && s.Hops == "" && len(s.Via) > 0:
		w.say("It is a seed, which a log says was found on %s%s.", s.Via[0].URL, fromSource(s.Source))
	case s.Seed:
		w.say("It is a seed%s.", fromSource(s.Source))
	case len(s.Via) > 0:
		w.say("It was found on %s, %s from a seed (%s)%s.", s.Via[0].URL, counted(crawl.LinkHops(s.Hops), "hop"), s.Hops, fromSource(s.Source))
	}
	if s.Scope != nil {
		w.say("The scope says %s to it (%s).", s.Scope.Decision, orNone(s.Scope.Rule))
	}
	for _, c := range s.Claim {
		w.say("Claim: %s.", c)
	}
	if err := a.whyState(ctx, w, s); err != nil {
		return err
	}
	if s.Finishes > 0 {
		if err := a.whyFinished(ctx, w, s); err != nil {
			return err
		}
		switch code := s.Status.Code; {
		case !code.IsHTTP() || code < 300 || code == http.StatusNotModified || crawl.IsPrereq(s.Key):
		case code < 400:
			w.say("Of an answer 3xx the address that it names is taken; it is not judged, and nothing in it is read.")
		default:
			w.say("No links are read in an answer that is not 2xx, and it is not judged.")
		}
	}
	if s.Verdicts != nil {
		for _, v := range s.Verdicts.By {
			switch {
			case !v.Judged:
				w.say("Profile %s does not judge its type.", v.Profile)
			case v.Valid:
				w.say("Profile %s accepts it: %s.", v.Profile, v.Summary())
			default:
				w.say("Profile %s does not accept it: %s.", v.Profile, v.Summary())
			}
		}
	}
	switch {
	case s.Archived:
		for _, r := range s.Records {
			if r.Current {
				w.say("It is archived: %s at byte %d.", r.File, r.Offset)
			}
		}
	case s.Finishes == 0:
	case crawl.IsPrereq(s.Key):
		w.say("It is archived beside the first page that needs it, if one is.")
	case !s.Status.Code.IsHTTP():
		w.say("It is not archived: nothing was fetched.")
	default:
		w.say("It is not archived: none of its claims, nor a verdict, asks for that.")
	}
	return nil
}

func fromSource(tag string) string {
	if tag == "" {
		return ""
	}
	return ", of source " + tag
}

// whyState says what a URI waits for.
func (a *Answers) whyState(ctx context.Context, w *Why, s *Shown) error {
	switch s.State {
	case "parked":
		w.say("It is parked: known, but nothing that was archived or judged needs it so far.")
	case "in process":
		w.say("A ToeThread works on it just now.")
	case "waiting":
		q, err := a.Queue(ctx, s.Queue)
		if err != nil {
			return err
		}
		w.say("It is in the queue of %s, with %d pending; %s.", s.Queue, q.Waiting, a.orClosed(q.Why, frontier.QueueState(q.State), q.Failures, s.URL))
		return a.whyFailed(w, s, q)
	}
	return nil
}

// whyFailed says what attempts at a pending URI ended with, or at what it needs, and when the next one is due.
func (a *Answers) whyFailed(w *Why, s *Shown, q *ShownQueue) error {
	until, last := time.Time{}, false
	if q.Until != nil {
		until = *q.Until
	}
	origin := ""
	if u, err := urlx.Parse(s.URL); err == nil {
		origin = u.Origin()
	}
	for _, o := range q.Origins {
		if o.Origin != origin {
			continue
		}
		last = o.GaveUp
		if o.Until.After(until) {
			until = o.Until
		}
	}
	next := "as soon as its turn comes"
	if until.After(a.Clock.Now()) {
		next = "not before " + until.UTC().Format(time.RFC3339)
	}
	keys := []string{s.Key}
	if !crawl.IsPrereq(s.Key) {
		keys = append(keys, crawl.DNSKey(s.Host), crawl.RobotsKey(origin))
	}
	for _, key := range keys {
		r, err := a.State.Lookup(key)
		if err != nil {
			return err
		}
		if r == nil || r.State != frontier.Waiting || r.Attempts == 0 {
			continue
		}
		what, most := "It", a.Config.Frontier.MaxRetries
		switch {
		case crawl.IsDNS(key):
			most = a.Config.Frontier.DNSRetries
		case crawl.IsRobots(key):
			most = a.Config.Frontier.RobotsRetries
		}
		if key != s.Key {
			what = r.URL + ", which it needs,"
		}
		w.say("%s failed %s.", what, failures(r.Attempts, r.Failure, r.FailedAt))
		if proxy := a.proxyOf(r); proxy != "" && r.Failure == crawl.StatusConnectFailed {
			w.say("It is connected to through the proxy %s, which may be what fails: a warning of the crawl says how, and crawl.log, once it is finished (proxy:failed).", proxy)
		}
		if last && !crawl.IsDNS(key) {
			w.say("Its origin was given up, so the next attempt is the last: %s.", next)
		} else {
			w.say("Attempt %d of at most %d: %s.", r.Attempts+1, most, next)
		}
	}
	return nil
}

// proxyOf is the proxy through which a URI is asked for, "" for none.
func (a *Answers) proxyOf(r *frontier.Record) string {
	proxy := a.Config.HTTP.Proxy
	if u, err := urlx.Parse(r.URL); err == nil {
		if p := a.Sheets.Now().Of(u, r.Claim.Profiles()).HTTP.Proxy; p != nil {
			proxy = *p
		}
	}
	if proxy == sheet.Direct || crawl.IsDNS(r.Key) {
		return ""
	}
	return proxy
}

// whyFinished adds the last line of crawl.log.
func (a *Answers) whyFinished(ctx context.Context, w *Why, s *Shown) error {
	var last crawllog.Entry
	found, at := 0, logparts.Place{}
	err := a.scanLog(ctx, crawl.LogCrawl, s.URL, func(place logparts.Place, text []byte) error {
		e, err := crawllog.Parse(string(text))
		if err != nil || e.URL != s.URL {
			return nil // a line of another URI that names it
		}
		last, at = e, place
		found++
		return nil
	})
	if err != nil {
		return err
	}
	if found > 0 {
		notes := ""
		if len(last.Annotations) > 0 {
			notes = " (" + strings.Join(last.Annotations, ", ") + ")"
		}
		w.say("It was finished %d×, the last time at %s: %s%s; %s.", found, last.Time.Format(time.RFC3339),
			statusWords(crawl.Status(last.Status)), notes, at)
		if slices.Contains(last.Annotations, "soft404") {
			w.say("It is what its server answers to addresses that do not exist, with status 200 (soft404): compared with a random one.")
		}
		return nil
	}
	w.say("Its last attempt: %s.", s.Status.Words)
	return nil
}

// scanLog calls fn for each whole line of a log that holds a text or escapes, with its
// place. A log that is not there yet is empty.
func (a *Answers) scanLog(ctx context.Context, log crawl.LogID, text string, fn func(at logparts.Place, line []byte) error) error {
	n := 0
	if err := logparts.EachLine(a.FS, a.Path(folder.LogDir), log.Name(), func(at logparts.Place, line []byte) error {
		if n++; n%10000 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		// Decoding every line would take a hundred times as long. A log written with
		// other escapes is decoded for nothing, never missed.
		if line[len(line)-1] != '\n' || !bytes.Contains(line, []byte(text)) && !bytes.Contains(line[:min(len(line), 4<<10)], []byte(`\u`)) {
			return nil // a line without its end is not committed yet
		}
		if err := fn(at, line); err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		return nil
	}); err != nil {
		return fmt.Errorf("job: %w", err)
	}
	return nil
}
