package control

import (
	"context"
	"errors"
	"exclave/internal/job/checkpoint"
	"net/http"
	"net/url"
)

// checkpoint answers with the manifest of the checkpoint that it makes. The query may
// hold its name.
func (s *Server) checkpoint(w http.ResponseWriter, r *http.Request) error {
	c, err := s.job.Checkpoint(r.Context(), r.URL.Query().Get("name"))
	if errors.Is(err, checkpoint.ErrUnusable) {
		return badRequest(err)
	}
	if err != nil {
		return err
	}
	return reply(w, c)
}

// Checkpoint has the crawl make a checkpoint, and waits for it; "" = named by the time. An
// [Error] of code 400 is about the name.
func (c *Client) Checkpoint(ctx context.Context, name string) (made checkpoint.Manifest, err error) {
	return made, c.call(ctx, http.MethodPost, "/checkpoint?"+url.Values{"name": {name}}.Encode(), nil, &made)
}
