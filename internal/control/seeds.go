package control

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"exclave/internal/job/seeds"
	"exclave/internal/seedlog"
)

// importSeeds takes the body, a log as it is, and answers with the
// [seeds.Report]. The query says what name the report gets, and, when it is to be
// otherwise than recognised, source, format, status (several times) and traps=true.
func (s *Server) importSeeds(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	o := seeds.ImportOptions{Source: q.Get("source"), Traps: q.Get("traps") == "true"}
	var err error
	if o.Format, err = seedlog.ParseFormat(q.Get("format")); err != nil {
		return badRequest(err)
	}
	for _, text := range q["status"] {
		n, err := strconv.Atoi(text)
		if err != nil {
			return badRequest(fmt.Errorf("status %q is no number", text))
		}
		o.Statuses = append(o.Statuses, n)
	}
	// Whoever sends may wait for a program that writes into a pipe; the crawl does
	// not wait with it when it ends.
	rc := http.NewResponseController(w)
	defer context.AfterFunc(r.Context(), func() { _ = rc.SetReadDeadline(time.Unix(1, 0)) })()
	rep, err := s.job.ImportSeeds(r.Context(), r.Body, q.Get("name"), o)
	if errors.Is(err, seedlog.ErrNoLog) {
		return badRequest(err)
	}
	answer := ImportAnswer{Report: rep}
	if err != nil {
		answer.Failed = err.Error()
	}
	return reply(w, answer)
}

// ImportAnswer is the answer to an import. What was taken before a failure stays.
type ImportAnswer struct {
	seeds.Report
	Failed string `json:"failed,omitempty"`
}

// ImportSeeds sends a log to the crawl, which reads it as [job.Job.ImportSeeds]
// does. in is read to its end, or until the crawl takes no more.
func (c *Client) ImportSeeds(ctx context.Context, in io.Reader, name string, o seeds.ImportOptions) (seeds.Report, error) {
	q := url.Values{"name": {name}}
	if o.Source != "" {
		q.Set("source", o.Source)
	}
	if o.Traps {
		q.Set("traps", "true")
	}
	if o.Format != seedlog.Auto {
		q.Set("format", string(o.Format))
	}
	for _, n := range o.Statuses {
		q.Add("status", strconv.Itoa(n))
	}
	var a ImportAnswer
	// Hidden behind an interface of one method, or net/http would close the file.
	err := c.call(ctx, http.MethodPost, "/seeds?"+q.Encode(), struct{ io.Reader }{in}, &a)
	if err == nil && a.Failed != "" {
		err = errors.New(a.Failed)
	}
	return a.Report, err
}
