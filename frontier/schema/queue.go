package schema

import (
	"encoding/binary"

	"exclave/crawl"
)

// QueuePrefix is what the keys of a queue begin with.
func QueuePrefix(host uint64) []byte { return numberKey(Queues, host) }

// QueueKey returns the key of a place in a queue.
func QueueKey(host uint64, prec uint8, seq uint64) []byte {
	return binary.BigEndian.AppendUint64(append(QueuePrefix(host), prec), seq)
}

// EncodeQueued writes the URI at a place. It leaves the host out where it is that of the queue.
func EncodeQueued(host uint64, id crawl.ID, origin uint32) []byte {
	v := make([]byte, 0, IDLen+TagLen)
	if id.Host == host {
		v = binary.BigEndian.AppendUint64(v, id.URI)
	} else {
		v = AppendID(v, id)
	}
	return binary.BigEndian.AppendUint32(v, origin)
}

// TagLen is the length in bytes of an origin's tag; NoTag stands for that of a row of format 4, which has none.
const (
	TagLen = 4
	NoTag  = 1<<32 - 1
)

// DecodeQueued returns the ID and the tag of the origin in a row of a queue.
func DecodeQueued(host uint64, v []byte) (id crawl.ID, origin uint32, err error) {
	origin = NoTag
	if n := len(v) - TagLen; n == 8 || n == IDLen {
		v, origin = v[:n], binary.BigEndian.Uint32(v[n:])
	}
	switch len(v) {
	case 8:
		return crawl.ID{Host: host, URI: binary.BigEndian.Uint64(v)}, origin, nil
	case IDLen:
		return ReadID(v), origin, nil
	}
	return crawl.ID{}, 0, ErrDamaged
}

// QueuedID returns the ID alone.
func QueuedID(host uint64, v []byte) (crawl.ID, error) {
	id, _, err := DecodeQueued(host, v)
	return id, err
}

func checkQueued(k, v []byte) error {
	if err := keyLen(k, 18); err != nil {
		return err
	}
	_, _, err := DecodeQueued(0, v)
	return err
}
