package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"exclave/config"
	"exclave/crawl"
	"exclave/internal/aside"
	"exclave/internal/fsx"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/logparts"
	"exclave/warc"
	"exclave/warc/warctest"
)

// archiveRecords reads the archive of a job that is at rest.
func archiveRecords(t *testing.T, dir string, each func(warc.RecordInfo)) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, folder.WARCDir, "*.warc.*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if _, err := warctest.Verify(fsx.Real(), name, func(r warc.RecordInfo) error {
			each(r)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// archived reads the payload digest of every URL in the WARC files. Answers of
// name servers hold the time.
func archived(t *testing.T, dir string) map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, folder.WARCDir, "*.warc.*"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, name := range names {
		defects, err := warctest.Verify(fsx.Real(), name, func(r warc.RecordInfo) error {
			if (r.Type == warc.TypeResponse || r.Type == warc.TypeRevisit) && !strings.HasPrefix(r.TargetURI, "dns:") {
				if had, ok := got[r.TargetURI]; ok && !strings.HasSuffix(r.TargetURI, "/robots.txt") {
					t.Errorf("%s is in the archive twice, as %s and %s", r.TargetURI, had, r.Payload)
				}
				got[r.TargetURI] = r.Payload
			}
			return nil
		})
		if err != nil || len(defects) > 0 {
			t.Fatalf("%s: %v %v", name, err, defects)
		}
	}
	return got
}

// wholeRecords returns the file that each whole record lies in, by its ID: in the archive or set aside.
func wholeRecords(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, pattern := range []string{folder.WARCDir + "/*.warc.*", aside.Dir + "/*.warc.gz", aside.Dir + "/*.warc.zst"} {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if _, err := warctest.Verify(fsx.Real(), name, func(r warc.RecordInfo) error {
				out[r.ID] = name
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out
}

// wholeLines returns the file that each whole line of a log lies in: in the log, a part of it, or set aside.
func wholeLines(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for l := range crawl.NumLogs {
		if err := logparts.EachLine(fsx.Real(), filepath.Join(dir, folder.LogDir), l.Name(), func(at logparts.Place, line []byte) error {
			if line[len(line)-1] == '\n' {
				out[string(line)] = at.File
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	for _, pattern := range []string{aside.Dir + "/*.log", aside.Dir + "/*.jsonl"} {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(data)) {
				out[line] = name
			}
		}
	}
	return out
}

// archivedByState are the URLs that the state acknowledges as archived.
func archivedByState(t *testing.T, dir string) map[string]bool {
	t.Helper()
	cfg, problems := config.Load(dir)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	outcomes, err := job.Outcomes(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for url, o := range outcomes {
		if o.Archived && !strings.HasSuffix(url, "/robots.txt") {
			got[url] = true
		}
	}
	return got
}

func differences(got, want map[string]string) string {
	var out []string
	for url, digest := range want {
		if got[url] != digest {
			out = append(out, fmt.Sprintf("%s: %q, want %q", url, got[url], digest))
		}
	}
	for url := range got {
		if _, ok := want[url]; !ok {
			out = append(out, url+": should not be there")
		}
	}
	slices.Sort(out)
	return strings.Join(out[:min(len(out), 10)], "\n")
}
