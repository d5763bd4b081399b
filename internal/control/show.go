package control

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"exclave/internal/job/question"
)

// show answers GET /show?url=…[&all=1].
func (s *Server) show(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	if q.Get("url") == "" {
		return badRequest(errors.New("control: which URL? ask for /show?url=…"))
	}
	shown, err := s.job.Show(r.Context(), q.Get("url"), q.Get("all") != "")
	if errors.Is(err, question.ErrURL) {
		return badRequest(err)
	}
	if err != nil {
		return err
	}
	return reply(w, shown)
}

// Show tells everything the crawl knows about a URL; all lifts the limit of 100
// links. An [Error] of code 400 says that it is no URL.
func (c *Client) Show(ctx context.Context, address string, all bool) (*question.Shown, error) {
	q := url.Values{"url": {address}}
	if all {
		q.Set("all", "1")
	}
	var s question.Shown
	if err := c.call(ctx, http.MethodGet, "/show?"+q.Encode(), nil, &s); err != nil {
		return nil, err
	}
	return &s, nil
}
