package geoip

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/oschwald/geoip2-golang/v2"
)

// ErrNotOwners reports a database that is sound but names no owners of networks.
var ErrNotOwners = errors.New("not a database of autonomous systems")

// Owner is who announces a network. The zero Owner stands for an unknown one.
type Owner struct {
	AS   uint32 // number of the autonomous system; 0 = unknown
	Name string // of the organization, as it is registered; may be empty
}

// String returns "AS2852 CESNET z.s.p.o.", "" for the zero Owner.
func (o Owner) String() string {
	if o.AS == 0 {
		return o.Name
	}
	return strings.TrimSuffix("AS"+strconv.FormatUint(uint64(o.AS), 10)+" "+o.Name, " ")
}

// owner makes an Owner of what a record has. Numbers of more than 32 bits are none.
func owner(as uint, name string) Owner {
	if uint64(as) > 1<<32-1 {
		as = 0
	}
	return Owner{uint32(as), plain(name)}
}

// plain makes one line of a name.
func plain(s string) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
}

// Owners is an open database of the owners of networks, such as GeoLite2-ASN. It
// is immutable and serves any number of goroutines.
type Owners struct{ tree }

// OpenOwners reads a file into memory and looks through all of it, as [Open] does.
// Errors wrap [ErrNotOwners] or [ErrDamaged], or are those of reading a file.
func OpenOwners(path string) (*Owners, error) { return open(path, ParseOwners) }

// ParseOwners opens a database in memory; data must not change afterwards.
func ParseOwners(data []byte) (*Owners, error) {
	t, err := openTree(data)
	if err != nil {
		return nil, err
	}
	db := &Owners{t}
	records, networks, err := db.records()
	if err != nil {
		return nil, err
	}
	named := 0
	for _, at := range records {
		o, err := db.record(at)
		if err != nil {
			return nil, err
		}
		if o != (Owner{}) {
			named++
		}
	}
	if named == 0 {
		return nil, fmt.Errorf("%w: a database %q, none of whose %d networks has one; records with autonomous_system_number (such as GeoLite2-ASN) are wanted",
			ErrNotOwners, cut(t.reader.Metadata.DatabaseType, 40), networks)
	}
	return db, nil
}

// record reads the record at that place as geoip2's ASN.
func (o *Owners) record(at uintptr) (Owner, error) {
	var r geoip2.ASN
	if err := o.reader.LookupOffset(at).Decode(&r); err != nil {
		return Owner{}, damaged(err)
	}
	return owner(r.AutonomousSystemNumber, r.AutonomousSystemOrganization), nil
}

// Owner returns the owner of the network that an address is in, the zero Owner
// when none is known, and the network that the answer is for, the zero Prefix
// when the database is not for such addresses. Addresses are taken as [DB.Country]
// takes them.
func (o *Owners) Owner(a netip.Addr) (netip.Prefix, Owner, error) {
	r, ok, err := o.find(a)
	if err != nil || !ok {
		return r.Prefix(), Owner{}, err
	}
	w, err := o.record(r.Offset())
	if err != nil {
		return netip.Prefix{}, Owner{}, fmt.Errorf("geoip: look up %s: %w", a, err)
	}
	return r.Prefix(), w, nil
}
