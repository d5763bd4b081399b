package frontier

import (
	"exclave/crawl"
	"exclave/frontier/store"
)

// smallCaches leaves so few rows in memory that most are read from the store.
func smallCaches(f *Frontier, most int) {
	f.recs = store.NewRowCache(most, func(id crawl.ID) uint64 { return id.URI })
	f.hostRows = store.NewRowCache(most, func(hash uint64) uint64 { return hash })
	f.domainRows = store.NewRowCache(most, func(name string) uint64 { return uint64(len(name)) })
	f.ahead.URIs, f.ahead.Hosts = f.recs, f.hostRows
}
