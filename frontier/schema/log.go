package schema

import (
	"encoding/binary"

	"exclave/crawl"
)

// LogKey returns the key of a log's own row.
func LogKey(l crawl.LogID) []byte { return []byte{byte(Logs), byte(l)} }

// PartKey returns the key of the row of a part, the oldest of which is number 1.
func PartKey(l crawl.LogID, number int) []byte {
	return binary.BigEndian.AppendUint32(LogKey(l), uint32(number))
}

// LogRow is what the state keeps of a log.
type LogRow struct {
	Log    crawl.LogID
	Length int64  // committed length
	Lines  int64  // lines in them
	CRC    uint32 // CRC-32C of them
	// Parts are the parts of the log (ADR 39), the oldest first. The fields above are of the file behind
	// them.
	Parts []LogPart
}

// LogPart is what the state keeps of a part of a log (ADR 39), compressed or not.
type LogPart struct {
	Name   string // without logparts.Packed
	Length int64  // bytes, not compressed
	Lines  int64
	CRC    uint32 // CRC-32C of the bytes, not compressed
}

// Total returns the bytes and lines of a log with its parts.
func (r *LogRow) Total() (length, lines int64) {
	length, lines = r.Length, r.Lines
	for _, p := range r.Parts {
		length, lines = length+p.Length, lines+p.Lines
	}
	return length, lines
}

// Encode writes the log's own row.
func (r *LogRow) Encode() []byte {
	e := newEnc()
	e.iv(r.Length)
	e.iv(r.Lines)
	e.uv(uint64(r.CRC))
	return e.b
}

// Decode reads the log's own row; parts have theirs.
func (r *LogRow) Decode(v []byte) error {
	d := newDec(v)
	r.Length, r.Lines, r.CRC = d.iv(), d.iv(), uint32(d.uv())
	return d.end()
}

// Encode writes the row of a part.
func (p *LogPart) Encode() []byte {
	e := newEnc()
	e.str(p.Name)
	e.iv(p.Length)
	e.iv(p.Lines)
	e.uv(uint64(p.CRC))
	return e.b
}

// DecodeLogPart reads the row of a part.
func DecodeLogPart(v []byte) (LogPart, error) {
	d := newDec(v)
	p := LogPart{Name: d.str(), Length: d.iv(), Lines: d.iv(), CRC: uint32(d.uv())}
	return p, d.end()
}

func checkLog(k, v []byte) error {
	if err := keyLen(k, 2, 6); err != nil {
		return err
	}
	if len(k) == 2 {
		return new(LogRow).Decode(v)
	}
	_, err := DecodeLogPart(v)
	return err
}
