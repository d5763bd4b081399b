package frontier

import (
	"errors"
	"fmt"
	"hash/maphash"

	"github.com/cockroachdb/pebble/v2"

	"exclave/frontier/rules"
	"exclave/frontier/schema"
)

// takeDomains takes over what a commit changed of domains.
func (f *Frontier) takeDomains(p *puts) {
	f.domainRows.take(p.table(schema.Domains), func(key []byte) string { return string(key) })
}

// nameHash returns a hash of names, for a cache.
func nameHash() func(string) uint64 {
	seed := maphash.MakeSeed()
	return func(name string) uint64 { return maphash.String(seed, name) }
}

// readDomain returns what is counted of a host's domain outside of a commit.
func (f *Frontier) readDomain(host string) (*schema.Domain, error) {
	name := rules.DomainOf(host)
	v, err := get(f.db, schema.DomainKey(name))
	if v == nil || err != nil {
		return &schema.Domain{}, err
	}
	d, err := schema.DecodeDomain(v)
	if err != nil {
		return nil, fmt.Errorf("domain %s: %w", name, err)
	}
	return &d, nil
}

// countDomains makes the rows of domains when they have limits and had none before,
// and removes them when they have none any more.
func (f *Frontier) countDomains() error {
	mark := schema.MetaKey(schema.MetaDomains)
	have, err := get(f.db, mark)
	want := f.o.Limits.CountsDomains()
	if err != nil || want == (have != nil) {
		return err
	}
	b := f.db.NewBatch()
	if !want {
		return errors.Join(b.DeleteRange(schema.Domains.Prefix(), schema.Domains.End(), nil), b.Delete(mark, nil), f.commit(b, pebble.Sync))
	}
	rows := map[string]*schema.Domain{}
	flush := func() error {
		for name, d := range rows {
			if err := b.Set(schema.DomainKey(name), d.Encode(), nil); err != nil {
				return err
			}
		}
		rows = map[string]*schema.Domain{}
		err := f.commit(b, pebble.NoSync)
		b = f.db.NewBatch()
		return err
	}
	// What a run that was killed here counted is not counted twice.
	if err := f.db.DeleteRange(schema.Domains.Prefix(), schema.Domains.End(), pebble.NoSync); err != nil {
		return err
	}
	err = scan(f.db, schema.Hosts.Prefix(), func(_, v []byte) error {
		h, err := schema.DecodeHost(v)
		if err != nil || h.Known == 0 {
			return err
		}
		name := rules.DomainOf(h.Name)
		d := rows[name]
		if d == nil {
			if d, err = f.readDomain(h.Name); err != nil {
				return err
			}
			rows[name] = d
		}
		d.Hosts++
		d.Known += h.Known
		d.Valid += h.Valid
		if h.Tally != nil {
			d.Documents += uint64(h.Tally.URIs)
			d.Bytes += uint64(h.Tally.Bytes)
		}
		if len(rows) == maxDomainsInMemory {
			return flush()
		}
		return nil
	})
	if err == nil {
		err = flush()
	}
	if err != nil {
		return errors.Join(fmt.Errorf("count registered domains: %w", err), b.Close())
	}
	return errors.Join(b.Set(mark, schema.Present(), nil), f.commit(b, pebble.Sync))
}

// maxDomainsInMemory bounds what countDomains gathers.
const maxDomainsInMemory = 100000
