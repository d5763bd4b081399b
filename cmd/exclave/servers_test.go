package main

import (
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"exclave/internal/testweb"
	"exclave/warc"
	"exclave/warc/dedup/deduptest"
)

// A harvest is fed into a CDX server, the next one asks it; verify does, too, and says what is missing, what it could not prove, and what it took on trust.
func TestVerifyServers(t *testing.T) {
	synthetic := testweb.NewSynthetic(testweb.Params{Seed: 4, Hosts: 3, Pages: 3, FanOut: 2, Cross: 1, Images: 2, National: 1})
	srv, err := testweb.Start(pictures{synthetic}, testweb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	o := deduptest.StartOutback(t)
	first := writeKillJob(t, srv, synthetic.Seeds(), "within_job = false")
	second := writeKillJob(t, srv, synthetic.Seeds(), "within_job = false", fmt.Sprintf("servers = [%q]", o.URL), `server_timeout = "1m"`, `server_logins = "logins"`)
	write(t, filepath.Join(second, "logins"), strings.Replace(o.URL, "http://", "http://reader:s3cret@", 1)+"\n")
	if out, err := exec.Command("exclave", "crawl", "--quiet", first).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if code, out, stderr := inside("", "cdx", "--feed", o.URL, first); code != 0 {
		t.Fatal(out, stderr)
	}
	o.Demand("reader:s3cret")
	if out, err := exec.Command("exclave", "crawl", "--quiet", second).CombinedOutput(); err != nil || strings.Contains(string(out), "s3cret") {
		t.Fatalf("%v\n%s", err, out)
	}
	var one warc.RecordInfo // a revisit record
	n := 0
	archiveRecords(t, second, func(r warc.RecordInfo) {
		if r.Type == warc.TypeRevisit && r.Header.Get("WARC-Refers-To") == "" {
			one = r
			n++
		}
	})
	if n < 5 {
		t.Fatalf("%d revisit records", n)
	}
	verify := func(want exitCode, text string, flags ...string) {
		t.Helper()
		code, out, stderr := inside("", append([]string{"verify", "--quiet", second}, flags...)...)
		if code != int(want) || !strings.Contains(out+stderr, text) || strings.Contains(out+stderr, "s3cret") {
			t.Errorf("%v: exit code %d, want %d and %q\n%s%s", flags, code, want, text, out, stderr)
		}
	}
	verify(exitOK, "state, archive and logs agree\n")
	verify(exitOK, fmt.Sprintf("taken on trust, for no server was asked: %d revisit records", n), "--offline")
	asked := len(o.Queries())
	verify(exitOK, "agree, as far as was checked", "--offline")
	if len(o.Queries()) != asked {
		t.Error("--offline asks the server")
	}
	o.Fail(2) // which passes
	verify(exitOK, "state, archive and logs agree\n")

	lookup := []string{"dedup", "lookup", "--server", o.URL, "--logins", filepath.Join(second, "logins"), "--url", one.TargetURI, one.Payload}
	if code, out, stderr := inside("", lookup...); code != 0 || !strings.Contains(out, " "+one.TargetURI+" "+one.Payload) || !strings.HasPrefix(out, strings.Replace(one.Header.Get("WARC-Refers-To-Date"), ".000Z", "Z", 1)) {
		t.Errorf("%d %q %q, refers to %s", code, out, stderr, one.Header.Get("WARC-Refers-To-Date"))
	}
	o.Answer(func(http.ResponseWriter, *http.Request) {})
	if code, _, stderr := inside("", lookup...); code != int(exitNegative) || !strings.Contains(stderr, "it is not there") {
		t.Errorf("%d %q", code, stderr)
	}
	verify(exitNegative, fmt.Sprintf("verify %s: %d defects", second, n))
	verify(exitNegative, "neither in an index nor on a server that [dedup] names")
	o.Demand("another:word")
	if code, _, stderr := inside("", lookup...); code != int(exitUsage) || !strings.Contains(stderr, "401 Unauthorized") || strings.Contains(stderr, "s3cret") {
		t.Errorf("%d %q", code, stderr)
	}
	asked = len(o.Queries())
	verify(exitNegative, fmt.Sprintf("%d revisit records not proven; the other checks found no defect; --offline takes them on trust", n))
	if more := len(o.Queries()) - asked; more < proverTries || more > proverTries+8 {
		t.Errorf("a server that does not answer is asked %d times", more)
	}
	for _, args := range [][]string{{"--server", o.URL, one.Payload}, {"--server", o.URL, "--url", "http://a.cz/", "folder", one.Payload}, {"--server", "nonsense", "--url", "http://a.cz/", one.Payload},
		{"--server", o.URL, "--url", "http://a.cz/", "x"}, {"--logins", "x", "folder", one.Payload}, {"--server", o.URL, "--logins", "missing", "--url", "http://a.cz/", one.Payload}} {
		if code, _, stderr := inside("", append([]string{"dedup", "lookup"}, args...)...); code != int(exitUsage) || stderr == "" {
			t.Errorf("%v: %d %q", args, code, stderr)
		}
	}
}
