package seedlog

import (
	"context"
	"io"

	"exclave/internal/urlx"

	"github.com/cespare/xxhash/v2"
)

// Bounds of what an inspection remembers; together under 150 MB. All that fits is
// counted exactly, what does not is estimated and said to be so.
const (
	exactURLs   = 4 << 20 // different URLs; 64 MB
	exactHosts  = 1 << 20 // different hosts; 16 MB
	keptHosts   = 100_000 // of which frequencies are kept
	keptTLDs    = 10_000
	keptSchemes = 1_000
)

// Tally is what addresses have in common: of a file, or of several together.
type Tally struct {
	urls, hosts   *distinct
	byHost, byTLD *frequent
	schemes       *frequent
	n             int64
}

// NewTally returns an empty tally.
func NewTally() *Tally {
	return &Tally{urls: newDistinct(exactURLs), hosts: newDistinct(exactHosts),
		byHost: newFrequent(keptHosts), byTLD: newFrequent(keptTLDs), schemes: newFrequent(keptSchemes)}
}

func (t *Tally) add(u *urlx.URL) {
	host := u.Hostname()
	t.n++
	t.urls.add(xxhash.Sum64String(u.String()))
	t.hosts.add(xxhash.Sum64String(host))
	t.byHost.add(host)
	if tld := urlx.TLD(host); tld != "" {
		t.byTLD.add(tld)
	} else {
		t.byTLD.add("(address)")
	}
}

// Sum is a tally for people.
type Sum struct {
	URLs       int64    `json:"urls"`
	Distinct   Estimate `json:"distinct"`
	Duplicates int64    `json:"duplicates"` // URLs less the distinct ones
	Hosts      Estimate `json:"hosts"`
	TopHosts   Top      `json:"top_hosts"`
	TopTLDs    Top      `json:"top_tlds"`
	Schemes    Top      `json:"schemes"` // also of addresses that cannot be fetched
}

// Sum returns what was added so far, with the n most frequent hosts, top-level
// domains and schemes.
func (t *Tally) Sum(n int) Sum {
	s := Sum{URLs: t.n, Distinct: t.urls.count(), Hosts: t.hosts.count(), TopHosts: t.byHost.top(n), TopTLDs: t.byTLD.top(n), Schemes: t.schemes.top(n)}
	s.Duplicates = max(0, s.URLs-s.Distinct.N)
	return s
}

// Summary is what a source holds.
type Summary struct {
	Compression Compression `json:"compression"`
	Guess       Guess       `json:"recognised"`
	Bytes       int64       `json:"bytes"` // of the file as it is
	State                   // lines of each kind; Format is the one read as
}

// Inspect reads r to its end and adds its addresses to each of tallies. The
// errors are those of Open and Next, and ctx's.
func Inspect(ctx context.Context, r io.Reader, o Options, tallies ...*Tally) (Summary, error) {
	d, err := Open(r, o)
	if err != nil {
		return Summary{}, err
	}
	defer d.Close()
	for i := 0; ; i++ {
		if i%4096 == 0 && ctx.Err() != nil {
			err = ctx.Err()
			break
		}
		var e *Entry
		if e, err = d.Next(); err != nil {
			break
		}
		u := d.URL()
		for _, t := range tallies {
			if u != nil {
				t.schemes.add(u.Scheme())
				t.add(u)
			} else if s := urlx.Scheme(string(e.URL)); s != "" {
				t.schemes.add(s)
			}
		}
	}
	s := Summary{Compression: d.Compression(), Guess: d.Guess(), Bytes: d.src.rawOffset(), State: d.State()}
	s.Format = d.Format()
	if err == io.EOF {
		err = nil
	}
	return s, err
}
