package schema

import (
	"strconv"
	"strings"

	"exclave/crawl"
)

// TallyTable is a kind of tally: a letter behind that of the table.
type TallyTable byte

// The kinds of tallies.
const (
	ByType       TallyTable = 'm'
	ByStatus     TallyTable = 's'
	BySource     TallyTable = 'y'
	BySourceHost TallyTable = 'x' // a number of visits instead of a tally
)

// TallyPrefix is what the keys of a kind of tallies begin with.
func TallyPrefix(t TallyTable) []byte { return []byte{byte(Tallies), byte(t)} }

// TallyKey returns the key of the tally of a type or source tag.
func TallyKey(t TallyTable, name string) []byte { return append(TallyPrefix(t), name...) }

// TallyName returns the type or source tag of a key.
func TallyName(k []byte) string { return string(k[2:]) }

// StatusKey returns the key of the tally of a status.
func StatusKey(s crawl.Status) []byte { return TallyKey(ByStatus, s.String()) }

// TallyStatus returns the status of a key.
func TallyStatus(k []byte) (crawl.Status, error) {
	status, err := strconv.ParseInt(TallyName(k), 10, 32)
	if err != nil {
		return 0, ErrDamaged
	}
	return crawl.Status(status), nil
}

// SourceHost is a source tag and a host.
type SourceHost struct{ Tag, Host string }

// Key orders by tag, then by host, which has no NUL.
func (s SourceHost) Key() []byte { return TallyKey(BySourceHost, s.Tag+"\x00"+s.Host) }

// ReadSourceHost decodes a key.
func ReadSourceHost(k []byte) (SourceHost, error) {
	name := TallyName(k)
	i := strings.LastIndexByte(name, 0)
	if i < 0 {
		return SourceHost{}, ErrDamaged
	}
	return SourceHost{name[:i], name[i+1:]}, nil
}

// Encode writes a bit for each field that is not zero, then those fields.
func (y *Tally) Encode() []byte {
	e := newEnc()
	e.tally(*y)
	return e.b
}

// DecodeTally reads a tally.
func DecodeTally(v []byte) (Tally, error) {
	d := newDec(v)
	y := d.tally()
	return y, d.end()
}

// checkTally reads a row of whatever kind.
func checkTally(k, v []byte) (err error) {
	if len(k) < 2 {
		return ErrDamaged
	}
	switch TallyTable(k[1]) {
	case ByType, BySource:
		_, err = DecodeTally(v)
	case ByStatus:
		if _, err = TallyStatus(k); err == nil {
			_, err = DecodeTally(v)
		}
	case BySourceHost:
		if _, err = ReadSourceHost(k); err == nil {
			_, err = DecodeNumber(v)
		}
	default:
		err = ErrDamaged
	}
	return err
}

// Names that cannot be those of a MIME type or a host.
const (
	// OtherTypes is the row of the types beyond the first 2,000.
	OtherTypes = "other"
	// UnknownType is the row of answers without a type, as in crawl.log.
	UnknownType = "unknown"
	// DNSHost is the row of all answers of name servers, as in Heritrix's
	// hosts-report.
	DNSHost = "dns:"
)

// Tally counts visits: URIs finished after a fetch, each of which is a line of
// crawl.log. A URI that is visited again counts again. Bytes are those received,
// header and body, before decoding.
type Tally struct {
	URIs, Bytes               int64
	Stored, StoredBytes       int64 // with a response or revisit record in the archive
	Novel, NovelBytes         int64 // answers that are no duplicates
	Dup, DupBytes             int64 // archived as revisit records of identical payloads
	Unmodified, UnmodifiedLen int64 // 304 to a conditional request
	Robots                    int64 // forbidden by robots.txt
}

func (y *Tally) fields() [11]*int64 {
	return [...]*int64{&y.URIs, &y.Bytes, &y.Stored, &y.StoredBytes, &y.Novel, &y.NovelBytes,
		&y.Dup, &y.DupBytes, &y.Unmodified, &y.UnmodifiedLen, &y.Robots}
}

// Add adds what another tally counted.
func (y *Tally) Add(o Tally) {
	from := o.fields()
	for i, p := range y.fields() {
		*p += *from[i]
	}
}

// Successes returns the visits with a status above 0, which is what Heritrix's reports
// count, and the bytes received with them.
func (y Tally) Successes() (uris, bytes int64) {
	return y.Novel + y.Dup + y.Unmodified, y.NovelBytes + y.DupBytes + y.UnmodifiedLen
}

// tally writes a bit for each field that is not zero, then those fields.
func (e *enc) tally(y Tally) {
	var have uint64
	for i, p := range y.fields() {
		if *p != 0 {
			have |= 1 << i
		}
	}
	e.uv(have)
	for _, p := range y.fields() {
		if *p != 0 {
			e.iv(*p)
		}
	}
}

func (d *dec) tally() (y Tally) {
	have := d.uv()
	for i, p := range y.fields() {
		if have&(1<<i) != 0 {
			*p = d.iv()
		}
	}
	return y
}
