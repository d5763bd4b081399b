package interop_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"exclave/internal/fsx"
	"exclave/internal/record"
	"exclave/internal/sharedtest"
	"exclave/internal/testweb"
	"exclave/warc"
)

// archive is what a crawl has made.
type archive struct {
	name  string
	files []string // its WARC files
	ours  bool     // its collection is laid out by exclave pywb, not by pywb's own command
	// chunked and cut are how many records there must be whose bodies are in
	// chunks, and shorter than their header says.
	chunked, cut int
	entity       bool // the digests of bodies in chunks are those of their entities
}

// anyNumber of records, but one at least.
const anyNumber = -1

// programs is the folder of what the tests have built.
var programs string

func TestMain(m *testing.M) {
	var err error
	if programs, err = os.MkdirTemp("", "exclave-interop-"); err != nil {
		panic(err)
	}
	m.Run() // the testing package exits with what it returns
	if err := os.RemoveAll(programs); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// built compiles the command, as the tests are compiled: what CI has compiled for
// the race detector is not compiled again without it. All tests have the same one.
var built = sync.OnceValues(func() (string, error) {
	var flags []string
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "-race" && s.Value == "true" {
				flags = append(flags, "-race")
			}
		}
	}
	bin := filepath.Join(programs, "exclave")
	return bin, sharedtest.Build(".", "exclave/cmd/exclave", bin, flags...)
})

// build returns the command.
func build(t *testing.T) string {
	t.Helper()
	bin, err := built()
	must(t, err)
	return bin
}

// run runs a command that must succeed and returns what it said.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// demoJob harvests the web of the demonstration.
func demoJob(t *testing.T, exclave string) archive {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "demo")
	run(t, exclave, "demo", "--dir", dir)
	return archive{name: "demo", files: warcs(t, dir)}
}

// dividedJob is the part of the demonstration's archive that belongs to its profile.
func dividedJob(t *testing.T, exclave string, demo archive) archive {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "parts")
	run(t, exclave, "divide", filepath.Dir(filepath.Dir(demo.files[0])), "-o", dir)
	files, err := filepath.Glob(filepath.Join(dir, "cz", "*.warc.gz"))
	must(t, err)
	if len(files) == 0 {
		t.Fatal("nothing belongs to cz")
	}
	return archive{name: "divided", files: files}
}

// The profile takes what it finds: which pages count is not what these tests ask.
const anyLanguage = `
[profile]
name = "any"
min_points = 1
depth = 3

[[searcher]]
kind = "dictionary"
list = "./words.txt"
points = 10
`

const words = "the\nthis\nfor\nuse\nmay\nwith\nyou\nand\n"

const settings = `
[job]
name = %q
description = "interop"
operator = "tests"
seeds = ["seeds.txt"]
[http]
contact = "http://127.0.0.1/interop"
allow = ["127.0.0.0/8"]
root_certificates = ["ca.pem"]
max_size = %d
[http.connect_to]
%s
[dns]
servers = [%q]
[crawl]
min_free_disk = 0
[analysis]
profiles = ["./any.toml"]
[frontier]
min_delay = "0s"
max_delay = "0s"
hosts_per_address = 0
address_delay = "0s"
retry_delay = "10ms"
max_retries = 1
[warc]
prefix = "INTEROP"
`

// newJob starts the web and writes a job for it; it returns its folder.
func newJob(t *testing.T, name string, web testweb.Web, maxSize int, seed string) string {
	t.Helper()
	srv, err := testweb.Start(web, testweb.Options{})
	must(t, err)
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	var connect strings.Builder
	for from, to := range srv.ConnectTo() {
		fmt.Fprintf(&connect, "%q = %q\n", from, to)
	}
	dir := filepath.Join(t.TempDir(), name)
	must(t, os.Mkdir(dir, 0o755))
	for file, text := range map[string]string{
		"job.toml": fmt.Sprintf(settings, name, maxSize, connect.String(), srv.DNS()),
		"any.toml": anyLanguage, "words.txt": words, "seeds.txt": seed + "\n", "ca.pem": string(srv.CACert()),
	} {
		must(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644))
	}
	return dir
}

// realJob harvests sites as another program recorded them (py-wacz, a fixture of
// its tests).
func realJob(t *testing.T, exclave string) archive {
	t.Helper()
	sites, err := testweb.FromWARC(sharedtest.Path(t, "data/warc/py-wacz/tests/fixtures/example-collection-with-lists.warc"))
	must(t, err)
	dir := newJob(t, "iana", sites, 100<<20, "https://example.com/")
	run(t, exclave, "crawl", "--quiet", dir)
	run(t, exclave, "verify", dir)
	return archive{name: "iana", files: warcs(t, dir)}
}

// benchJob harvests the web that is measured on, whose pages refer to others in every
// way there is; one answer in seven comes in chunks.
func benchJob(t *testing.T, exclave string) archive {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "bench")
	run(t, exclave, "bench", "--resources", "300", "--dir", dir)
	return archive{name: "bench", files: warcs(t, filepath.Join(dir, "job")), chunked: anyNumber}
}

// killedJob kills a crawl twice, at a request, and lets the third run end.
func killedJob(t *testing.T, exclave string) archive {
	t.Helper()
	synthetic := testweb.NewSynthetic(testweb.Params{Seed: 4, Hosts: 6, Pages: 8, FanOut: 3, Cross: 2, Images: 1, National: 0.5})
	var asked atomic.Int64
	stop := make(chan struct{}, 2) // the kills
	web := testweb.Func(func(name string) http.Handler {
		h := synthetic.Host(name)
		if h == nil {
			return nil
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if n := asked.Add(1); n == 40 || n == 80 {
				stop <- struct{}{}
			}
			h.ServeHTTP(w, r)
		})
	})
	dir := newJob(t, "killed", web, 100<<20, strings.Join(synthetic.Seeds(), "\n"))
	all := strings.Replace(anyLanguage, "min_points = 1", "min_points = 0", 1) // the pages are not in English
	must(t, os.WriteFile(filepath.Join(dir, "any.toml"), []byte(all), 0o644))
	for range cap(stop) {
		cmd := exec.CommandContext(t.Context(), exclave, "crawl", "--quiet", dir)
		must(t, cmd.Start())
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case <-stop:
			must(t, cmd.Process.Kill())
			if err := <-ended; err == nil {
				t.Error("the crawl ended in order before it was killed")
			}
		case err := <-ended:
			t.Fatalf("the crawl ended before it could be killed: %v", err)
		}
	}
	run(t, exclave, "crawl", "--quiet", dir)
	run(t, exclave, "verify", dir)
	return archive{name: "killed", files: warcs(t, dir)}
}

const (
	oddSite  = "http://www.odd.example"
	twinSite = "http://www.twin.example" // has pictures of the other
	oddText  = "<!DOCTYPE html><title>Odd</title><p>This may be used for the tests and with the tools you use."
)

// oddWeb holds what the other two lack: bodies in chunks with and without content
// coding, with trailers and an odd chunk line, cut-off bodies, no body at all.
func oddWeb() testweb.Web {
	page := func(more string) testweb.Page {
		return testweb.Page{Body: oddText + more}.With("Content-Type", "text/html; charset=utf-8")
	}
	odd := testweb.Tiny{
		"/":        page(`<a href="/gzip"><a href="/br"><a href="/chunked"><a href="/both"><a href="/trailer"><a href="/deflate"><a href="/deflate-parts"><a href="/zstd"><a href="/zstd-parts"><a href="/br-parts"><a href="/ext"><a href="/moved"><a href="/none"><a href="/lf"><a href="/close"><img src="/same.png"><img src="/cut.png"><img src="/long.png"><img src="/whole.png"><img src="/parts.png"><img src="http://other.example/i.png">`).With("ETag", `"home"`),
		"/gzip":    page(" gzip").Encoded("gzip"),
		"/br":      page(" brotli").Encoded("br"),
		"/chunked": page(" chunked").Chunked(20),
		"/both":    page(" both").Encoded("gzip").Chunked(7),
		"/trailer": page(" trailer").Chunked(0, "X-Sum: 1"),
		// Not asked for: recorded as they come (issue 20).
		"/deflate": page(" deflate").Encoded("deflate"), "/deflate-parts": page(" deflate in chunks").Encoded("deflate").Chunked(9),
		"/zstd": page(" zstd").Encoded("zstd"), "/zstd-parts": page(" zstd in chunks").Encoded("zstd").Chunked(9),
		"/br-parts": page(" brotli in chunks").Encoded("br").Chunked(9),
		"/ext":      {Raw: "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n0004;x=y\r\n<p>a\r\n000\r\n\r\n"},
		"/moved":    testweb.Redirect(302, "/chunked"),
		"/none":     testweb.Page{Status: 204},
		"/lf":       {Raw: "HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Length: 5\n\n<p>lf"},
		"/close":    {Raw: "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>until the end"},
		"/same.png": testweb.Image(1).With("ETag", `"same"`),
		"/cut.png":  {Raw: "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 900\r\n\r\nfar too short"},
		"/long.png": testweb.Page{Body: strings.Repeat("long", 4<<10)}.With("Content-Type", "image/png"),
	}
	whole := testweb.Page{Body: strings.Repeat("whole ", 1<<10)}.With("Content-Type", "image/png")
	odd["/whole.png"], odd["/parts.png"] = whole, whole.Chunked(1000)
	all := testweb.Tiny{"http://other.example/i.png": testweb.Image(2),
		twinSite + "/": page(`<img src="/whole.png"><img src="/parts.png"><img src="/long.png">`), twinSite + "/whole.png": whole, twinSite + "/parts.png": whole.Chunked(700),
		twinSite + "/long.png": odd["/long.png"]}
	for path, p := range odd {
		all[oddSite+path] = p
	}
	return testweb.Func(func(name string) http.Handler {
		if all.Host(name) == nil {
			return nil
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			p, ok := all[testweb.URL(r)]
			switch tag := p.Header.Get("ETag"); {
			case !ok:
				p = testweb.NotFound()
			case tag != "" && r.Header.Get("If-None-Match") == tag:
				p = testweb.Page{Status: http.StatusNotModified}.With("ETag", tag)
			}
			p.ServeHTTP(w, r)
		})
	})
}

// oddJob harvests the odd web twice; the second time the home page is unchanged, and a twin of the site has pictures of it.
func oddJob(t *testing.T, exclave string, settings ...string) archive {
	t.Helper()
	dir := newJob(t, "odd", oddWeb(), 8<<10, oddSite+"/")
	config := filepath.Join(dir, "job.toml") // which ends with [warc]
	text, err := os.ReadFile(config)
	must(t, err)
	must(t, os.WriteFile(config, append(text, strings.Join(settings, "\n")...), 0o644))
	run(t, exclave, "crawl", "--quiet", dir)
	must(t, os.WriteFile(filepath.Join(dir, "seeds.txt"), []byte(oddSite+"/\n"+twinSite+"/\n"), 0o644))
	run(t, exclave, "crawl", "--quiet", "--recrawl", dir)
	run(t, exclave, "verify", dir)
	a := archive{name: "odd", ours: true, files: warcs(t, dir), chunked: 15, cut: 5, entity: slices.Contains(settings, `payload_digest = "entity"`)}
	kinds := map[string]int{}
	for _, r := range records(t, a.files) {
		kinds[r.kind]++
	}
	if kinds[warc.TypeRevisit] != 6 {
		t.Errorf("%d revisit records, want those of the home page and of a picture that the server knows, and of two pictures here and there: %v", kinds[warc.TypeRevisit], kinds)
	}
	return a
}

func warcs(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "warcs", "*.warc.*"))
	must(t, err)
	if len(files) == 0 {
		t.Fatalf("%s: the crawl made no WARC file", dir)
	}
	return files
}

// rec is a record with what these tests ask of it.
type rec struct {
	file, kind, uri, digest string
	id, refers              string // WARC-Record-ID, and WARC-Refers-To of a revisit of an identical payload
	offset                  int64
	date                    time.Time
	status                  string // "200"
	chunked, cut            bool
	length, coding          string // Content-Length and Content-Encoding of the answer
	body                    []byte // as stored, behind the HTTP header
}

// records reads the files.
func records(t *testing.T, files []string) []rec {
	t.Helper()
	var out []rec
	for _, name := range files {
		f, err := fsx.Real().Open(name)
		must(t, err)
		for r := warc.NewReader(f); ; {
			e, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			must(t, err)
			block, err := io.ReadAll(e.Block)
			must(t, err)
			x := rec{file: filepath.Base(name), kind: e.Type(), uri: e.TargetURI(), offset: e.Offset,
				id: e.Header.Get("WARC-Record-ID"), digest: e.Header.Get("WARC-Payload-Digest"), cut: e.Header.Get("WARC-Truncated") != ""}
			if e.Header.Get("WARC-Profile") == warc.ProfileIdentical {
				x.refers = e.Header.Get("WARC-Refers-To")
			}
			x.date, err = e.Date()
			must(t, err)
			if strings.HasPrefix(x.uri, "dns:") { // it has none: an indexer takes that of the block (ADR 66)
				if x.digest != "" {
					t.Errorf("%s: a DNS record has the payload digest %s", x.uri, x.digest)
				}
				x.digest, err = warc.Digest(bytes.NewReader(block))
				must(t, err)
			}
			if strings.HasPrefix(e.Header.Get("Content-Type"), "application/http") {
				x.http(block)
			} else {
				x.body = block
			}
			out = append(out, x)
		}
		must(t, f.Close())
	}
	return out
}

// http takes an HTTP block apart by hand: our own parser is not asked.
func (r *rec) http(block []byte) {
	head, body, ok := bytes.Cut(block, []byte("\r\n\r\n"))
	if !ok || bytes.Contains(head, []byte("\n\n")) {
		head, body, _ = bytes.Cut(block, []byte("\n\n"))
	}
	r.body = body
	for i, line := range strings.Split(string(head), "\n") {
		line = strings.TrimSpace(line)
		name, value, _ := strings.Cut(line, ":")
		switch value = strings.TrimSpace(value); {
		case i == 0 && len(line) >= 12:
			r.status = line[9:12]
		case strings.EqualFold(name, "Transfer-Encoding"):
			r.chunked = strings.EqualFold(value, "chunked")
		case strings.EqualFold(name, "Content-Length"):
			r.length = value
		case strings.EqualFold(name, "Content-Encoding"):
			r.coding = value
		}
	}
}

// payload returns the body without chunks, as an archive shows it.
func (r *rec) payload(t *testing.T) []byte {
	t.Helper()
	if r.chunked {
		return r.entity(t)
	}
	return r.body
}

// entity returns the body with its chunks put together.
func (r *rec) entity(t *testing.T) []byte {
	t.Helper()
	var out []byte
	var c record.Chunks
	for rest := r.body; ; {
		used, data := c.Feed(rest)
		out = append(out, data...)
		if rest = rest[used:]; used == 0 {
			break
		}
	}
	if !c.Complete() {
		t.Errorf("%s: the chunks are not complete", r.uri)
	}
	return out
}
