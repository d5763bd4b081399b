package judge_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exclave/analyzer"
	"exclave/internal/judge"
)

// TestJudgeWritesNothing: pages of an archive are judged in memory, however long what
// was packed into it is: 200 KB of WARC cost no more than a page.
func TestJudgeWritesNothing(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "nowhere"))
	page := "<html lang=cs><p>Vážení přátelé, pište na info@firma.cz, volejte +420 222 333 444.</p>"
	var archive bytes.Buffer
	for i, filler := range []int{0, 1 << 20, 64 << 20} {
		block := "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + page + strings.Repeat(" ", filler)
		z := gzip.NewWriter(&archive)
		fmt.Fprintf(z, "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-00000000000%d>\r\nWARC-Date: 2026-11-23T00:00:00Z\r\nWARC-Target-URI: http://a.test/%d\r\nContent-Type: application/http;msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", i, i, len(block), block)
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
	}
	name := filepath.Join(t.TempDir(), "bomb.warc.gz")
	if err := os.WriteFile(name, archive.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	c := analyzer.DefaultConfig()
	c.Profiles = []string{"cz"}
	a, err := analyzer.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	valid := 0
	err = judge.File(t.Context(), a, name, func(j judge.Result) error {
		if j.Valid() {
			valid++
		}
		return nil
	}, nil)
	if err != nil || valid != 3 {
		t.Errorf("%d pages are valid, 3 were expected: %v", valid, err)
	}
}
