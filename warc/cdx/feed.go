package cdx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// A Feed posts the lines of an index to a collection of an OutbackCDX server, as its README says: lines of CDX 11 by POST to the address of
// the collection; a line that is there already replaces itself, so what was posted may be posted again.
type Feed struct {
	URL    string
	Client *http.Client
	Lines  int                                              // of a request, at least 1
	Pause  func(ctx context.Context, d time.Duration) error // before what failed is tried again
}

// feedTries is how often a request is made that a server does not answer, or with its own failure.
const feedTries = 4

// ErrFeed is wrapped by the error of a server that cannot be asked, or refuses lines.
var ErrFeed = errors.New("the server did not take the lines")

// Send posts all lines of an index of format [CDX11] and returns how many were taken.
func (f Feed) Send(ctx context.Context, x *Index) (n int64, err error) {
	var b bytes.Buffer
	lines := 0
	post := func() error {
		if lines == 0 {
			return nil
		}
		if err := f.post(ctx, b.Bytes()); err != nil {
			return err
		}
		n += int64(lines)
		lines = 0
		b.Reset()
		return nil
	}
	err = x.Each(func(line []byte) error {
		b.Write(line)
		if lines++; lines < f.Lines {
			return nil
		}
		return post()
	})
	if err != nil {
		return n, err
	}
	return n, post()
}

// post makes one request, again after failures that may pass.
func (f Feed) post(ctx context.Context, body []byte) error {
	for try := 1; ; try++ {
		again, err := f.once(ctx, body)
		if err == nil || !again || try == feedTries || ctx.Err() != nil {
			return err
		}
		if err := f.Pause(ctx, time.Second<<(try-1)); err != nil {
			return err
		}
	}
}

// mostAnswer bounds what is shown of an answer.
const mostAnswer = 500

func (f Feed) once(ctx context.Context, body []byte) (again bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.URL, bytes.NewReader(body))
	if err != nil {
		return false, fmt.Errorf("cdx: %w", err)
	}
	req.Header.Set("Content-Type", "text/plain; charset=utf-8")
	resp, err := f.Client.Do(req)
	if err != nil {
		return true, fmt.Errorf("cdx: %w: %w", ErrFeed, err)
	}
	said, err := io.ReadAll(io.LimitReader(resp.Body, mostAnswer))
	err = errors.Join(err, resp.Body.Close())
	if resp.StatusCode/100 != 2 {
		return resp.StatusCode >= 500, fmt.Errorf("cdx: %w: %s answers %s: %s", ErrFeed, f.URL, resp.Status, strings.TrimSpace(string(said)))
	}
	return false, err
}
