package frontier

import (
	"fmt"

	"exclave/frontier/rules"
	"exclave/frontier/schema"
	"exclave/frontier/store"
)

// readDomain returns the row of a host's domain, outside of a commit.
func (f *Frontier) readDomain(host string) (*schema.Domain, error) {
	name := rules.DomainOf(host)
	v, err := f.db.Get(schema.DomainKey(name))
	if v == nil || err != nil {
		return &schema.Domain{}, err
	}
	d, err := schema.DecodeDomain(v)
	if err != nil {
		return nil, fmt.Errorf("domain %s: %w", name, err)
	}
	return &d, nil
}

// countDomains makes the rows of domains if domains have limits now and had none before,
// and deletes them if they no longer have any.
func (f *Frontier) countDomains() error {
	mark := schema.MetaKey(schema.MetaDomains)
	have, err := f.db.Get(mark)
	want := f.o.Limits.CountsDomains()
	if err != nil || want == (have != nil) {
		return err
	}
	b := &store.Batch{}
	if !want {
		b.DeleteTable(schema.Domains)
		b.Delete(mark)
		return f.db.Commit(b, true)
	}
	rows := map[string]*schema.Domain{}
	flush := func() error {
		for name, d := range rows {
			b.Set(schema.DomainKey(name), d.Encode())
		}
		rows = map[string]*schema.Domain{}
		err := f.db.Commit(b, false)
		b = &store.Batch{}
		return err
	}
	// A killed run may have left rows; begin from none.
	b.DeleteTable(schema.Domains)
	if err := flush(); err != nil {
		return err
	}
	err = f.db.Scan(schema.Hosts.Prefix(), func(_, v []byte) error {
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
		return fmt.Errorf("count registered domains: %w", err)
	}
	b.Set(mark, schema.Present())
	return f.db.Commit(b, true)
}

// maxDomainsInMemory bounds how many domains countDomains keeps in memory.
const maxDomainsInMemory = 100000
