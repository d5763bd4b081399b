package geoip_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"exclave/internal/geoip"
	"exclave/internal/sharedtest"

	"github.com/maxmind/mmdbwriter"
	"github.com/maxmind/mmdbwriter/mmdbtype"
)

const maxmind = "data/geoip/maxmind-testdata/"

func open(t testing.TB, rel string) *geoip.DB {
	t.Helper()
	db, err := geoip.Open(sharedtest.Path(t, rel))
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func country(t testing.TB, db *geoip.DB, addr netip.Addr) string {
	t.Helper()
	c, err := db.Country(addr)
	if err != nil {
		t.Errorf("%s: %v", addr, err)
	}
	return c
}

// published are networks with the record that the maker says they have.
type published map[string]struct {
	Country struct {
		ISOCode string `json:"iso_code"`
	} `json:"country"`
	Registered struct {
		ISOCode string `json:"iso_code"`
	} `json:"registered_country"`
}

// The answers that MaxMind publishes beside its test databases, of every network:
// the first and last address, and IPv4 ones mapped into IPv6. Many have a
// registered_country that differs, or no country at all.
func TestPublishedAnswers(t *testing.T) {
	for file, answers := range map[string]string{
		"GeoIP2-Country-Test.mmdb":   "GeoIP2-Country-Test.json",
		"GeoLite2-Country-Test.mmdb": "GeoLite2-Country-Test.json",
	} {
		t.Run(file, func(t *testing.T) {
			db := open(t, maxmind+"test-data/"+file)
			data, err := os.ReadFile(sharedtest.Path(t, maxmind+"source-data/"+answers))
			if err != nil {
				t.Fatal(err)
			}
			var list []published
			if err := json.Unmarshal(data, &list); err != nil {
				t.Fatal(err)
			}
			want := map[netip.Prefix]string{}
			differ, without := 0, 0
			for _, row := range list {
				for network, record := range row {
					p := netip.MustParsePrefix(network)
					if p.Bits() >= 96 && p.Addr().Is6() && strings.HasPrefix(network, "::") {
						a4 := p.Addr().As16()
						p = netip.PrefixFrom(netip.AddrFrom4([4]byte(a4[12:])), p.Bits()-96)
					}
					want[p] = record.Country.ISOCode
					if record.Country.ISOCode == "" {
						without++
					} else if r := record.Registered.ISOCode; r != "" && r != record.Country.ISOCode {
						differ++
					}
				}
			}
			checked := 0
			for p, code := range want {
				for _, a := range []netip.Addr{p.Addr(), lastOf(p)} {
					if c := narrowest(want, a); c != code {
						continue // a network within this one has the address
					}
					checked++
					if got := country(t, db, a); got != code {
						t.Errorf("%s (%s): %q, published is %q", a, p, got, code)
					}
					if a.Is4() {
						if got := country(t, db, netip.AddrFrom16(a.As16())); got != code {
							t.Errorf("%s mapped: %q, published is %q", a, got, code)
						}
					}
				}
			}
			t.Logf("%d networks, %d addresses; %d with another registered country, %d without country", len(want), checked, differ, without)
			if checked < 2*len(want)-20 || differ == 0 || without == 0 {
				t.Errorf("the published answers hold too little: %d of %d, %d, %d", checked, len(want), differ, without)
			}
			if i := db.Info(); i.Schema != geoip.SchemaMaxMind || i.IPVersion != 6 || i.Built.IsZero() {
				t.Errorf("%+v", i)
			}
		})
	}
}

func narrowest(want map[netip.Prefix]string, a netip.Addr) string {
	best := -1
	code := ""
	for p, c := range want {
		if p.Contains(a) && p.Bits() > best {
			best, code = p.Bits(), c
		}
	}
	return code
}

// Cities and Enterprise have countries too, and were made of the same networks.
func TestOtherMaxMindDatabases(t *testing.T) {
	for file, want := range map[string]map[string]string{
		"GeoLite2-City-Test.mmdb":               {"81.2.69.142": "GB", "2001:270::1": "KR", "192.0.2.1": "", "89.160.20.128": "SE"},
		"GeoIP2-Precision-Enterprise-Test.mmdb": {"81.2.69.160": "GB", "89.160.20.112": "SE", "10.0.0.1": ""},
	} {
		db := open(t, maxmind+"test-data/"+file)
		for a, code := range want {
			if got := country(t, db, netip.MustParseAddr(a)); got != code {
				t.Errorf("%s: %s is in %q, want %q", file, a, got, code)
			}
		}
	}
}

const iptoasn = "data/geoip/iptoasn-country/iptoasn-country.mmdb"

// Addresses whose country has been the same for decades.
func TestFlat(t *testing.T) {
	db := open(t, iptoasn)
	for a, want := range map[string]string{
		"195.113.0.1":        "CZ", // CESNET, the Czech research network
		"2001:718::1":        "CZ", // the same
		"::ffff:195.113.0.1": "CZ",
		"147.175.1.1":        "SK", // Slovak University of Technology
		"193.136.1.1":        "PT", // FCCN
		"130.89.1.1":         "NL", // University of Twente
		"133.11.1.1":         "JP", // University of Tokyo
		"127.0.0.1":          "",
		"10.1.2.3":           "",
		"192.168.1.1":        "",
		"::1":                "",
		"fe80::1%eth0":       "",
	} {
		if got := country(t, db, netip.MustParseAddr(a)); got != want {
			t.Errorf("%s is in %q, want %q", a, got, want)
		}
	}
	if i := db.Info(); i.Schema != geoip.SchemaFlat || i.Networks < 100_000 || i.Countries < 200 {
		t.Errorf("%+v", i)
	}
	if got := country(t, db, netip.Addr{}); got != "" {
		t.Errorf("no address is in %q", got)
	}
}

// Files that have brought down readers are refused, each with its name; so is
// a file that is no database at all.
func TestDamaged(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(sharedtest.Path(t, maxmind+"bad-data"), "*", "*.mmdb"))
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	damaged := 0
	for _, file := range files {
		_, err := geoip.Open(file)
		if !errors.Is(err, geoip.ErrDamaged) && !errors.Is(err, geoip.ErrNotCountries) {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if errors.Is(err, geoip.ErrDamaged) {
			damaged++
		}
		if msg := err.Error(); !strings.Contains(msg, filepath.Base(file)) || len(msg) > 600 {
			t.Errorf("%s: says %s", file, msg)
		}
	}
	// The others are sound but for a thing that does not matter here, and hold no
	// countries.
	if damaged < 15 {
		t.Errorf("%d of %d are called damaged", damaged, len(files))
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"empty": "", "text": "range_start,range_end,country\n", "zip": "PK\x03\x04"} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := geoip.Open(file); !errors.Is(err, geoip.ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := geoip.Open(filepath.Join(dir, "nowhere.mmdb")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// A sound database of another kind is refused with what it is and what is wanted.
func TestNotCountries(t *testing.T) {
	_, err := geoip.Open(sharedtest.Path(t, maxmind+"test-data/GeoLite2-ASN-Test.mmdb"))
	if !errors.Is(err, geoip.ErrNotCountries) {
		t.Fatal(err)
	}
	for _, w := range []string{"GeoLite2-ASN", "autonomous_system_number", "country.iso_code", "country_code"} {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%v: lacks %s", err, w)
		}
	}
}

// write makes a database with records of any form.
func write(t testing.TB, o mmdbwriter.Options, records map[string]mmdbtype.DataType) []byte {
	t.Helper()
	o.Description = map[string]string{"en": "test"}
	o.IncludeReservedNetworks = true
	w, err := mmdbwriter.New(o)
	if err != nil {
		t.Fatal(err)
	}
	for network, r := range records {
		if err := w.Insert(ipNet(network), r); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if _, err := w.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func ipNet(network string) *net.IPNet {
	p := netip.MustParsePrefix(network)
	return &net.IPNet{IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen())}
}

// Forms of records beside the two plain ones.
func TestSchemas(t *testing.T) {
	str := func(s string) mmdbtype.DataType { return mmdbtype.String(s) }
	cz := mmdbtype.Map{"iso_code": str("CZ")}
	for _, tt := range []struct {
		why     string
		record  mmdbtype.DataType
		want    string // of 192.0.2.1
		wantErr error
	}{
		{"lower case", mmdbtype.Map{"country_code": str("cz")}, "CZ", nil},
		{"a flat record whose country is a name", mmdbtype.Map{"country_code": str("CZ"), "country": str("Czechia")}, "CZ", nil},
		{"MaxMind's country goes before a code beside it", mmdbtype.Map{"country": cz, "country_code": str("SK")}, "CZ", nil},
		{"what is registered somewhere need not be there", mmdbtype.Map{"registered_country": cz}, "", geoip.ErrNotCountries},
		{"a continent", mmdbtype.Map{"continent": mmdbtype.Map{"code": str("EU")}}, "", geoip.ErrNotCountries},
		{"a code that is no string", mmdbtype.Map{"country_code": mmdbtype.Uint16(203)}, "", geoip.ErrNotCountries},
		{"a record that is no map", str("CZ"), "", geoip.ErrNotCountries},
		{"unknown countries only", mmdbtype.Map{"country_code": str("ZZ")}, "", geoip.ErrNotCountries},
		{"words for no country", mmdbtype.Map{"country_code": str("None")}, "", geoip.ErrNotCountries},
	} {
		db, err := geoip.Parse(write(t, mmdbwriter.Options{DatabaseType: "x"}, map[string]mmdbtype.DataType{"192.0.2.0/24": tt.record}))
		if !errors.Is(err, tt.wantErr) {
			t.Errorf("%s: %v", tt.why, err)
		}
		if err == nil && country(t, db, netip.MustParseAddr("192.0.2.1")) != tt.want {
			t.Errorf("%s: %s", tt.why, country(t, db, netip.MustParseAddr("192.0.2.1")))
		}
	}
	// A record that does not have the form of the others is damage, and is found
	// when the file is opened.
	for _, odd := range []mmdbtype.DataType{mmdbtype.Map{"country_code": mmdbtype.Uint16(1)}, mmdbtype.Map{"country_code": mmdbtype.Map{}}} {
		_, err := geoip.Parse(write(t, mmdbwriter.Options{}, map[string]mmdbtype.DataType{
			"1.0.0.0/24": mmdbtype.Map{"country_code": str("CZ")}, "192.0.2.0/24": odd}))
		if !errors.Is(err, geoip.ErrDamaged) {
			t.Errorf("%v: %v", odd, err)
		}
	}
	if _, err := geoip.Parse(write(t, mmdbwriter.Options{}, nil)); !errors.Is(err, geoip.ErrNotCountries) {
		t.Errorf("a database without networks: %v", err)
	}
}

// A database of IPv4 only knows nothing of IPv6, and says so without an error.
func TestIPv4Only(t *testing.T) {
	db, err := geoip.Parse(write(t, mmdbwriter.Options{IPVersion: 4, RecordSize: 24}, map[string]mmdbtype.DataType{
		"192.0.2.0/24": mmdbtype.Map{"country_code": mmdbtype.String("CZ")}}))
	if err != nil {
		t.Fatal(err)
	}
	for a, want := range map[string]string{"192.0.2.7": "CZ", "::ffff:192.0.2.7": "CZ", "192.0.3.1": "", "2001:db8::1": "", "::192.0.2.7": ""} {
		if got := country(t, db, netip.MustParseAddr(a)); got != want {
			t.Errorf("%s is in %q, want %q", a, got, want)
		}
	}
	if p, err := db.Place(netip.MustParseAddr("2001:db8::1")); p.Network.IsValid() || err != nil {
		t.Errorf("%v %v", p, err)
	}
	if p, err := db.Place(netip.MustParseAddr("192.0.2.7")); p.Network.String() != "192.0.2.0/24" || p.Country != "CZ" || err != nil {
		t.Errorf("%v %v", p, err)
	}
	if p, err := db.Place(netip.MustParseAddr("10.1.1.1")); !p.Network.IsValid() || p.Country != "" || err != nil {
		t.Errorf("%v %v", p, err)
	}
}

// A disk that changes any byte of a file makes it refused, or makes some answers
// wrong; it never ends the program.
func TestEveryByteChanged(t *testing.T) {
	data := write(t, mmdbwriter.Options{DatabaseType: "x"}, map[string]mmdbtype.DataType{
		"192.0.2.0/24":  mmdbtype.Map{"country": mmdbtype.Map{"iso_code": mmdbtype.String("CZ")}},
		"10.0.0.0/8":    mmdbtype.Map{"country": mmdbtype.Map{"iso_code": mmdbtype.String("SK")}},
		"2001:db8::/32": mmdbtype.Map{"country": mmdbtype.Map{"iso_code": mmdbtype.String("CZ")}}})
	refused := 0
	for i := range data {
		for _, x := range []byte{0x01, 0x80, 0xff} {
			bad := bytes.Clone(data)
			bad[i] ^= x
			if !usable(bad) {
				refused++
			}
		}
	}
	for n := range data {
		if usable(data[:n]) {
			t.Errorf("the first %d of %d bytes are accepted", n, len(data))
		}
	}
	t.Logf("%d of %d files with a changed byte are refused", refused, 3*len(data))
	if refused < len(data)/2 {
		t.Error("too few")
	}
}

// usable opens a file and asks it for addresses.
func usable(data []byte) bool {
	db, err := geoip.Parse(data)
	if err != nil {
		return false
	}
	for _, a := range []string{"192.0.2.1", "10.0.0.1", "2001:db8::1", "::", "255.255.255.255"} {
		if _, err := db.Place(netip.MustParseAddr(a)); err != nil && !errors.Is(err, geoip.ErrDamaged) {
			return false
		}
	}
	for range db.Networks() {
	}
	return true
}

func FuzzParse(f *testing.F) {
	f.Add(write(f, mmdbwriter.Options{IPVersion: 4, RecordSize: 24}, map[string]mmdbtype.DataType{
		"192.0.2.0/24": mmdbtype.Map{"country_code": mmdbtype.String("CZ")}}))
	f.Fuzz(func(_ *testing.T, data []byte) { usable(data) })
}

// All ToeThreads ask one database (meant for -race).
func TestConcurrent(t *testing.T) {
	db := open(t, maxmind+"test-data/GeoLite2-Country-Test.mmdb")
	a := netip.MustParseAddr("81.2.69.142")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 1000 {
				if c, err := db.Country(a); c != "GB" || err != nil {
					t.Error(c, err)
				}
			}
		})
	}
	all.Wait()
}

func TestCode(t *testing.T) {
	for in, want := range map[string]string{"CZ": "CZ", "cz": "CZ", "xk": "XK", "ZZ": "", "": "", "CZE": "", "C1": "", "č": "", "--": ""} {
		if got, ok := geoip.Code(in); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q %v", in, got, ok)
		}
	}
}

func TestLookupAllocations(t *testing.T) {
	db := open(t, maxmind+"test-data/GeoLite2-Country-Test.mmdb")
	a := netip.MustParseAddr("81.2.69.142")
	if n := testing.AllocsPerRun(100, func() { _, _ = db.Country(a) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkCountry(b *testing.B) {
	for _, file := range []string{iptoasn, maxmind + "test-data/GeoLite2-Country-Test.mmdb"} {
		db := open(b, file)
		b.Run(filepath.Base(file), func(b *testing.B) {
			b.ReportAllocs()
			n := uint32(0)
			for b.Loop() {
				n += 2654435761 // spread over all addresses
				if _, err := db.Country(netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	path := sharedtest.Path(b, iptoasn)
	for b.Loop() {
		if _, err := geoip.Open(path); err != nil {
			b.Fatal(err)
		}
	}
}
