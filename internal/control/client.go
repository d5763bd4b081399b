package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/job/question"
)

// ErrNotRunning is wrapped by the error of Dial, and of calls, when no crawl of
// the job answers.
var ErrNotRunning = errors.New("no crawl of this job is running")

// ErrForbidden is wrapped by the error of Dial when a crawl may be running, but this user may not
// ask it.
var ErrForbidden = errors.New("a crawl of another user cannot be asked; be that user, or root")

// Error is an answer that says no.
type Error struct {
	Code int    // HTTP status: 4xx is the asker's fault, 5xx the crawl's
	Msg  string // the crawl's words
}

// Error implements error.
func (e *Error) Error() string { return e.Msg }

// Client asks a running crawl. It may be used by several goroutines; Close it.
type Client struct {
	dir  string
	http *http.Client
}

var (
	_ question.Questions = (*Client)(nil)
	_ question.Changes   = (*Client)(nil)
)

// Dial finds the crawl that runs the job in the folder dir. The error wraps
// [ErrNotRunning] when there is none, [ErrForbidden] when that cannot be told.
func Dial(dir string) (*Client, error) {
	socket, err := readAddress(filepath.Join(dir, folder.StateDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("control: %s: %w", dir, ErrNotRunning)
	}
	if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("control: %s: %w (%w)", dir, ErrForbidden, err)
	}
	if err != nil {
		return nil, fmt.Errorf("control: %w", err)
	}
	d := net.Dialer{Timeout: 5 * time.Second}
	dial := func(ctx context.Context) (net.Conn, error) { return d.DialContext(ctx, "unix", socket) }
	c, err := dial(context.Background())
	if gone(err) {
		return nil, fmt.Errorf("control: %s: %w", dir, ErrNotRunning)
	}
	if errors.Is(err, fs.ErrPermission) { // also when nobody listens any more
		return nil, fmt.Errorf("control: %s: %w (%w)", dir, ErrForbidden, err)
	}
	if err != nil {
		return nil, fmt.Errorf("control: %s: %w", dir, err)
	}
	_ = c.Close() // it proved that somebody listens
	t := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) }}
	return &Client{dir: dir, http: &http.Client{Transport: t}}, nil
}

// gone reports whether a socket has nobody behind it.
func gone(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist)
}

// Close gives idle connections back.
func (c *Client) Close() error {
	c.http.CloseIdleConnections()
	return nil
}

// Snapshot returns where the crawl stands.
func (c *Client) Snapshot(ctx context.Context) (s job.Snapshot, err error) {
	return s, c.call(ctx, http.MethodGet, "/snapshot", nil, &s)
}

// Pause asks the crawl to begin no further URI; it returns at once.
func (c *Client) Pause(ctx context.Context) (s Steered, err error) {
	return s, c.call(ctx, http.MethodPost, "/pause", nil, &s)
}

// Resume ends a pause.
func (c *Client) Resume(ctx context.Context) (s Steered, err error) {
	return s, c.call(ctx, http.MethodPost, "/resume", nil, &s)
}

// Stop asks the crawl to end in order; it returns at once.
func (c *Client) Stop(ctx context.Context) (s Steered, err error) {
	return s, c.call(ctx, http.MethodPost, "/stop", nil, &s)
}

// call asks for a path (with its query) and decodes the answer into the value
// that into points to; a *[]byte gets the answer as it is, an io.Writer as it comes.
// A body is streamed.
func (c *Client) call(ctx context.Context, method, path string, body io.Reader, into any) error {
	req, err := http.NewRequestWithContext(ctx, method, "http://crawl"+path, body)
	if err != nil {
		return fmt.Errorf("control: %w", err)
	}
	res, err := c.http.Do(req)
	if gone(err) {
		return fmt.Errorf("control: %s: %w", c.dir, ErrNotRunning)
	}
	if err != nil {
		return fmt.Errorf("control: ask the crawl: %w", err)
	}
	defer res.Body.Close()
	if w, ok := into.(io.Writer); ok && res.StatusCode == http.StatusOK {
		if _, err := io.Copy(w, res.Body); err != nil {
			return fmt.Errorf("control: copy the answer of the crawl: %w", err)
		}
		return nil
	}
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return fmt.Errorf("control: read the answer of the crawl: %w", err)
	}
	if res.StatusCode != http.StatusOK {
		var f failure
		if json.Unmarshal(text, &f) != nil || f.Error == "" {
			f.Error = strings.TrimSpace(res.Status + " " + string(text))
		}
		return fmt.Errorf("control: %w", &Error{res.StatusCode, f.Error})
	}
	if raw, ok := into.(*[]byte); ok {
		*raw = text
		return nil
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("control: the answer of the crawl: %w", err)
	}
	return nil
}
