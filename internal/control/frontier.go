package control

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"exclave/internal/job/question"
)

// why answers GET /why?url=….
func (s *Server) why(w http.ResponseWriter, r *http.Request) error {
	out, err := s.job.Why(r.Context(), r.URL.Query().Get("url"))
	if errors.Is(err, question.ErrURL) {
		return badRequest(err)
	}
	if err != nil {
		return err
	}
	return reply(w, out)
}

// frontier answers GET /frontier[?top=n].
func (s *Server) frontier(w http.ResponseWriter, r *http.Request) error {
	n, err := number(r, "top")
	if err != nil {
		return err
	}
	out, err := s.job.Frontier(r.Context(), n)
	if err != nil {
		return err
	}
	return reply(w, out)
}

// queue answers GET /frontier/queue?host=….
func (s *Server) queue(w http.ResponseWriter, r *http.Request) error {
	out, err := s.job.Queue(r.Context(), r.URL.Query().Get("host"))
	if err != nil {
		return err
	}
	return reply(w, out)
}

// waiting answers GET /frontier/uris?[host=…][&surt=…][&regex=…][&limit=n] with a line
// of JSON for each.
func (s *Server) waiting(w http.ResponseWriter, r *http.Request) error {
	limit, err := number(r, "limit")
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/jsonl; charset=utf-8")
	return s.stream(w, "URIs that wait", func(to io.Writer) error {
		return filtered(s.job.WritePending(r.Context(), filterOf(r.URL.Query()), limit, to))
	})
}

// Deleted is the answer to a request to delete.
type Deleted struct {
	Deleted int `json:"deleted"`
}

// delete answers POST /frontier/delete?…, filtered as /frontier/uris.
func (s *Server) delete(w http.ResponseWriter, r *http.Request) error {
	n, err := s.job.Delete(r.Context(), filterOf(r.URL.Query()))
	if err != nil {
		return filtered(err)
	}
	return reply(w, Deleted{n})
}

func filterOf(q url.Values) question.Filter {
	return question.Filter{Host: q.Get("host"), SURT: q.Get("surt"), Regex: q.Get("regex")}
}

// filtered marks the error of a filter as the asker's.
func filtered(err error) error {
	if errors.Is(err, question.ErrFilter) {
		return badRequest(err)
	}
	return err
}

// number returns a value of the query, 0 when it is not there.
func number(r *http.Request, name string) (int, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, badRequest(fmt.Errorf("control: %s=%s is not a number from 0 on", name, text))
	}
	return n, nil
}

func query(f question.Filter, more ...string) string {
	q := url.Values{}
	for _, v := range []struct{ name, text string }{{"host", f.Host}, {"surt", f.SURT}, {"regex", f.Regex}} {
		if v.text != "" {
			q.Set(v.name, v.text)
		}
	}
	for i := 0; i+1 < len(more); i += 2 {
		q.Set(more[i], more[i+1])
	}
	return "?" + q.Encode()
}

// Why tells why a URL is where it is. An [Error] of code 400 says that it is no URL.
func (c *Client) Why(ctx context.Context, address string) (*question.Why, error) {
	var w question.Why
	return &w, c.call(ctx, http.MethodGet, "/why"+query(question.Filter{}, "url", address), nil, &w)
}

// Frontier summarises what waits, with the n longest queues.
func (c *Client) Frontier(ctx context.Context, n int) (s question.FrontierSummary, err error) {
	return s, c.call(ctx, http.MethodGet, "/frontier"+query(question.Filter{}, "top", strconv.Itoa(n)), nil, &s)
}

// Queue tells everything known of a host and its queue.
func (c *Client) Queue(ctx context.Context, host string) (*question.ShownQueue, error) {
	var q question.ShownQueue
	return &q, c.call(ctx, http.MethodGet, "/frontier/queue"+query(question.Filter{Host: host}), nil, &q)
}

// WritePending writes the URIs that wait and are chosen as lines of JSON, up to limit
// of them (0 = all).
func (c *Client) WritePending(ctx context.Context, f question.Filter, limit int, w io.Writer) error {
	return c.call(ctx, http.MethodGet, "/frontier/uris"+query(f, "limit", strconv.Itoa(limit)), nil, w)
}

// Delete takes the URIs that wait and are chosen out of the frontier.
func (c *Client) Delete(ctx context.Context, f question.Filter) (int, error) {
	var d Deleted
	err := c.call(ctx, http.MethodPost, "/frontier/delete"+query(f), nil, &d)
	return d.Deleted, err
}
