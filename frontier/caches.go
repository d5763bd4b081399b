package frontier

import (
	"encoding/binary"
	"hash/maphash"

	"exclave/crawl"
	"exclave/frontier/schema"
	"exclave/frontier/store"
)

// Maximum values in a generation of each cache: rows of about 200 bytes, and facts about hosts that ToeThreads are
// working on. factBytes bounds the bytes of cached robots.txt.
const (
	cachedRecords = 50000
	cachedHosts   = 50000
	cachedDomains = 20000
	cachedFacts   = 5000
	factBytes     = 16 << 20
)

// caches hold rows and facts of the state in memory; the committer updates them after each batch.
type caches struct {
	recs       *store.Cache[crawl.ID, []byte] // rows of URIs
	hostRows   *store.Cache[uint64, []byte]
	domainRows *store.Cache[string, []byte]

	hostFacts   *store.Cache[string, *crawl.HostFacts]
	originFacts *store.Cache[string, *crawl.OriginFacts]
	written     *store.Cache[string, *crawl.Deferred] // deferred records that are in the archive

	// These never change: names of hosts, URLs of via, domains of hosts.
	names      *store.Cache[uint64, string]
	vias       *store.Cache[crawl.ID, string]
	registered *store.Cache[string, string]
}

func newCaches() caches {
	seed := maphash.MakeSeed()
	byName := func(name string) uint64 { return maphash.String(seed, name) }
	byID := func(id crawl.ID) uint64 { return id.URI }
	byHost := func(hash uint64) uint64 { return hash }
	return caches{
		recs: store.NewRowCache(cachedRecords, byID), hostRows: store.NewRowCache(cachedHosts, byHost), domainRows: store.NewRowCache(cachedDomains, byName),
		hostFacts: store.NewCache(store.CacheOptions[string, *crawl.HostFacts]{Most: cachedFacts, Hash: byName,
			Absent: func(h *crawl.HostFacts) bool { return h == nil }}), // at most 32 addresses
		originFacts: store.NewCache(store.CacheOptions[string, *crawl.OriginFacts]{Most: cachedFacts, Hash: byName,
			Absent: func(o *crawl.OriginFacts) bool { return o == nil },
			Size:   func(o *crawl.OriginFacts) int { return len(o.Robots) }, Bytes: factBytes}),
		written: store.NewCache(store.CacheOptions[string, *crawl.Deferred]{Most: cachedFacts, Hash: byName,
			Absent: func(d *crawl.Deferred) bool { return d == nil }}), // without the answer itself
		names:      store.NewCache(store.CacheOptions[uint64, string]{Most: cachedFacts, Hash: byHost}),
		vias:       store.NewCache(store.CacheOptions[crawl.ID, string]{Most: cachedFacts, Hash: byID}),
		registered: store.NewCache(store.CacheOptions[string, string]{Most: cachedFacts, Hash: byName}),
	}
}

// updateCaches updates the caches and the filter with the changes of a committed batch.
func (f *Frontier) updateCaches(b *store.Batch) {
	uris, hosts := b.Table(schema.URIs), b.Table(schema.Hosts)
	f.filter.AddChanged(uris)
	f.filter.AddChanged(hosts)
	f.filter.AddChanged(b.Table(schema.Payloads))
	store.SetChangedRows(f.recs, uris, func(key []byte) crawl.ID { return schema.ReadID(key[1:]) })
	store.SetChangedRows(f.hostRows, hosts, func(key []byte) uint64 { return binary.BigEndian.Uint64(key[1:]) })
	store.SetChangedRows(f.domainRows, b.Table(schema.Domains), rowName)
	// A row that cannot be decoded is not cached: reading it from the store reports the error.
	store.SetChanged(f.hostFacts, b.Table(schema.HostFacts), rowName, func(host string, v []byte) *crawl.HostFacts {
		if h, err := schema.DecodeHostFacts(host, v); err == nil {
			return &h
		}
		return nil
	})
	store.SetChanged(f.originFacts, b.Table(schema.OriginFacts), rowName, func(origin string, v []byte) *crawl.OriginFacts {
		if o, err := schema.DecodeOriginFacts(origin, v); err == nil {
			return &o
		}
		return nil
	})
	store.SetChanged(f.written, b.Table(schema.Answers), rowName, func(key string, v []byte) *crawl.Deferred {
		if a, err := schema.DecodeAnswer(v); err == nil && a.Written {
			return &crawl.Deferred{Key: key, Written: true, Time: a.Time}
		}
		return nil // not yet written: large, and read only once
	})
}

// rowName returns the name in a key, without the prefix of the table.
func rowName(key []byte) string { return string(key[1:]) }
