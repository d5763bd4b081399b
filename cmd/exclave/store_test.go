package main

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"exclave/internal/testweb"
	"exclave/warc/store/storetest"
)

// withBig is a web with an answer that does not compress.
type withBig struct{ testweb.Web }

// Host implements [testweb.Web].
func (w withBig) Host(name string) http.Handler {
	h := w.Web.Host(name)
	if h == nil {
		return nil
	}
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/big" {
			h.ServeHTTP(rw, r)
			return
		}
		data := make([]byte, 17<<20)
		_, _ = rand.NewChaCha8([32]byte{}).Read(data)
		rw.Header().Set("Content-Type", "image/png")
		_, _ = rw.Write(data)
	})
}

// Issue 20: exclave store, interrupted and killed in the middle of an upload, sends the rest only; wrong keys are said at once, and no secret; then
// verify proves the job, here and there.
func TestStoreVerb(t *testing.T) {
	server := storetest.Start(t)
	proxy := server.Proxy(t)
	srv, err := testweb.Start(withBig{testweb.Tiny{"http://a.test/": testweb.NationalPage(1, testweb.Img("/big"))}}, testweb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	dir := writeKillJob(t, srv, []string{"http://a.test/"})
	text, err := os.ReadFile(filepath.Join(dir, "job.toml"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "job.toml"), string(text)+"\n[store]\npart_size = 5242880\n")
	exclave := func(want int, args ...string) string {
		t.Helper()
		out, err := exec.Command("exclave", args...).CombinedOutput()
		var exit *exec.ExitError
		if code := 0; errors.As(err, &exit) && exit.ExitCode() != want || !errors.As(err, &exit) && want != code {
			t.Fatalf("%v: %v, want %d\n%s", args, err, want, out)
		}
		if strings.Contains(string(out), "exclave-test-secret") || strings.Contains(string(out), "topsecret") {
			t.Fatalf("%v prints a secret: %s", args, out)
		}
		return string(out)
	}
	exclave(0, "crawl", "--quiet", dir)

	keys := filepath.Join(t.TempDir(), "keys")
	write(t, keys, "[default]\naws_access_key_id = exclave-test\naws_secret_access_key = topsecret\n")
	place := []string{"store", dir, "--to", "s3://archive/harvest", "--endpoint", proxy.Endpoint, "--ca", server.CA, "--credentials"}
	if out := exclave(1, append(place, keys)...); !strings.Contains(out, "does not accept the keys") {
		t.Errorf("wrong keys: %s", out)
	}
	good := append(place, server.Credentials)
	for n, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
		asked := make(chan struct{})
		held := make(chan struct{})
		part := []string{"3", "4"}[n]
		proxy.Before(func(r *http.Request) int {
			if r.URL.Query().Get("partNumber") == part {
				close(asked)
				<-held
				return -1
			}
			return 0
		})
		cmd := exec.Command("exclave", good...)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		<-asked
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); sig == syscall.SIGINT && cmd.ProcessState.ExitCode() != 130 || err == nil {
			t.Errorf("%v: %v\n%s", sig, err, &out)
		}
		close(held)
	}
	proxy.Before(nil)
	before := proxy.Sent.Load()
	if out := exclave(0, append(good, "--delete")...); !strings.Contains(out, "deleted here") {
		t.Error(out)
	}
	if sent := proxy.Sent.Load() - before; sent < 1<<20 || sent > 6<<20 { // the fourth part only
		t.Errorf("%d bytes were sent after the kill", sent)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "warcs", "*.warc.gz")); len(left) > 0 {
		t.Errorf("left here: %v", left)
	}
	if out := exclave(0, "store", dir, "--list"); !strings.Contains(out, "s3://archive/harvest/") || strings.Contains(out, "here") {
		t.Error(out)
	}
	if out := exclave(0, "verify", "--quiet", dir); !strings.Contains(out, "taken on trust") {
		t.Error(out)
	}
	remote := []string{"verify", "--quiet", "--remote", dir, "--ca", server.CA, "--credentials"}
	if out := exclave(0, append(remote, server.Credentials)...); strings.Contains(out, "trust") {
		t.Error(out)
	}
	exclave(1, append(remote, keys)...)
	exclave(2, append(remote, filepath.Join(dir, "missing"))...)
	if out := exclave(2, "cdx", dir); !strings.Contains(out, "s3://archive/harvest/") {
		t.Error(out)
	}
	if out := exclave(2, "wacz", dir, "-o", filepath.Join(t.TempDir(), "x.wacz")); !strings.Contains(out, "s3://archive/harvest/") {
		t.Error(out)
	}
}
