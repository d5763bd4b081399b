package verify_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exclave/internal/fsx"
	"exclave/internal/job/folder"
	"exclave/internal/job/jobtest"
	"exclave/internal/job/verify"
	"exclave/internal/printable"
	"exclave/internal/testweb"
)

// What a quick look does not see of the damages of TestVerifyFindsDamage: bytes within records, records that the
// state does not point to, and single lines that the checksum does not tell.
func unseenAtAGlance() []string {
	return []string{"a byte flipped within a record", "a byte flipped in the checksum of the last record", "the DNS record is missing",
		"the robots.txt record is missing", "DNS dated after the page", "robots.txt dated after the page", "the block is not that of its digest"}
}

// An interrupted verification ends with the context's error, and leaves nothing behind.
func TestVerifyInterrupted(t *testing.T) {
	cfg := jobtest.Config(t, jobtest.Serve(t, testweb.Tiny{home: testweb.National("/two"), page2: testweb.NationalPage(2)}), home)
	jobtest.Run(t, cfg)
	name := filepath.Join(cfg.Dir, folder.LogDir, "crawl.log")
	jobtest.Must(t, os.WriteFile(name, []byte("no line\n"), 0o644)) // tells that the logs are being read
	for _, fast := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		with := verify.Options{Temp: t.TempDir(), Fast: fast, Defect: func(verify.Defect) { cancel() }}
		with.Sizes = jobtest.Tiny()
		if err := verify.Run(ctx, folder.Of(cfg, folder.Env{}), with); !errors.Is(err, context.Canceled) {
			t.Errorf("fast %v: %v", fast, err)
		}
		if left, err := os.ReadDir(with.Temp); err != nil || len(left) > 0 {
			t.Errorf("left in the temporary folder: %v %v", left, err)
		}
	}
}

// A file that cannot be read is no defect: the check could not be made.
func TestVerifyCannotRead(t *testing.T) {
	cfg := jobtest.Config(t, jobtest.Serve(t, testweb.Tiny{home: testweb.National("/two"), page2: testweb.NationalPage(2)}), home)
	jobtest.Run(t, cfg)
	for _, part := range []string{folder.WARCDir, "crawl.log"} {
		for _, fast := range []bool{false, true} {
			faulty := fsx.NewFaulty(fsx.Real(), fsx.Fault{Err: errBroken, Match: func(op fsx.Op) bool {
				return strings.HasPrefix(op.Kind, "read") && strings.Contains(op.Path, part)
			}})
			var defects []verify.Defect
			err := verify.Run(t.Context(), folder.Of(cfg, folder.Env{FS: faulty}), verify.Options{Temp: t.TempDir(), Fast: fast,
				Defect: func(d verify.Defect) { defects = append(defects, d) }})
			if !errors.Is(err, errBroken) || len(defects) > 0 {
				t.Errorf("%s, fast %v: %v %v", part, fast, err, defects)
			}
		}
	}
}

var errBroken = errors.New("the disk is broken")

// Progress tells how far it is, how long it will take, and what was found.
func TestVerifyProgress(t *testing.T) {
	cfg := jobtest.Config(t, jobtest.Serve(t, testweb.Tiny{home: testweb.National("/two"), page2: testweb.NationalPage(2)}), home)
	jobtest.Run(t, cfg)
	var out bytes.Buffer
	jobtest.Must(t, verify.Run(t.Context(), folder.Of(cfg, folder.Env{}), verify.Options{Temp: t.TempDir(), Progress: &out}))
	var size int64
	files, err := filepath.Glob(filepath.Join(cfg.Dir, folder.WARCDir, "*.warc.gz"))
	jobtest.Must(t, err)
	for _, f := range files {
		st, err := os.Stat(f)
		jobtest.Must(t, err)
		size += st.Size()
	}
	want := fmt.Sprintf("verify: archive %s of %s, 0 s left; 0 defects so far\n", printable.Size(size), printable.Size(size))
	if !strings.HasSuffix(out.String(), want) {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

// Of a log that cannot be read nobody wants to hear of every URI that it would have lines of.
func TestVerifyNamesNoLinesOfAMissingLog(t *testing.T) {
	cfg := jobtest.Config(t, jobtest.Serve(t, testweb.Tiny{home: testweb.National("/two"), page2: testweb.NationalPage(2)}), home)
	jobtest.Run(t, cfg)
	jobtest.Must(t, os.Remove(filepath.Join(cfg.Dir, folder.LogDir, "crawl.log")))
	for _, d := range jobtest.Verify(t, folder.Of(cfg, folder.Env{})) {
		if strings.Contains(d.What, "is logged 0 times") {
			t.Error(d)
		}
	}
}
