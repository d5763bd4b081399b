package geoip

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/netip"
	"strings"
)

// BadLine is a line of a file of ranges that could not be used.
type BadLine struct {
	Line int // from 1
	Why  string
}

// maxLine bounds a line of a file of ranges, in bytes.
const maxLine = 64 << 10

// ReadRanges reads a file of ranges, one a line, compressed with gzip or not, and
// calls add for each. Fields are separated by tabs, else by commas and may stand
// in quotes: either first address, last address, country, or network, country;
// between addresses and country a number of an autonomous system may stand, and
// whatever follows is ignored. Addresses are written as such or as decimal
// numbers. A country "", "-", "None", "Unknown" or "ZZ" is none. Empty lines, lines
// that begin with # and a heading in the first line are passed over. bad is called
// for lines that cannot be used, also for those that add refuses. The error is one
// of reading.
func ReadRanges(r io.Reader, add func(Range) error, bad func(BadLine)) error {
	in := bufio.NewReaderSize(r, maxLine)
	if head, _ := in.Peek(2); string(head) == "\x1f\x8b" {
		z, err := gzip.NewReader(in)
		if err != nil {
			return fmt.Errorf("geoip: read ranges: %w", err)
		}
		in = bufio.NewReaderSize(z, maxLine)
	}
	for n := 1; ; n++ {
		text, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			return fmt.Errorf("geoip: read ranges: line %d is longer than %d bytes", n, maxLine)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("geoip: read ranges: line %d: %w", n, err)
		}
		line := strings.TrimSpace(strings.TrimPrefix(string(text), "\ufeff"))
		if line != "" && !strings.HasPrefix(line, "#") {
			rng, problem := parseLine(line)
			if problem == nil {
				problem = add(rng)
			}
			if problem != nil && (n > 1 || !isHeading(line)) {
				bad(BadLine{n, strings.TrimPrefix(problem.Error(), "geoip: ")})
			}
		}
		if err != nil {
			return nil
		}
	}
}

// isHeading reports whether a first line names columns: nothing in it is an
// address or a number.
func isHeading(line string) bool { return !strings.ContainsAny(line, "0123456789:") }

func parseLine(line string) (Range, error) {
	fields, err := split(line)
	if err != nil {
		return Range{}, err
	}
	var r Range
	first := strings.TrimSpace(fields[0])
	rest := fields[1:]
	if p, err := netip.ParsePrefix(first); err == nil {
		if p != p.Masked() {
			return r, fmt.Errorf("network %s: has bits behind its length; %s?", p, p.Masked())
		}
		r.First, r.Last = p.Addr(), lastOf(p)
	} else {
		if len(rest) == 0 {
			return r, errors.New("first address, last address, country are wanted, or network, country")
		}
		if r.First, err = parseAddr(first); err != nil {
			return r, err
		}
		if r.Last, err = parseAddr(strings.TrimSpace(rest[0])); err != nil {
			return r, err
		}
		rest = rest[1:]
	}
	// A range of IPv4 that is written as IPv6 is one of IPv4.
	if r.First.Is4In6() && r.Last.Is4In6() {
		r.First, r.Last = r.First.Unmap(), r.Last.Unmap()
	}
	if r.First.Is4() != r.Last.Is4() && r.First == netip.AddrFrom4([4]byte{}) {
		r.First = netip.IPv6Unspecified() // written as the number 0
	}
	r.Country, err = countryOf(rest)
	return r, err
}

func split(line string) ([]string, error) {
	if strings.Contains(line, "\t") {
		return strings.Split(line, "\t"), nil
	}
	if !strings.Contains(line, `"`) {
		return strings.Split(line, ","), nil
	}
	c := csv.NewReader(strings.NewReader(line))
	c.FieldsPerRecord, c.LazyQuotes, c.TrimLeadingSpace = -1, true, true
	return c.Read()
}

// parseAddr reads an address, or the decimal number of one: up to 32 bits it is
// of IPv4.
func parseAddr(s string) (netip.Addr, error) {
	if a, err := netip.ParseAddr(s); err == nil {
		return a, nil
	}
	n, ok := new(big.Int).SetString(s[:min(len(s), 40)], 10)
	if len(s) > 39 || !ok || n.Sign() < 0 || n.BitLen() > 128 {
		return netip.Addr{}, fmt.Errorf("%q: an address or its number is wanted", cut(s, 40))
	}
	if n.BitLen() <= 32 {
		return netip.AddrFrom4([4]byte(n.FillBytes(make([]byte, 4)))), nil
	}
	return netip.AddrFrom16([16]byte(n.FillBytes(make([]byte, 16)))), nil
}

// lastOf returns the last address of a network.
func lastOf(p netip.Prefix) netip.Addr {
	b := p.Addr().AsSlice()
	for i := p.Bits(); i < len(b)*8; i++ {
		b[i/8] |= 1 << (7 - i%8)
	}
	a, _ := netip.AddrFromSlice(b)
	return a
}

// countryOf finds the country in the fields behind the addresses.
func countryOf(fields []string) (string, error) {
	if len(fields) > 1 && isASN(fields[0]) {
		fields = fields[1:]
	}
	if len(fields) == 0 {
		return "", errors.New("no country")
	}
	s := strings.TrimSpace(fields[0])
	switch strings.ToLower(s) {
	case "", "-", "none", "unknown", "zz":
		return "", nil
	}
	code, ok := Code(s)
	if !ok {
		return "", fmt.Errorf("%q: a country code of two letters is wanted", cut(s, 40))
	}
	return code, nil
}

func isASN(s string) bool {
	s = strings.TrimSpace(s)
	if len(s) > 2 && strings.EqualFold(s[:2], "AS") {
		s = s[2:]
	}
	return s != "" && strings.Trim(s, "0123456789") == ""
}
