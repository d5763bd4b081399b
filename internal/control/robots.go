package control

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"exclave/internal/job/question"
)

// robots answers GET /robots?url=…[&url=…][&agent=…].
func (s *Server) robots(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	if len(q["url"]) == 0 {
		return badRequest(errors.New("control: which URLs? ask for /robots?url=…"))
	}
	out, err := s.job.Robots(r.Context(), q["url"], q.Get("agent"))
	if errors.Is(err, question.ErrURL) {
		return badRequest(err)
	}
	if err != nil {
		return err
	}
	return reply(w, out)
}

// mostURLs is how many URLs one question to /robots is about: a request target has a limit.
const mostURLs = 50

// Robots tells what robots.txt decides on URLs; agent is the product token, "" the job's.
// An [Error] of code 400 says that one is no URL.
func (c *Client) Robots(ctx context.Context, urls []string, agent string) (*question.RobotsAnswer, error) {
	var all *question.RobotsAnswer
	for len(urls) > 0 {
		n := min(len(urls), mostURLs)
		q := url.Values{"url": urls[:n]}
		if agent != "" {
			q.Set("agent", agent)
		}
		var a question.RobotsAnswer
		if err := c.call(ctx, http.MethodGet, "/robots?"+q.Encode(), nil, &a); err != nil {
			return nil, err
		}
		if all == nil {
			all = &a
		} else {
			all.URLs = append(all.URLs, a.URLs...)
		}
		urls = urls[n:]
	}
	return all, nil
}
