package control

import (
	"context"
	"net/http"

	"exclave/internal/job/moved"
)

// files answers GET /files.
func (s *Server) files(w http.ResponseWriter, r *http.Request) error {
	all, err := s.job.Files(r.Context())
	if err != nil {
		return err
	}
	return reply(w, all)
}

// Files tells which WARC files and parts of logs the job has, and which are complete.
func (c *Client) Files(ctx context.Context) (all []moved.File, err error) {
	return all, c.call(ctx, http.MethodGet, "/files", nil, &all)
}
