package geoip

import (
	"errors"
	"fmt"
	"iter"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/oschwald/geoip2-golang/v2"
)

// Schema is the form of the records of a file.
type Schema string

// The schemas.
const (
	SchemaMaxMind Schema = "maxmind" // {"country": {"iso_code": "CZ"}}
	SchemaFlat    Schema = "flat"    // {"country_code": "CZ"}
)

// ErrNotCountries reports a database that is sound but says no countries.
var ErrNotCountries = errors.New("not a database of countries")

// Info describes a database.
type Info struct {
	Schema    Schema
	Type      string    // as its maker calls it: GeoLite2-Country
	Built     time.Time // zero when it does not say
	IPVersion int       // 4: only such addresses; 6: both
	Networks  int       // with a record
	Countries int       // different ones
	Cities    bool      // some record names a city
	Owners    bool      // some record names the owner of its network
}

// DB is an open database.
type DB struct {
	tree
	info    Info
	country map[uintptr]string // by the place of the record
}

// Open reads a file into memory and looks through all of it: 400,000 networks in
// about half a second. The DB needs no closing. Errors wrap [ErrNotCountries] or
// [ErrDamaged], or are those of reading a file.
func Open(path string) (*DB, error) {
	return open(path, Parse)
}

// Parse opens a database in memory; data must not change afterwards.
func Parse(data []byte) (*DB, error) {
	t, err := openTree(data)
	if err != nil {
		return nil, err
	}
	m := t.reader.Metadata
	db := &DB{tree: t, country: map[uintptr]string{}, info: Info{Type: m.DatabaseType, IPVersion: int(m.IPVersion)}}
	if m.BuildEpoch > 0 && m.BuildEpoch < 1<<33 {
		db.info.Built = m.BuildTime().UTC()
	}
	if err := db.walk(); err != nil {
		return nil, err
	}
	return db, nil
}

// probed is how many different records are looked at to tell the schema.
const probed = 1000

// walk visits every network once and keeps the country of every record.
func (d *DB) walk() error {
	records, networks, err := d.records()
	if err != nil {
		return err
	}
	d.info.Networks = networks
	if err := d.recognise(records); err != nil {
		return err
	}
	codes := map[string]string{} // one string for each country
	for _, at := range records {
		p, err := d.record(at)
		if err != nil {
			return err
		}
		d.info.Cities, d.info.Owners = d.info.Cities || p.City != "", d.info.Owners || p.Owner != Owner{}
		if p.Country == "" {
			continue
		}
		if codes[p.Country] == "" {
			codes[p.Country] = strings.Clone(p.Country)
		}
		d.country[at] = codes[p.Country]
	}
	d.info.Countries = len(codes)
	if len(codes) == 0 {
		return fmt.Errorf("%w: none of its %d networks has one", ErrNotCountries, d.info.Networks)
	}
	return nil
}

// recognise tells the schema by the first records.
func (d *DB) recognise(records []uintptr) error {
	keys := map[string]bool{}
	for _, at := range records[:min(len(records), probed)] {
		var record any
		if err := d.reader.LookupOffset(at).Decode(&record); err != nil {
			return damaged(err)
		}
		m, _ := record.(map[string]any)
		country, _ := m["country"].(map[string]any)
		if _, ok := country["iso_code"].(string); ok {
			d.info.Schema = SchemaMaxMind
			return nil
		}
		if _, ok := m["country_code"].(string); ok {
			d.info.Schema = SchemaFlat
			return nil
		}
		for k := range m {
			keys[k] = true
		}
	}
	return fmt.Errorf("%w: a database %q %s; records with country.iso_code (such as GeoLite2-Country) or with country_code (such as iptoasn) are wanted",
		ErrNotCountries, cut(d.info.Type, 40), holding(keys))
}

// maxKeys is how many keys of a strange database an error names.
const maxKeys = 5

func holding(keys map[string]bool) string {
	if len(keys) == 0 {
		return "without records"
	}
	names := make([]string, 0, len(keys))
	for k := range keys {
		names = append(names, cut(k, 40))
	}
	slices.Sort(names)
	if len(names) > maxKeys {
		names = append(names[:maxKeys], "…")
	}
	return "whose records hold " + strings.Join(names, ", ")
}

func cut(s string, n int) string { return strings.ToValidUTF8(s[:min(n, len(s))], "") }

// record reads what the record at that place says. Those of MaxMind's form are
// read as geoip2's Enterprise, which has the fields of all its databases of
// places. The library's own reader is not used: it goes by the name in the
// metadata, which anybody's database may choose (ADR 48).
func (d *DB) record(at uintptr) (Place, error) {
	path := []any{"country_code"}
	if d.info.Schema == SchemaMaxMind {
		path = []any{"country", "iso_code"}
		var e geoip2.Enterprise
		if d.reader.LookupOffset(at).Decode(&e) == nil {
			code, _ := Code(e.Country.ISOCode)
			t := e.Traits
			return Place{Country: code, City: plain(e.City.Names.English), Owner: owner(t.AutonomousSystemNumber, t.AutonomousSystemOrganization)}, nil
		}
		// A field that is not as MaxMind has it is no reason to refuse the country.
	}
	var s string
	if err := d.reader.LookupOffset(at).DecodePath(&s, path...); err != nil {
		return Place{}, damaged(err)
	}
	code, _ := Code(s)
	return Place{Country: code}, nil
}

// Code returns a country code in upper case; "" and false for what is none: other
// than two ASCII letters, or ZZ, which stands for an unknown country.
func Code(s string) (code string, ok bool) {
	if len(s) != 2 {
		return "", false
	}
	code = strings.ToUpper(s)
	for i := range 2 {
		if code[i] < 'A' || code[i] > 'Z' {
			return "", false
		}
	}
	if code == "ZZ" {
		return "", false
	}
	return code, true
}

// Info describes the database.
func (d *DB) Info() Info { return d.info }

// Country returns the country of an address, "" when none is known. IPv4
// addresses that are mapped into IPv6 are looked up as IPv4; zones are ignored. An
// IPv6 address in a database of IPv4 only is unknown, and so is the zero Addr. It
// allocates nothing. An error wraps [ErrDamaged].
func (d *DB) Country(a netip.Addr) (string, error) {
	r, ok, err := d.find(a)
	if !ok || err != nil {
		return "", err
	}
	return d.country[r.Offset()], nil
}

// Place is what a database says of an address; a field is empty where it says
// nothing.
type Place struct {
	Network netip.Prefix // that the answer is for; the zero Prefix: the database is not for such addresses
	Country string       // code of two letters
	City    string       // in English
	Owner   Owner        // of the network
}

// Place returns all that the database says of an address. Also when nothing is
// known, the answer has a network. It decodes the record, unlike [DB.Country].
func (d *DB) Place(a netip.Addr) (Place, error) {
	r, ok, err := d.find(a)
	if err != nil || !ok && !r.Prefix().IsValid() {
		return Place{}, err
	}
	p := Place{}
	if ok && (d.info.Cities || d.info.Owners) {
		if p, err = d.record(r.Offset()); err != nil {
			return Place{}, fmt.Errorf("geoip: look up %s: %w", a, err)
		}
	} else if ok {
		p.Country = d.country[r.Offset()]
	}
	p.Network = r.Prefix()
	return p, nil
}

// Networks yields the networks with a country in the order of their addresses,
// those of IPv4 first where the file keeps them in ::/96.
func (d *DB) Networks() iter.Seq2[netip.Prefix, string] {
	return func(yield func(netip.Prefix, string) bool) {
		for r := range d.reader.Networks() {
			if code := d.country[r.Offset()]; code != "" && r.Found() && !yield(r.Prefix(), code) {
				return
			}
		}
	}
}
