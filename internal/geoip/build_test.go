package geoip_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"exclave/internal/geoip"
)

// build makes a database of lines.
func build(t testing.TB, o geoip.Options, lines string) (*geoip.DB, []geoip.BadLine) {
	t.Helper()
	var b geoip.Builder
	var bad []geoip.BadLine
	if err := geoip.ReadRanges(strings.NewReader(lines), b.Add, func(l geoip.BadLine) { bad = append(bad, l) }); err != nil {
		t.Fatal(err)
	}
	data, err := b.Build(o)
	if err != nil {
		t.Fatal(err)
	}
	db, err := geoip.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return db, bad
}

// Every way of writing a range that publishers use.
func TestReadRanges(t *testing.T) {
	for _, tt := range []struct{ why, line, want string }{
		{"iptoasn ip2country", "1.0.0.0\t1.0.0.255\tAU", "1.0.0.0-1.0.0.255 AU"},
		{"iptoasn ip2asn", "1.0.0.0\t1.0.0.255\t13335\tUS\tCLOUDFLARENET, with a comma", "1.0.0.0-1.0.0.255 US"},
		{"iptoasn, not routed", "1.0.0.0\t1.0.0.255\t0\tNone\tNot routed", "1.0.0.0-1.0.0.255 "},
		{"iptoasn as numbers", "16777216\t16777471\tAU", "1.0.0.0-1.0.0.255 AU"},
		{"ip-location-db", "2001:200::,2001:200:ffff:ffff:ffff:ffff:ffff:ffff,jp", "2001:200::-2001:200:ffff:ffff:ffff:ffff:ffff:ffff JP"},
		{"numbers in quotes", `"16777216","16777471","AU","Australia, the continent"`, "1.0.0.0-1.0.0.255 AU"},
		{"a dash for no country", `"0","16777215","-","-"`, "0.0.0.0-0.255.255.255 "},
		{"IPv6 as numbers", "42540528726795050063891204319802818560,42540528806023212578155541913346768895,JP", "2001:200::-2001:200:ffff:ffff:ffff:ffff:ffff:ffff JP"},
		{"IPv4 as numbers of IPv6", "281470698520576,281470698520831,AU", "1.0.0.0-1.0.0.255 AU"},
		{"IPv6 from the number 0", "0,281470681743359,-", "::-::fffe:ffff:ffff "},
		{"a network", "192.0.2.0/24,CZ", "192.0.2.0-192.0.2.255 CZ"},
		{"a network with more columns", "2001:db8::/33,AS64496,cz,Czechia,x", "2001:db8::-2001:db8:7fff:ffff:ffff:ffff:ffff:ffff CZ"},
		{"one address", "192.0.2.1/32,CZ", "192.0.2.1-192.0.2.1 CZ"},
		{"all addresses", "::/0,CZ", "::-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff CZ"},
		{"spaces and CR", " 192.0.2.0 , 192.0.2.9 , CZ \r", "192.0.2.0-192.0.2.9 CZ"},
		{"a comment", "# 192.0.2.0,192.0.2.9,CZ", ""},
		{"a heading", "range_start,range_end,country", ""},
		{"a heading behind a byte order mark", "\ufeffnetwork,country_code", ""},
		{"bits behind the length", "192.0.2.1/24,CZ", "line 1: network 192.0.2.1/24: has bits behind its length; 192.0.2.0/24?"},
		{"backwards", "192.0.2.9,192.0.2.0,CZ", "line 1: range 192.0.2.9-192.0.2.0: ends before it begins"},
		{"two families", "192.0.2.9,2001:db8::,CZ", "line 1: range 192.0.2.9-2001:db8::: two addresses of one family are wanted"},
		{"a name for a country", "192.0.2.0/24,Czechia", `line 1: "Czechia": a country code of two letters is wanted`},
		{"no country", "192.0.2.0,192.0.2.9", "line 1: no country"},
		{"an address only", "192.0.2.0", "line 1: first address, last address, country are wanted, or network, country"},
		{"not an address", "192.0.2.256,192.0.2.9,CZ", `line 1: "192.0.2.256": an address or its number is wanted`},
		{"a number too large", strings.Repeat("9", 39) + ",1,CZ", `line 1: "` + strings.Repeat("9", 39) + `": an address or its number is wanted`},
		{"a negative number", "-1,1,CZ", `line 1: "-1": an address or its number is wanted`},
		{"a network that is none", "192.0.2.0/33,CZ", `line 1: "192.0.2.0/33": an address or its number is wanted`},
		{"MaxMind's own CSV names no country", "192.0.2.0/24,3077311,3077311,,0,0", `line 1: "3077311": a country code of two letters is wanted`},
	} {
		var got []string
		var b geoip.Builder
		err := geoip.ReadRanges(strings.NewReader(tt.line+"\n"), func(r geoip.Range) error {
			if err := b.Add(r); err != nil {
				return err
			}
			got = append(got, fmt.Sprintf("%s-%s %s", r.First, r.Last, r.Country))
			return nil
		}, func(l geoip.BadLine) { got = append(got, fmt.Sprintf("line %d: %s", l.Line, l.Why)) })
		if err != nil || strings.Join(got, "|") != tt.want {
			t.Errorf("%s: %q, want %q, %v", tt.why, got, tt.want, err)
		}
	}
}

// What is wrong has a number; what is wrong with reading is an error.
func TestReadRangesErrors(t *testing.T) {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	fmt.Fprint(w, "range_start,range_end,country\n\n192.0.2.0/24,CZ\nrange_start,range_end\n10.0.0.0/8,SK")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var good int
	var bad []geoip.BadLine
	read := func(r *bytes.Reader) error {
		good, bad = 0, nil
		return geoip.ReadRanges(r, func(geoip.Range) error { good++; return nil }, func(b geoip.BadLine) { bad = append(bad, b) })
	}
	if err := read(bytes.NewReader(z.Bytes())); err != nil || good != 2 || len(bad) != 1 || bad[0].Line != 4 {
		t.Errorf("gzip, last line without end: %d %v %v", good, bad, err)
	}
	if err := read(bytes.NewReader(z.Bytes()[:z.Len()-9])); err == nil {
		t.Error("gzip that is cut off: no error")
	}
	if err := read(bytes.NewReader([]byte("\x1f\x8bxx"))); err == nil {
		t.Error("broken gzip: no error")
	}
	if err := read(bytes.NewReader(bytes.Repeat([]byte("1"), 1<<20))); err == nil || !strings.Contains(err.Error(), "line 1 is longer") {
		t.Errorf("a line without end: %v", err)
	}
	gone := errors.New("disk gone")
	if err := geoip.ReadRanges(iotest.ErrReader(gone), nil, nil); !errors.Is(err, gone) {
		t.Errorf("%v", err)
	}
}

// Of overlapping ranges the smaller one counts, whatever their order; of equal
// ones the last.
func TestOverlaps(t *testing.T) {
	lines := []string{"10.0.0.0,10.255.255.255,CZ", "10.1.0.0,10.2.255.255,SK", "10.2.0.0/17,AT", "10.2.0.0,10.2.0.9,None", "10.3.0.0/16,DE", "10.3.0.0/16,PL"}
	for _, order := range [][]int{{0, 1, 2, 3, 4, 5}, {3, 2, 1, 4, 5, 0}, {4, 1, 3, 5, 0, 2}} {
		var text string
		for _, i := range order {
			text += lines[i] + "\n"
		}
		db, _ := build(t, geoip.Options{}, text)
		for a, want := range map[string]string{
			"10.0.0.0": "CZ", "10.1.0.0": "SK", "10.2.0.0": "", "10.2.0.9": "", "10.2.0.10": "AT", "10.2.128.0": "SK", "10.2.255.255": "SK",
			"10.3.0.0": "PL", "10.4.0.0": "CZ", "10.255.255.255": "CZ", "11.0.0.0": "", "9.255.255.255": "",
		} {
			if got := country(t, db, netip.MustParseAddr(a)); got != want {
				t.Errorf("order %v: %s is in %q, want %q", order, a, got, want)
			}
		}
	}
}

// Both schemas give the same answers, say when they were made, and equal input
// makes equal files.
func TestBuild(t *testing.T) {
	const lines = "127.0.0.0/8,CZ\n2001:db8::,2001:db8::ffff,SK\n2002::/16,AT\n::ffff:1.2.3.4,::ffff:1.2.3.9,DE\n"
	built := time.Date(2026, 6, 17, 0, 0, 0, 0, time.UTC)
	for _, s := range []geoip.Schema{geoip.SchemaFlat, geoip.SchemaMaxMind} {
		db, bad := build(t, geoip.Options{Schema: s, Built: built}, lines)
		if i := db.Info(); len(bad) > 0 || i.Schema != s || !i.Built.Equal(built) || i.Countries != 4 {
			t.Errorf("%+v %v", i, bad)
		}
		for a, want := range map[string]string{"127.1.2.3": "CZ", "2001:db8::1": "SK", "2001:db8::1:0": "", "2002::1": "AT", "1.2.3.5": "DE", "::ffff:1.2.3.5": "DE"} {
			if got := country(t, db, netip.MustParseAddr(a)); got != want {
				t.Errorf("%s: %s is in %q, want %q", s, a, got, want)
			}
		}
	}
	var files [2][]byte
	for i := range files {
		var b geoip.Builder
		if err := geoip.ReadRanges(strings.NewReader(lines), b.Add, nil); err != nil {
			t.Fatal(err)
		}
		var err error
		if files[i], err = b.Build(geoip.Options{Built: built}); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("two files of one input differ")
	}
}

func TestBuildErrors(t *testing.T) {
	var b geoip.Builder
	if _, err := b.Build(geoip.Options{}); err == nil {
		t.Error("a database of nothing")
	}
	a := netip.MustParseAddr("192.0.2.1")
	if err := b.Add(geoip.Range{First: a, Last: a}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Build(geoip.Options{}); err == nil {
		t.Error("a database without countries")
	}
	for _, r := range []geoip.Range{{}, {First: a}, {First: a, Last: a, Country: "CZE"}, {First: a, Last: a.Prev()}} {
		if err := b.Add(r); err == nil {
			t.Errorf("%v: accepted", r)
		}
	}
	if err := b.Add(geoip.Range{First: a, Last: a, Country: "CZ"}); err != nil || b.Len() != 2 {
		t.Errorf("%v, %d ranges", err, b.Len())
	}
	if _, err := b.Build(geoip.Options{Schema: "city"}); err == nil {
		t.Error("a schema that is none")
	}
}

// A real database goes out as text and comes back in with the same answers for
// every network: nothing is lost between reading, text and building.
func TestRoundTrip(t *testing.T) {
	for _, file := range []string{iptoasn, maxmind + "test-data/GeoLite2-Country-Test.mmdb"} {
		from := open(t, file)
		var text bytes.Buffer
		for p, code := range from.Networks() {
			fmt.Fprintf(&text, "%s,%s\n", p, code)
		}
		to, bad := build(t, geoip.Options{Schema: geoip.SchemaFlat}, text.String())
		if len(bad) > 0 {
			t.Fatalf("%s: %d bad lines, the first %v", file, len(bad), bad[0])
		}
		networks := 0
		for p, code := range from.Networks() {
			if networks++; networks > 5000 && networks%16 > 0 {
				continue // the ends of every network take half a minute
			}
			first := p.Addr()
			if got := country(t, to, first); got != code {
				t.Fatalf("%s: %s was in %q, is in %q", file, p, code, got)
			}
			last := lastOf(p)
			if got := country(t, to, last); got != code {
				t.Fatalf("%s: end of %s was in %q, is in %q", file, p, code, got)
			}
			// Behind the end of a network the next begins, or none.
			if next := last.Next(); next.IsValid() {
				if was, is := country(t, from, next), country(t, to, next); was != is {
					t.Fatalf("%s: %s was in %q, is in %q", file, next, was, is)
				}
			}
		}
		if networks < 200 {
			t.Errorf("%s: %d networks", file, networks)
		}
	}
}

// lastOf is the last address of a network.
func lastOf(p netip.Prefix) netip.Addr {
	b := p.Addr().AsSlice()
	for i := p.Bits(); i < len(b)*8; i++ {
		b[i/8] |= 1 << (7 - i%8)
	}
	a, _ := netip.AddrFromSlice(b)
	return a
}

// Lines of strangers never end the program, and what is accepted is a range.
func FuzzReadRanges(f *testing.F) {
	for _, s := range []string{"1.0.0.0,1.0.0.9,CZ", "\"1\",\"2\"\t", "::/0,AS1,", "\x1f\x8b\x08", "a\n,\n\"\n", "fe80::1%x,fe80::2%x,CZ"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var b geoip.Builder
		err := geoip.ReadRanges(bytes.NewReader(data), b.Add, func(geoip.BadLine) {})
		if err == nil && b.Len() > 0 {
			if _, err := b.Build(geoip.Options{}); err != nil && !strings.Contains(err.Error(), "no range with a country") {
				t.Error(err)
			}
		}
	})
}
