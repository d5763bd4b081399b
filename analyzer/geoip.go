package analyzer

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"exclave/internal/conf"
	"exclave/internal/geoip"
)

// located counts the page and its outlinks, repeats included, whose host has a
// known address in a known country; valid are those in a wanted country. A host
// whose address or country is unknown says nothing, so it does not count.
type located struct {
	db        *geoip.DB
	owners    *geoip.Owners // nil = only those that db names
	countries []string
}

// geoipOptions are those of the kind "geoip".
type geoipOptions struct {
	Countries []country `toml:"countries,required"`
}

var (
	_ needsJob   = (*geoipOptions)(nil)
	_ needsAddrs = located{}
)

// country is a code of two letters, in upper case; profiles may write it in any.
type country string

// UnmarshalText implements [encoding.TextUnmarshaler].
func (c *country) UnmarshalText(text []byte) error {
	code, ok := geoip.Code(string(text))
	if !ok {
		return fmt.Errorf("%q: a country code of two letters is wanted (ISO 3166-1)", text)
	}
	*c = country(code)
	return nil
}

// Validate returns every value that cannot be.
func (o *geoipOptions) Validate() (ps conf.Problems) {
	ps.Check(len(o.Countries) > 0, "countries", "is empty")
	return ps
}

// What the databases are shared by.
type (
	countryDatabase struct{}
	ownerDatabase   struct{}
)

// looksFor implements looksFor of expressions.
func (o *geoipOptions) looksFor() (string, []string) {
	var codes []string
	for _, c := range o.Countries {
		codes = append(codes, strings.ToLower(string(c)))
	}
	return "country", codes
}

var errNoGeoIP = errors.New(string(MissingGeoIP))

func (o *geoipOptions) provide(c Config, r *resources) (ps conf.Problems) {
	bad := func(key string, err error) {
		ps = append(ps, conf.Problem{Key: key, Msg: strings.TrimPrefix(err.Error(), "geoip: "), Err: err,
			Fix: `docs/howto/geoip.md says where databases come from; "" does without`})
	}
	if c.GeoIP != "" {
		if _, err := shared(r, countryDatabase{}, func() (*geoip.DB, error) { return geoip.Open(c.path(c.GeoIP)) }); err != nil {
			bad("geoip", err)
		}
	}
	if c.GeoIPASN != "" {
		if _, err := shared(r, ownerDatabase{}, func() (*geoip.Owners, error) { return geoip.OpenOwners(c.path(c.GeoIPASN)) }); err != nil {
			bad("geoip_asn", err)
		}
	}
	return ps
}

func (o *geoipOptions) off(c Config) Missing {
	if c.GeoIP == "" {
		return MissingGeoIP
	}
	return ""
}

func (o *geoipOptions) open(r *resources) (Searcher, error) {
	db, ok := provided[*geoip.DB](r, countryDatabase{})
	if !ok {
		return nil, errNoGeoIP
	}
	s := located{db: db}
	s.owners, _ = provided[*geoip.Owners](r, ownerDatabase{})
	for _, c := range o.Countries {
		s.countries = append(s.countries, string(c))
	}
	return s, nil
}

func (s located) needsAddrs() bool { return true }

// place is what is known of a host at an address.
type place struct {
	known, valid bool
	value        string // of evidence
}

type hostAddr struct {
	host string
	addr netip.Addr
}

// Search implements Searcher.
func (s located) Search(ctx context.Context, p *Page) (Finding, error) {
	var t tally
	var places map[hostAddr]place // most links of a page lead to few hosts
	count := func(host string, addr netip.Addr, where string) error {
		if !addr.IsValid() {
			return nil
		}
		k := hostAddr{host, addr}
		at, ok := places[k]
		if !ok {
			var err error
			if at, err = s.place(k); err != nil {
				return err
			}
			if places == nil {
				places = map[hostAddr]place{}
			}
			places[k] = at
		}
		if at.known {
			t.add(at.valid, at.value, where)
		}
		return nil
	}
	if err := count(p.Host, p.Addr, "host"); err != nil {
		return Finding{}, err
	}
	for _, l := range p.Outlinks {
		if err := count(l.Host, l.Addr, "link"); err != nil {
			return Finding{}, err
		}
	}
	return t.finding(), ctx.Err()
}

// place looks a host up. Evidence has the address, so that the verdict can be
// checked when the host is elsewhere; a long host name is cut for it. City and
// owner of the network follow as far as there is room.
func (s located) place(k hostAddr) (place, error) {
	code, err := s.db.Country(k.addr)
	if err != nil || code == "" {
		return place{}, err
	}
	at := place{known: true, valid: slices.Contains(s.countries, code)}
	if at.valid {
		tail := " → " + k.addr.Unmap().WithZone("").String() + " → " + code
		value := cut(k.host, MaxEvidenceValue-len(tail)) + tail
		for _, more := range s.details(k.addr) {
			value += fitting(" → "+more, MaxEvidenceValue-len(value))
		}
		at.value = value
	}
	return at, nil
}

// details returns the city and the owner of the network, as far as the databases
// name them. They explain a verdict and never change it.
func (s located) details(addr netip.Addr) (out []string) {
	var p geoip.Place
	if i := s.db.Info(); i.Cities || i.Owners {
		p, _ = s.db.Place(addr) // the country was found there
	}
	if s.owners != nil {
		if _, o, err := s.owners.Owner(addr); err == nil && o != (geoip.Owner{}) {
			p.Owner = o
		}
	}
	for _, name := range []string{p.City, p.Owner.String()} {
		if name != "" {
			out = append(out, name)
		}
	}
	return out
}

// leastDetail is how many bytes of a detail are worth having, its arrow included.
const leastDetail = 16

// fitting returns s, cut to at most n bytes; "" when hardly any of it would be left.
func fitting(s string, n int) string {
	const more = "…"
	switch {
	case len(s) <= n:
		return s
	case n < leastDetail:
		return ""
	}
	return cut(s, n-len(more)) + more
}
