package frontier

import (
	"encoding/binary"
	"strings"

	"github.com/dchest/siphash"

	"exclave/crawl"
)

// hash is keyed per job, so that nobody can make keys collide on purpose.
func (f *Frontier) hash(s string) uint64 {
	return siphash.Hash(binary.LittleEndian.Uint64(f.salt[:]), binary.LittleEndian.Uint64(f.salt[8:]), []byte(s))
}

// id is where the record of a key is looked for first.
func (f *Frontier) id(key string) crawl.ID {
	return crawl.ID{Host: f.hash(keyHost(key)), URI: f.hash(key)}
}

// keyHost returns the host in a key, "" when there is none.
func keyHost(key string) string {
	if host, ok := crawl.DNSHost(key); ok {
		return host
	}
	_, rest, ok := strings.Cut(key, "://") // a key of robots.txt has its origin's
	if !ok {
		return ""
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		rest = rest[i+1:]
	}
	if i := strings.LastIndexByte(rest, ':'); i >= 0 && !strings.HasSuffix(rest, "]") {
		rest = rest[:i]
	}
	return rest
}

// Keys of rows: one byte of kind, then big-endian numbers or the name.

const idLen = 16

func appendID(b []byte, id crawl.ID) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(b, id.Host), id.URI)
}

func readID(b []byte) crawl.ID {
	return crawl.ID{Host: binary.BigEndian.Uint64(b), URI: binary.BigEndian.Uint64(b[8:])}
}

func idKey(kind byte, id crawl.ID) []byte {
	return appendID(append(make([]byte, 0, 1+idLen), kind), id)
}

func numberKey(kind byte, n uint64) []byte {
	return binary.BigEndian.AppendUint64(append(make([]byte, 0, 18), kind), n)
}

func hostKey(host uint64) []byte { return numberKey('h', host) }

func queuePrefix(host uint64) []byte { return numberKey('q', host) }

func queueKey(host uint64, prec uint8, seq uint64) []byte {
	return binary.BigEndian.AppendUint64(append(queuePrefix(host), prec), seq)
}

// queueValue leaves the host out where it is that of the queue.
func queueValue(host uint64, id crawl.ID, origin uint32) []byte {
	v := make([]byte, 0, idLen+tagLen)
	if id.Host == host {
		v = binary.BigEndian.AppendUint64(v, id.URI)
	} else {
		v = appendID(v, id)
	}
	return binary.BigEndian.AppendUint32(v, origin)
}

// tagLen is how many bytes tell an origin; noTag says that a row, one of format 4, does not.
const (
	tagLen = 4
	noTag  = 1<<32 - 1
)

// queueRow returns the id in a row of a queue, and what it tells of the origin.
func queueRow(host uint64, v []byte) (id crawl.ID, origin uint32, err error) {
	origin = noTag
	if n := len(v) - tagLen; n == 8 || n == idLen {
		v, origin = v[:n], binary.BigEndian.Uint32(v[n:])
	}
	switch len(v) {
	case 8:
		return crawl.ID{Host: host, URI: binary.BigEndian.Uint64(v)}, origin, nil
	case idLen:
		return readID(v), origin, nil
	}
	return crawl.ID{}, 0, errCorrupt
}

func queueID(host uint64, v []byte) (crawl.ID, error) {
	id, _, err := queueRow(host, v)
	return id, err
}

func edgeKey(target, source crawl.ID) []byte { return appendID(idKey('r', target), source) }

func fileKey(n uint32) []byte { return binary.BigEndian.AppendUint32([]byte{'f'}, n) }

func captureKey(file uint32, start int64) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32([]byte{'c'}, file), uint64(start))
}

func nameKey(kind byte, name string) []byte { return append([]byte{kind}, name...) }

// after returns the key that follows every key with the prefix.
func after(prefix []byte) []byte {
	k := append([]byte(nil), prefix...)
	for i := len(k) - 1; i >= 0; i-- {
		if k[i]++; k[i] != 0 {
			return k[:i+1]
		}
	}
	return nil
}
