package control

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"exclave/internal/job/question"
)

// Reloaded is the answer to reload.
type Reloaded struct {
	Sheets int `json:"sheets"` // how many there are now
}

// reload answers POST /reload.
func (s *Server) reload(w http.ResponseWriter, r *http.Request) error {
	n, err := s.job.Reload(r.Context())
	if err != nil {
		return badRequest(err)
	}
	return reply(w, Reloaded{n})
}

// Reload has the crawl read its sheets anew. An [Error] of code 400 says what is wrong with them: those before hold.
func (c *Client) Reload(ctx context.Context) (r Reloaded, err error) {
	return r, c.call(ctx, http.MethodPost, "/reload", nil, &r)
}

// sheet answers GET /sheet?url=…[&profile=…].
func (s *Server) sheet(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	raw := q.Get("url")
	if raw == "" {
		return badRequest(errors.New("control: which URL? ask for /sheet?url=…"))
	}
	a, err := s.job.Sheet(r.Context(), raw, q["profile"])
	if errors.Is(err, question.ErrURL) || errors.Is(err, question.ErrProfile) {
		return badRequest(err)
	}
	if err != nil {
		return err
	}
	return reply(w, a)
}

// Sheet tells which sheets apply to a URL; profiles: as if it were of these. An [Error] of code 400 says that it is none, or
// that the job has no such profile.
func (c *Client) Sheet(ctx context.Context, address string, profiles []string) (a question.SheetAnswer, err error) {
	return a, c.call(ctx, http.MethodGet, "/sheet?"+url.Values{"url": {address}, "profile": profiles}.Encode(), nil, &a)
}
