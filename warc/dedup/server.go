package dedup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"exclave/internal/urlx"
	"exclave/warc"
)

// ServerConfig says which server is asked, and how.
type ServerConfig struct {
	// URL is the address of a collection of OutbackCDX (http://host:8080/COLLECTION), or of the index of a collection of pywb
	// (http://host:8080/COLLECTION/cdx): [urlx.ParseService] takes it.
	URL string
	// Login is sent with each question (RFC 7617), nil: none.
	Login *url.Userinfo
	// Timeout is how long a question may take, more than 0.
	Timeout time.Duration
	// Connections is how many are kept open, at least 1: as many as questions are asked at the same time.
	Connections int
}

// Server asks a server of an index of captures by the CDX server API, as OutbackCDX and pywb have it (docs/adr/0080). It knows captures
// by their address only. Its methods may be called by several goroutines. Close it.
type Server struct {
	at      *url.URL
	login   *url.Userinfo
	timeout time.Duration
	client  *http.Client
}

// ErrServer is wrapped by errors of a server that does not answer, or not as one of an index of captures does.
var ErrServer = errors.New("the CDX server does not answer as it should")

// NewServer returns a server that has not been asked yet.
func NewServer(c ServerConfig) (*Server, error) {
	at, err := urlx.ParseService(c.URL)
	if err != nil {
		return nil, fmt.Errorf("dedup: %w", err)
	}
	t := &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: c.Connections, IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: 64 << 10}
	return &Server{at: at, login: c.Login, timeout: c.Timeout,
		client: &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}, nil
}

// String returns the address.
func (s *Server) String() string { return s.at.String() }

// Close closes the connections.
func (s *Server) Close() { s.client.CloseIdleConnections() }

// Find returns the earliest answer of an address with a digest that the server names, with only demanded; else, if there is none, another
// with that digest that it names beside. Digests that are not SHA-1 are not asked for. An error wraps [ErrServer], or is that of ctx.
func (s *Server) Find(ctx context.Context, digest, address string, only bool) (o Original, ok bool, err error) {
	c, usable := ParseContent(digest, false)
	if !usable {
		return o, false, nil
	}
	key, here := urlx.CDXKeyOf(address), false
	err = s.ask(ctx, c, address, nil, func(got Original) {
		is := urlx.CDXKeyOf(got.URL) == key
		if is && !here || !ok && !only {
			o, ok, here = got, true, is
		}
	})
	return o, ok && err == nil, err
}

// Has reports whether the server names an answer with an address, a digest and, to the second, a date. Errors are those of Find.
func (s *Server) Has(ctx context.Context, o Original) (found bool, err error) {
	c, usable := ParseContent(o.Digest, false)
	if !usable {
		return false, nil
	}
	second := o.Date.UTC().Truncate(time.Second)
	stamp := second.Format("20060102150405")
	err = s.ask(ctx, c, o.URL, url.Values{"from": {stamp}, "to": {stamp}}, func(got Original) {
		found = found || got.URL == o.URL && got.Date.Equal(second)
	})
	return found && err == nil, err
}

// Bounds of an answer.
const (
	mostCaptures = 100
	mostAnswer   = 1 << 20 // bytes
)

// ask asks for the responses with an address and some content, and calls each for those that are.
func (s *Server) ask(ctx context.Context, c Content, address string, more url.Values, each func(Original)) error {
	within, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	err := s.request(within, c, address, more, each)
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("dedup: %w: %w", ErrServer, err)
	}
	return nil
}

// request makes a request that both kinds of servers understand. pywb filters by a part of a field, OutbackCDX by an expression for all of
// it: base32 is the same to both.
func (s *Server) request(ctx context.Context, c Content, address string, more url.Values, each func(Original)) error {
	q := s.at.Query()
	for name, values := range more {
		q[name] = values
	}
	q.Set("url", address)
	q.Set("matchType", "exact") // else a star at its end stands for anything
	q.Set("limit", strconv.Itoa(mostCaptures))
	q.Set("fl", "urlkey,timestamp,url,mime,status,digest")
	q["filter"] = []string{"digest:" + strings.TrimPrefix(warc.Label(c.sum[:]), "sha1:"), "!mime:warc/revisit"}
	u := *s.at
	u.RawQuery = q.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return err
	}
	if s.login != nil {
		password, _ := s.login.Password()
		req.SetBasicAuth(s.login.Username(), password)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		var short *url.Error // the whole address says nothing more
		if errors.As(err, &short) {
			err = short.Err
		}
		return fmt.Errorf("%s: %w", s.at, err)
	}
	err = s.read(resp, c, each)
	if err != nil {
		err = fmt.Errorf("%s: %w", s.at, err)
	}
	return errors.Join(err, resp.Body.Close())
}

// read reads an answer: lines of CDXJ or CDX.
func (s *Server) read(resp *http.Response, c Content, each func(Original)) error {
	body := &io.LimitedReader{R: resp.Body, N: mostAnswer + 1}
	if resp.StatusCode != http.StatusOK {
		said, err := io.ReadAll(io.LimitReader(body, 200))
		return errors.Join(fmt.Errorf("it answers %s: %q", resp.Status, said), err)
	}
	n, err := FromCDX(body, func(got Content, o *Original) error {
		if got == c {
			each(*o)
		}
		return nil
	})
	switch {
	case err != nil && body.N > 0:
		return err
	case body.N == 0:
		return fmt.Errorf("the answer is longer than %d bytes", mostAnswer)
	case n.Bad > 0:
		return fmt.Errorf("%d of %d lines are neither CDXJ nor CDX", n.Bad, n.Lines)
	}
	return nil
}

// Logins are names and passwords for servers, by scheme, host and port.
type Logins map[string]*url.Userinfo

// ReadLogins reads a file with a line for each server, https://name:password@host:port/; what is behind that is of no matter. Empty lines and those
// that begin with # are left out. Errors name the line, and nothing that stands there.
func ReadLogins(file string) (Logins, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("dedup: %w", err)
	}
	all := Logins{}
	for i, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		u, err := url.Parse(line)
		if err != nil || u.Host == "" || u.User == nil {
			return nil, fmt.Errorf("dedup: %s: line %d is not https://name:password@host/", file, i+1)
		}
		all[u.Scheme+"://"+u.Host] = u.User
	}
	return all, nil
}

// Of returns what is for a server, nil when there is nothing.
func (l Logins) Of(server string) *url.Userinfo {
	u, err := url.Parse(server)
	if err != nil {
		return nil
	}
	return l[u.Scheme+"://"+u.Host]
}
