package frontier

import (
	"encoding/binary"
	"hash/maphash"

	"exclave/crawl"
	"exclave/frontier/schema"
	"exclave/frontier/store"
)

// Values in a generation of each cache: rows of some 200 bytes, and what ToeThreads need for hosts they are busy
// with. factBytes bounds what servers sent.
const (
	cachedRecords = 50000
	cachedHosts   = 50000
	cachedDomains = 20000
	cachedFacts   = 5000
	factBytes     = 16 << 20
)

// caches are what is kept of the state in memory; the committer takes over what a batch changed.
type caches struct {
	recs       *store.Cache[crawl.ID, []byte] // rows of URIs
	hostRows   *store.Cache[uint64, []byte]
	domainRows *store.Cache[string, []byte]

	hostFacts   *store.Cache[string, *crawl.HostFacts]
	originFacts *store.Cache[string, *crawl.OriginFacts]
	written     *store.Cache[string, *crawl.Deferred] // answers that are in the archive

	// What never changes: names of hosts, URLs that URIs were found on, domains of hosts.
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

// renew takes over into the caches what a batch, which was committed, changed.
func (f *Frontier) renew(b *store.Batch) {
	uris, hosts := b.Table(schema.URIs), b.Table(schema.Hosts)
	f.filter.AddChanged(uris)
	f.filter.AddChanged(hosts)
	store.SetChangedRows(f.recs, uris, func(key []byte) crawl.ID { return schema.ReadID(key[1:]) })
	store.SetChangedRows(f.hostRows, hosts, func(key []byte) uint64 { return binary.BigEndian.Uint64(key[1:]) })
	store.SetChangedRows(f.domainRows, b.Table(schema.Domains), rowName)
	// A row that cannot be read now is not kept: whoever reads it from the store says so.
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
		return nil // is read once, and large
	})
}

// rowName is the name that a key is made of behind the letter of its table.
func rowName(key []byte) string { return string(key[1:]) }
