package main

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"exclave/internal/testweb"
)

// heldWeb says when it is asked for a page and holds the answer back.
type heldWeb struct {
	testweb.Web
	asked chan struct{} // gets a value at each request held
	open  chan struct{} // closed: nothing is held any more
}

// Host implements [testweb.Web].
func (w heldWeb) Host(name string) http.Handler {
	h := w.Web.Host(name)
	if h == nil {
		return nil
	}
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/held" {
			select {
			case w.asked <- struct{}{}:
			default:
			}
			select {
			case <-w.open:
			case <-r.Context().Done():
				return
			}
		}
		h.ServeHTTP(rw, r)
	})
}

// startHeld starts a crawl of a web with one page that does not answer, and
// returns when that page was asked for. The grace is what it gets at a stop.
func startHeld(t *testing.T, grace string) (web heldWeb, dir string, cmd *exec.Cmd, out *bytes.Buffer) {
	t.Helper()
	web = heldWeb{asked: make(chan struct{}, 1), open: make(chan struct{}), Web: testweb.Tiny{
		"http://a.test/":     testweb.NationalPage(1, "/held", "/b"),
		"http://a.test/b":    testweb.NationalPage(2),
		"http://a.test/held": testweb.NationalPage(3),
		"http://a.test/late": testweb.NationalPage(4), // that nothing links to
	}}
	srv, err := testweb.Start(web, testweb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	dir = writeKillJob(t, srv, []string{"http://a.test/"})
	setPatience(t, dir, grace)
	cmd, out = exec.Command("exclave", "crawl", "--quiet", dir), &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	select {
	case <-web.asked:
	case <-time.After(5 * time.Minute):
		t.Fatal("the held page is not asked for")
	}
	return web, dir, cmd, out
}

// code is the exit code of a process that ended with err.
func code(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	t.Fatal(err)
	return -1
}

// The first signal ends the crawl in order after the grace period although a
// server never answers; the next crawl goes on (docs/howto/exit-codes.md). SIGHUP is one of
// them, and never a second one: a terminal that is closed sends several.
func TestSignalStops(t *testing.T) {
	for name, signals := range map[string][]os.Signal{"SIGTERM": {syscall.SIGTERM}, "SIGHUP": {syscall.SIGHUP, syscall.SIGHUP}} {
		t.Run(name, func(t *testing.T) { signalStops(t, signals) })
	}
}

func signalStops(t *testing.T, signals []os.Signal) {
	// A child inherits what nohup ignores, but not what its parent handles.
	heeded := make(chan os.Signal, 1)
	signal.Notify(heeded, syscall.SIGHUP)
	defer signal.Stop(heeded)
	web, dir, cmd, out := startHeld(t, "1s")
	for _, s := range signals {
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	if c := code(t, cmd.Wait()); c != int(exitOK) {
		t.Fatalf("exit code %d\n%s", c, out)
	}
	if !strings.Contains(out.String(), "stopped") {
		t.Errorf("the crawl does not say that it was stopped:\n%s", out)
	}
	if out, err := exec.Command("exclave", "verify", dir).CombinedOutput(); err != nil {
		t.Errorf("verify after the stop: %v\n%s", err, out)
	}
	close(web.open)
	for _, verb := range []string{"crawl", "verify"} {
		if out, err := exec.Command("exclave", verb, dir).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", verb, err, out)
		}
	}
	if got := archived(t, dir); got["http://a.test/held"] == "" {
		t.Errorf("the page in process at the stop was not archived later: %v", got)
	}
}

// The second signal ends the process at once, whatever the grace; while a crawl runs, another one of
// the same job is refused (docs/howto/exit-codes.md).
func TestSecondSignalAndLock(t *testing.T) {
	_, dir, cmd, out := startHeld(t, "1h")
	for _, verb := range []string{"crawl", "verify"} {
		text, err := exec.Command("exclave", verb, dir).CombinedOutput()
		if c := code(t, err); c != int(exitLocked) {
			t.Errorf("%s of a job in work: exit code %d\n%s", verb, c, text)
		}
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	// Two signals sent at the same moment are one; the notice says that the first
	// was taken. Signals are cheap: they are sent until the process is gone.
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for {
		select {
		case err := <-ended:
			if c := code(t, err); c != int(exitInterrupt) {
				t.Errorf("exit code %d\n%s", c, out)
			}
			return
		case <-again.C:
			_ = cmd.Process.Signal(syscall.SIGINT) // gone already: Wait says so
		}
	}
}
