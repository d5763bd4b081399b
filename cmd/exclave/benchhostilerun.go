package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"exclave/config"

	"github.com/spf13/cobra"
)

// hostileSettings are what the job differs in from a job's defaults.
const hostileSettings = `# The job of "exclave bench hostile": every setting that is not here has its default.
[job]
name = "hostile"
seeds = ["seeds.txt"]

[http]
contact = "http://127.0.0.1/exclave-bench"
allow = ["127.0.0.0/8"]

[http.connect_to]
%s
[dns]
servers = [%q]

[crawl]
toe_threads = %d
grace = %q
min_free_disk = 0
fetch_unclaimed_embeds = true

[analysis]
profiles = ["cz"]

[frontier]
delay_factor = 1.0
min_delay = %q
max_delay = "10s"
retry_delay = %q
max_retry_delay = %q
max_retries = 1
robots_retries = 1
dns_retries = 1
dns_retry_delay = %q
# All hosts are on this machine.
hosts_per_address = 0
address_delay = "0s"

[warc]
prefix = "BENCH"

[[scope]]
rule = "accept"
`

// Patience of the bench beyond what was agreed.
const (
	endPatience    = 20 * time.Second // beyond the grace, until a crawl is killed
	verifyPatience = 15 * time.Minute
	watchEvery     = 50 * time.Millisecond
	sayEvery       = time.Minute
)

// hostileWeb is a running bench hostile serve.
type hostileWeb struct {
	hostileAddresses
	servedProcess
}

// crawlHostile crawls the web of o in dir for at most limit, stops it, and verifies.
func crawlHostile(cmd *cobra.Command, o hostileOptions, dir string, limit time.Duration) (r hostileRun, err error) {
	params, err := json.Marshal(o.web)
	if err != nil {
		return r, err
	}
	c, err := child(cmd, "bench", "hostile", "serve", string(params))
	if err != nil {
		return r, err
	}
	var w hostileWeb
	if err := w.start(c, &w.hostileAddresses); err != nil {
		return r, err
	}
	err = writeHostileJob(dir, o, &w.hostileAddresses)
	if err == nil {
		err = r.crawl(cmd, o, dir, limit)
	}
	if err = errors.Join(err, w.end(&r.Web)); err != nil {
		return r, err
	}
	return r, r.verify(cmd, o, dir)
}

func writeHostileJob(dir string, o hostileOptions, w *hostileAddresses) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var connect strings.Builder
	for _, from := range slices.Sorted(maps.Keys(w.ConnectTo)) {
		fmt.Fprintf(&connect, "%q = %q\n", from, w.ConnectTo[from])
	}
	text := fmt.Sprintf(hostileSettings, connect.String(), w.DNS, o.toeThreads, o.grace.String(), o.minDelay.String(),
		o.retryDelay.String(), (2 * o.retryDelay).String(), o.retryDelay.String())
	return errors.Join(os.WriteFile(filepath.Join(dir, config.FileName), []byte(text), 0o644),
		os.WriteFile(filepath.Join(dir, "seeds.txt"), []byte(strings.Join(w.Seeds, "\n")+"\n"), 0o644))
}

// other is a command of the binary that is measured.
func (o hostileOptions) other(cmd *cobra.Command, args ...string) (*exec.Cmd, error) {
	if o.exclave == "" {
		return child(cmd, args...)
	}
	c := exec.CommandContext(cmd.Context(), o.exclave, args...)
	c.Stderr = cmd.ErrOrStderr()
	return c, nil
}

// crawl runs the crawl until it ends, is stopped at the limit, or is killed.
func (r *hostileRun) crawl(cmd *cobra.Command, o hostileOptions, dir string, limit time.Duration) error {
	c, err := o.other(cmd, "crawl", "--quiet", dir)
	if err != nil {
		return err
	}
	var said bytes.Buffer
	c.Stderr = &said
	began := time.Now()
	if err := c.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	r.Ended = endedItself
	watch, say := time.NewTicker(watchEvery), time.NewTicker(sayEvery)
	defer watch.Stop()
	defer say.Stop()
	stop, kill := time.After(limit), (<-chan time.Time)(nil)
	var stopped time.Time
	for running := true; running; {
		select {
		case err = <-ended:
			running = false
		case <-watch.C:
			if residentOf(c.Process.Pid) > o.abortMemory {
				r.Ended = endedMemory
				_ = c.Process.Kill() // it has ended already
			}
		case <-say.C:
			fmt.Fprintf(cmd.ErrOrStderr(), "bench: %s, %d MB\n", time.Since(began).Round(time.Second), residentOf(c.Process.Pid)/1e6)
		case <-stop:
			r.Ended, stopped = endedStopped, time.Now()
			_ = c.Process.Signal(os.Interrupt) // it has ended already
			kill = time.After(o.grace + endPatience)
		case <-kill:
			r.Ended = endedKilled
			_ = c.Process.Kill() // it has ended already
		}
	}
	r.WallSeconds = time.Since(began).Seconds()
	if !stopped.IsZero() {
		r.WallSeconds, r.StopSeconds = stopped.Sub(began).Seconds(), time.Since(stopped).Seconds()
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return err
	}
	r.Crawler, r.CrawlCode = usageOf(c.ProcessState.SysUsage().(*syscall.Rusage)), c.ProcessState.ExitCode()
	if r.CrawlCode != 0 {
		r.Said = lastLines(said.String(), maxShown)
	}
	return cmd.Context().Err()
}

// verify counts the defects that the measured binary finds.
func (r *hostileRun) verify(cmd *cobra.Command, o hostileOptions, dir string) error {
	if r.Ended == endedKilled || r.Ended == endedMemory {
		return nil // a job that was killed has to continue first
	}
	c, err := o.other(cmd, "verify", dir)
	if err != nil {
		return err
	}
	began := time.Now()
	late := time.AfterFunc(verifyPatience, func() { _ = c.Process.Kill() }) // it has ended already
	defer late.Stop()
	out, err := c.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return err
	}
	r.VerifyCode, r.VerifySeconds = c.ProcessState.ExitCode(), time.Since(began).Seconds()
	if r.VerifyCode == int(exitNegative) {
		r.Defects = bytes.Count(out, []byte("\n"))
		r.DefectSamples = lastLines(string(out), maxShown)
	}
	return nil
}

// residentOf is the memory of a process in bytes; 0 when it is not known.
func residentOf(pid int) int64 {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "statm"))
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

func lastLines(text string, most int) []string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[max(len(lines)-most, 0):]
}
