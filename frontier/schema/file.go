package schema

import "encoding/binary"

// FileKey returns the key of the row of a WARC file.
func FileKey(number uint32) []byte { return binary.BigEndian.AppendUint32(Files.Prefix(), number) }

// FileRow is what the state keeps of a WARC file.
type FileRow struct {
	Number    uint32
	Name      string // final base name; ".open" is appended on disk until Final
	Committed int64  // committed length
	Final     bool
}

// Encode writes the row.
func (r *FileRow) Encode() []byte {
	e := newEnc()
	e.str(r.Name)
	e.uv(uint64(r.Committed))
	e.flags(r.Final)
	return e.b
}

// DecodeFile reads the row of a key.
func DecodeFile(k, v []byte) (FileRow, error) {
	d := newDec(v)
	r := FileRow{Number: binary.BigEndian.Uint32(k[1:]), Name: d.str(), Committed: int64(d.uv())}
	d.flags(&r.Final)
	return r, d.end()
}

func checkFile(k, v []byte) error {
	if err := keyLen(k, 5); err != nil {
		return err
	}
	_, err := DecodeFile(k, v)
	return err
}
