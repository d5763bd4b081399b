package frontierbench

import (
	"math/rand/v2"
	"strconv"
	"sync/atomic"

	"exclave/crawl"
)

// candidates makes normalised candidates like those of a national crawl: hosts by a
// power law, addresses of 80 bytes, two in five known already; of those four in five are
// among the last of their host, by Zipf, the others any.
type candidates struct {
	r     *rand.Rand
	hosts *rand.Zipf
	near  *rand.Zipf
	made  []atomic.Uint32 // URIs of each host so far
	flat  bool            // all hosts are equally likely
	buf   []byte
}

// newCandidates returns a generator that shares the URIs of hosts with others.
func newCandidates(seed uint64, made []atomic.Uint32, flat bool) *candidates {
	hosts := len(made)
	r := rand.New(rand.NewPCG(seed, 1))
	return &candidates{r: r, hosts: rand.NewZipf(r, 1.05, 20, uint64(hosts-1)), near: rand.NewZipf(r, 1.3, 4, 1000),
		made: made, flat: flat}
}

func (g *candidates) host() uint32 {
	if g.flat {
		return g.r.Uint32N(uint32(len(g.made)))
	}
	return uint32(g.hosts.Uint64())
}

// next returns a candidate and whether it was made before.
func (g *candidates) next() (crawl.Candidate, bool) {
	for range 100 {
		h := g.host()
		n := g.made[h].Load()
		switch again := g.r.IntN(10) < 4; {
		case !again:
			return g.candidate(h, g.made[h].Add(1)-1), false
		case n == 0:
			continue
		case g.r.IntN(5) < 4:
			return g.candidate(h, n-1-uint32(min(g.near.Uint64(), uint64(n-1)))), true
		default:
			return g.candidate(h, g.r.Uint32N(n)), true
		}
	}
	h := g.host()
	return g.candidate(h, g.made[h].Add(1)-1), false
}

// mix is a hash of numbers (SplitMix64), so that an address follows from its number.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

var words = [...]string{"clanky", "aktuality", "o-nas", "kontakt", "produkty", "galerie", "archiv", "index", "fotografie", "kategorie", "zpravy",
	"sport", "kultura", "obec", "skola", "detail", "katalog", "akce", "rezervace", "cenik", "forum", "tema", "uzivatel", "recenze", "cestovani",
	"historie", "novinky", "sluzby", "partneri", "dokumenty", "knihovna", "hudba"}

var domains = [...]string{"com", "net", "org", "eu", "info", "de", "at", "sk", "pl", "biz"}

func word(x *uint64) string {
	*x = mix(*x)
	return words[*x%uint64(len(words))]
}

// candidate makes the URI of a host with a number.
func (g *candidates) candidate(host, number uint32) crawl.Candidate {
	x := uint64(host)<<32 | 0xffffffff
	b := append(g.buf[:0], "http://www."...)
	at := len("http://")
	b = append(b, word(&x)...)
	b = append(b, '-')
	b = append(b, word(&x)...)
	b = strconv.AppendUint(b, uint64(host), 36)
	b = append(b, '.')
	b = append(b, domains[x%uint64(len(domains))]...)
	end := len(b)
	x = mix(uint64(host))<<1 ^ mix(uint64(number))
	for range 2 + x%3 {
		b = append(b, '/')
		b = append(b, word(&x)...)
	}
	b = append(b, '/')
	b = append(b, word(&x)...)
	b = append(b, '-')
	b = append(b, word(&x)...)
	b = append(b, '-')
	b = strconv.AppendUint(b, uint64(number), 10)
	b = append(b, ".html"...)
	g.buf = b
	url := string(b)
	return crawl.Candidate{URL: url, Key: url, Host: url[at:end], Kind: crawl.LinkNav, Hops: "LLL", Context: "a/@href",
		SourceTag: "bench", Claim: crawl.Claim{Analyse: true}}
}
