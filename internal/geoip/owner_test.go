package geoip_test

import (
	"encoding/json"
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exclave/internal/geoip"
	"exclave/internal/sharedtest"

	"github.com/maxmind/mmdbwriter"
	"github.com/maxmind/mmdbwriter/mmdbtype"
)

const asn = maxmind + "test-data/GeoLite2-ASN-Test.mmdb"

func openOwners(t testing.TB, rel string) *geoip.Owners {
	t.Helper()
	db, err := geoip.OpenOwners(sharedtest.Path(t, rel))
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// The owners that MaxMind publishes beside its test database, of every network.
func TestPublishedOwners(t *testing.T) {
	db := openOwners(t, asn)
	data, err := os.ReadFile(sharedtest.Path(t, maxmind+"source-data/GeoLite2-ASN-Test.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []map[string]struct {
		Number uint32 `json:"autonomous_system_number"`
		Name   string `json:"autonomous_system_organization"`
	}
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	checked, without := 0, 0
	for _, row := range list {
		for network, want := range row {
			p := netip.MustParsePrefix(network)
			a := p.Addr()
			if p.Bits() >= 96 && strings.HasPrefix(network, "::") {
				b := a.As16()
				a = netip.AddrFrom4([4]byte(b[12:]))
			}
			_, got, err := db.Owner(a)
			if err != nil || got != (geoip.Owner{AS: want.Number, Name: want.Name}) {
				t.Errorf("%s: %+v %v, published is %+v", network, got, err, want)
			}
			checked++
			if want.Name == "" {
				without++
			}
		}
	}
	if checked < 100 || without == 0 {
		t.Errorf("%d networks, %d without a name: too little", checked, without)
	}
}

// What MaxMind's databases of places say beside the country, and that those of
// countries say nothing more.
func TestPlaces(t *testing.T) {
	for _, tt := range []struct{ file, addr, want string }{
		{"GeoIP2-Precision-Enterprise-Test.mmdb", "89.160.20.112", "SE|Linköping|AS29518 Bredband2 AB"},
		{"GeoIP2-Precision-Enterprise-Test.mmdb", "::ffff:89.160.20.112", "SE|Linköping|AS29518 Bredband2 AB"},
		{"GeoIP2-Precision-Enterprise-Test.mmdb", "81.2.69.160", "GB|London|"},
		{"GeoLite2-City-Test.mmdb", "2.125.160.216", "GB|Boxford|"},
		{"GeoLite2-City-Test.mmdb", "192.0.2.1", "||"},
		{"GeoLite2-Country-Test.mmdb", "2.125.160.216", "GB||"},
	} {
		db := open(t, maxmind+"test-data/"+tt.file)
		p, err := db.Place(netip.MustParseAddr(tt.addr))
		if got := p.Country + "|" + p.City + "|" + p.Owner.String(); got != tt.want || err != nil || !p.Network.IsValid() {
			t.Errorf("%s: %s: %q %v %v, want %q", tt.file, tt.addr, got, p.Network, err, tt.want)
		}
		i := db.Info()
		if i.Cities != !strings.Contains(tt.file, "Country") || i.Owners != strings.Contains(tt.file, "Enterprise") {
			t.Errorf("%s: %+v", tt.file, i)
		}
	}
}

// A record with a field of another type than MaxMind's still has its country, as
// long as that can be read; names become one line; the name of the database says
// nothing.
func TestOddPlaces(t *testing.T) {
	str := func(s string) mmdbtype.DataType { return mmdbtype.String(s) }
	place := func(city mmdbtype.DataType) mmdbtype.DataType {
		return mmdbtype.Map{"country": mmdbtype.Map{"iso_code": str("CZ")}, "city": mmdbtype.Map{"names": mmdbtype.Map{"en": city}}}
	}
	db, err := geoip.Parse(write(t, mmdbwriter.Options{DatabaseType: "of my own"}, map[string]mmdbtype.DataType{
		"192.0.2.0/24": place(str("Ústí\n nad\tLabem\xff")), "198.51.100.0/24": place(mmdbtype.Uint16(1))}))
	if err != nil {
		t.Fatal(err)
	}
	for a, want := range map[string]string{"192.0.2.1": "CZ|Ústí nad Labem\uFFFD", "198.51.100.1": "CZ|", "10.0.0.1": "|"} {
		if p, err := db.Place(netip.MustParseAddr(a)); p.Country+"|"+p.City != want || err != nil {
			t.Errorf("%s: %+v %v, want %q", a, p, err, want)
		}
	}
}

// Databases without owners, and damaged ones, are refused when they are opened.
func TestNotOwners(t *testing.T) {
	for _, file := range []string{iptoasn, maxmind + "test-data/GeoLite2-Country-Test.mmdb"} {
		if _, err := geoip.OpenOwners(sharedtest.Path(t, file)); !errors.Is(err, geoip.ErrNotOwners) || !strings.Contains(err.Error(), "autonomous_system_number") {
			t.Errorf("%s: %v", file, err)
		}
	}
	files, err := filepath.Glob(filepath.Join(sharedtest.Path(t, maxmind+"bad-data"), "*", "*.mmdb"))
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		if _, err := geoip.OpenOwners(file); !errors.Is(err, geoip.ErrDamaged) && !errors.Is(err, geoip.ErrNotOwners) {
			t.Errorf("%s: %v", file, err)
		}
	}
	_, err = geoip.ParseOwners(write(t, mmdbwriter.Options{}, map[string]mmdbtype.DataType{
		"192.0.2.0/24": mmdbtype.Map{"autonomous_system_number": mmdbtype.String("AS1")}}))
	if !errors.Is(err, geoip.ErrDamaged) {
		t.Errorf("a number that is none: %v", err)
	}
}

func TestOwnerString(t *testing.T) {
	for want, o := range map[string]geoip.Owner{"": {}, "AS2852 CESNET": {AS: 2852, Name: "CESNET"}, "AS2852": {AS: 2852}, "CESNET": {Name: "CESNET"}} {
		if got := o.String(); got != want {
			t.Errorf("%+v: %q, want %q", o, got, want)
		}
	}
}
