package schema

import (
	"net/netip"
	"time"
)

// AddressKey returns the key of the row of an IP address.
func AddressKey(ip netip.Addr) []byte { return append(Addresses.Prefix(), ip.AsSlice()...) }

// Address is what the state keeps of an IP address that had a general pause.
type Address struct {
	Until  time.Time // of the last one; wall time
	Pauses uint64    // so far
}

// Encode writes the row.
func (a Address) Encode() []byte {
	e := newEnc()
	e.time(a.Until)
	e.uv(a.Pauses)
	return e.b
}

// DecodeAddress reads the row.
func DecodeAddress(v []byte) (row Address, err error) {
	d := newDec(v)
	row.Until, row.Pauses = d.time(), d.uv()
	return row, d.end()
}

func checkAddress(k, v []byte) error {
	if err := keyLen(k, 5, 17); err != nil {
		return err
	}
	_, err := DecodeAddress(v)
	return err
}
