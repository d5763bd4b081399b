package store

import (
	"encoding/binary"
	"testing"

	"exclave/frontier/schema"
)

func hash(key []byte) uint64 { return binary.BigEndian.Uint64(key[1:]) }

// one is a cache all of whose keys are of one shard, with two rows in a generation.
func one() *Cache[uint64, []byte] {
	return NewRowCache(2*cacheShards, func(uint64) uint64 { return 7 })
}

func TestCache(t *testing.T) {
	c := one()
	set := func(n uint64, v string) {
		SetChangedRows(c, []Change{{Key: schema.HostKey(n), Value: []byte(v)}}, hash)
	}
	remove := func(n uint64) { SetChangedRows(c, []Change{{Key: schema.HostKey(n), Deletes: true}}, hash) }
	is := func(n uint64, want string) {
		t.Helper()
		if got, _ := c.Get(n); string(got) != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	set(1, "a")
	set(2, "b")
	set(3, "c") // 1 and 2 are the old ones
	set(1, "A") // hides the old value
	is(1, "A")
	is(2, "b") // is young again, 1 and 3 are old
	is(3, "c")
	remove(3)
	remove(1)
	is(1, "")
	is(3, "")
	is(2, "b")
	set(4, "d") // 2 is old
	set(2, "B")
	remove(2)
	is(2, "") // nor is the old value there
	set(2, "b")
	c.Keep(2, []byte("stale"))
	c.Keep(5, []byte("e"))
	is(2, "b")
	is(5, "e")
	for n := uint64(6); n < 10; n++ {
		set(n, "x")
	}
	is(2, "")
}

// What was read is refused when a commit may have changed it since.
func TestCacheOffer(t *testing.T) {
	c := one()
	is := func(why string, n uint64, want string) {
		t.Helper()
		if got, _ := c.Get(n); string(got) != want {
			t.Errorf("%s: %d: %q, want %q", why, n, got, want)
		}
	}
	g := c.generation(1)
	c.offer(1, []byte("read"), g)
	is("read, and not changed", 1, "read")
	g = c.generation(2)
	c.Set(2, []byte("new"))
	c.offer(2, []byte("stale"), g)
	is("changed since it was read", 2, "new")
	c.Set(2, nil)
	c.offer(2, []byte("stale"), g)
	is("deleted since it was read", 2, "")
	c.Keep(2, []byte("again"))
	is("current", 2, "again")
	g = c.generation(9)
	c.Set(9, []byte("changed"))
	for n := uint64(20); n < 25; n++ { // evicts it
		c.Set(n, []byte("x"))
	}
	is("no longer here", 9, "")
	c.offer(9, []byte("stale"), g)
	is("may have changed, nobody knows", 9, "")
}

// The bytes of a generation are bounded where servers decide how large a value is, and one that is
// larger than that is kept alone.
func TestCacheBytes(t *testing.T) {
	c := NewCache(CacheOptions[uint64, string]{Most: 100 * cacheShardsOfBytes, Hash: func(uint64) uint64 { return 3 },
		Size: func(s string) int { return len(s) }, Bytes: 10 * cacheShardsOfBytes})
	reads := 0
	read := func(n uint64) string {
		t.Helper()
		v, err := c.Read(n, func(uint64) (string, bool, error) { reads++; return "12345", n != 99, nil })
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for n := range uint64(2) {
		read(n)
		read(n)
	}
	if reads != 2 {
		t.Errorf("%d reads of two values", reads)
	}
	c.Set(1, "1") // the other one's bytes are free
	c.Set(2, "1234")
	if s := &c.shards[3]; s.bytes != 10 || len(s.old) != 0 {
		t.Errorf("%d bytes are young, %d values old", s.bytes, len(s.old))
	}
	c.Set(3, "a value that is too large")
	if s := &c.shards[3]; len(s.young) != 1 || len(s.old) != 3 {
		t.Errorf("%d values are young, %d old", len(s.young), len(s.old))
	}
	read(99)
	read(99)
	if reads != 4 {
		t.Errorf("%d reads: one that is not to be kept was", reads)
	}
}
