package rules

import (
	slashpath "path"
	"slices"
	"strings"

	"exclave/crawl"
	"exclave/frontier/schema"
)

// policy is one way to rank URIs: 0 goes first.
type policy interface {
	ranks() int
	rank(*schema.Record) int
}

// byKind puts seeds first, then what archived pages need, then links.
type byKind struct{}

func (byKind) ranks() int { return 3 }

func (byKind) rank(r *schema.Record) int {
	switch {
	case r.Seed:
		return 0
	case r.Claim.Bin:
		return 1 // a page is whole sooner
	}
	return 2
}

// hopRanks is how many numbers of hops are told apart.
const hopRanks = 8

// byHops puts fewer link hops first.
type byHops struct{}

func (byHops) ranks() int { return hopRanks }

func (byHops) rank(r *schema.Record) int { return min(crawl.LinkHops(r.Hops), hopRanks-1) }

// deepFirst puts more link hops first.
type deepFirst struct{}

func (deepFirst) ranks() int { return hopRanks }

func (deepFirst) rank(r *schema.Record) int {
	return hopRanks - 1 - min(crawl.LinkHops(r.Hops), hopRanks-1)
}

// byScore is System 2's score in halves: a seed +1, a known extension +0.5, found in a
// document of a wanted type +0.5, fetched and not what the extension said -0.5.
type byScore struct{ extensions []string }

func (byScore) ranks() int { return 6 }

func (p byScore) rank(r *schema.Record) int {
	points := 0
	if r.Seed {
		points += 2
	}
	if p.promises(r.URL) {
		points++
	}
	if r.InWanted {
		points++
	}
	if r.WrongType {
		points--
	}
	return 4 - points
}

// promises reports whether the extension of a URL is a wanted one.
func (p byScore) promises(url string) bool {
	if i := strings.IndexAny(url, "?#"); i >= 0 {
		url = url[:i]
	}
	ext := slashpath.Ext(url)
	return ext != "" && slices.Contains(p.extensions, strings.ToLower(ext[1:]))
}

// byRelevance puts links of valid pages first, then what else archived pages need, then
// links of nearly valid pages, of pages not judged, of useless pages, of the second useless page
// in a row. Embeds are after links: a valid page leads to more of them, and they lead to no
// further page.
type byRelevance struct{}

func (byRelevance) ranks() int { return 6 }

func (byRelevance) rank(r *schema.Record) int {
	switch n := r.Found.Rank(); {
	case r.Claim.Bin:
		return 1
	case n == 0:
		return 0
	case r.Needed():
		return 1
	default:
		return 1 + n
	}
}

// topical puts chosen domains first.
type topical struct{ domains []string }

func (topical) ranks() int { return 2 }

func (p topical) rank(r *schema.Record) int {
	for _, d := range p.domains {
		if rest, ok := strings.CutSuffix(r.Host, d); ok && (rest == "" || rest[len(rest)-1] == '.') {
			return 0
		}
	}
	return 1
}
