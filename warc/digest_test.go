package warc_test

import (
	"errors"
	"strings"
	"testing"

	"exclave/warc"
)

// TestEntityDigest compares with the digest of what a client hands on of each answer.
func TestEntityDigest(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
	const chunked = head + "Transfer-Encoding: chunked\r\n\r\n"
	for name, c := range map[string]struct{ block, entity string }{
		"plain":          {head + "\r\nDobrý den", "Dobrý den"},
		"chunks":         {chunked + "4\r\nDobr\r\n6;x=y\r\ný den\r\n0\r\nSum: 1\r\n\r\n", "Dobrý den"},
		"one chunk":      {chunked + "a\r\nDobrý den\r\n0\r\n\r\n", "Dobrý den"},
		"coding in case": {head + "transfer-encoding: Chunked\r\n\r\na\r\nDobrý den\r\n0\r\n\r\n", "Dobrý den"},
		"no trailer":     {chunked + "a\r\nDobrý den\r\n0\r\n", "Dobrý den"},
		"cut":            {chunked + "ff\r\nDobrý den", "Dobrý den"},
		"not in chunks":  {chunked + "Dobrý den", "Dobrý den"},
		"broken later":   {chunked + "4\r\nDobrzz\r\n", "4\r\nDobrzz\r\n"},
		"content coding": {head + "Content-Encoding: gzip\r\n\r\n\x1f\x8b", "\x1f\x8b"},
		"no header":      {"Dobrý den", "Dobrý den"},
		"cut header":     {"HTTP/1.1 200 OK\r\nContent-", ""},
		"empty":          {"", ""},
	} {
		want, err := warc.Digest(strings.NewReader(c.entity))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := warc.EntityDigest(strings.NewReader(c.block)); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s of %q", name, got, err, want, c.entity)
		}
	}
}

// failsAt is a block whose medium cannot be read from a place on.
type failsAt struct {
	*strings.Reader
	at int64
}

var errMedium = errors.New("medium")

func (f failsAt) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > f.at {
		return 0, errMedium
	}
	return f.Reader.ReadAt(p, off)
}

func TestEntityDigestOfBadMedium(t *testing.T) {
	block := "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + strings.Repeat("1\r\na\r\n", 1<<15)
	for _, at := range []int64{0, 60 << 10} {
		if d, err := warc.EntityDigest(failsAt{strings.NewReader(block), at}); !errors.Is(err, errMedium) {
			t.Errorf("unreadable from %d: %q, %v", at, d, err)
		}
	}
}
