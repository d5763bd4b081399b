package control

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"exclave/internal/job/question"
)

// report streams a report on the running crawl.
func (s *Server) report(w http.ResponseWriter, r *http.Request) error {
	name, ok := question.ReportName(r.PathValue("name"))
	if !ok {
		return notFound(fmt.Errorf("there is no report %q", r.PathValue("name")))
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	return s.stream(w, name, func(to io.Writer) error { return s.job.Report(r.Context(), name, to) })
}

// stream lets write answer. A failure half-way ends the connection, so that the asker
// does not take a part for the whole.
func (s *Server) stream(w http.ResponseWriter, what string, write func(io.Writer) error) error {
	b := &begun{w: w}
	err := write(b)
	if err != nil && b.yes {
		s.log.Warn("an answer failed half-way", "what", what, "err", err)
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_ = conn.Close() // all that is left to say
		}
		return nil
	}
	return err
}

// begun remembers whether something was written.
type begun struct {
	w   io.Writer
	yes bool
}

// Write implements io.Writer.
func (b *begun) Write(p []byte) (int, error) {
	b.yes = true
	return b.w.Write(p)
}

// Report writes a report on the crawl as it comes.
func (c *Client) Report(ctx context.Context, name string, w io.Writer) error {
	return c.call(ctx, http.MethodGet, "/report/"+url.PathEscape(name), nil, w)
}
