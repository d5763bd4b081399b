package main

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"exclave/internal/sharedtest"
	"exclave/internal/testweb"
)

// tmux is a real terminal: a tmux server of its own with shells in its windows.
type tmux struct {
	t    *testing.T
	path string
	env  []string
	dir  string // where its shells are
}

// startTmux starts a terminal with an interactive shell in window 0.
func startTmux(t *testing.T, width, height string) *tmux {
	t.Helper()
	path := sharedtest.Tmux(t)
	sockets, err := os.MkdirTemp("", "tmux") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	m := &tmux{t: t, path: path, dir: t.TempDir()}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "TMUX") && !strings.HasPrefix(v, "LC_") {
			m.env = append(m.env, v)
		}
	}
	m.env = append(m.env, "TMUX_TMPDIR="+sockets, "LC_ALL=C.UTF-8", "TERM=xterm", "PS1=$ ", "ENV=", "SHELL=/bin/sh")
	m.do("new-session", "-d", "-x", width, "-y", height, "-c", m.dir, "sh -i")
	t.Cleanup(func() {
		m.do("kill-server")
		_ = os.RemoveAll(sockets)
	})
	return m
}

func (m *tmux) do(args ...string) string {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute) // wait-for may wait for ever
	defer cancel()
	cmd := exec.CommandContext(ctx, m.path, append([]string{"-u", "-L", "exclave", "-f", "/dev/null"}, args...)...)
	cmd.Env = m.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		m.t.Fatalf("tmux %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// keys presses keys in a window, by their names in tmux.
func (m *tmux) keys(window string, names ...string) {
	m.t.Helper()
	m.do(append([]string{"send-keys", "-t", window}, names...)...)
}

// line types a line.
func (m *tmux) line(window, text string) {
	m.t.Helper()
	m.do("send-keys", "-t", window, "-l", text)
	m.keys(window, "Enter")
}

// prompts are those that a shell printed before it read what was typed ahead: the output of the command
// stands behind them.
var prompts = regexp.MustCompile(`(?m)^(\$ )+`)

// see waits until the screen of a window, without prompts, matches all expressions, and returns it.
func (m *tmux) see(window string, expressions ...string) string {
	m.t.Helper()
	var all []*regexp.Regexp
	for _, e := range expressions {
		all = append(all, regexp.MustCompile("(?m)"+e))
	}
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for deadline := time.Now().Add(5 * time.Minute); ; <-look.C {
		screen := prompts.ReplaceAllString(m.do("capture-pane", "-p", "-t", window), "")
		missing := ""
		for _, e := range all {
			if !e.MatchString(screen) {
				missing = e.String()
			}
		}
		if missing == "" {
			return screen
		}
		if time.Now().After(deadline) {
			m.t.Fatalf("window %s does not show %s:\n%s", window, missing, screen)
		}
	}
}

// modes are whether the alternate screen, the cursor and wrapping are on.
func (m *tmux) modes(window string) string {
	m.t.Helper()
	return strings.TrimSpace(m.do("display-message", "-p", "-t", window, "#{alternate_on} #{cursor_flag} #{wrap_flag}"))
}

// resize changes the size of a window.
func (m *tmux) resize(window, width, height string) {
	m.t.Helper()
	m.do("resize-window", "-t", window, "-x", width, "-y", height)
}

// awaitShell waits until a window is the shell's again and what was typed is done.
func (m *tmux) awaitShell(window string) {
	m.t.Helper()
	m.line(window, "clear; "+m.path+" wait-for -S ready")
	m.do("wait-for", "ready")
	if got := m.modes(window); got != shellModes {
		m.t.Errorf("modes after the view: %s, want %s\n%s", got, shellModes, m.do("capture-pane", "-p", "-t", window))
	}
}

// file reads what a shell wrote.
func (m *tmux) file(name string) string {
	m.t.Helper()
	b, err := os.ReadFile(filepath.Join(m.dir, name))
	if err != nil {
		m.t.Fatal(err)
	}
	return string(b)
}

// What modes returns.
const (
	shellModes = "0 1 1"
	viewModes  = "1 0 0"
)

// liveJob makes a job of a web with one page that does not answer until the test
// ends. The grace is what URIs in process get at a stop.
func liveJob(t *testing.T, grace string) (dir string) {
	t.Helper()
	web := heldWeb{asked: make(chan struct{}, 1), open: make(chan struct{}), Web: testweb.Tiny{
		"http://a.test/":     testweb.NationalPage(1, "/b", "/c", "/held"),
		"http://a.test/b":    testweb.NationalPage(2),
		"http://a.test/c":    testweb.Foreign().WithStatus(http.StatusNotFound),
		"http://a.test/held": testweb.NationalPage(3),
	}}
	srv, err := testweb.Start(web, testweb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	dir = writeKillJob(t, srv, []string{"http://a.test/"})
	setPatience(t, dir, grace)
	return dir
}

// setPatience sets the grace of a job, and makes it wait for an answer as long as a
// test lasts: on a slow machine the page that does not answer must not become a
// timeout.
func setPatience(t *testing.T, dir, grace string) {
	t.Helper()
	name := filepath.Join(dir, "job.toml")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.NewReplacer(`grace = "1s"`, `grace = "`+grace+`"`,
		"[http]\n", "[http]\ntimeout = \"1h\"\nsocket_timeout = \"30m\"\n").Replace(string(text))
	if err := os.WriteFile(name, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The view of a crawl in its own terminal: figures and workers are right at each
// size, keys pause, resume and stop, and the terminal is as it was before.
func TestLiveView(t *testing.T) {
	t.Parallel()
	dir := liveJob(t, "1s")
	m := startTmux(t, "80", "24")
	m.line("0", "stty -a >before; exclave crawl "+dir+"; echo exit code $?; stty -a >after")
	figures := []string{`^ exclave  kill  running  \d:\d\d:\d\d$`, `^rate      now \d.* URIs/s .*B/s   average \d`,
		`^URIs      discovered 6   queued 0   in process 1 `, `^finished  5   archived 3   failed 0 `,
		`^pages     judged 2   valid 2 \(100\.0 %\)   received \d`, `^hosts     ready 0   waiting 0   resting 0   in process 1   inactive 0$`,
		`^errors    4xx 1$`, `^machine .* memory \d.* workers 1 of 50 busy$`,
		`^ +\d+ +\d+(\.\d)? s  a\.test  +fetch/http  +/held$`, `^ p pause   q stop   `}
	t.Logf("80 × 24\n%s", m.see("0", figures...))
	if got := m.modes("0"); got != viewModes {
		t.Errorf("modes while the view runs: %s", got)
	}
	m.keys("0", "p")
	m.see("0", `^ exclave  kill  paused  `, `^paused; 1 URI in process is being finished$`, `^ r resume   `)
	m.keys("0", "r")
	m.see("0", figures...)

	m.resize("0", "120", "40")
	t.Logf("120 × 40\n%s", m.see("0", append(figures, `\A exclave .*\n(.*\n){38} p pause .*Q stop at once\n\z`)...))
	m.resize("0", "40", "10")
	t.Logf("40 × 10\n%s", m.see("0", `\A exclave .*\n(.*\n){8} p pause .*\n\z`, `^queued 0  in process 1$`,
		`^archived 3  valid 2 \(100\.0 %\)$`, `^hosts ready 0  waiting 0  resting 0$`, `^ +\d+ .* a\.test +fetch/http$`))
	m.resize("0", "80", "24")
	m.see("0", figures...)

	m.keys("0", "?")
	m.see("0", `^q q  +stop in order`)
	m.keys("0", "x")
	m.see("0", figures...)
	m.keys("0", "q")
	m.see("0", `^ stop the crawl in order\? press q again`)
	m.keys("0", "x", "q", "q")
	m.see("0", `^kill: stopped after .*: 5 URIs finished, 2 pages judged, 2 valid`, `^exit code 0$`)
	m.awaitShell("0")
	if before, after := m.file("before"), m.file("after"); before != after {
		t.Errorf("stty before the view\n%s\nand after it\n%s", before, after)
	}
	if text, c := exclave(t, "verify", dir); c != 0 {
		t.Errorf("verify: exit code %d\n%s", c, text)
	}
}

// A crawl is watched and steered from another terminal; leaving the view leaves the
// crawl alone.
func TestWatch(t *testing.T) {
	t.Parallel()
	dir := liveJob(t, "1s")
	m := startTmux(t, "80", "24")
	if text, c := exclave(t, "watch", dir); c != int(exitNegative) {
		t.Errorf("watch without a crawl: exit code %d\n%s", c, text)
	}
	m.line("0", "exclave crawl "+dir+"; echo exit code $?")
	m.see("0", ` running `, ` a\.test .*/held$`)
	if text, c := exclave(t, "watch", dir); c != int(exitUsage) || !strings.Contains(text, "no terminal") {
		t.Errorf("watch without a terminal: exit code %d\n%s", c, text)
	}
	m.do("new-window", "-d", "-c", m.dir, "sh -i")
	m.line("1", "exclave watch "+dir+"; echo exit code $?")
	m.see("1", `^ exclave watch  kill  running `, `^pages     judged 2   valid 2 \(100\.0 %\)`, ` a\.test  +fetch/http  +/held$`, `^ p pause   q leave   S stop`)
	m.keys("1", "p")
	m.see("1", ` paused `, `^ r resume `)
	m.see("0", ` paused `)
	m.keys("0", "r")
	m.see("1", ` running `)
	m.keys("1", "q")
	m.see("1", `^exit code 0$`)
	m.awaitShell("1")
	m.see("0", ` running `, ` a\.test .*/held$`)

	m.line("1", "clear; exclave watch "+dir+"; echo code again $?")
	m.see("1", ` running `)
	m.keys("1", "S", "S")
	m.see("1", `: the crawl has ended$`, `^code again 0$`)
	m.see("0", `^kill: stopped after `, `^exit code 0$`)
	m.awaitShell("0")
}

// Ctrl-C stops in order, a second one at once; the screen is given back each time.
func TestLiveInterrupt(t *testing.T) {
	t.Parallel()
	dir := liveJob(t, "1m")
	m := startTmux(t, "80", "24")
	m.line("0", "stty -a >before; exclave crawl "+dir+"; echo exit code $?; stty -a >after")
	m.see("0", ` running `, ` a\.test .*/held$`)
	m.keys("0", "C-c")
	m.see("0", `^ exclave  kill  stopping `, `^stopping; 1 URI in process may still be finished$`, `^log: 1 line`, `^stopping in order`)
	m.keys("0", "C-c")
	m.see("0", `^stopping in order`, `^exit code 130$`)
	m.awaitShell("0")
	if before, after := m.file("before"), m.file("after"); before != after {
		t.Errorf("stty before the view\n%s\nand after it\n%s", before, after)
	}
	// What was cut off goes on; Q Q is the same as both.
	m.line("0", "clear; exclave crawl "+dir+"; echo code again $?")
	m.see("0", ` running `, ` a\.test .*/held$`)
	m.keys("0", "Q")
	m.see("0", `^ stop at once\? press Q again`)
	m.keys("0", "Q")
	m.see("0", `^code again 130$`)
	m.awaitShell("0")
}

// Ctrl-Z gives the terminal to the shell, fg brings the view back. A crawl that a
// signal stops in order gives it back, too.
func TestLiveSuspend(t *testing.T) {
	t.Parallel()
	dir := liveJob(t, "1s")
	m := startTmux(t, "80", "24")
	m.line("0", "exclave crawl "+dir)
	m.see("0", ` running `, ` a\.test .*/held$`)
	m.keys("0", "C-z")
	m.see("0", `^\[1\] .*Stopped`)
	m.awaitShell("0")
	m.line("0", "fg; echo exit code $?")
	m.see("0", ` running `, ` a\.test .*/held$`)
	m.keys("0", "C-z")
	m.see("0", `^exit code 148$`)
	m.line("0", "clear; bg")
	m.line("0", "echo at $((20+3))") // the crawl works, the shell has the terminal
	m.see("0", `^at 23$`)
	m.line("0", "fg; echo code again $?")
	m.see("0", ` running `, ` a\.test .*/held$`)
	m.keys("0", "C-c")
	m.see("0", `^kill: stopped after `, `^code again 0$`)
	m.awaitShell("0")
}

// What a job cannot open, or --plain, is said on the plain screen.
func TestLivePlain(t *testing.T) {
	t.Parallel()
	dir := liveJob(t, "1s")
	m := startTmux(t, "100", "24")
	m.line("0", "exclave crawl --plain "+dir+"; echo exit code $?")
	m.see("0", `done 5 kept 3 valid 2 failed 0`)
	if got := m.modes("0"); got != shellModes {
		t.Errorf("modes with --plain: %s", got)
	}
	m.do("new-window", "-d", "-c", m.dir, "sh -i")
	m.line("1", "TERM=dumb exclave watch "+dir+"; echo exit code $?")
	m.see("1", `no terminal for a view`, `^exit code 2$`)
	m.line("1", "exclave crawl "+dir+"; echo second $?")
	m.see("1", `^second 4$`)
	m.awaitShell("1")
	m.keys("0", "C-c")
	m.see("0", `^exit code 0$`)
}
