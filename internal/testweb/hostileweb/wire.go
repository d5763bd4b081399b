package hostileweb

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"exclave/internal/testweb"
)

// wired is a case of raw bytes; what is after them follows from the page's After.
func wired(name, about string, page func(n int, body string) testweb.Page) Case {
	return Case{Name: name, Group: Wire, About: about, item: func(n int) http.Handler {
		return page(n, testweb.NationalPage(n).Body)
	}}
}

func raw(parts ...string) testweb.Page { return testweb.Page{Raw: strings.Join(parts, "")} }

const (
	ok       = "HTTP/1.1 200 OK\r\n"
	typeHTML = "Content-Type: text/html; charset=utf-8\r\n"
	chunked  = "Transfer-Encoding: chunked\r\n"
)

func length(body string) string { return fmt.Sprintf("Content-Length: %d\r\n", len(body)) }

func chunk(body string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(body), body) }

// framings are answers that say wrongly where they begin and end.
func framings() []Case {
	bytesOf := func(name, about string, parts func(body string) []string) Case {
		return wired(name, about, func(_ int, body string) testweb.Page { return raw(parts(body)...) })
	}
	return []Case{
		bytesOf("icy", "ICY instead of HTTP", func(b string) []string { return []string{"ICY 200 OK\r\n", typeHTML, "\r\n", b} }),
		bytesOf("cr-cr-lf", "lines that end in CR CR LF", func(b string) []string {
			return []string{strings.ReplaceAll(ok+typeHTML+length(b)+"\r\n", "\r\n", "\r\r\n"), b}
		}),
		bytesOf("lf", "lines that end in LF", func(b string) []string {
			return []string{strings.ReplaceAll(ok+typeHTML+length(b)+"\r\n", "\r\n", "\n"), b}
		}),
		bytesOf("blank-before", "a blank before HTTP/", func(b string) []string { return []string{" ", ok, typeHTML, length(b), "\r\n", b} }),
		bytesOf("lines-before", "six empty lines before the answer", func(b string) []string {
			return []string{strings.Repeat("\r\n", 6), ok, typeHTML, length(b), "\r\n", b}
		}),
		bytesOf("echo", "the request before the answer", func(b string) []string {
			return []string{"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n", ok, typeHTML, length(b), "\r\n", b}
		}),
		bytesOf("http-0.9", "a body without a header", func(b string) []string { return []string{b} }),
		bytesOf("http-9.9", "a version that does not exist", func(b string) []string {
			return []string{"HTTP/9.9 200\r\n", typeHTML, length(b), "\r\n", b}
		}),
		bytesOf("status", "a status of seven digits", func(b string) []string {
			return []string{"HTTP/1.1 2000000 OK\r\n", typeHTML, length(b), "\r\n", b}
		}),
		bytesOf("no-status", "a status line without a status", func(b string) []string { return []string{"HTTP/1.1\r\n", typeHTML, "\r\n", b} }),
		bytesOf("length-short", "more body than the length says", func(b string) []string {
			return []string{ok, typeHTML, length(b[:len(b)/2]), "\r\n", b}
		}),
		bytesOf("length-long", "less body than the length says", func(b string) []string {
			return []string{ok, typeHTML, length(b + b), "\r\n", b}
		}),
		bytesOf("length-negative", "a length below nothing", func(b string) []string {
			return []string{ok, typeHTML, "Content-Length: -5\r\n\r\n", b}
		}),
		bytesOf("length-minus-zero", "a length of -0", func(b string) []string { return []string{ok, typeHTML, "Content-Length: -0\r\n\r\n", b} }),
		bytesOf("length-twice", "two lengths", func(b string) []string {
			return []string{ok, typeHTML, "Content-Length: 5\r\n", length(b), "\r\n", b}
		}),
		bytesOf("length-huge", "a length of 20 digits", func(b string) []string {
			return []string{ok, typeHTML, "Content-Length: 99999999999999999999\r\n\r\n", b}
		}),
		bytesOf("chunk-long", "less than the last chunk says", func(b string) []string {
			return []string{ok, typeHTML, chunked, "\r\n", chunk(b), "ffff\r\nabc"}
		}),
		bytesOf("chunk-huge", "a chunk of 2^64 bytes", func(b string) []string {
			return []string{ok, typeHTML, chunked, "\r\nffffffffffffffff\r\n", b}
		}),
		bytesOf("chunk-words", "chunks with words for sizes", func(b string) []string {
			return []string{ok, typeHTML, chunked, "\r\n", chunk(b), "zz\r\n", b, "\r\n0\r\n\r\n"}
		}),
		bytesOf("chunk-extension", "a chunk with an extension of 1 MB", func(b string) []string {
			return []string{ok, typeHTML, chunked, "\r\n", fmt.Sprintf("%x;", len(b)), strings.Repeat("a", 1_000_000), "\r\n", b, "\r\n0\r\n\r\n"}
		}),
		bytesOf("chunk-bytes", "chunks of one byte", func(b string) []string {
			var w strings.Builder
			for i := range len(b) {
				w.WriteString("1\r\n" + b[i:i+1] + "\r\n")
			}
			return []string{ok, typeHTML, chunked, "\r\n", w.String(), "0\r\n\r\n"}
		}),
		bytesOf("chunk-trailers", "10,000 lines of trailers", func(b string) []string {
			return []string{ok, typeHTML, chunked, "\r\n", chunk(b), "0\r\n", strings.Repeat("X-T: a\r\n", 10_000), "\r\n"}
		}),
		bytesOf("chunked-and-length", "chunks and a length that is not theirs", func(b string) []string {
			return []string{ok, typeHTML, chunked, "Content-Length: 3\r\n\r\n", chunk(b), "0\r\n\r\n"}
		}),
		bytesOf("chunked-twice", "codings of the transfer that nobody knows", func(b string) []string {
			return []string{ok, typeHTML, "Transfer-Encoding: gzip, x-foo, chunked\r\nTransfer-Encoding: identity\r\n\r\n", chunk(b), "0\r\n\r\n"}
		}),
		bytesOf("interim", "50 interim answers before the real one", func(b string) []string {
			return []string{strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </i/1.png>; rel=preload\r\n\r\n", 50), ok, typeHTML, length(b), "\r\n", b}
		}),
		bytesOf("switching", "another protocol that nobody asked for", func(b string) []string {
			return []string{"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n", ok, typeHTML, length(b), "\r\n", b}
		}),
		bytesOf("header-lines", "600 header lines, the length the last", func(b string) []string {
			return []string{ok, typeHTML, strings.Repeat("X-A: b\r\n", 600), length(b), "\r\n", b}
		}),
		bytesOf("header-line", "a header line of 1 MB", func(b string) []string {
			return []string{ok, typeHTML, "X-A: ", strings.Repeat("b", 1_000_000), "\r\n", length(b), "\r\n", b}
		}),
		bytesOf("header-folded", "header lines that are folded, without a colon, of NULs", func(b string) []string {
			return []string{ok, " folded\r\n\tagain\r\nno colon\r\n: no name\r\nX\x00Y: \x00\x1b[2J\r\n", typeHTML, length(b), "\r\n", b}
		}),
		bytesOf("cookies", "500 cookies of 400 bytes", func(b string) []string {
			return []string{ok, typeHTML, strings.Repeat("Set-Cookie: a="+strings.Repeat("b", 400)+"\r\n", 500), length(b), "\r\n", b}
		}),
		bytesOf("gzip-not", "a coding that was not applied", func(b string) []string {
			return []string{ok, typeHTML, "Content-Encoding: gzip\r\n", length(b), "\r\n", b}
		}),
		wired("gzip-cut", "gzip that ends in the middle", func(n int, _ string) testweb.Page {
			p := testweb.NationalPage(n).Encoded("gzip")
			p.Body = p.Body[:len(p.Body)/2]
			return p
		}),
		wired("garbage", "an answer and rubbish on a connection that stays", func(_ int, b string) testweb.Page {
			p := raw(ok, typeHTML, length(b), "\r\n", b, "\x00\xffHTTP/1.1 200 OK\r\n\r\nrubbish")
			p.After = testweb.Keep
			return p
		}),
		wired("second-answer", "two answers to one request on a connection that stays", func(_ int, b string) testweb.Page {
			p := raw(strings.Repeat(ok+typeHTML+length(b)+"\r\n"+b, 2))
			p.After = testweb.Keep
			return p
		}),
	}
}

// timings are servers that end too early, or never.
func timings() []Case {
	then := func(p testweb.Page, after testweb.After) testweb.Page {
		p.After = after
		return p
	}
	drip := func(p testweb.Page, every time.Duration) testweb.Page {
		p.Drip, p.Every, p.After = 1, every, testweb.Hold
		return p
	}
	return []Case{
		{Name: "close", Group: Wire, About: "the connection is closed before the answer", item: func(int) http.Handler { return http.HandlerFunc(hangUp) }},
		wired("close-header", "… in the middle of the header", func(int, string) testweb.Page { return raw(ok, typeHTML[:9]) }),
		wired("reset", "the connection is reset before the answer", func(int, string) testweb.Page {
			return then(raw("\r\n"), testweb.Reset)
		}),
		wired("reset-body", "… in the middle of the body", func(_ int, b string) testweb.Page {
			return then(raw(ok, typeHTML, length(b), "\r\n", b[:len(b)/2]), testweb.Reset)
		}),
		{Name: "drip-body", Group: Wire, About: "a body at a byte a second", item: func(n int) http.Handler {
			return slowBody(testweb.NationalPage(n).Body, time.Second)
		}},
		wired("drip-answer", "a header at a byte a second", func(_ int, b string) testweb.Page {
			return drip(raw(ok, typeHTML, length(b), "\r\n", b), time.Second)
		}),
		{Name: "drip-fast", Group: Wire, About: "a body of 100 KB at 100 bytes a second", item: func(n int) http.Handler {
			return slowBody(strings.Repeat(testweb.NationalPage(n).Body, 50), 10*time.Millisecond)
		}},
		wired("never", "no answer at all", func(int, string) testweb.Page { return testweb.Page{Delay: 24 * time.Hour} }),
		wired("hold-body", "half of a body, then nothing", func(_ int, b string) testweb.Page {
			return then(raw(ok, typeHTML, length(b), "\r\n", b[:len(b)/2]), testweb.Hold)
		}),
		wired("endless-header", "a header without an end", func(int, string) testweb.Page {
			return then(raw(ok, strings.Repeat("X-A: b\r\n", 250_000)), testweb.Hold)
		}),
		wired("endless-interim", "interim answers without an end", func(int, string) testweb.Page {
			return then(raw(strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 80_000)), testweb.Hold)
		}),
		{Name: "endless-body", Group: Wire, About: "a body without an end", heavy: true, few: true, item: func(int) http.Handler {
			return http.HandlerFunc(endlessBody)
		}},
	}
}

// hangUp closes the connection.
func hangUp(w http.ResponseWriter, _ *http.Request) {
	c, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		err = c.Close()
	}
	if err != nil {
		testweb.Failure(err).ServeHTTP(w, nil)
	}
}

// slowBody sends its header at once, then a byte each time.
func slowBody(body string, every time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", htmlType)
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		tick := time.NewTicker(every)
		defer tick.Stop()
		out := http.NewResponseController(w)
		for i := range len(body) {
			_, err := w.Write([]byte(body[i : i+1]))
			if err != nil || out.Flush() != nil {
				return
			}
			select {
			case <-tick.C:
			case <-r.Context().Done():
				return
			}
		}
	})
}

// endlessBody writes noise until the client has had enough, at most 1 GB.
func endlessBody(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/octet-stream")
	noise := []byte(strings.Repeat("\x00\x01\x02\x03noise", 8_192))
	for sent := 0; sent < 1_000_000_000; sent += len(noise) {
		if _, err := w.Write(noise); err != nil {
			return
		}
	}
}

// redirects lead nowhere.
func redirects() []Case {
	to := func(name, about string, target func(n int) string) Case {
		return Case{Name: name, Group: Wire, About: about, item: func(n int) http.Handler { return testweb.Redirect(http.StatusFound, target(n)) }}
	}
	chain := Case{Name: "redirect-chain", Group: Wire, About: "redirects without an end",
		item: func(n int) http.Handler { return testweb.Redirect(http.StatusFound, fmt.Sprintf("/c/%d/0", n)) },
		other: func(r *http.Request) http.Handler {
			var n, i int
			if _, err := fmt.Sscanf(r.URL.Path, "/c/%d/%d", &n, &i); err != nil {
				return nil
			}
			return testweb.Redirect(http.StatusFound, fmt.Sprintf("/c/%d/%d", n, i+1))
		}}
	return []Case{
		to("redirect-self", "redirects to themselves", func(n int) string { return fmt.Sprintf("/x/%d", n) }),
		to("redirect-loop", "redirects in a ring of two", func(n int) string { return fmt.Sprintf("/x/%d", n^1) }),
		chain,
		to("redirect-huge", "a redirect to an address of 100 KB", func(int) string { return "/" + strings.Repeat("a", 100_000) }),
		to("redirect-inside", "redirects to addresses of the crawler's own network", func(n int) string {
			return []string{"http://10.0.0.1/", "http://169.254.169.254/latest/", "http://[::1]/", "http://0.0.0.0:6379/", "file:///etc/passwd", "gopher://127.0.0.1:6379/_x", "http://localhost/", "javascript:alert(1)"}[n%8]
		}),
	}
}
