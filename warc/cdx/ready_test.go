package cdx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"exclave/internal/fsx"
	"exclave/warc"
)

// readyFile writes a file of some captures into DIR/warcs and returns its name and what exclave cdx says of it; DIR/indexes is there.
func readyFile(t *testing.T) (file, indexes, want string) {
	t.Helper()
	dir := t.TempDir()
	indexes = filepath.Join(dir, "indexes")
	file = filepath.Join(dir, "warcs", "a.warc")
	for _, d := range []string{indexes, filepath.Dir(file)} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	text := ""
	for i := range 50 {
		body := "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nx"
		text += fmt.Sprintf("WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/%02d\r\nWARC-Date: 2026-01-02T03:04:05Z\r\n"+
			"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-0000000000%02d>\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", i*7%50, i, len(body), body)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	x := NewIndex(CDXJ, t.TempDir())
	if err := Read(strings.NewReader(text), "a.warc", Options{}, func(d warc.Defect) { t.Error(d) }, x.Add); err != nil {
		t.Fatal(err)
	}
	return file, indexes, lines(t, x)
}

func lines(t *testing.T, x *Index) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := x.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func writeReady(t *testing.T, fsys fsx.FS, indexes, file string) error {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return WriteReady(t.Context(), fsys, indexes, filepath.Base(file), f, t.TempDir())
}

// A ready index has the lines of the file, and stands for it only as long as it can be of the file as it is.
func TestReady(t *testing.T) {
	file, indexes, want := readyFile(t)
	place := filepath.Join(indexes, "a.warc"+ReadySuffix)
	if err := writeReady(t, fsx.Real(), indexes, file); err != nil {
		t.Fatal(err)
	}
	made, err := os.ReadFile(place)
	if err != nil || string(made) != want || strings.Count(want, "\n") != 50 {
		t.Fatalf("%v\n%s\nwant\n%s", err, made, want)
	}
	add := func(f Format) (bool, string) {
		t.Helper()
		x := NewIndex(f, t.TempDir())
		ok, err := x.AddReady(t.Context(), fsx.Real(), indexes, file)
		if err != nil {
			t.Fatal(err)
		}
		return ok, lines(t, x)
	}
	if ok, got := add(CDXJ); !ok || got != want {
		t.Errorf("%t\n%s", ok, got)
	}
	if ok, _ := add(CDX11); ok {
		t.Error("lines of CDXJ in an index of CDX 11")
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for why, spoil := range map[string]func() error{
		"the file is younger": func() error { return os.Chtimes(place, time.Time{}, time.Now().Add(-time.Hour)) },
		"the file is shorter": func() error { return os.Truncate(file, int64(len(whole)-10)) },
		"of another file": func() error {
			return os.WriteFile(place, bytes.ReplaceAll(made, []byte("a.warc"), []byte("b.warc")), 0o600)
		},
		"cut off":  func() error { return os.WriteFile(place, made[:len(made)-5], 0o600) },
		"no index": func() error { return os.WriteFile(place, []byte("x\n"), 0o600) },
		"none":     func() error { return os.Remove(place) },
	} {
		if err := errors.Join(os.WriteFile(file, whole, 0o600), os.WriteFile(place, made, 0o600), os.Chtimes(file, time.Time{}, time.Now().Add(-time.Minute)), spoil()); err != nil {
			t.Fatal(err)
		}
		if why == "the file is shorter" {
			if err := os.Chtimes(file, time.Time{}, time.Now().Add(-time.Minute)); err != nil {
				t.Fatal(err)
			}
		}
		if ok, got := add(CDXJ); ok || got != "" {
			t.Errorf("%s: %t\n%s", why, ok, got)
		}
	}
}

// Of a file that is damaged, or when anything fails, there is no ready index, or a whole one, and nothing besides.
func TestReadyFails(t *testing.T) {
	file, indexes, want := readyFile(t)
	for at := int64(0); ; at++ {
		f := fsx.NewFaulty(fsx.Real(), fsx.Fault{At: at, Err: syscall.ENOSPC})
		err := writeReady(t, f, indexes, file)
		_, failed := f.Counts()
		if failed == 0 && err != nil || failed > 0 && err == nil {
			t.Errorf("operation %d: %v", at, err)
		}
		left, rerr := os.ReadDir(indexes)
		if rerr != nil || len(left) > 1 {
			t.Errorf("operation %d left %v %v", at, left, rerr)
		}
		for _, e := range left {
			if got, err := os.ReadFile(filepath.Join(indexes, e.Name())); err == nil && !strings.HasSuffix(e.Name(), ".tmp") && string(got) != want {
				t.Errorf("operation %d: half an index", at)
			}
			if err := os.Remove(filepath.Join(indexes, e.Name())); err != nil {
				t.Fatal(err)
			}
		}
		if failed == 0 {
			if at < 4 {
				t.Errorf("only %d operations", at)
			}
			break
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data[:len(data)-20], 0o600); err != nil {
		t.Fatal(err)
	}
	var d *warc.Defect
	if err := writeReady(t, fsx.Real(), indexes, file); !errors.As(err, &d) || d.File != "a.warc" {
		t.Errorf("of a damaged file: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := WriteReady(ctx, fsx.Real(), indexes, "a.warc", bytes.NewReader(data), t.TempDir()); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if left, err := os.ReadDir(indexes); err != nil || len(left) > 0 {
		t.Errorf("left: %v %v", left, err)
	}
}
