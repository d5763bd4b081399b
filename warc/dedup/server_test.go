package dedup_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"exclave/warc/dedup"
	"exclave/warc/dedup/deduptest"
)

// fed returns a server with captures, lines of CDX 11.
func fed(t testing.TB, lines ...string) *deduptest.Outback {
	t.Helper()
	o := deduptest.StartOutback(t)
	must(t, o.Feed(strings.Join(lines, "\n")+"\n"))
	if got := o.Lines(); len(got) != len(lines) {
		t.Fatalf("fed with %q", got)
	}
	return o
}

func capture(key, stamp, url, mime, digest string) string {
	return strings.Join([]string{key, stamp, url, mime, "200", strings.TrimPrefix(digest, "sha1:"), "- - 100 0 f.warc.gz"}, " ")
}

func server(t testing.TB, c dedup.ServerConfig) *dedup.Server {
	t.Helper()
	c.Connections = 2
	if c.Timeout == 0 {
		c.Timeout = time.Minute
	}
	s, err := dedup.NewServer(c)
	must(t, err)
	t.Cleanup(s.Close)
	return s
}

// What a server has at an address, with that digest, is found; the earliest, and no revisit record.
func TestServer(t *testing.T) {
	t.Parallel()
	x, y := sum("x"), sum("y")
	o := fed(t, capture("cz,a)/", "20200102030405", "http://a.cz/", "image/png", x), capture("cz,a)/", "20190102030405", "http://a.cz/", "warc/revisit", x),
		capture("cz,a)/", "20210102030405", "https://www.a.cz/", "image/png", x), capture("cz,b)/", "20180102030405", "http://b.cz/", "image/png", x))
	s := server(t, dedup.ServerConfig{URL: o.URL})
	want := dedup.Original{URL: "http://a.cz/", Date: day, Digest: x}
	for _, c := range []struct {
		digest, url string
		ok          bool
	}{
		{x, "http://a.cz/", true}, {strings.ToLower(strings.TrimPrefix(x, "sha1:")), "https://www.a.cz", true},
		{y, "http://a.cz/", false}, {x, "http://a.cz/*", false}, {x, "http://none.cz/", false}, {"sha256:ab", "http://a.cz/", false}, {"", "http://a.cz/", false},
	} {
		for _, only := range []bool{false, true} {
			got, ok, err := s.Find(t.Context(), c.digest, c.url, only)
			if err != nil || ok != c.ok || ok && got != want {
				t.Errorf("%s %s %v: %+v %v %v", c.digest, c.url, only, got, ok, err)
			}
		}
	}
	for n, q := range o.Queries() {
		if q.Get("matchType") != "exact" || len(q["filter"]) != 2 || q.Get("limit") == "" || n > 9 {
			t.Errorf("question %d: %v", n, q)
		}
	}
	later := dedup.Original{URL: "https://www.a.cz/", Date: time.Date(2021, 1, 2, 3, 4, 5, 999e6, time.UTC), Digest: x}
	for i, c := range []struct {
		o  dedup.Original
		ok bool
	}{{want, true}, {later, true}, {dedup.Original{URL: later.URL, Date: day, Digest: x}, false}, {dedup.Original{URL: want.URL, Date: day, Digest: y}, false},
		{dedup.Original{URL: want.URL, Date: day.Add(-365 * 24 * time.Hour), Digest: x}, false}, {dedup.Original{URL: want.URL, Date: day, Digest: "md5:x"}, false}} {
		if ok, err := s.Has(t.Context(), c.o); err != nil || ok != c.ok {
			t.Errorf("has %d: %v %v", i, ok, err)
		}
	}
}

// What pywb answers is CDXJ, also of captures that are only about the same, which nobody asked for: taken where any address will do.
func TestServerAnswers(t *testing.T) {
	t.Parallel()
	x, y := sum("x"), sum("y")
	line := func(url, digest, more string) string {
		return fmt.Sprintf(`cz,a)/ 20200102030405 {"url": %q, "mime": "image/png", "status": "200", "digest": %q%s}`+"\n", url, digest, more)
	}
	o := deduptest.StartOutback(t)
	s := server(t, dedup.ServerConfig{URL: o.URL})
	for _, c := range []struct {
		why, answer string
		status      int
		only        bool
		want        string // address, "" for none
		bad         string // part of the error
	}{
		{"CDXJ", line("http://a.cz/", x, `, "access": "allow"`), 200, true, "http://a.cz/", ""},
		{"no capture", "", 200, false, "", ""},
		{"another digest", line("http://a.cz/", y, `, "is_fuzzy": "1"`), 200, false, "", ""},
		{"another address, which will not do", line("http://a.cz/?v=1", x, ""), 200, true, "", ""},
		{"another address", line("http://a.cz/?v=1", x, ""), 200, false, "http://a.cz/?v=1", ""},
		{"the address itself is preferred", line("http://a.cz/?v=1", x, "") + line("http://a.cz/", x, ""), 200, false, "http://a.cz/", ""},
		{"a page", "<!DOCTYPE html>\n<p>no index\n", 200, false, "", "CDXJ"},
		{"a page behind a capture", line("http://a.cz/", x, "") + "<p>no index\n", 200, false, "", "1 of 2 lines"},
		{"a failure", "Collection does not exist", 404, false, "", "404 Not Found: \"Collection does not exist\""},
		{"a redirect is not followed", "", 302, false, "", "302"},
		{"too much", strings.Repeat(line("http://a.cz/", x, ""), 20_000), 200, false, "", "longer than"},
		{"too long a line", strings.Repeat("x", 3<<20), 200, false, "", "longer than"},
	} {
		o.Answer(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", o.URL)
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte(c.answer)) // the client may have enough
		})
		got, ok, err := s.Find(t.Context(), x, "http://a.cz/", c.only)
		if ok != (c.want != "") || got.URL != c.want && ok || (err != nil) != (c.bad != "") {
			t.Errorf("%s: %+v %v %v", c.why, got, ok, err)
		}
		if err != nil && (!errors.Is(err, dedup.ErrServer) || !strings.Contains(err.Error(), c.bad) || !strings.Contains(err.Error(), o.URL)) {
			t.Errorf("%s: %v", c.why, err)
		}
	}
	o.Answer(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	if _, _, err := server(t, dedup.ServerConfig{URL: o.URL, Timeout: time.Millisecond}).Find(t.Context(), x, "http://a.cz/", false); !errors.Is(err, dedup.ErrServer) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("without an answer: %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, _, err := s.Find(ended, x, "http://a.cz/", false); !errors.Is(err, context.Canceled) || errors.Is(err, dedup.ErrServer) {
		t.Errorf("given up: %v", err)
	}
}

// Names and passwords come from a file, for the server that they are for; nothing of them is in an error.
func TestServerLogins(t *testing.T) {
	t.Parallel()
	x := sum("x")
	o := fed(t, capture("cz,a)/", "20200102030405", "http://a.cz/", "image/png", x))
	o.Demand("reader:s3:cret")
	file := filepath.Join(t.TempDir(), "logins")
	must(t, os.WriteFile(file, []byte("# servers\n\nhttps://other:word@cdx.cz:8080/x\n"+strings.Replace(o.URL, "http://", "http://reader:s3%3Acret@", 1)+"\n"), 0o600))
	logins, err := dedup.ReadLogins(file)
	must(t, err)
	if _, ok, err := server(t, dedup.ServerConfig{URL: o.URL, Login: logins.Of(o.URL)}).Find(t.Context(), x, "http://a.cz/", true); err != nil || !ok {
		t.Errorf("%v %v", ok, err)
	}
	_, _, err = server(t, dedup.ServerConfig{URL: o.URL, Login: logins.Of("https://cdx.cz:8080/x")}).Find(t.Context(), x, "http://a.cz/", true)
	if !errors.Is(err, dedup.ErrServer) || strings.Contains(err.Error(), "word") {
		t.Errorf("with the login of another: %v", err)
	}
	if logins.Of("http://cdx.cz:8080/x") != nil {
		t.Error("a password for https is sent in clear")
	}
	must(t, os.WriteFile(file, []byte("http://reader:s3cret@[/\n"), 0o600))
	if _, err := dedup.ReadLogins(file); err == nil || strings.Contains(err.Error(), "s3cret") || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("%v", err)
	}
	for _, bad := range []string{"localhost:8080/x", "ftp://a.cz/", "http://u:p@a.cz/", "http:///x", "http://a.cz/#x", "http://[/"} {
		if s, err := dedup.NewServer(dedup.ServerConfig{URL: bad, Connections: 1}); err == nil || strings.Contains(err.Error(), "u:p") {
			t.Errorf("%s: %v %v", bad, s, err)
		}
	}
}

// Whatever a server or a file holds is read to its end; what is told is whole.
func FuzzFromCDX(f *testing.F) {
	d := strings.TrimPrefix(sum("x"), "sha1:")
	for _, text := range []string{"", " CDX N b a m s k r V g\ncz,a)/ 20200102030405 http://a.cz/ text/html 200 " + d + " - 0 f\n", "cz,a)/ 20200102030405 http://a.cz/ text/html 200 " + d,
		`cz,a)/ 20200102030405 {"url": "http://a.cz/", "status": 200, "digest": "sha1:` + d + `"}`, `{"timestamp": "20200102030405", "url": "http://a.cz/", "status": "200", "digest": "` + d + `"}`,
		"!meta {}\n\n{", " CDX \n{}", "a b {\"status\": [1]}", "[[\"cz,a)/\", 20200102030405]]"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		used := int64(0)
		n, err := dedup.FromCDX(bytes.NewReader(data), func(c dedup.Content, o *dedup.Original) error {
			used++
			if o.URL == "" || c != content(t, o.Digest, false) {
				t.Errorf("%+v", o)
			}
			return nil
		})
		if used != n.Used || n.Used+n.Bad+n.Other > n.Lines || err != nil && !errors.Is(err, dedup.ErrNoIndex) {
			t.Errorf("%+v, told %d: %v", n, used, err)
		}
	})
}
