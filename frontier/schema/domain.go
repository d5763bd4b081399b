package schema

// DomainKey returns the key of the row of a registered domain.
func DomainKey(name string) []byte { return nameKey(Domains, name) }

// Domain has the counts of a registered domain. They are kept while domains have limits.
type Domain struct {
	Hosts, Known, Valid, Documents, Bytes uint64
}

// Encode writes the row.
func (d *Domain) Encode() []byte {
	e := newEnc()
	for _, n := range []uint64{d.Hosts, d.Known, d.Valid, d.Documents, d.Bytes} {
		e.uv(n)
	}
	return e.b
}

// DecodeDomain reads the row.
func DecodeDomain(v []byte) (row Domain, err error) {
	d := newDec(v)
	row = Domain{Hosts: d.uv(), Known: d.uv(), Valid: d.uv(), Documents: d.uv(), Bytes: d.uv()}
	return row, d.end()
}

func checkDomain(_, v []byte) error {
	_, err := DecodeDomain(v)
	return err
}
