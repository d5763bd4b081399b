package question

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"exclave/analyzer"
	"exclave/chain/write"
	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/logparts"
	"exclave/warc"
)

func sorted(s []string) []string {
	slices.Sort(s)
	return s
}

// archived adds the records of the URI, and the verdict that stands in them.
func (s *lookup) archived(out *Shown, r *frontier.Record) error {
	var mine []frontier.Capture
	err := s.State.EachCapture(func(c frontier.Capture) error {
		if c.ID == r.ID {
			mine = append(mine, c)
		}
		return s.ctx.Err()
	})
	if err != nil {
		return err
	}
	for _, c := range mine {
		if err := s.group(out, r, c); err != nil {
			out.Notes = append(out.Notes, err.Error()) // the rest is worth seeing
		}
	}
	if r.Outcome.Judged && out.Verdicts == nil {
		return s.logged(out, r)
	}
	return nil
}

// group adds the records of one capture.
func (s *lookup) group(out *Shown, r *frontier.Record, c frontier.Capture) (err error) {
	f, name, err := s.Records.File(s.ctx, c.Span.File)
	if err != nil {
		return err
	}
	defer f.Close()
	in := warc.NewReaderAt(f, c.Span.Start, c.Span.End)
	in.SecondOpinion(func(d warc.Defect) {
		out.Notes = append(out.Notes, fmt.Sprintf("%s at %d: %s", name, d.Offset, d.Detail))
	})
	for {
		e, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s from %d on: %w", name, c.Span.Start, err)
		}
		rec := ShownRecord{File: name, Offset: e.Offset, Type: e.Type(), ID: e.ID(), Target: e.TargetURI(),
			Date: e.Header.Get("WARC-Date"), Abandoned: c.Abandoned,
			Current: crawl.Ref{File: c.Span.File, Offset: e.Offset, Length: r.Response.Length} == r.Response && r.Outcome.Archived}
		if e.Type() == warc.TypeRevisit {
			rec.Refers = strings.TrimSpace(e.Header.Get("WARC-Refers-To-Target-URI") + " of " + e.Header.Get("WARC-Refers-To-Date"))
		}
		if e.Type() == warc.TypeMetadata && strings.HasPrefix(e.TargetURI(), write.VerdictURI) && c.Abandoned == "" {
			var by []analyzer.Verdict
			if err := json.NewDecoder(e.Block).Decode(&by); err != nil {
				return fmt.Errorf("%s: verdict at %d: %w", name, rec.Offset, err)
			}
			out.Verdicts = &ShownVerdicts{From: fmt.Sprintf("%s at %d", name, rec.Offset), By: by}
		}
		if rec.Length, err = in.Finish(); err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("%s: record at %d: %w", name, rec.Offset, err)
		}
		out.Records = append(out.Records, rec)
	}
}

// logged looks for the last verdict in analysis.jsonl, which is read as a stream:
// judged pages that are not archived have it there only.
func (s *lookup) logged(out *Shown, r *frontier.Record) error {
	quoted, err := json.Marshal(r.URL)
	if err != nil {
		return err
	}
	return s.scanLog(s.ctx, crawl.LogAnalysis, string(quoted), func(at logparts.Place, text []byte) error {
		var line struct {
			URL      string             `json:"url"`
			Verdicts []analyzer.Verdict `json:"verdicts"`
		}
		if err := json.Unmarshal(text, &line); err != nil {
			return err
		}
		if line.URL == r.URL {
			out.Verdicts = &ShownVerdicts{From: at.String(), By: line.Verdicts}
		}
		return nil
	})
}

// links adds the links of an archived page, from its metadata record.
func (s *lookup) links(out *Shown, r *frontier.Record) error {
	if !r.Outcome.Archived || r.Metadata.IsZero() {
		return nil
	}
	e, c, err := s.Records.Open(s.ctx, r.Metadata)
	if err != nil {
		out.Notes = append(out.Notes, err.Error())
		return nil
	}
	defer c.Close()
	out.Links = &ShownLinks{First: []ShownLink{}}
	in := bufio.NewReader(e.Block)
	for {
		text, err := in.ReadBytes('\n')
		if rest, ok := bytes.CutPrefix(text, []byte("outlink: ")); ok {
			if f := strings.Fields(string(rest)); len(f) >= 2 {
				if err := s.link(out.Links, f); err != nil {
					return err
				}
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			out.Notes = append(out.Notes, err.Error())
			return nil
		}
	}
}

// link adds one link: address, hop letter, context (docs/formats/warc.md).
func (s *lookup) link(l *ShownLinks, f []string) error {
	l.Total++
	if l.Total > shownLinks && !s.all {
		return nil
	}
	found := ShownLink{URL: f[0], Hop: f[1], State: "unknown"}
	if len(f) > 2 {
		found.Context = f[2]
	}
	if key, _, err := s.key(f[0]); err == nil {
		r, err := s.State.Lookup(key)
		if err != nil {
			return err
		}
		if r != nil {
			found.State, found.Status, found.Archived = s.state(r), statusOf(r), r.Outcome.Archived
		}
	}
	l.First = append(l.First, found)
	return nil
}

// statusWords says what a status means.
func statusWords(s crawl.Status) string {
	switch {
	case s == crawl.StatusFTPFile:
		return "226 an FTP server gave it"
	case s == crawl.StatusFTPDirectory:
		return "250 a directory of an FTP server"
	case s == crawl.StatusWhois:
		return "2001 a WHOIS server answered"
	case s.IsHTTP():
		if text := http.StatusText(int(s)); text != "" {
			return fmt.Sprintf("%d %s", s, text)
		}
		return fmt.Sprintf("%d, an answer with a number of its own", s)
	}
	words := map[crawl.Status]string{
		crawl.StatusUnattempted: "not tried yet", crawl.StatusDNS: "a name server answered",
		crawl.StatusDNSFailed: "the host name has no address", crawl.StatusConnectFailed: "no connection",
		crawl.StatusConnectionLost: "the connection broke", crawl.StatusTimeout: "the server took too long",
		crawl.StatusRuntimeError: "a failure of our own", crawl.StatusDNSPrereqFailed: "its host name has no address",
		crawl.StatusUnfetchable: "cannot be fetched", crawl.StatusTooManyRetries: "tried too often",
		crawl.StatusDeferred: "waits for a prerequisite", crawl.StatusNotQueueable: "cannot be queued",
		crawl.StatusRobotsPrereqFailed: "robots.txt could not be fetched", crawl.StatusOtherPrereqFailed: "a prerequisite failed",
		crawl.StatusPrereqUnschedulable: "a prerequisite cannot be queued", crawl.StatusDeemedNotFound: "taken as not found",
		crawl.StatusSerious: "a grave failure of our own", crawl.StatusTrap: "looks like a trap",
		crawl.StatusTooManyLinkHops: "too many link hops", crawl.StatusTooManyEmbedHops: "too many embed hops",
		crawl.StatusOutOfScope: "out of scope", crawl.StatusBlockedByUser: "blocked by the operator",
		crawl.StatusBlockedByProcessor: "blocked by a processor", crawl.StatusQuota: "a quota is used up",
		crawl.StatusRuntimeLimit: "a time limit was reached", crawl.StatusDeletedByUser: "deleted by the operator",
		crawl.StatusWorkerKilled: "its ToeThread was ended", crawl.StatusRobots: "forbidden by robots.txt",
	}
	if w, ok := words[s]; ok {
		return fmt.Sprintf("%d %s", s, w)
	}
	return fmt.Sprintf("%d", s)
}
