package interop_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"exclave/internal/sharedtest"
	"exclave/warc"
)

// ready bounds the wait for pywb, or for a browser; each takes 2 s on an idle machine,
// and minutes on one that others use too.
const ready = 5 * time.Minute

// wayback is a running pywb.
type wayback struct {
	addr   string // "127.0.0.1:port"
	client *http.Client
}

// Collections of the odd site whose index is in blocks: one, and many.
const blocks, manyBlocks = "blocks", "many-blocks"

// startPywb makes a collection of each archive, as a library would, and serves
// them on loopback until the test ends.
func startPywb(t *testing.T, archives ...archive) *wayback {
	t.Helper()
	manager, server := sharedtest.Pywb(t, "wb-manager"), sharedtest.Pywb(t, "wayback")
	dir := t.TempDir()
	exclave := build(t)
	for _, a := range archives {
		if a.ours {
			run(t, exclave, append([]string{"pywb", "-o", dir, "--collection", a.name}, a.files...)...)
			indexed(t, a, filepath.Join(dir, "collections", a.name, "indexes", "index.cdxj"))
			if a.name != "odd" {
				continue
			}
			for _, name := range []string{blocks, manyBlocks} {
				run(t, exclave, append([]string{"pywb", "-o", dir, "--collection", name, "--zipnum"}, a.files...)...)
			}
			indexes := filepath.Join(dir, "collections", manyBlocks, "indexes")
			must(t, os.RemoveAll(indexes))
			run(t, exclave, append([]string{"cdx", "--post", "--lines", "7", "--zipnum", indexes}, a.files...)...)
			if _, err := os.Stat(filepath.Join(dir, "collections", blocks, "indexes", "index.cdxj")); err == nil {
				t.Error("--zipnum leaves an index of lines")
			}
			continue
		}
		for _, args := range [][]string{{"init", a.name}, append([]string{"add", a.name}, a.files...)} {
			cmd := exec.CommandContext(t.Context(), manager, args...)
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("wb-manager %v: %v\n%s", args, err, out)
			}
		}
		indexed(t, a, filepath.Join(dir, "collections", a.name, "indexes", "index.cdxj"))
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	addr := free.Addr().String()
	must(t, free.Close())
	_, port, err := net.SplitHostPort(addr)
	must(t, err)

	log, err := os.Create(filepath.Join(dir, "wayback.log"))
	must(t, err)
	cmd := exec.Command(server, "--bind", "127.0.0.1", "--port", port)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	// It ends with this process, however that ends.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	must(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // gone already is fine
		if err := <-ended; err == nil {
			t.Log("pywb ended before it was killed")
		}
		if text, err := os.ReadFile(log.Name()); t.Failed() && err == nil {
			t.Logf("pywb said:\n%s", text[max(0, len(text)-4000):])
		}
		_ = log.Close() // of no use any more
	})
	awaitPort(t, addr, ended)
	return &wayback{addr, &http.Client{
		Timeout:       ready,
		Transport:     &http.Transport{DisableCompression: true, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// awaitPort returns when something listens, and fails when the process ends first.
func awaitPort(t *testing.T, addr string, ended chan error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), ready)
	defer cancel()
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
		if err == nil {
			must(t, c.Close())
			return
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("pywb ended: %v", err)
		case <-ctx.Done():
			t.Fatalf("pywb does not listen on %s after %s: %v", addr, ready, err)
		case <-again.C:
		}
	}
}

// url returns the address of a capture: of the collection, at the time (14 digits,
// "" = the latest), byte for byte ("id_") or, with "", as a page in pywb's frame.
func (w *wayback) url(collection, at, modifier, target string) string {
	if at+modifier != "" {
		target = at + modifier + "/" + target
	}
	return "http://" + w.addr + "/" + collection + "/" + target
}

// get asks pywb without following redirects.
func (w *wayback) get(t *testing.T, url string) (*http.Response, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	must(t, err)
	req.Header.Set("Accept-Encoding", "gzip, br") // else pywb decodes the body
	resp, err := w.client.Do(req)
	must(t, err)
	body, err := io.ReadAll(resp.Body)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil // pywb passes the Content-Length of a cut-off answer on
	}
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	return resp, body
}

// original asks pywb for a URL as it was archived, byte for byte.
func (w *wayback) original(t *testing.T, collection, at, target string) (status string, body []byte, when time.Time) {
	t.Helper()
	resp, body := w.get(t, w.url(collection, at, "id_", target))
	when, err := http.ParseTime(resp.Header.Get("Memento-Datetime"))
	if err != nil && resp.StatusCode != http.StatusNotFound {
		t.Errorf("%s: no capture: %s", target, resp.Status)
	}
	return strconv.Itoa(resp.StatusCode), body, when
}

// replay is everything that is asked of pywb.
func replay(t *testing.T, demo, iana, odd archive) {
	w := startPywb(t, demo, iana, odd)
	for _, a := range []archive{demo, iana, odd} {
		t.Run("captures/"+a.name, func(t *testing.T) { w.captures(t, a) })
	}
	for _, name := range []string{blocks, manyBlocks} {
		t.Run("captures/"+name, func(t *testing.T) { w.captures(t, archive{name: name, files: odd.files}) })
	}
	t.Run("unasked", func(t *testing.T) { w.unasked(t, odd) })
	t.Run("revisit", func(t *testing.T) { w.revisit(t, odd) })
	t.Run("verdict", func(t *testing.T) { w.verdict(t, demo) })
	t.Run("browser", func(t *testing.T) {
		shows := replayer{w.addr, func(v visit) string { return w.url(v.collection, "", "", v.url) }, `(document.querySelector("iframe#replay_iframe") || {}).contentWindow`}
		browse(t, shows, demo, iana)
	})
}

// captures asks for every URL of an archive: pywb must give the status and the
// bytes that a record holds, less the chunks; so DNS, robots.txt, requests and
// metadata are in nobody's way. Of a revisit record it gives the bytes of the original. http and https, with and without a slash at the end,
// are one to pywb's index: any of these answers will do; it leads to the slash.
func (w *wayback) captures(t *testing.T, a archive) {
	latest, same, payloads := map[string]rec{}, map[string][]rec{}, map[string]rec{}
	all := records(t, a.files)
	for _, r := range all {
		payloads[r.id] = r
	}
	for _, r := range all {
		if r.refers != "" { // its header, and the body of the record it refers to
			r.kind, r.body = warc.TypeResponse, payloads[r.refers].body
		}
		// 204 and cut-off bodies are looked at below.
		if r.kind == warc.TypeResponse && r.status != "" {
			latest[r.uri] = r
		}
	}
	if len(latest) < 10 {
		t.Errorf("only %d captures", len(latest))
	}
	for uri, r := range latest {
		same[key(uri)] = append(same[key(uri)], r)
	}
	refusals := 0
	for _, uri := range slices.Sorted(maps.Keys(latest)) {
		r := latest[uri]
		if r.status >= "400" {
			if refusals++; refusals > 20 {
				continue // a thousand links of one page lead to what nobody recorded
			}
		}
		ask := uri
		if _, slash := latest[uri+"/"]; slash {
			ask += "/"
		}
		status, body, _ := w.original(t, a.name, "", ask)
		if p := r.payload(t); strings.HasSuffix(uri, "/trailer") && bytes.HasPrefix(body, p) {
			body = body[:len(p)] // pywb takes trailers for a part of the body
		}
		if !slices.ContainsFunc(same[key(uri)], func(r rec) bool { return status == r.status && bytes.Equal(body, r.replayed(t)) }) {
			t.Errorf("%s: pywb gives %s, %d bytes, archived are %s, %d bytes; %.200q", uri, status, len(body), r.status, len(r.payload(t)), body)
		}
	}
}

// replayed is the body as pywb gives it to who accepts gzip and br: it unpacks deflate.
func (r *rec) replayed(t *testing.T) []byte {
	t.Helper()
	if r.coding != "deflate" {
		return r.payload(t)
	}
	z, err := zlib.NewReader(bytes.NewReader(r.payload(t)))
	must(t, err)
	body, err := io.ReadAll(z)
	must(t, err)
	return body
}

// unasked asks for pages in codings that the crawler did not ask for: they are recorded as they came, in chunks or not. deflate pywb unpacks; zstd
// it does not know, gives the bytes without the header that says what they are, and a browser shows garbage: so the crawler asks for neither.
func (w *wayback) unasked(t *testing.T, a archive) {
	stored := map[string]rec{}
	for _, r := range records(t, a.files) {
		if r.kind == warc.TypeResponse {
			stored[r.uri] = r
		}
	}
	for _, coding := range []string{"deflate", "zstd"} {
		for _, path := range []string{"/" + coding, "/" + coding + "-parts"} {
			r := stored[oddSite+path]
			if r.coding != coding || r.chunked != strings.HasSuffix(path, "-parts") {
				t.Fatalf("%s: coding %q, in chunks: %t", path, r.coding, r.chunked)
			}
			resp, body := w.get(t, w.url(a.name, "", "id_", oddSite+path))
			if got := resp.Header.Get("Content-Encoding"); got != "" || !bytes.Equal(body, r.replayed(t)) || bytes.HasPrefix(body, []byte("<!DOCTYPE")) != (coding == "deflate") {
				t.Errorf("%s: %s, Content-Encoding %q, %d bytes, stored are %d", path, resp.Status, got, len(body), len(r.payload(t)))
			}
		}
	}
}

// key is a URL as pywb's index tells it from others, about.
func key(uri string) string {
	_, rest, _ := strings.Cut(uri, "://")
	return strings.TrimSuffix(rest, "/")
}

// revisit asks for the home page of the odd site at the time of the second crawl,
// when the server said 304: pywb must follow the record to the first one.
func (w *wayback) revisit(t *testing.T, a archive) {
	var first, second rec
	for _, r := range records(t, a.files) {
		switch {
		case r.uri == oddSite+"/" && r.kind == warc.TypeResponse:
			first = r
		case r.uri == oddSite+"/" && r.kind == warc.TypeRevisit && r.refers == "":
			second = r
		}
	}
	if second.status != "" || second.date.Before(first.date) {
		t.Fatalf("revisit record: status %q, %s; the first is of %s", second.status, second.date, first.date)
	}
	status, body, when := w.original(t, a.name, second.date.UTC().Format("20060102150405"), oddSite+"/")
	// The address of what was unchanged, at any time, is the page.
	if now, _, _ := w.original(t, a.name, "", oddSite+"/"); now != "200" {
		t.Errorf("the latest capture replays as %s", now)
	}
	if status != "200" || !bytes.Equal(body, first.body) || !when.Equal(second.date.Truncate(time.Second)) {
		t.Errorf("revisit: %s, %d bytes of %d, of %s, want %s", status, len(body), len(first.body), when, second.date)
	}
}

// verdict finds why a page is the nation's beside the page.
func (w *wayback) verdict(t *testing.T, a archive) {
	resp, body := w.get(t, w.url(a.name, "", "id_", "urn:exclave:verdict:"+firm+"/"))
	if resp.StatusCode != http.StatusOK || !strings.Contains(string(body), `"valid":true`) {
		t.Errorf("verdict: %s\n%s", resp.Status, body)
	}
}
