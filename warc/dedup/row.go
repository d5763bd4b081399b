package dedup

import (
	"bytes"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"exclave/internal/urlx"
	"exclave/warc"
)

// Content is what content is known by: the SHA-1 of the entity body, and whether it is stored in chunks. A revisit record is replayed
// with its own header before the stored body, so both must be the same.
type Content struct {
	sum     [sha1.Size]byte
	chunked bool
}

// ParseContent reads a digest in base32 or hexadecimal, with the label "sha1:" or without one. It is not ok for digests of other
// algorithms and for that of no bytes, which stands for nothing.
func ParseContent(digest string, chunked bool) (c Content, ok bool) {
	value := digest
	if label, rest, labelled := strings.Cut(digest, ":"); labelled {
		if l := strings.ToLower(label); l != "sha1" && l != "sha-1" {
			return c, false
		}
		value = rest
	}
	var sum []byte
	var err error
	switch len(value) {
	case 2 * sha1.Size:
		sum, err = hex.DecodeString(value)
	case 32:
		sum, err = base32.StdEncoding.DecodeString(strings.ToUpper(value))
	default:
		return c, false
	}
	if err != nil || [sha1.Size]byte(sum) == sha1.Sum(nil) {
		return c, false
	}
	return Content{[sha1.Size]byte(sum), chunked}, true
}

// Original is an archived answer that has some content.
type Original struct {
	URL    string    // WARC-Target-URI
	Date   time.Time // WARC-Date, to the millisecond; of a line of CDX to the second
	ID     string    // of its record, "" when it is not known
	Digest string    // WARC-Payload-Digest as it stands there; "sha1:" and base32 of the content when empty
}

// Key of a row: the content, and a hash of the key of its address.
const (
	contentLen = sha1.Size + 1
	keyLen     = contentLen + 8
	rowLen     = keyLen + 8 // at least: date
)

// errRow is an error of what is not a row.
var errRow = errors.New("a row is damaged")

func (c Content) append(b []byte) []byte {
	b = append(b, c.sum[:]...)
	if c.chunked {
		return append(b, 1)
	}
	return append(b, 0)
}

// appendKey appends the key of content at an address; addresses are the same where their keys in an index of captures are.
func appendKey(b []byte, c Content, url string) []byte {
	return binary.BigEndian.AppendUint64(c.append(b), xxhash.Sum64String(urlx.CDXKeyOf(url)))
}

// appendRow appends the row of an original. Rows of one key sort by date.
func appendRow(b []byte, c Content, o *Original) []byte {
	b = appendKey(b, c, o.URL)
	b = binary.BigEndian.AppendUint64(b, uint64(o.Date.UnixMilli())^1<<63)
	digest := o.Digest
	if digest == warc.Label(c.sum[:]) {
		digest = ""
	}
	for _, s := range []string{o.URL, packID(o.ID), digest} {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	return b
}

// readRow reads a row; its texts are copies.
func readRow(b []byte) (o Original, err error) {
	if len(b) < rowLen {
		return o, errRow
	}
	c := Content{sum: [sha1.Size]byte(b)}
	o.Date = time.UnixMilli(int64(binary.BigEndian.Uint64(b[keyLen:]) ^ 1<<63)).UTC()
	b = b[rowLen:]
	for _, s := range []*string{&o.URL, &o.ID, &o.Digest} {
		n, k := binary.Uvarint(b)
		if k <= 0 || n > uint64(len(b)-k) {
			return o, errRow
		}
		*s, b = string(b[k:k+int(n)]), b[k+int(n):]
	}
	if len(b) > 0 {
		return o, errRow
	}
	o.ID = unpackID(o.ID)
	if o.Digest == "" {
		o.Digest = warc.Label(c.sum[:])
	}
	return o, nil
}

const uuidPrefix = "urn:uuid:"

// packID makes 17 bytes of the usual ID of a record; others stay, behind a byte that says so.
func packID(id string) string {
	if id == "" {
		return ""
	}
	if rest, ok := strings.CutPrefix(id, uuidPrefix); ok && len(rest) == 36 {
		if b, err := hex.DecodeString(strings.ReplaceAll(rest, "-", "")); err == nil && unpackID("u"+string(b)) == id {
			return "u" + string(b)
		}
	}
	return "t" + id
}

func unpackID(s string) string {
	switch {
	case len(s) == 17 && s[0] == 'u':
		h := hex.EncodeToString([]byte(s[1:]))
		return uuidPrefix + strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
	case s == "":
		return ""
	}
	return s[1:]
}

// printOf is what is kept of a key in memory, beside the prefix of its block.
func printOf(key []byte) uint16 { return binary.BigEndian.Uint16(key[8:]) }

func prefixOf(key []byte) uint64 { return binary.BigEndian.Uint64(key) }

// beyond reports whether a row is behind all rows of some content.
func beyond(row, content []byte) bool { return bytes.Compare(row[:contentLen], content) > 0 }

// mostRow bounds a row: longer addresses are not kept.
const mostRow = math.MaxUint16
