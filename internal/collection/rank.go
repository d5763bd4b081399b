package collection

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"exclave/internal/extsort"

	"github.com/cespare/xxhash/v2"
)

// Totals are what the logs hold together.
type Totals struct {
	Hosts  int64
	URLs   int64 // different ones
	Linked int64 // addresses found on a page of the nation, duplicates included
}

// rows writes hosts.tsv (docs/formats/hosts.md).
type rows struct {
	w    *bufio.Writer
	line []byte
}

func newRows(w io.Writer) *rows {
	r := &rows{w: bufio.NewWriterSize(w, 64<<10)}
	r.line = append(r.line, "rank\thost\turls\tpages\tdomains\tcollection\n"...)
	return r
}

// host writes a row; a write that fails is told by end.
func (r *rows) host(rank int64, h hostRank, collection string) {
	_, _ = r.w.Write(r.line) // bufio keeps the error
	b := strconv.AppendInt(r.line[:0], rank, 10)
	b = append(append(b, '\t'), h.host...)
	for _, n := range [3]uint64{h.urls, h.pages, h.domains} {
		b = strconv.AppendUint(append(b, '\t'), n, 10)
	}
	r.line = append(append(append(b, '\t'), collection...), '\n')
}

func (r *rows) end() error {
	if _, err := r.w.Write(r.line); err != nil {
		return fmt.Errorf("collection: hosts: %w", err)
	}
	if err := r.w.Flush(); err != nil {
		return fmt.Errorf("collection: hosts: %w", err)
	}
	return nil
}

// hostRank is what ranks a host.
type hostRank struct {
	host                 []byte
	urls, pages, domains uint64
}

// Rank writes the hosts, the best first, to w.
func (g *Gatherer) Rank(ctx context.Context, w io.Writer) (t Totals, err error) {
	ranking, t, err := g.count(ctx, nil, nil)
	if err != nil {
		return t, err
	}
	out, n := newRows(w), int64(0)
	for ranking.Next() && err == nil {
		out.host(n+1, rankOf(&ranking.Record), "")
		err = g.step(ctx, "hosts ranked", &n)
	}
	return t, errors.Join(err, ranking.Err, ranking.Close(), out.end())
}

// rankOf reads a record of the ranking.
func rankOf(r *extsort.Record) hostRank {
	return hostRank{domains: ^r.A, pages: ^r.B, urls: ^binary.BigEndian.Uint64(r.Data), host: r.Data[8:]}
}

// count drops duplicates, counts URLs, pages and domains by host, and returns the
// ranking. What is left of the addresses goes to unique, if it is not nil; weigh,
// if it is not nil, hears of each host.
func (g *Gatherer) count(ctx context.Context, unique *extsort.RunWriter, weigh func(host []byte, urls int64)) (_ *extsort.Merge, t Totals, err error) {
	t.Linked = g.linked
	urls, err := g.urls.Sorted()
	if err != nil {
		return nil, t, err
	}
	defer func() { err = errors.Join(err, urls.Close()) }()
	links, err := g.links.Sorted()
	if err != nil {
		return nil, t, err
	}
	defer func() { err = errors.Join(err, links.Close()) }()
	ranking := extsort.NewSorter(g.o.Dir, "ranking", g.pool)
	defer ranking.Abandon()
	moreURLs, moreLinks := urls.Next(), links.Next()
	var key, link []byte // the last ones
	var n int64
	for moreURLs {
		// One host, but for hosts that share a hash.
		a, hosts := urls.A, group{}
		for ; moreURLs && urls.A == a; moreURLs = urls.Next() {
			if err := g.step(ctx, "addresses sorted", &n); err != nil {
				return nil, t, err
			}
			k, _, _ := bytes.Cut(urls.Data, zero())
			if bytes.Equal(k, key) {
				continue
			}
			key = append(key[:0], k...)
			hosts.of(hostOf(k)).urls++
			if unique != nil {
				if err := unique.Write(&urls.Record); err != nil {
					return nil, t, err
				}
			}
		}
		for ; moreLinks && links.A == a; moreLinks = links.Next() {
			host, rest, _ := bytes.Cut(links.Data, zero())
			domain, _, _ := bytes.Cut(rest, zero())
			h, from := hosts.of(host), links.Data[:len(host)+1+len(domain)+1]
			h.pages++
			if !bytes.Equal(from, link) {
				link = append(link[:0], from...)
				h.domains++
			}
		}
		for _, h := range hosts {
			t.Hosts++
			t.URLs += int64(h.urls)
			if weigh != nil {
				weigh(h.host, int64(h.urls))
			}
			if err := ranking.Add(^h.domains, ^h.pages, binary.BigEndian.AppendUint64(nil, ^h.urls), h.host); err != nil {
				return nil, t, err
			}
		}
	}
	if err := errors.Join(urls.Err, links.Err); err != nil {
		return nil, t, err
	}
	m, err := ranking.Sorted()
	return m, t, err
}

// group are the hosts of one hash: one, but for collisions.
type group []*hostRank

func (g *group) of(host []byte) *hostRank {
	for _, h := range *g {
		if bytes.Equal(h.host, host) {
			return h
		}
	}
	h := &hostRank{host: bytes.Clone(host)}
	*g = append(*g, h)
	return h
}

// uniqueName is the file of addresses without duplicates.
func (g *Gatherer) uniqueName() string { return filepath.Join(g.o.Dir, "unique.run") }

func hashOf(b []byte) uint64 { return xxhash.Sum64(b) }
