package geoip

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/maxmind/mmdbwriter"
	"github.com/maxmind/mmdbwriter/inserter"
	"github.com/maxmind/mmdbwriter/mmdbtype"
	"github.com/oschwald/maxminddb-golang/v2"
)

// Range is a range of addresses, all of IPv4 or all of IPv6, and the country they
// are in; "" is none.
type Range struct {
	First, Last netip.Addr
	Country     string
}

// Builder makes a database of ranges. Where ranges overlap the smaller one counts,
// as in routing; of ranges of one size the one added last. A range without a
// country takes addresses out of a larger one. It needs about 40 bytes a range,
// and ten times the size of the file. The zero Builder is ready.
type Builder struct {
	ranges  []packed
	overlap bool // perhaps; ranges in order without overlap need no sorting
}

// packed is a Range without pointers: there may be millions.
type packed struct {
	first, last [16]byte // of IPv4 in its form within IPv6
	code        [2]byte  // zero = none
	v4          bool
}

// Add adds a range; First must not be behind Last, nor of the other family.
func (b *Builder) Add(r Range) error {
	if !r.First.IsValid() || !r.Last.IsValid() || r.First.Is4() != r.Last.Is4() {
		return fmt.Errorf("geoip: range %s-%s: two addresses of one family are wanted", r.First, r.Last)
	}
	p := packed{first: r.First.As16(), last: r.Last.As16(), v4: r.First.Is4()}
	if bytes.Compare(p.first[:], p.last[:]) > 0 {
		return fmt.Errorf("geoip: range %s-%s: ends before it begins", r.First, r.Last)
	}
	if r.Country != "" {
		code, ok := Code(r.Country)
		if !ok {
			return fmt.Errorf("geoip: range %s-%s: %q is no country code", r.First, r.Last, cut(r.Country, 20))
		}
		copy(p.code[:], code)
	}
	if n := len(b.ranges); n > 0 && bytes.Compare(b.ranges[n-1].last[:], p.first[:]) >= 0 {
		b.overlap = true
	}
	b.ranges = append(b.ranges, p)
	return nil
}

// Len returns the number of ranges added.
func (b *Builder) Len() int { return len(b.ranges) }

// Options of a file.
type Options struct {
	Schema      Schema    // default SchemaFlat
	Description string    // for people, in English
	Built       time.Time // noted in the file; equal input makes equal files
}

// databaseType is noted in files: names that begin with GeoIP are MaxMind's.
const databaseType = "Exclave-Country"

// Build returns the file, checked by [Parse].
func (b *Builder) Build(o Options) ([]byte, error) {
	value := func(code string) mmdbtype.DataType { return mmdbtype.Map{"country_code": mmdbtype.String(code)} }
	switch o.Schema {
	case SchemaFlat, "":
	case SchemaMaxMind:
		value = func(code string) mmdbtype.DataType {
			return mmdbtype.Map{"country": mmdbtype.Map{"iso_code": mmdbtype.String(code)}}
		}
	default:
		return nil, fmt.Errorf("geoip: build: schema %q: %q or %q", o.Schema, SchemaFlat, SchemaMaxMind)
	}
	none := [2]byte{}
	if !slices.ContainsFunc(b.ranges, func(p packed) bool { return p.code != none }) {
		return nil, errors.New("geoip: build: no range with a country")
	}
	if o.Description == "" {
		o.Description = "countries of networks"
	}
	tree, err := mmdbwriter.New(mmdbwriter.Options{
		DatabaseType: databaseType, Description: map[string]string{"en": o.Description}, Languages: []string{},
		BuildEpoch: o.Built.Unix(), RecordSize: 28,
		IncludeReservedNetworks: true, // the user's ranges are taken as they are: intranets have countries too
		DisableIPv4Aliasing:     true, // 6to4 and Teredo addresses are where the ranges say
		KeyGenerator:            keys{},
	})
	if err != nil {
		return nil, fmt.Errorf("geoip: build: %w", err)
	}
	if b.overlap {
		slices.SortStableFunc(b.ranges, func(x, y packed) int { return compareSize(y, x) })
		b.overlap = false
	}
	insert := map[[2]byte]inserter.Func{none: inserter.Remove}
	for _, p := range b.ranges {
		if insert[p.code] == nil {
			insert[p.code] = inserter.ReplaceWith(value(string(p.code[:])))
		}
		first, last := p.first[:], p.last[:]
		if p.v4 {
			first, last = first[12:], last[12:]
		}
		if err := tree.InsertRangeFunc(first, last, insert[p.code]); err != nil {
			return nil, fmt.Errorf("geoip: build: range %v-%v: %w", net.IP(first), net.IP(last), err)
		}
	}
	var out bytes.Buffer
	if _, err := tree.WriteTo(&out); err != nil {
		return nil, fmt.Errorf("geoip: build: %w", err)
	}
	return out.Bytes(), check(out.Bytes())
}

// check reads a file that was made as a stranger would.
func check(data []byte) error {
	if _, err := Parse(data); err != nil {
		return fmt.Errorf("geoip: build: the file made is not right: %w", err)
	}
	r, err := maxminddb.OpenBytes(data)
	if err == nil {
		err = r.Verify()
	}
	if err != nil {
		return fmt.Errorf("geoip: build: the file made is not right: %w", err)
	}
	return nil
}

// keys tells records apart by their countries.
type keys struct{}

// Key implements mmdbwriter.KeyGenerator.
func (keys) Key(v mmdbtype.DataType) ([]byte, error) {
	m, _ := v.(mmdbtype.Map)
	if inner, ok := m["country"].(mmdbtype.Map); ok {
		v = inner["iso_code"]
	} else {
		v = m["country_code"]
	}
	s, ok := v.(mmdbtype.String)
	if !ok {
		return nil, fmt.Errorf("geoip: record without country: %v", m)
	}
	return []byte(s), nil
}

// compareSize compares the numbers of addresses.
func compareSize(x, y packed) int {
	xh, xl := x.size()
	yh, yl := y.size()
	return cmp.Or(cmp.Compare(xh, yh), cmp.Compare(xl, yl))
}

// size is one less than the number of addresses.
func (p *packed) size() (hi, lo uint64) {
	lo, borrow := bits.Sub64(binary.BigEndian.Uint64(p.last[8:]), binary.BigEndian.Uint64(p.first[8:]), 0)
	hi, _ = bits.Sub64(binary.BigEndian.Uint64(p.last[:8]), binary.BigEndian.Uint64(p.first[:8]), borrow)
	return hi, lo
}
