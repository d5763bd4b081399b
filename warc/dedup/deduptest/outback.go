package deduptest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"exclave/internal/urlx"
)

// Outback is a server of what the documentation of OutbackCDX says of a collection, "nation": POST takes lines of CDX 11, GET answers with them. OutbackCDX
// itself is in no package registry. What its documentation does not say, Outback refuses.
type Outback struct {
	// URL is the address of the collection.
	URL string

	mu       sync.Mutex
	lines    map[string][]string // sorted, by the key of their address
	failing  int                 // requests that fail before one is taken
	posts    int
	queries  []url.Values
	answer   http.HandlerFunc // of GET, nil: as it should be
	login    string           // user:password, "" for none
	listener *httptest.Server
}

// StartOutback starts a server without a capture, which ends with the test.
func StartOutback(t testing.TB) *Outback {
	o := &Outback{lines: map[string][]string{}}
	o.listener = httptest.NewServer(o)
	t.Cleanup(o.listener.Close)
	o.URL = o.listener.URL + "/nation"
	return o
}

// Fail lets so many requests fail.
func (o *Outback) Fail(requests int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.failing = requests
}

// Answer lets GET be answered by another; nil ends it.
func (o *Outback) Answer(h http.HandlerFunc) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.answer = h
}

// Demand lets only requests with name:password be answered.
func (o *Outback) Demand(login string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.login = login
}

// Lines returns the captures, sorted.
func (o *Outback) Lines() (lines []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, some := range o.lines {
		lines = append(lines, some...)
	}
	slices.Sort(lines)
	return lines
}

// Feed posts lines of CDX 11.
func (o *Outback) Feed(lines string) error {
	resp, err := o.listener.Client().Post(o.URL, "text/plain", strings.NewReader(lines))
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("the server answers %s", resp.Status)
	}
	return errors.Join(err, resp.Body.Close())
}

// Posts returns how often it was fed.
func (o *Outback) Posts() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.posts
}

// Queries returns what was asked.
func (o *Outback) Queries() []url.Values {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.queries)
}

// ServeHTTP implements [http.Handler].
func (o *Outback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.handler(r)(w, r)
}

// handler decides who answers.
func (o *Outback) handler(r *http.Request) http.HandlerFunc {
	o.mu.Lock()
	defer o.mu.Unlock()
	feeds := r.Method == http.MethodPost
	if feeds {
		o.posts++
	} else {
		o.queries = append(o.queries, r.URL.Query())
	}
	user, password, _ := r.BasicAuth()
	fail := func(status int, why string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, why, status) }
	}
	switch {
	case o.failing > 0:
		o.failing--
		return fail(http.StatusServiceUnavailable, "busy")
	case o.login != "" && user+":"+password != o.login:
		return fail(http.StatusUnauthorized, "who are you")
	case r.URL.Path != "/nation":
		return fail(http.StatusNotFound, "Collection does not exist")
	case feeds:
		return o.post
	case o.answer != nil:
		return o.answer
	}
	return o.query
}

// post takes lines of CDX, with a header line or without; a line that is none is refused, with what was said of it, and those before it stay.
func (o *Outback) post(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	n := 0
	for line := range strings.Lines(string(body)) {
		if strings.HasPrefix(line, " CDX") {
			continue
		}
		fields := strings.Fields(line)
		if len(fields) != 11 {
			http.Error(w, "cannot parse: "+line, http.StatusBadRequest)
			return
		}
		key, line := urlx.CDXKeyOf(fields[2]), strings.TrimSuffix(line, "\n") // it makes keys of its own
		if at, has := slices.BinarySearch(o.lines[key], line); !has {
			o.lines[key] = slices.Insert(o.lines[key], at, line)
		}
		n++
	}
	fmt.Fprintf(w, "Added %d records\n", n)
}

// columns are the fields of CDX 11 by the names that OutbackCDX knows.
func columns() map[string]int {
	return map[string]int{"urlkey": 0, "timestamp": 1, "original": 2, "url": 2, "mimetype": 3, "mime": 3, "statuscode": 4, "status": 4, "digest": 5, "redirecturl": 6, "robotflags": 7, "length": 8, "offset": 9, "filename": 10}
}

// query answers with the captures of an address, the earliest first. A filter is an expression for a whole field; "!" turns it round.
func (o *Outback) query(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	refuse := func(format string, a ...any) {
		http.Error(w, fmt.Sprintf(format, a...), http.StatusInternalServerError)
	}
	type filter struct {
		column int
		not    bool
		is     *regexp.Regexp
	}
	var filters []filter
	for _, spec := range q["filter"] {
		m := regexp.MustCompile(`^(!)?(\w+):(.*)$`).FindStringSubmatch(spec)
		if m == nil {
			refuse("Invalid filter: %s", spec)
			return
		}
		column, known := columns()[m[2]]
		is, err := regexp.Compile("^(?:" + m[3] + ")$")
		if !known || err != nil {
			refuse("no such capture field or expression: %s", spec)
			return
		}
		filters = append(filters, filter{column, m[1] != "", is})
	}
	fields := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	if fl := q.Get("fl"); fl != "" {
		fields = nil
		for _, name := range strings.Split(fl, ",") {
			column, known := columns()[name]
			if !known {
				refuse("no such capture field: %s", name)
				return
			}
			fields = append(fields, column)
		}
	}
	limit := 1 << 30
	if text := q.Get("limit"); text != "" {
		var err error
		if limit, err = strconv.Atoi(text); err != nil {
			refuse("limit: %s", text)
			return
		}
	}
	if q.Get("url") == "" || q.Get("matchType") != "exact" {
		refuse("only url= with matchType=exact is tested")
		return
	}
	o.mu.Lock()
	lines := slices.Clone(o.lines[urlx.CDXKeyOf(q.Get("url"))])
	o.mu.Unlock()
	var found [][]string
	for _, line := range lines {
		c := strings.Fields(line)
		c[5] = strings.TrimPrefix(c[5], "sha1:") // as it is kept
		if c[1] < q.Get("from") || q.Get("to") != "" && c[1] > q.Get("to") ||
			slices.ContainsFunc(filters, func(f filter) bool { return f.is.MatchString(c[f.column]) == f.not }) {
			continue
		}
		found = append(found, c)
	}
	slices.SortFunc(found, slices.Compare)
	for _, c := range found[:min(limit, len(found))] {
		var line []string
		for _, f := range fields {
			line = append(line, c[f])
		}
		fmt.Fprintln(w, strings.Join(line, " "))
	}
}
