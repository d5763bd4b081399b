package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"exclave/analyzer"
	"exclave/config"
	"exclave/internal/fsx"
	"exclave/internal/job/folder"
	"exclave/internal/job/verify"
	"exclave/internal/testweb/benchweb"

	"github.com/spf13/cobra"
)

// usage is what a process cost, as the kernel counts.
type usage struct {
	User    float64 `json:"user_seconds"`
	System  float64 `json:"system_seconds"`
	PeakRSS int64   `json:"peak_rss_bytes"`
}

func (u usage) minus(v usage) usage { return usage{u.User - v.User, u.System - v.System, u.PeakRSS} }

func usageOf(r *syscall.Rusage) usage {
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return usage{seconds(r.Utime), seconds(r.Stime), r.Maxrss * 1024}
}

func ownUsage() usage {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return usage{} // only for an argument that is wrong
	}
	return usageOf(&r)
}

// child is a command of this program in a process of its own.
func child(cmd *cobra.Command, args ...string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	c := exec.CommandContext(cmd.Context(), self, args...)
	c.Args[0] = "exclave" // the name a test's binary goes by
	c.Stderr = cmd.ErrOrStderr()
	return c, nil
}

// timed runs a process to its end.
func timed(c *exec.Cmd) (u usage, wall time.Duration, err error) {
	began := time.Now()
	err = c.Run()
	wall = time.Since(began)
	if c.ProcessState != nil {
		u = usageOf(c.ProcessState.SysUsage().(*syscall.Rusage))
	}
	return u, wall, err
}

// servedProcess is a server in a process of its own: it prints a line of JSON when it
// serves, and another when its stdin has ended.
type servedProcess struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	stdout *bufio.Reader
}

// start starts c and reads its first line.
func (p *servedProcess) start(c *exec.Cmd, first any) error {
	in, err := c.StdinPipe()
	if err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	p.cmd, p.stdin, p.stdout = c, in, bufio.NewReader(out)
	if err := c.Start(); err != nil {
		return fmt.Errorf("bench: start the web: %w", err)
	}
	if err := p.line(first); err != nil {
		return errors.Join(err, in.Close(), c.Wait())
	}
	return nil
}

func (p *servedProcess) line(to any) error {
	text, err := p.stdout.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		return fmt.Errorf("bench: the web said %q: %w", text, err)
	}
	return nil
}

// end stops the server and reads its last line.
func (p *servedProcess) end(last any) error {
	return errors.Join(p.stdin.Close(), p.line(last), p.cmd.Wait())
}

// webProcess is a running bench serve.
type webProcess struct {
	benchAddresses
	servedProcess
	counts string
}

func startWeb(cmd *cobra.Command, o benchOptions, counts string) (*webProcess, error) {
	p := o.web
	number := func(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
	c, err := child(cmd, "bench", "serve", "--counts", counts, "--seed", strconv.FormatUint(p.Seed, 10),
		"--hosts", strconv.Itoa(p.Hosts), "--resources", strconv.Itoa(p.Resources), "--mean-size", strconv.Itoa(p.MeanSize),
		"--national-share", number(p.National), "--locality", number(p.Locality), "--redirects", number(p.Redirects), "--errors", number(p.Errors),
		"--tls", number(p.TLS), "--gzip", number(p.Gzip), "--traps="+strconv.FormatBool(p.Traps), "--trap-share", number(p.TrapShare),
		"--deep="+strconv.FormatBool(p.Deep), "--seed-share", number(p.SeedShare), "--shared-address", number(p.SharedAddress),
		"--changed", number(p.Changed), "--validators", string(p.Validators), "--slow-hosts", strconv.Itoa(p.SlowHosts), "--slow-by", p.SlowBy.String())
	if err != nil {
		return nil, err
	}
	w := &webProcess{counts: counts}
	if err := w.start(c, &w.benchAddresses); err != nil {
		return nil, err
	}
	return w, nil
}

// end stops the web and returns what was requested of it.
func (w *webProcess) end() (served benchServed, counts []byte, err error) {
	if err = w.servedProcess.end(&served); err == nil {
		counts, err = os.ReadFile(w.counts)
	}
	if err != nil {
		err = withCode(exitFailure, fmt.Errorf("bench: end the web: %w", err))
	}
	return served, counts, err
}

// benchSettings are what a measurement changes of the defaults of a job.
const benchSettings = `# The job of "exclave bench": every setting that is not here has its default.
[job]
name = "bench"
seeds = ["seeds.txt"]

[http]
contact = "http://127.0.0.1/exclave-bench"
allow = ["127.0.0.0/8"]

[http.connect_to]
"*:80" = %q
"*:443" = %q

[dns]
servers = [%q]

[crawl]
toe_threads = %d
min_free_disk = 0
# true: embeds of pages that nobody archives are fetched too, all that can be reached.
fetch_unclaimed_embeds = %t

[analysis]
profiles = [%q]
depth = %d

[frontier]
# Politeness is for servers of other people.
min_delay = "0s"
max_delay = "0s"
retry_delay = "200ms"
max_retries = 2
dns_retry_delay = "200ms"
# All hosts are at 127.0.0.1.
hosts_per_address = 0
address_delay = "0s"

# The engine is measured, and all of the web is to be found.
[limits]
host_uris = 0
host_uris_max = 0
domain_uris = 0
domain_uris_max = 0
uris_per_valid = 0
host_guesses = 0
hosts_per_domain = 0
hosts_per_domain_max = 0

[warc]
prefix = "BENCH"

[[scope]]
rule = "accept"
`

// writeBenchJob writes the job. Everything is archived when each page is valid: the
// profile is cz deciding by points, with a minimum that every page reaches, and the points tell which
// pages cz by points would have taken. The probability is computed all the same.
func writeBenchJob(dir string, o benchOptions, w *webProcess) error {
	if err := os.MkdirAll(dir, fsx.FolderMode); err != nil {
		return withCode(exitFailure, fmt.Errorf("bench: %w", err))
	}
	source, err := analyzer.BuiltinSource("cz")
	if err != nil {
		return withCode(exitFailure, err)
	}
	profile, depth := "cz", -1
	if o.order != "" {
		depth = 0
	}
	files := map[string]string{"seeds.txt": strings.Join(w.Seeds, "\n") + "\n"}
	if !o.national {
		profile, depth = "everything.toml", 0
		files[profile] = strings.NewReplacer("\nmin_points = ", "\nmin_points = -1000000 # ", "\ndecide = ", "\ndecide = \"points\" # ").Replace(string(source))
	}
	order := o.order
	if order == "" {
		order = "\n[order]\npolicies = [\"kind\"]\nfollow_useless = true\n"
	}
	files[config.FileName] = fmt.Sprintf(benchSettings, w.HTTP, w.HTTPS, w.DNS, o.toeThreads, o.order == "", profile, depth) + order
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), fsx.FileMode); err != nil {
			return withCode(exitFailure, fmt.Errorf("bench: %w", err))
		}
	}
	return nil
}

// crawlCost is what a crawl of the web cost, and what was requested of the web.
type crawlCost struct {
	WallSeconds float64     `json:"wall_seconds"`
	Crawler     usage       `json:"crawler"`
	Web         benchServed `json:"web"`
	Defects     int         `json:"verify_defects"`
}

// benchCrawl crawls the web with exclave and judges the result.
func benchCrawl(cmd *cobra.Command, o benchOptions, web *benchweb.Web, r *benchReport) (err error) {
	cost, cfg, counts, err := crawlWeb(cmd, o, writeBenchJob)
	if err != nil {
		return err
	}
	r.WallSeconds, r.Crawler, r.Web, r.Defects = cost.WallSeconds, cost.Crawler, cost.Web, cost.Defects
	if err := r.judge(cmd.Context(), cfg, web, counts); err != nil {
		return withCode(exitFailure, err)
	}
	return r.files(cfg.Dir)
}

// crawlWeb serves the web, crawls it with the job that write makes, and verifies the job.
func crawlWeb(cmd *cobra.Command, o benchOptions, write func(dir string, o benchOptions, w *webProcess) error) (r crawlCost, cfg *config.Config, counts []byte, err error) {
	dir := benchFile(o, "job")
	w, err := startWeb(cmd, o, benchFile(o, "counts"))
	if err != nil {
		return r, nil, nil, withCode(exitFailure, err)
	}
	if err := write(dir, o, w); err != nil {
		_, _, e := w.end()
		return r, nil, nil, errors.Join(err, e)
	}
	args := []string{"crawl", "--quiet", dir}
	for flag, file := range map[string]string{"--cpuprofile": o.cpu, "--memprofile": o.mem} {
		if file != "" {
			args = append(args, flag, file)
		}
	}
	c, err := child(cmd, args...)
	if err == nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "bench: %d resources on %d hosts, crawling\n", o.web.Resources, o.web.Hosts)
		var wall time.Duration
		r.Crawler, wall, err = timed(c)
		r.WallSeconds = wall.Seconds()
	}
	var e error
	r.Web, counts, e = w.end()
	if err = errors.Join(err, e); err != nil {
		return r, nil, nil, withCode(exitFailure, fmt.Errorf("bench: crawl: %w", err))
	}
	if cfg, err = loadJob(cmd, dir); err != nil {
		return r, nil, nil, err
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "bench: verifying, comparing with the truth")
	defects, err := verify.All(cmd.Context(), folder.Of(cfg, jobOptions(io.Discard).Env()))
	if err != nil {
		return r, nil, nil, withCode(exitFailure, err)
	}
	for _, d := range defects {
		fmt.Fprintln(cmd.ErrOrStderr(), d)
	}
	r.Defects = len(defects)
	return r, cfg, counts, nil
}

// benchWget crawls the web with wget, through the web as its proxy.
func benchWget(cmd *cobra.Command, o benchOptions) (*wgetReport, error) {
	path, err := exec.LookPath("wget")
	if err != nil {
		return nil, withCode(exitUsage, fmt.Errorf("bench: --wget: %w", err))
	}
	if o.web.TLS > 0 {
		return nil, withCode(exitUsage, errors.New("bench: --wget: the web is no proxy for https; leave --tls out"))
	}
	dir := benchFile(o, "wget")
	if err := os.MkdirAll(dir, fsx.FolderMode); err != nil {
		return nil, withCode(exitFailure, err)
	}
	w, err := startWeb(cmd, o, benchFile(o, "wget-counts"))
	if err != nil {
		return nil, withCode(exitFailure, err)
	}
	args := append([]string{"--no-config", "--quiet", "--recursive", "--level=inf", "--span-hosts", "--page-requisites", "--delete-after",
		"--tries=2", "--warc-file=wget", "--no-warc-keep-log", "-e", "robots=on", "-e", "use_proxy=yes", "-e", "http_proxy=http://" + w.HTTP + "/"}, w.Seeds...)
	c := exec.CommandContext(cmd.Context(), path, args...)
	c.Dir, c.Stderr = dir, cmd.ErrOrStderr()
	fmt.Fprintln(cmd.ErrOrStderr(), "bench: crawling with wget")
	r := &wgetReport{}
	var wall time.Duration
	r.Wget, wall, err = timed(c)
	r.WallSeconds = wall.Seconds()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 8 {
		err = nil // some answers were errors: they are meant to be
	}
	served, counts, e := w.end()
	if err = errors.Join(err, e); err != nil {
		return nil, withCode(exitFailure, fmt.Errorf("bench: wget: %w", err))
	}
	r.Web = served
	for _, n := range counts {
		if n > 0 {
			r.Found++
		}
	}
	return r, nil
}
