package control_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"exclave/internal/control"
	"exclave/internal/job/question"
	"exclave/internal/job/seeds"
	"exclave/internal/testweb"
)

// Whatever is asked on the socket, the crawl answers: what was asked wrongly is the
// asker's fault (4xx, with words), never the crawl's (5xx), and JSON is whole.
func FuzzQueries(f *testing.F) {
	for _, s := range [][2]string{
		{"GET /snapshot", ""}, {"GET /show?url=http://a.test/", ""}, {"GET /show?url=robots:", ""}, {"GET /show?url=dns:%00", ""}, {"GET /show", ""},
		{"POST /pause", ""}, {"POST /resume", ""}, {"GET /why?url=http://a.test/held", ""}, {"GET /why", ""}, {"GET /why?url=%zz", ""},
		{"GET /frontier?top=3", ""}, {"GET /frontier?top=-1", ""}, {"GET /frontier?top=99999999999999999999", ""}, {"GET /frontier?top=9223372036854775807", ""}, {"GET /frontier?top=7000000000000000000", ""},
		{"GET /frontier/queue?host=a.test", ""}, {"GET /frontier/queue?host=http://[", ""}, {"GET /frontier/uris?regex=(", ""}, {"GET /frontier/uris?surt=http://(test,&limit=1", ""},
		{"GET /frontier/uris?limit=9223372036854775807", ""}, {"POST /frontier/delete", ""}, {"POST /frontier/delete?host=a.test", ""}, {"POST /frontier/delete?regex=((((a%2B)%2B)%2B)%2B)b", ""},
		{"GET /report/hosts-report", ""}, {"GET /report/..%2fjob.toml", ""}, {"GET /report/", ""}, {"POST /seeds?name=x&format=list", "http://a.test/x\n"},
		{"POST /seeds?status=a", ""}, {"POST /seeds?format=nothing", ""}, {"POST /seeds?source=%00%1b", "\x00\n\xff http://u:p@x/"}, {"POST /checkpoint?name=../x", ""},
		{"POST /retry?status=4xx,-6&since=2026-01-01T00:00:00Z", ""},
		{"POST /retry?status=-9999999999", ""}, {"POST /retry?since=never", ""}, {"POST /retry?dry=1&regex=[", ""}, {"DELETE /snapshot", ""}, {"GET /../state", ""}, {"OPTIONS *", ""}, {"GET //", ""},
	} {
		f.Add(s[0], []byte(s[1]))
	}
	r := open(f, testweb.Tiny{"http://a.test/held": testweb.National("/a", "/b")}, "")
	r.run(f.Context())
	f.Cleanup(func() {
		r.Stop()
		_ = errors.Join(<-r.ended, r.server.Close(), r.Close())
	})
	h := r.server.Handler()
	f.Fuzz(func(t *testing.T, line string, body []byte) {
		method, target, _ := strings.Cut(line, " ")
		u, err := url.ParseRequestURI(target)
		if err != nil || u.Host != "" {
			return
		}
		if u.Path == "/checkpoint" && u.Query().Get("name") != "../x" {
			return // makes one, of files
		}
		req, err := http.NewRequestWithContext(t.Context(), method, "http://crawl/", bytes.NewReader(body))
		if err != nil {
			return
		}
		req.URL, req.RequestURI = u, target
		w := httptest.NewRecorder()
		h.ServeHTTP(w, req)
		if w.Code >= 500 {
			t.Errorf("%s: %d %s", line, w.Code, w.Body)
		}
		if w.Code >= 400 && strings.Contains(w.Header().Get("Content-Type"), "json") {
			var no struct{ Error string }
			if err := json.Unmarshal(w.Body.Bytes(), &no); err != nil || no.Error == "" {
				t.Errorf("%s: %d without words: %s", line, w.Code, w.Body)
			}
		}
		if w.Code == http.StatusOK && w.Header().Get("Content-Type") == "application/json" && !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s: no JSON: %s", line, w.Body)
		}
	})
}

// answers is a crawl that gives one answer to everything.
type answers struct {
	code int
	body []byte
}

// RoundTrip implements [http.RoundTripper].
func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_, _ = io.Copy(io.Discard, r.Body)
	}
	return &http.Response{StatusCode: a.code, Status: http.StatusText(a.code), Body: io.NopCloser(bytes.NewReader(a.body)), Request: r, Header: http.Header{}}, nil
}

// Whatever answers on a socket, which may be a program of another version or none of
// ours, the client has a value or an error, and the error of a refusal has words.
func FuzzAnswers(f *testing.F) {
	for _, s := range []string{"", "{}", "null", "[]", "1", `{"error":"x"}`, `{"state":"running","time":"x"}`, `{"deleted":-1}`, `{"queues":null}`,
		`{"accepted":1,"failed":"x","rejected":{"a":9223372036854775808}}`, `{"time":"2026-11-21T05:12:08.802Z","files":[{"path":"../x"}]}`, "\x00\xff", `{"a":` + strings.Repeat("[", 20_000)} {
		f.Add(200, []byte(s))
		f.Add(404, []byte(s))
	}
	f.Fuzz(func(t *testing.T, code int, body []byte) {
		if code < 200 || code > 599 || code >= 300 && code < 400 {
			return
		}
		c := control.NewClient(answers{code, body})
		ctx := t.Context()
		var w bytes.Buffer
		errs := make(map[string]error)
		_, errs["snapshot"] = c.Snapshot(ctx)
		_, errs["pause"] = c.Pause(ctx)
		_, errs["why"] = c.Why(ctx, "http://a.test/")
		_, errs["frontier"] = c.Frontier(ctx, 3)
		_, errs["queue"] = c.Queue(ctx, "a.test")
		errs["waiting"] = c.WritePending(ctx, question.Filter{Host: "a.test"}, 1, &w)
		_, errs["delete"] = c.Delete(ctx, question.Filter{Host: "a.test"})
		_, errs["seeds"] = c.ImportSeeds(ctx, strings.NewReader("http://a.test/\n"), "x", seeds.ImportOptions{})
		_, errs["checkpoint"] = c.Checkpoint(ctx, "x")
		_, errs["retry"] = c.Retry(ctx, question.Retry{})
		_, errs["show"] = c.Show(ctx, "http://a.test/", true)
		for what, err := range errs {
			var no *control.Error
			if code != 200 && (!errors.As(err, &no) || no.Code != code) {
				t.Errorf("%s: %d is %v", what, code, err)
			}
			if err != nil && err.Error() == "" {
				t.Errorf("%s: no words", what)
			}
		}
	})
}
