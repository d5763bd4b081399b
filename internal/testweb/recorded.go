package testweb

import (
	"bufio"
	"bytes"
	"crypto/sha1" // the digest of WARC files, not a secret
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/textproto"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"exclave/warc"
)

// Capture is the truth about one URL of a [Recorded] web.
type Capture struct {
	URL      string
	Status   int
	Type     string // Content-Type as recorded
	Location string // as recorded, may be relative
	// Payload is the SHA-1 in base32 of the body as it goes over the wire;
	// Entity the same without chunked transfer coding (WARC 1.1 §5.9).
	Payload, Entity string
	// Exact is false when headers had to be changed: a status line of HTTP/2,
	// or a length or transfer coding that the stored body contradicts.
	Exact bool
}

// Recorded is a web of recorded answers, held in memory.
type Recorded struct {
	pages map[string]Page
	truth map[string]Capture
	hosts map[string]bool
}

// FromWARC reads WARC files, plain or a gzip member per record, into a web
// that serves of each URL the last answer with status 200 or a redirect, or
// when there is none the last of any status. Records that are not HTTP
// responses are passed over; a file that cannot be read to its end is an error.
func FromWARC(paths ...string) (*Recorded, error) {
	rec := newRecorded()
	for _, path := range paths {
		if err := rec.read(path); err != nil {
			return nil, fmt.Errorf("testweb: read %s: %w", path, err)
		}
	}
	return rec, nil
}

func newRecorded() *Recorded {
	return &Recorded{pages: make(map[string]Page), truth: make(map[string]Capture), hosts: make(map[string]bool)}
}

// Host implements [Web].
func (rec *Recorded) Host(name string) http.Handler {
	if !rec.hosts[name] {
		return nil
	}
	return rec
}

// ServeHTTP implements [http.Handler] for every recorded host.
func (rec *Recorded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	page, ok := rec.pages[URL(r)]
	if !ok {
		page = NotFound()
	}
	page.ServeHTTP(w, r)
}

// Truth returns what is served, sorted by URL.
func (rec *Recorded) Truth() []Capture {
	all := make([]Capture, 0, len(rec.truth))
	for _, c := range rec.truth {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b Capture) int { return strings.Compare(a.URL, b.URL) })
	return all
}

func (rec *Recorded) read(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	r := warc.NewReader(f)
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if e.Type() != warc.TypeResponse {
			continue
		}
		block, err := io.ReadAll(e.Block)
		if err != nil {
			return err
		}
		rec.add(e.TargetURI(), block)
	}
}

// add keeps an answer, unless a better one is known, and reports whether it is
// one that can be served.
func (rec *Recorded) add(target string, block []byte) bool {
	u, err := url.Parse(target)
	status := wireStatus(block)
	if err != nil || u.Host == "" || status == 0 {
		return false
	}
	scheme, port := strings.ToLower(u.Scheme), map[string]string{"http": ":80", "https": ":443"}[u.Scheme]
	key := scheme + "://" + strings.TrimSuffix(strings.ToLower(u.Host), port) + u.RequestURI()
	if old, ok := rec.truth[key]; ok && wanted(old.Status) && !wanted(status) {
		return true
	}
	page, c := replayable(block)
	c.URL, c.Status = key, status
	rec.pages[key], rec.truth[key] = page, c
	rec.hosts[strings.ToLower(u.Hostname())] = true
	return true
}

func wanted(status int) bool { return status == http.StatusOK || status/100 == 3 && status != 304 }

// replayable makes of a recorded answer one that a client can delimit, with the
// body untouched and the header too where that is possible.
func replayable(block []byte) (Page, Capture) {
	head, body, _ := bytes.Cut(block, []byte("\r\n\r\n"))
	lines := strings.Split(string(head), "\r\n")
	field := func(name string) string {
		for _, l := range lines[1:] {
			if k, v, ok := strings.Cut(l, ":"); ok && strings.EqualFold(k, name) {
				return strings.TrimSpace(v)
			}
		}
		return ""
	}
	c := Capture{Type: field("Content-Type"), Location: field("Location"), Payload: digest(body), Entity: digest(body), Exact: true}
	page := Page{Raw: string(block), After: Keep}
	length := field("Content-Length")
	chunked := strings.EqualFold(field("Transfer-Encoding"), "chunked")
	if entity, ok := dechunk(body); chunked && ok {
		c.Entity = digest(entity)
	} else if chunked || length != "" && length != strconv.Itoa(len(body)) {
		c.Exact = false
		lines = slices.DeleteFunc(lines, func(l string) bool {
			k, _, _ := strings.Cut(strings.ToLower(l), ":")
			return k == "transfer-encoding" || k == "content-length"
		})
		lines = append(lines, "Content-Length: "+strconv.Itoa(len(body)))
	} else if length == "" && bodyAllowed(wireStatus(block)) {
		page.After = Shut
	}
	if version, rest, _ := strings.Cut(lines[0], " "); version != "HTTP/1.1" && version != "HTTP/1.0" {
		c.Exact = false
		lines[0] = "HTTP/1.1 " + rest
	}
	if !c.Exact {
		page.Raw = strings.Join(lines, "\r\n") + "\r\n\r\n" + string(body)
	}
	return page, c
}

// dechunk decodes a chunked body; ok is false when it is not one from its first
// byte to its last.
func dechunk(body []byte) (entity []byte, ok bool) {
	br := bufio.NewReader(bytes.NewReader(body))
	entity, err := io.ReadAll(httputil.NewChunkedReader(br))
	if err != nil {
		return nil, false
	}
	_, err = textproto.NewReader(br).ReadMIMEHeader() // trailers and the empty line
	return entity, err == nil && br.Buffered() == 0
}

func digest(b []byte) string {
	sum := sha1.Sum(b)
	return base32.StdEncoding.EncodeToString(sum[:])
}
