package control

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"exclave/internal/job/question"
)

// retry answers POST /retry?[host=…][&surt=…][&regex=…][&status=…][&since=…][&dry=1], and of what is
// archived &archived=1[&before=…][&verdict=…].
func (s *Server) retry(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	ask := question.Retry{Filter: filterOf(q), Dry: q.Get("dry") != ""}
	var err error
	if ask.Statuses, err = question.ParseStatuses(q.Get("status")); err != nil {
		return badRequest(err)
	}
	if ask.Verdict, err = question.ParseVerdict(q.Get("verdict")); err != nil {
		return badRequest(err)
	}
	ask.Archived, ask.Truncated = q.Get("archived") != "", q.Get("truncated") != ""
	for name, t := range map[string]*time.Time{"since": &ask.Since, "before": &ask.Before} {
		if text := q.Get(name); text != "" {
			if *t, err = time.Parse(time.RFC3339Nano, text); err != nil {
				return badRequest(fmt.Errorf("control: %s=%s is no time", name, text))
			}
		}
	}
	out, err := s.job.Retry(r.Context(), ask)
	if err != nil {
		return filtered(err)
	}
	return reply(w, out)
}

// Retry offers finished URIs again.
func (c *Client) Retry(ctx context.Context, r question.Retry) (out question.Retried, err error) {
	more := []string{"status", r.Statuses.String()}
	if !r.Since.IsZero() {
		more = append(more, "since", r.Since.Format(time.RFC3339Nano))
	}
	if !r.Before.IsZero() {
		more = append(more, "before", r.Before.Format(time.RFC3339Nano))
	}
	if r.Verdict != question.AnyVerdict {
		more = append(more, "verdict", string(r.Verdict))
	}
	if r.Archived {
		more = append(more, "archived", "1")
	}
	if r.Truncated {
		more = append(more, "truncated", "1")
	}
	if r.Dry {
		more = append(more, "dry", "1")
	}
	return out, c.call(ctx, http.MethodPost, "/retry"+query(r.Filter, more...), nil, &out)
}

// CountRetry tells what Retry would offer again.
func (c *Client) CountRetry(ctx context.Context, r question.Retry) (question.Retried, error) {
	r.Dry = true
	return c.Retry(ctx, r)
}
