package remote

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func data() []byte {
	b := make([]byte, 3*piece+17)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range b {
		b[i] = byte(r.UintN(256))
	}
	return b
}

// The whole file, and any part of it, is read; a part takes one request.
func TestRanges(t *testing.T) {
	want, asked := data(), 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		w.Header().Set("ETag", `"1"`)
		http.ServeContent(w, r, "x", time.Time{}, bytes.NewReader(want))
	}))
	defer s.Close()
	r, err := Open(t.Context(), s.Client(), s.URL)
	must(t, err)
	f := r.(*File)
	got, err := io.ReadAll(f)
	must(t, err)
	if !bytes.Equal(got, want) || f.Size() != int64(len(want)) {
		t.Errorf("%d bytes of %d", len(got), len(want))
	}
	asked = 0
	_, err = f.Seek(2*piece+5, io.SeekStart)
	must(t, err)
	part := make([]byte, 100)
	_, err = io.ReadFull(f, part)
	must(t, err)
	if !bytes.Equal(part, want[2*piece+5:][:100]) || asked != 1 {
		t.Errorf("a part: wrong, or %d requests", asked)
	}
	must(t, f.Close())
}

// A server without ranges gives a stream; a file that is changed meanwhile, and one that is not there, are errors that say so.
func TestServers(t *testing.T) {
	want := data()
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(want) // the client sees what is missing
	}))
	defer plain.Close()
	r, err := Open(t.Context(), plain.Client(), plain.URL)
	must(t, err)
	got, err := io.ReadAll(r)
	must(t, err)
	must(t, r.Close())
	if _, ok := r.(io.Seeker); ok || !bytes.Equal(got, want) {
		t.Errorf("a stream: %d bytes of %d", len(got), len(want))
	}
	tag := `"1"`
	changing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", tag)
		tag = `"2"`
		http.ServeContent(w, r, "x", time.Time{}, bytes.NewReader(want))
	}))
	defer changing.Close()
	r, err = Open(t.Context(), changing.Client(), changing.URL)
	must(t, err)
	if _, err := io.ReadAll(r); err == nil || !strings.Contains(err.Error(), "changed") {
		t.Errorf("of a file that changes: %v", err)
	}
	missing := httptest.NewServer(http.NotFoundHandler())
	defer missing.Close()
	if _, err := Open(t.Context(), missing.Client(), missing.URL); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("of no file: %v", err)
	}
}
