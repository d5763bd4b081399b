package frontier

import (
	"net/netip"

	"exclave/frontier/schema"
	"exclave/frontier/store"
)

// addressRow returns what is kept of an address.
func (f *Frontier) addressRow(r store.Reader, ip netip.Addr) (row schema.Address, err error) {
	v, err := get(r, schema.AddressKey(ip))
	if v == nil || err != nil {
		return row, err
	}
	return schema.DecodeAddress(v)
}
