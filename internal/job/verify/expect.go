package verify

import (
	"context"
	"encoding/binary"
	"errors"
	"math"

	"github.com/cespare/xxhash/v2"

	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/extsort"
	"exclave/internal/job/folder"
	"exclave/internal/urlx"
	"exclave/warc"
)

// expectation is what the state says of a record: of the response of a URI, of its metadata, or that revisit
// records refer to it.
type expectation struct {
	offset, length int64
	kind           uint64
	url            string // of the first two
	date           int64  // milliseconds
	id, digest     string
}

// Kinds of expectations.
const (
	expectResponse = iota
	expectMetadata
	expectOriginal
	expectKinds = 4
)

// expectOriginal takes down that the revisit record in a capture refers to a record.
func (v *verifier) expectOriginal(to *extsort.Sorter, c *frontier.Capture) error {
	o := c.Original
	if o.IsZero() {
		return nil
	}
	return to.Add(uint64(o.File), uint64(o.Offset)*expectKinds+expectOriginal, binary.AppendUvarint(nil, uint64(o.Length)))
}

// expect takes down what the state says of the records of an archived URI, by file and offset.
func (v *verifier) expect(to *extsort.Sorter, r *frontier.Record) error {
	b := binary.AppendUvarint(nil, uint64(r.Response.Length))
	b = binary.AppendVarint(b, r.Date.UnixMilli())
	for _, s := range []string{r.URL, r.RecordID, r.Digest} {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	if err := to.Add(uint64(r.Response.File), uint64(r.Response.Offset)*expectKinds+expectResponse, b); err != nil || r.Metadata.IsZero() {
		return err
	}
	b = binary.AppendUvarint(b[:0], uint64(r.Metadata.Length))
	b = append(binary.AppendUvarint(b, uint64(len(r.URL))), r.URL...)
	return to.Add(uint64(r.Metadata.File), uint64(r.Metadata.Offset)*expectKinds+expectMetadata, b)
}

func readExpectation(r *extsort.Record) expectation {
	b := r.Data
	number := func() uint64 {
		n, k := binary.Uvarint(b)
		b = b[k:]
		return n
	}
	text := func() string {
		n := number()
		s := string(b[:n])
		b = b[n:]
		return s
	}
	e := expectation{offset: int64(r.B / expectKinds), kind: r.B % expectKinds, length: int64(number())}
	switch e.kind {
	case expectOriginal:
		return e
	case expectMetadata:
		e.url = text()
		return e
	}
	var k int
	e.date, k = binary.Varint(b)
	b = b[k:]
	e.url, e.id, e.digest = text(), text(), text()
	return e
}

// missing says that what the state expects is not there.
func (e *expectation) missing(file uint32, bad func(string, string, ...any)) {
	switch e.kind {
	case expectMetadata:
		bad(e.url, "its metadata record is not at %d in WARC file %d", e.offset, file)
		return
	case expectOriginal:
		bad(folder.WARCDir, "a revisit record refers to the response at %d in WARC file %d, which is not there", e.offset, file)
		return
	}
	bad(e.url, "is archived by the state, but no response record is at %d in WARC file %d", e.offset, file)
}

// response is what a response or revisit record says of itself.
type response struct {
	url    string
	digest string
	id     string
	kind   string
	date   int64 // milliseconds
}

// compare compares a record with what the state says of it.
func (e *expectation) compare(rec *response, bad func(string, string, ...any)) {
	if rec.date != e.date {
		bad(e.url, "its record is dated %s, the state says %s", stamp(rec.date), stamp(e.date))
	}
	if rec.url != e.url {
		bad(e.url, "its place in the archive holds %s", rec.url)
	}
	if e.id != "" && rec.id != e.id {
		bad(e.url, "its record is %s, the state says %s", rec.id, e.id)
	}
	if e.digest != "" && rec.kind == warc.TypeResponse && rec.digest != e.digest {
		bad(e.url, "its payload digest is %s, the state says %s", rec.digest, e.digest)
	}
}

// longAgo is before every record.
const longAgo = math.MinInt64

// Kinds of what is told of a DNS or robots.txt record, and bits that make dates sort.
const (
	toldHave = iota
	toldNeed
	dateBias = 1 << 63
)

// have notes the record that a key of a deferred answer stands for.
func (v *verifier) have(key string, ms int64) error {
	return v.tellNeed(toldHave, key, ms, "")
}

// need notes which records an archived page needs.
func (v *verifier) need(url string, ms int64) error {
	u, err := urlx.Parse(url)
	if err != nil {
		v.bad(url, "%v", err)
		return nil
	}
	if !u.IsIP() {
		if err := v.tellNeed(toldNeed, crawl.DNSKey(u.Hostname()), ms, url); err != nil {
			return err
		}
	}
	if v.Config.Robots.Policy.String() == "obey" && u.IsWeb() {
		return v.tellNeed(toldNeed, crawl.RobotsKey(u.Origin()), ms, url)
	}
	return nil
}

// tellNeed puts together what belongs to a key: by its hash, records first, the earliest first.
func (v *verifier) tellNeed(kind uint64, key string, ms int64, url string) error {
	var date [8]byte
	binary.BigEndian.PutUint64(date[:], uint64(ms)^dateBias)
	var length [2]byte
	binary.BigEndian.PutUint16(length[:], uint16(min(len(key), math.MaxUint16)))
	return v.needs.Add(xxhash.Sum64String(key), kind, length[:], []byte(key[:min(len(key), math.MaxUint16)]), date[:], []byte(url))
}

// precede checks that DNS and robots.txt records stand before the pages that need them.
func (v *verifier) precede(ctx context.Context) (err error) {
	needs, err := v.needs.Sorted()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, needs.Close()) }()
	type record struct {
		key string
		ms  int64
	}
	var have []record // of the hash in hand: one, but for collisions
	hash := uint64(0)
	for i := 0; needs.Next(); i++ {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if needs.A != hash {
			hash, have = needs.A, have[:0]
		}
		n := 2 + int(binary.BigEndian.Uint16(needs.Data))
		key, rest := needs.Data[2:n], needs.Data[n:]
		ms := int64(binary.BigEndian.Uint64(rest) ^ dateBias)
		if needs.B == toldHave {
			if len(have) == 0 || have[len(have)-1].key != string(key) {
				have = append(have, record{string(key), ms})
			}
			continue
		}
		first, ok := int64(0), false
		for _, h := range have {
			if h.key == string(key) {
				first, ok = h.ms, true
			}
		}
		if v.away == 0 || ok && first <= ms { // else it may be there
			v.late(string(rest[8:]), string(key), first, ms, ok)
		}
	}
	return needs.Err
}

func (v *verifier) late(url, key string, first, ms int64, ok bool) {
	what := "DNS record"
	name, _ := crawl.DNSHost(key)
	if origin, ok := crawl.RobotsOrigin(key); ok {
		what, name = "robots.txt", origin
	}
	switch {
	case !ok:
		v.bad(url, "is archived without the %s of %s", what, name)
	case first > ms:
		v.bad(url, "the %s of %s is dated %s, after it", what, name, stamp(first))
	}
}
