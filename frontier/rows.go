package frontier

import (
	"errors"
	"fmt"

	"exclave/crawl"
	"exclave/frontier/schema"
	"exclave/frontier/store"
)

// readRow reads the row of a host, without its tally.
func (f *Frontier) readRow(hash uint64) (*schema.Host, error) {
	v, err := f.hostValue(hash)
	if err != nil {
		return nil, err
	}
	if v == nil {
		return nil, fmt.Errorf("the row of host %016x is missing", hash)
	}
	row, err := schema.DecodeHost(v)
	if err != nil {
		return nil, err
	}
	row.Tally = nil
	return row, nil
}

// hostValue returns the row of a host as the last commit left it, nil when there is none.
func (f *Frontier) hostValue(hash uint64) ([]byte, error) {
	if v, ok := f.hostRows.Get(hash); ok {
		return v, nil
	}
	return f.db.Get(schema.HostKey(hash))
}

// name returns the name of a host.
func (f *Frontier) name(hash uint64) (string, error) {
	return f.names.Read(hash, func(hash uint64) (string, bool, error) {
		v, err := f.hostValue(hash)
		name, err := decodeName(hash, v, err)
		return name, true, err
	})
}

func readName(r store.Reader, hash uint64) (string, error) {
	v, err := r.Get(schema.HostKey(hash))
	return decodeName(hash, v, err)
}

func decodeName(hash uint64, v []byte, err error) (string, error) {
	if err == nil && v == nil {
		err = errors.New("its row is missing")
	}
	var h *schema.Host
	if err == nil {
		h, err = schema.DecodeHost(v)
	}
	if err != nil {
		return "", fmt.Errorf("host %016x: %w", hash, err)
	}
	return h.Name, nil
}

// oneName caches the last name, because IDs sort by host.
func oneName(r store.Reader) schema.Names {
	var last uint64
	var name string
	return func(hash uint64) (string, error) {
		if name != "" && hash == last {
			return name, nil
		}
		var err error
		last = hash
		name, err = readName(r, hash)
		return name, err
	}
}

// viaOf returns the URL of the page a URI was found on, "" if that page has no row, which
// [Frontier.Check] reports.
func (f *Frontier) viaOf(r *schema.Record) (string, error) {
	if r.ViaID == (crawl.ID{}) {
		return r.Via, nil
	}
	return f.vias.Read(r.ViaID, func(id crawl.ID) (string, bool, error) {
		v, err := f.db.Get(schema.URIKey(id))
		if err != nil || v == nil {
			return "", false, err
		}
		page, err := schema.DecodeRecord(id, v, f.name)
		if err != nil {
			return "", false, fmt.Errorf("record %v: %w", id, err)
		}
		return page.URL, true, nil
	})
}
