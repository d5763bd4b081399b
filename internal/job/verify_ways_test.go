package job_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"exclave/config"
	"exclave/internal/fsx"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/printable"
	"exclave/internal/testweb"
)

// verifyWith verifies a job in one way, demands that nothing is left in the temporary folder, and returns
// the defects in the order of their texts.
func verifyWith(t testing.TB, cfg *config.Config, o job.Options, with job.VerifyOptions) []string {
	t.Helper()
	with.Temp = t.TempDir()
	var defects []string
	with.Defect = func(d job.Defect) { defects = append(defects, d.String()) }
	must(t, job.VerifyWith(t.Context(), cfg, o, with))
	if left, err := os.ReadDir(with.Temp); err != nil || len(left) > 0 {
		t.Errorf("left in the temporary folder: %v %v", left, err)
	}
	slices.Sort(defects)
	return defects
}

// verifyAll verifies a job, and demands that the same is found when next to nothing is held in memory and
// by these numbers of workers (1 and 3), and by a quick look no defect where there is none.
func verifyAll(t testing.TB, cfg *config.Config, o job.Options, numbers ...int) []job.Defect {
	t.Helper()
	if len(numbers) == 0 {
		numbers = []int{1, 3}
	}
	defects, err := job.Verify(t.Context(), cfg, o)
	must(t, err)
	var want []string
	for _, d := range defects {
		want = append(want, d.String())
	}
	slices.Sort(want)
	for _, workers := range numbers {
		tiny := job.VerifyOptions{Workers: workers}
		if got := verifyWith(t, cfg, o, tiny); !slices.Equal(got, want) {
			t.Errorf("%d workers find\n%s\nnot\n%s", workers, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		tiny.Tiny()
		if got := verifyWith(t, cfg, o, tiny); !slices.Equal(got, want) {
			t.Errorf("%d workers with next to no memory find\n%s\nnot\n%s", workers, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		tiny.Fast = true
		if got := verifyWith(t, cfg, o, tiny); len(want) == 0 && len(got) > 0 {
			t.Errorf("a quick look finds in a job without defects\n%s", strings.Join(got, "\n"))
		}
	}
	return defects
}

// What a quick look does not see of the damages of TestVerifyFindsDamage: bytes within records, records that the
// state does not point to, and single lines that the checksum does not tell.
func unseenAtAGlance() []string {
	return []string{"a byte flipped within a record", "a byte flipped in the checksum of the last record", "the DNS record is missing",
		"the robots.txt record is missing", "DNS dated after the page", "robots.txt dated after the page", "the block is not that of its digest"}
}

// An interrupted verification ends with the context's error, and leaves nothing behind.
func TestVerifyInterrupted(t *testing.T) {
	cfg := testConfig(t, serve(t, testweb.Tiny{home: testweb.National("/two"), page2: testweb.NationalPage(2)}), home)
	runJob(t, cfg)
	name := filepath.Join(cfg.Dir, folder.LogDir, "crawl.log")
	must(t, os.WriteFile(name, []byte("no line\n"), 0o644)) // tells that the logs are being read
	for _, fast := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		with := job.VerifyOptions{Temp: t.TempDir(), Fast: fast, Defect: func(job.Defect) { cancel() }}
		with.Tiny()
		if err := job.VerifyWith(ctx, cfg, job.Options{}, with); !errors.Is(err, context.Canceled) {
			t.Errorf("fast %v: %v", fast, err)
		}
		if left, err := os.ReadDir(with.Temp); err != nil || len(left) > 0 {
			t.Errorf("left in the temporary folder: %v %v", left, err)
		}
	}
}

// A file that cannot be read is no defect: the check could not be made.
func TestVerifyCannotRead(t *testing.T) {
	cfg := testConfig(t, serve(t, testweb.Tiny{home: testweb.National("/two"), page2: testweb.NationalPage(2)}), home)
	runJob(t, cfg)
	for _, part := range []string{folder.WARCDir, "crawl.log"} {
		for _, fast := range []bool{false, true} {
			faulty := fsx.NewFaulty(fsx.Real(), fsx.Fault{Err: errBroken, Match: func(op fsx.Op) bool {
				return strings.HasPrefix(op.Kind, "read") && strings.Contains(op.Path, part)
			}})
			var defects []job.Defect
			err := job.VerifyWith(t.Context(), cfg, job.Options{FS: faulty}, job.VerifyOptions{Temp: t.TempDir(), Fast: fast,
				Defect: func(d job.Defect) { defects = append(defects, d) }})
			if !errors.Is(err, errBroken) || len(defects) > 0 {
				t.Errorf("%s, fast %v: %v %v", part, fast, err, defects)
			}
		}
	}
}

var errBroken = errors.New("the disk is broken")

// Progress tells how far it is, how long it will take, and what was found.
func TestVerifyProgress(t *testing.T) {
	cfg := testConfig(t, serve(t, testweb.Tiny{home: testweb.National("/two"), page2: testweb.NationalPage(2)}), home)
	runJob(t, cfg)
	var out bytes.Buffer
	must(t, job.VerifyWith(t.Context(), cfg, job.Options{}, job.VerifyOptions{Temp: t.TempDir(), Progress: &out}))
	var size int64
	files, err := filepath.Glob(filepath.Join(cfg.Dir, folder.WARCDir, "*"))
	must(t, err)
	for _, f := range files {
		st, err := os.Stat(f)
		must(t, err)
		size += st.Size()
	}
	want := fmt.Sprintf("verify: archive %s of %s, 0 s left; 0 defects so far\n", printable.Size(size), printable.Size(size))
	if !strings.HasSuffix(out.String(), want) {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

// Of a log that cannot be read nobody wants to hear of every URI that it would have lines of.
func TestVerifyNamesNoLinesOfAMissingLog(t *testing.T) {
	cfg := testConfig(t, serve(t, testweb.Tiny{home: testweb.National("/two"), page2: testweb.NationalPage(2)}), home)
	runJob(t, cfg)
	must(t, os.Remove(filepath.Join(cfg.Dir, folder.LogDir, "crawl.log")))
	for _, d := range verify(t, cfg) {
		if strings.Contains(d.What, "is logged 0 times") {
			t.Error(d)
		}
	}
}
