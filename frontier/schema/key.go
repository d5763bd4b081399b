package schema

import (
	"encoding/binary"
	"strings"

	"github.com/dchest/siphash"

	"exclave/crawl"
)

// Salt keys the hashes of a job, so that hash collisions cannot be made on purpose.
type Salt [16]byte

// Hash returns the hash of a name.
func (s *Salt) Hash(name string) uint64 {
	return siphash.Hash(binary.LittleEndian.Uint64(s[:]), binary.LittleEndian.Uint64(s[8:]), []byte(name))
}

// ID is where the lookup of a key begins.
func (s *Salt) ID(key string) crawl.ID {
	return crawl.ID{Host: s.Hash(KeyHost(key)), URI: s.Hash(key)}
}

// OriginTag is the tag of a URI's origin in rows of queues, 0 for none.
func (s *Salt) OriginTag(url string) uint32 {
	o := OriginOf(url)
	if o == "" {
		return 0
	}
	return min(max(uint32(s.Hash(o)), 1), NoTag-1)
}

// KeyHost returns the host in a key, "" when there is none.
func KeyHost(key string) string {
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

// OriginOf returns scheme, host and port of a URL as the state keeps it, "" of one that has none.
func OriginOf(url string) string {
	i := strings.Index(url, "://")
	if i < 0 {
		return ""
	}
	i += len("://")
	end := len(url)
	if n := strings.IndexAny(url[i:], "/?#"); n >= 0 {
		end = i + n
	}
	if at := strings.LastIndexByte(url[i:end], '@'); at >= 0 {
		return url[:i] + url[i+at+1:end]
	}
	return url[:end]
}

// IDLen is how many bytes an ID has.
const IDLen = 16

// AppendID adds an ID to a key or value.
func AppendID(b []byte, id crawl.ID) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(b, id.Host), id.URI)
}

// ReadID reads the ID that b begins with; it has at least IDLen bytes.
func ReadID(b []byte) crawl.ID {
	return crawl.ID{Host: binary.BigEndian.Uint64(b), URI: binary.BigEndian.Uint64(b[8:])}
}

func idKey(t Table, id crawl.ID) []byte {
	return AppendID(append(make([]byte, 0, 1+IDLen), byte(t)), id)
}

func numberKey(t Table, n uint64) []byte {
	return binary.BigEndian.AppendUint64(append(make([]byte, 0, 18), byte(t)), n)
}

func nameKey(t Table, name string) []byte { return append(t.Prefix(), name...) }

// After returns the key that follows every key with the prefix, nil when there is none.
func After(prefix []byte) []byte {
	k := append([]byte(nil), prefix...)
	for i := len(k) - 1; i >= 0; i-- {
		if k[i]++; k[i] != 0 {
			return k[:i+1]
		}
	}
	return nil
}
