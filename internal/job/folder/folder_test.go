package folder_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"exclave/config"
	"exclave/internal/job/folder"
)

// What is written to the register of moved files is read again; a line that is none is refused with its number; and a
// folder that is only read cannot be written to.
func TestMovedFiles(t *testing.T) {
	cfg := config.Default("cz")
	cfg.Dir = t.TempDir()
	f := folder.Of(cfg, folder.Env{})
	if all, err := f.Moved(); err != nil || all.Has("") {
		t.Errorf("without a register: %v, %v", all, err)
	}
	stored := folder.Moved{File: "a.warc.gz", To: "s3://b/a.warc.gz", Endpoint: "https://h", Region: "r", SHA256: "00", Size: 12, Time: time.Unix(2e9, 0).UTC()}
	want := folder.MovedFiles{{File: "a.warc.gz", To: "tape 7", Size: 12, Time: time.Unix(1e9, 0).UTC()}, {File: "crawl.log.1"}, stored}
	if err := os.Mkdir(f.Path(folder.StateDir), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := f.ReadOnly().Register(want...); !errors.Is(err, syscall.EROFS) {
		t.Errorf("read-only: %v", err)
	}
	if err := f.Register(want[:2]...); err != nil {
		t.Fatal(err)
	}
	lock, err := f.FS.Lock(f.Path(folder.StateDir, "moved.lock"))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- f.Register(stored) }() // waits for who writes
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	want[2].Deleted = true
	if err := f.Register(want[2]); err != nil { // takes the place of the row
		t.Fatal(err)
	}
	got, err := f.ReadOnly().Moved()
	if err != nil || !slices.Equal(got, want) || !got.Has("crawl.log.1") || got.Has("b.warc.gz") {
		t.Errorf("%+v, %v", got, err)
	}
	if m, ok := got.Find("a.warc.gz"); !ok || !m.Stored() {
		t.Errorf("found %+v", m)
	}
	if err := os.WriteFile(f.Path(folder.MovedFile), []byte(`{"file":"a"}`+"\n\n{}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Moved(); err == nil || !strings.Contains(err.Error(), "line 3") {
		t.Errorf("a line that names no file: %v", err)
	}
}
