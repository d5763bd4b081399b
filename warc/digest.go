package warc

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strings"

	"exclave/internal/record"
)

// Digest returns the labelled digest of everything r gives: "sha1:" and 32
// characters of base32, the form of Heritrix and of every tool that deduplicates.
func Digest(r io.Reader) (string, error) { return digest(r, nil) }

// digest is Digest with a buffer to copy through.
func digest(r io.Reader, buf []byte) (string, error) {
	h := sha1.New()
	if _, err := io.CopyBuffer(h, r, buf); err != nil {
		return "", err
	}
	return Label(h.Sum(nil)), nil
}

// Label returns the labelled form of a finished SHA-1.
func Label(sum []byte) string { return "sha1:" + base32.StdEncoding.EncodeToString(sum) }

// PayloadDigest returns the digest of the payload of a response record with this
// block: the bytes after the first header, as they came over the wire, transfer
// and content encodings included (docs/formats/warc.md says why). Give it what
// is archived, without interim responses. A block without a
// complete header has the digest of no bytes, one that is not HTTP is all payload.
func PayloadDigest(block Block) (string, error) {
	body, err := record.HeadLen(io.NewSectionReader(block, 0, block.Size()))
	if err != nil {
		return "", fmt.Errorf("warc: digest payload: %w", err)
	}
	d, err := Digest(io.NewSectionReader(block, body, block.Size()-body))
	if err != nil {
		return "", fmt.Errorf("warc: digest payload: %w", err)
	}
	return d, nil
}

// EntityDigest returns the digest of the entity body of a response record with this block: as
// [PayloadDigest], but without the framing of the chunked transfer coding (WARC 1.1 section 6.3.2 by RFC
// 2616 section 7.2; iipc/warc-specifications #22). Content codings stay. It is what identifies content:
// answers that differ in their chunks only have one. Of a body that ends within a chunk it is that of the data there
// is; a body that is said to be in chunks and is not, or no longer, is taken as it is stored.
func EntityDigest(block Block) (string, error) {
	d, err := record.EntityDigest(block, block.Size())
	if err != nil {
		return "", fmt.Errorf("warc: %w", err)
	}
	return d, nil
}

func validDigest(s string) bool {
	algorithm, value, ok := strings.Cut(s, ":")
	return ok && validName(algorithm) && validName(strings.TrimRight(value, "="))
}

// recorded is a digest found in a header, and the hash that recomputes it.
type recorded struct {
	label string
	want  []byte
	hash.Hash
}

// parseDigest reads "algorithm:value", the value in base32 or hexadecimal as
// both occur; nil when the algorithm or the form is unknown.
func parseDigest(label string) *recorded {
	algorithm, value, _ := strings.Cut(label, ":")
	var h hash.Hash
	switch strings.ReplaceAll(strings.ToLower(algorithm), "-", "") {
	case "md5":
		h = md5.New()
	case "sha1":
		h = sha1.New()
	case "sha256":
		h = sha256.New()
	case "sha512":
		h = sha512.New()
	default:
		return nil
	}
	b32 := base32.StdEncoding.WithPadding(base32.NoPadding)
	var want []byte
	var err error
	if len(value) == 2*h.Size() {
		want, err = hex.DecodeString(value)
	} else {
		want, err = b32.DecodeString(strings.ToUpper(strings.TrimRight(value, "=")))
	}
	if err != nil || len(want) != h.Size() {
		return nil
	}
	return &recorded{label: label, want: want, Hash: h}
}

// mismatch says how the recomputed digest differs, "" when it does not; room is to compute it in.
func (d *recorded) mismatch(room []byte) string {
	got := d.Sum(room)
	if bytes.Equal(got, d.want) {
		return ""
	}
	return fmt.Sprintf("%s is recorded, %s computed", d.label, base32.StdEncoding.EncodeToString(got))
}

// entitySum recomputes the recorded digest of an answer in chunks as that of its entity, from the body as it is stored.
type entitySum struct {
	*recorded
	chunks record.Chunks
}

// newEntitySum returns nil when the answer of a record, whose HTTP header is given, is not in chunks: there is one digest then.
func newEntitySum(e *Entry, head []byte) *entitySum {
	if e.Type() != TypeResponse || len(head) == 0 {
		return nil
	}
	if h := record.ParseHead(head); !h.Chunked() {
		return nil
	}
	d := parseDigest(e.Header.Get("WARC-Payload-Digest"))
	if d == nil {
		return nil
	}
	return &entitySum{recorded: d}
}

// Write takes the next bytes of the body. It returns no error.
func (s *entitySum) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0 && !s.chunks.Done() && !s.chunks.Broken(); {
		used, data := s.chunks.Feed(rest)
		s.recorded.Write(data)
		rest = rest[used:]
	}
	return len(p), nil
}

// right reports that the recorded digest is the entity's. A body that breaks the coding has no entity but itself.
func (s *entitySum) right() bool { return s != nil && !s.chunks.Broken() && s.mismatch(nil) == "" }
