// Package remote reads files over HTTP by ranges (RFC 9110 section 14), so that a record, or what follows damage, is read without
// everything in front of it. A server that knows no ranges is read as a stream, once.
//
// A File belongs to one goroutine. Not here: what the file is.
package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

const (
	piece = 1 << 20 // bytes of a request
	tries = 3       // of a request that broke off
)

// File is a file on a server.
type File struct {
	ctx    context.Context
	client *http.Client
	url    string
	valid  string // ETag or Last-Modified; empty when the server gives neither
	size   int64
	at     int64
	buf    []byte
	from   int64 // of buf
}

// Open asks for the beginning of a file. The result is a *File, or a stream when the server does not give ranges. It reads no more when ctx is done.
func Open(ctx context.Context, client *http.Client, url string) (io.ReadCloser, error) {
	f := &File{ctx: ctx, client: client, url: url}
	resp, err := f.ask(0, piece)
	if err != nil {
		return nil, fmt.Errorf("remote: %w", err)
	}
	switch resp.StatusCode {
	case http.StatusOK:
		return resp.Body, nil
	case http.StatusRequestedRangeNotSatisfiable: // of an empty file
		return f, resp.Body.Close()
	case http.StatusPartialContent:
	default:
		return nil, errors.Join(fmt.Errorf("remote: %s: the server answers %s", url, resp.Status), resp.Body.Close())
	}
	_, total, ok := strings.Cut(resp.Header.Get("Content-Range"), "/")
	f.size, err = strconv.ParseInt(total, 10, 64)
	if !ok || err != nil {
		return nil, errors.Join(fmt.Errorf("remote: %s: the server does not say how long the file is: Content-Range %q", url, resp.Header.Get("Content-Range")), resp.Body.Close())
	}
	if f.valid = resp.Header.Get("ETag"); f.valid == "" || strings.HasPrefix(f.valid, "W/") {
		f.valid = resp.Header.Get("Last-Modified")
	}
	f.buf, err = io.ReadAll(io.LimitReader(resp.Body, piece))
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		f.buf = nil // the first Read asks again
	}
	return f, nil
}

func (f *File) ask(from, n int64) (*http.Response, error) {
	req, err := http.NewRequestWithContext(f.ctx, http.MethodGet, f.url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", from, from+n-1))
	req.Header.Set("Accept-Encoding", "identity") // offsets are those of the file
	if f.valid != "" {
		req.Header.Set("If-Range", f.valid)
	}
	return f.client.Do(req)
}

// Size returns the length of the file in bytes.
func (f *File) Size() int64 { return f.size }

// Close forgets what was read.
func (f *File) Close() error {
	f.buf = nil
	return nil
}

// Read implements io.Reader.
func (f *File) Read(p []byte) (int, error) {
	if f.at >= f.size {
		return 0, io.EOF
	}
	if f.at < f.from || f.at >= f.from+int64(len(f.buf)) {
		if err := f.load(f.at); err != nil {
			return 0, err
		}
	}
	n := copy(p, f.buf[f.at-f.from:])
	f.at += int64(n)
	return n, nil
}

// ReadAt implements io.ReaderAt.
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	at := f.at
	defer func() { f.at = at }()
	f.at = off
	n, err := io.ReadFull(f, p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}

// Seek implements io.Seeker.
func (f *File) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += f.at
	case io.SeekEnd:
		offset += f.size
	}
	if offset < 0 {
		return 0, fmt.Errorf("remote: seek %s: offset %d", f.url, offset)
	}
	f.at = offset
	return offset, nil
}

func (f *File) load(from int64) error {
	var err error
	for range tries {
		if err = f.loadOnce(from); err == nil || f.ctx.Err() != nil {
			break
		}
	}
	return err
}

func (f *File) loadOnce(from int64) (err error) {
	want := min(piece, f.size-from)
	resp, err := f.ask(from, want)
	if err != nil {
		return fmt.Errorf("remote: %w", err)
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	switch {
	case resp.StatusCode == http.StatusOK:
		return fmt.Errorf("remote: %s: the file was changed on the server while it was read; read it again from its beginning", f.url)
	case resp.StatusCode != http.StatusPartialContent:
		return fmt.Errorf("remote: %s: the server answers %s for bytes from %d on", f.url, resp.Status, from)
	case !strings.HasPrefix(resp.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", from)):
		return fmt.Errorf("remote: %s: the server gives %q, not bytes from %d on", f.url, resp.Header.Get("Content-Range"), from)
	}
	buf, err := io.ReadAll(io.LimitReader(resp.Body, want))
	if err != nil && len(buf) == 0 {
		return fmt.Errorf("remote: %s: %w", f.url, err)
	}
	if len(buf) == 0 {
		return fmt.Errorf("remote: %s: the server gives no bytes from %d on: %w", f.url, from, io.ErrUnexpectedEOF)
	}
	f.buf, f.from = buf, from
	return nil
}
