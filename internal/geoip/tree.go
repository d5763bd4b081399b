package geoip

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"strings"

	"github.com/oschwald/maxminddb-golang/v2"
)

// MaxSize bounds a file, in bytes: it is held in memory.
const MaxSize = 1 << 30

// ErrDamaged reports a file that is no MaxMind DB file, or a broken one.
var ErrDamaged = errors.New("no MaxMind DB file, or a damaged one")

// open reads a file and has it parsed; errors name it.
func open[T any](path string, parse func([]byte) (*T, error)) (*T, error) {
	data, err := read(path)
	if err != nil {
		return nil, fmt.Errorf("geoip: open: %w", err)
	}
	db, err := parse(data)
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

// tree is the search tree of a file that is held in memory, and its records.
type tree struct{ reader *maxminddb.Reader }

func openTree(data []byte) (tree, error) {
	r, err := maxminddb.OpenBytes(data)
	if err != nil {
		return tree{}, damaged(err)
	}
	return tree{r}, nil
}

// records visits every network once and returns the places of the different
// records, and how many networks have one.
func (t tree) records() (places []uintptr, networks int, err error) {
	// In a tree of n nodes there are n+1 ends. A damaged one can lead to the same
	// nodes over and over; sound ones do so for a few aliases of IPv4 at most.
	left := 8 * (int64(t.reader.Metadata.NodeCount) + 1)
	seen := map[uintptr]bool{}
	for r := range t.reader.Networks(maxminddb.IncludeNetworksWithoutData()) {
		if err := r.Err(); err != nil {
			return nil, 0, damaged(err)
		}
		if left--; left < 0 {
			return nil, 0, damaged(errors.New("the search tree runs in circles"))
		}
		if !r.Found() {
			continue
		}
		networks++
		if at := r.Offset(); !seen[at] {
			seen[at] = true
			places = append(places, at)
		}
	}
	return places, networks, nil
}

// find returns the result for an address; ok is false when there is no record.
func (t tree) find(a netip.Addr) (r maxminddb.Result, ok bool, err error) {
	a = a.Unmap()
	if !a.IsValid() || a.Is6() && t.reader.Metadata.IPVersion == 4 {
		return r, false, nil
	}
	r = t.reader.Lookup(a)
	if err := r.Err(); err != nil {
		return r, false, fmt.Errorf("geoip: look up %s: %w", a, damaged(err))
	}
	return r, r.Found(), nil
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
