package benchweb

import (
	"bytes"
	"net/http"
	"reflect"
	"testing"
)

// A recrawl is measured on the same web, later: the share of contents is new, everything else is the same to the byte.
func TestChanged(t *testing.T) {
	was, is := small(t, nil), small(t, func(p *Params) { p.Changed = 0.2 })
	changed := 0
	for id := range was.p.Resources {
		if a, b := was.Resource(id), is.Resource(id); !reflect.DeepEqual(a, b) {
			t.Fatalf("%+v became %+v", a, b)
		}
		a, b := payload(was, id, true), payload(is, id, true)
		if bytes.Equal(a, b) {
			continue
		}
		changed++
		if n := is.nodeOf(id); n.kind == Redirect || n.kind == JPEG && bytes.Equal(a[len(a)-500:], b[len(b)-500:]) {
			t.Errorf("%s: %s", is.Resource(id).URL, n.kind)
		}
	}
	if share := float64(changed) / float64(was.p.Resources); share < 0.15 || share > 0.25 {
		t.Errorf("%d of %d changed", changed, was.p.Resources)
	}
}

// What the answers to conditional requests are, of servers of each habit.
func TestValidators(t *testing.T) {
	for _, c := range []struct {
		habit                       Validators
		etag, date                  bool
		byETag, byDate, byDifferent int
	}{
		{DateOnly, false, true, 200, 200, 200},
		{NoValidators, false, false, 200, 200, 200},
		{ETags, true, true, 304, 304, 200},
	} {
		t.Run(string(c.habit), func(t *testing.T) {
			web := small(t, func(p *Params) { p.Validators = c.habit })
			later := small(t, func(p *Params) { p.Validators, p.Changed = c.habit, 1 })
			first, second := serve(t, web), serve(t, later)
			u := web.url(0, 0)
			_, h, _ := get(t, client(t, first), u)
			if got := h.Get("ETag") != ""; got != c.etag {
				t.Errorf("ETag %q", h.Get("ETag"))
			}
			if got := h.Get("Last-Modified") != ""; got != c.date {
				t.Errorf("Last-Modified %q", h.Get("Last-Modified"))
			}
			ask := func(s *Server, want int, fields ...string) {
				t.Helper()
				req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, u, nil)
				if err != nil {
					t.Fatal(err)
				}
				for i := 0; i < len(fields); i += 2 {
					req.Header.Set(fields[i], fields[i+1])
				}
				resp, err := client(t, s).Do(req)
				if err != nil {
					t.Fatal(err)
				}
				if err := resp.Body.Close(); err != nil || resp.StatusCode != want {
					t.Errorf("%q: %s %v, want %d", fields, resp.Status, err, want)
				}
			}
			ask(first, c.byETag, "If-None-Match", h.Get("ETag"), "If-Modified-Since", h.Get("Last-Modified"))
			ask(first, c.byDate, "If-Modified-Since", h.Get("Last-Modified"))
			ask(first, c.byDifferent, "If-None-Match", `"another"`, "If-Modified-Since", h.Get("Last-Modified"))
			ask(second, 200, "If-None-Match", h.Get("ETag"), "If-Modified-Since", h.Get("Last-Modified"))
			if n := first.Stats().Unmodified; (n == 2) != (c.byETag == 304) {
				t.Errorf("%d answers with 304", n)
			}
		})
	}
}
