package schema

import (
	"bytes"
	"fmt"
	"time"

	"exclave/crawl"
)

// MetaName is the name of a single row.
type MetaName string

// The single rows.
const (
	MetaFormat  MetaName = "format"  // Format
	MetaStats   MetaName = "stats"   // Counters
	MetaCommit  MetaName = "commit"  // number of the last commit
	MetaClean   MetaName = "clean"   // whether the state was closed in order
	MetaKilled  MetaName = "killed"  // time
	MetaQueues  MetaName = "queues"  // queue_key; plain text without a version
	MetaLine    MetaName = "line"    // what the order in line depends on; plain text without a version
	MetaLimits  MetaName = "limits"  // numbers
	MetaDomains MetaName = "domains" // exists if the table of domains is kept
	MetaCounted MetaName = "counted" // exists if the tallies hold every visit
	MetaDepths  MetaName = "depths"  // crawl.Depths
	MetaParts   MetaName = "parts"   // Parts
	// MetaMark begins the name of a mark.
	MetaMark MetaName = "mark:"
)

// MetaKey returns the key of a single row.
func MetaKey(n MetaName) []byte { return nameKey(Meta, string(n)) }

// MarkKey returns the key of the mark of a source.
func MarkKey(source string) []byte { return nameKey(Meta, string(MetaMark)+source) }

// EncodeMark writes a mark.
func EncodeMark(note []byte) []byte { return append([]byte{valueVersion}, note...) }

// DecodeMark reads a mark. The result is a part of v.
func DecodeMark(v []byte) ([]byte, error) {
	if len(v) == 0 || v[0] != valueVersion {
		return nil, ErrDamaged
	}
	return v[1:], nil
}

// Present is the value of a row of which only the key counts.
func Present() []byte { return []byte{valueVersion} }

// Format is what the state was made with.
type Format struct {
	Version uint64
	Rules   uint64 // hash of the rules that make keys
	Salt    Salt   // of hashes
}

// Encode writes the row.
func (f *Format) Encode() []byte {
	e := newEnc()
	e.uv(f.Version)
	e.uv(f.Rules)
	e.str(string(f.Salt[:]))
	return e.b
}

// DecodeFormat reads the row of this version of the format or of another.
func DecodeFormat(v []byte) (f Format, err error) {
	d := newDec(v)
	f.Version, f.Rules = d.uv(), d.uv()
	copy(f.Salt[:], d.str())
	return f, d.end()
}

// EncodeClean writes whether the state was closed in order.
func EncodeClean(clean bool) []byte {
	if clean {
		return []byte{valueVersion, 1}
	}
	return []byte{valueVersion, 0}
}

// DecodeClean reads it; without a row it was not.
func DecodeClean(v []byte) bool { return len(v) > 1 && v[1] == 1 }

// EncodeNumber writes a number.
func EncodeNumber(n uint64) []byte {
	e := newEnc()
	e.uv(n)
	return e.b
}

// DecodeNumber reads a number.
func DecodeNumber(v []byte) (uint64, error) {
	d := newDec(v)
	n := d.uv()
	return n, d.end()
}

// EncodeTime writes a time, in milliseconds.
func EncodeTime(t time.Time) []byte {
	e := newEnc()
	e.time(t)
	return e.b
}

// DecodeTime reads a time.
func DecodeTime(v []byte) (time.Time, error) {
	d := newDec(v)
	t := d.time()
	return t, d.end()
}

// EncodeLimits writes the values of limits, in their order.
func EncodeLimits(values []int64) []byte {
	e := newEnc()
	for _, n := range values {
		e.iv(n)
	}
	return e.b
}

// Part is a setting that verdicts follow from. It must not change during a job.
type Part struct {
	Name  string // for people
	Value string // for people, short; differs when the setting does
}

// EncodeParts writes the settings that verdicts follow from.
func EncodeParts(parts []Part) []byte {
	e := newEnc()
	e.uv(uint64(len(parts)))
	for _, p := range parts {
		e.str(p.Name)
		e.str(p.Value)
	}
	return e.b
}

// DecodeParts reads it.
func DecodeParts(b []byte) (parts []Part, err error) {
	d := newDec(b)
	for range min(d.uv(), uint64(len(d.b))) {
		parts = append(parts, Part{d.str(), d.str()})
	}
	return parts, d.end()
}

// EncodeDepths writes the depths a job was started with.
func EncodeDepths(d crawl.Depths) []byte {
	e := newEnc()
	for _, n := range d.D {
		e.iv(int64(n))
	}
	e.flags(d.AnalyseLinked, d.UnclaimedEmbeds)
	return e.b
}

// DecodeDepths reads them.
func DecodeDepths(b []byte) (c crawl.Depths, err error) {
	d := newDec(b)
	for i := range c.D {
		c.D[i] = int32(d.iv())
	}
	d.flags(&c.AnalyseLinked, &c.UnclaimedEmbeds)
	return c, d.end()
}

// checkMeta checks a single row.
func checkMeta(k, v []byte) (err error) {
	switch n := MetaName(k[1:]); n {
	case MetaFormat:
		_, err = DecodeFormat(v)
	case MetaStats:
		_, err = DecodeCounters(v)
	case MetaCommit:
		_, err = DecodeNumber(v)
	case MetaKilled:
		_, err = DecodeTime(v)
	case MetaDepths:
		_, err = DecodeDepths(v)
	case MetaParts:
		_, err = DecodeParts(v)
	case MetaClean, MetaLimits, MetaDomains, MetaCounted:
		_, err = DecodeMark(v)
	case MetaQueues, MetaLine: // text
	default:
		if !bytes.HasPrefix(k[1:], []byte(MetaMark)) {
			return fmt.Errorf("a row of the name %q is not known", n)
		}
		_, err = DecodeMark(v)
	}
	return err
}

// FormatVersion is the version of the state on disk; another is refused.
const FormatVersion = 7

// NumberedFormat is the first format whose commits have numbers (ADR 31).
const NumberedFormat = 5

// OldestFormat is the oldest format that is migrated.
const OldestFormat = 3
