package geoip

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/oschwald/maxminddb-golang/v2"
)

// MaxSize bounds a file, in bytes: it is held in memory.
const MaxSize = 1 << 30

// Schema is the form of the records of a file.
type Schema string

// The schemas.
const (
	SchemaMaxMind Schema = "maxmind" // {"country": {"iso_code": "CZ"}}
	SchemaFlat    Schema = "flat"    // {"country_code": "CZ"}
)

var (
	// ErrNotCountries reports a database that is sound but says no countries.
	ErrNotCountries = errors.New("not a database of countries")
	// ErrDamaged reports a file that is no MaxMind DB file, or a broken one.
	ErrDamaged = errors.New("no MaxMind DB file, or a damaged one")
)

// Info describes a database.
type Info struct {
	Schema    Schema
	Type      string    // as its maker calls it: GeoLite2-Country
	Built     time.Time // zero when it does not say
	IPVersion int       // 4: only such addresses; 6: both
	Networks  int       // with a record
	Countries int       // different ones
}

// DB is an open database.
type DB struct {
	info    Info
	reader  *maxminddb.Reader
	country map[uintptr]string // by the place of the record
}

// Open reads a file into memory and looks through all of it: 400,000 networks in
// about half a second. The DB needs no closing. Errors wrap [ErrNotCountries] or
// [ErrDamaged], or are those of reading a file.
func Open(path string) (*DB, error) {
	data, err := read(path)
	if err != nil {
		return nil, fmt.Errorf("geoip: open: %w", err)
	}
	db, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("geoip: open %s: %w", path, err)
	}
	return db, nil
}

func read(path string) (data []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if data, err = io.ReadAll(io.LimitReader(f, MaxSize+1)); err != nil {
		return nil, err
	}
	if len(data) > MaxSize {
		return nil, fmt.Errorf("%s: larger than %d bytes; a database of countries is enough", path, MaxSize)
	}
	return data, nil
}

// Parse opens a database in memory; data must not change afterwards.
func Parse(data []byte) (*DB, error) {
	r, err := maxminddb.OpenBytes(data)
	if err != nil {
		return nil, damaged(err)
	}
	m := r.Metadata
	db := &DB{reader: r, country: map[uintptr]string{}, info: Info{Type: m.DatabaseType, IPVersion: int(m.IPVersion)}}
	if m.BuildEpoch > 0 && m.BuildEpoch < 1<<33 {
		db.info.Built = m.BuildTime().UTC()
	}
	if err := db.walk(); err != nil {
		return nil, err
	}
	return db, nil
}

// maxReason bounds the library's words in an error: it spells out the path of
// values nested hundreds deep.
const maxReason = 200

func damaged(err error) error {
	reason := err.Error()
	if len(reason) > maxReason {
		reason = "…" + strings.ToValidUTF8(reason[len(reason)-maxReason:], "")
	}
	return fmt.Errorf("%w: %s", ErrDamaged, reason)
}

// probed is how many different records are looked at to tell the schema.
const probed = 1000

// walk visits every network once and keeps the country of every record.
func (d *DB) walk() error {
	// In a tree of n nodes there are n+1 ends. A damaged one can lead to the same
	// nodes over and over; sound ones do so for a few aliases of IPv4 at most.
	left := 8 * (int64(d.reader.Metadata.NodeCount) + 1)
	var records []uintptr
	seen := map[uintptr]bool{}
	for r := range d.reader.Networks(maxminddb.IncludeNetworksWithoutData()) {
		if err := r.Err(); err != nil {
			return damaged(err)
		}
		if left--; left < 0 {
			return damaged(errors.New("the search tree runs in circles"))
		}
		if !r.Found() {
			continue
		}
		d.info.Networks++
		if at := r.Offset(); !seen[at] {
			seen[at] = true
			records = append(records, at)
		}
	}
	if err := d.recognise(records); err != nil {
		return err
	}
	codes := map[string]string{} // one string for each country
	for _, at := range records {
		code, err := d.read(at)
		if err != nil {
			return err
		}
		if code == "" {
			continue
		}
		if codes[code] == "" {
			codes[code] = strings.Clone(code)
		}
		d.country[at] = codes[code]
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

// read returns the country of the record at that place.
func (d *DB) read(at uintptr) (string, error) {
	path := []any{"country_code"}
	if d.info.Schema == SchemaMaxMind {
		path = []any{"country", "iso_code"}
	}
	var s string
	if err := d.reader.LookupOffset(at).DecodePath(&s, path...); err != nil {
		return "", damaged(err)
	}
	code, _ := Code(s)
	return code, nil
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

// Network returns the network of an address that the database has an answer for,
// also when the answer is that nothing is known, and its country. The zero Prefix
// says that the database is not for such addresses.
func (d *DB) Network(a netip.Addr) (netip.Prefix, string, error) {
	r, ok, err := d.find(a)
	if err != nil || !ok && !r.Prefix().IsValid() {
		return netip.Prefix{}, "", err
	}
	if !ok {
		return r.Prefix(), "", nil
	}
	return r.Prefix(), d.country[r.Offset()], nil
}

// find returns the result for an address; ok is false when there is no record.
func (d *DB) find(a netip.Addr) (r maxminddb.Result, ok bool, err error) {
	a = a.Unmap()
	if !a.IsValid() || a.Is6() && d.info.IPVersion == 4 {
		return r, false, nil
	}
	r = d.reader.Lookup(a)
	if err := r.Err(); err != nil {
		return r, false, fmt.Errorf("geoip: look up %s: %w", a, damaged(err))
	}
	return r, r.Found(), nil
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
