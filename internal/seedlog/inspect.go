package seedlog

import (
	"context"
	"io"
	"sync"

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

func (t *Tally) add(batch []seen) {
	for _, s := range batch {
		if s.scheme != "" {
			t.schemes.add(s.scheme)
		}
		if s.url == nil {
			continue
		}
		host := s.url.Hostname()
		t.n++
		t.urls.add(xxhash.Sum64String(s.url.String()))
		t.hosts.add(xxhash.Sum64String(host))
		t.byHost.add(host)
		if tld := urlx.TLD(host); tld != "" {
			t.byTLD.add(tld)
		} else {
			t.byTLD.add("(address)")
		}
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

// seen is what an inspection counts of an entry: its URL, or the scheme of what
// is none.
type seen struct {
	url    *urlx.URL
	scheme string // "" when the address has none
}

// batchSize is how many entries go to the counting goroutine together.
const batchSize = 512

// Inspect reads r to its end and adds its addresses to each of tallies. The
// errors are those of Open and Next, and ctx's. Reading and counting take about
// as long as each other and run side by side.
func Inspect(ctx context.Context, r io.Reader, o Options, tallies ...*Tally) (Summary, error) {
	d, err := Open(r, o)
	if err != nil {
		return Summary{}, err
	}
	defer d.Close()
	full, empty := make(chan []seen, 4), make(chan []seen, 4)
	for range cap(empty) {
		empty <- make([]seen, 0, batchSize)
	}
	var counting sync.WaitGroup
	counting.Go(func() {
		for batch := range full {
			for _, t := range tallies {
				t.add(batch)
			}
			empty <- batch[:0]
		}
	})
	for err == nil {
		batch := <-empty
		for len(batch) < batchSize && err == nil {
			var e *Entry
			if e, err = d.Next(); err != nil {
				break
			}
			if u := d.URL(); u != nil {
				batch = append(batch, seen{u, u.Scheme()})
			} else {
				batch = append(batch, seen{scheme: urlx.Scheme(string(e.URL))})
			}
		}
		full <- batch
		if err == nil {
			err = ctx.Err()
		}
	}
	close(full)
	counting.Wait()
	s := Summary{Compression: d.Compression(), Guess: d.Guess(), Bytes: d.src.rawOffset(), State: d.State()}
	s.Format = d.Format()
	if err == io.EOF {
		err = nil
	}
	return s, err
}
