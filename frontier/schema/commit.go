package schema

import "encoding/binary"

// CommitsKept is how many of the last commits have a row: more than Pebble's log holds.
const CommitsKept = 1 << 17

// CommitKey returns the key of the row of a commit.
func CommitKey(n uint64) []byte {
	return binary.BigEndian.AppendUint32(Commits.Prefix(), uint32(n%CommitsKept))
}

func checkCommit(k, v []byte) error {
	if err := keyLen(k, 5); err != nil {
		return err
	}
	_, err := DecodeNumber(v)
	return err
}
