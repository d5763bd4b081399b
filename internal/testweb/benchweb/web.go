package benchweb

// Web is a web. Make it with New.
type Web struct {
	p       Params
	places  *places
	words   []string
	hosts   []string // names
	origins []string // scheme://name
	secure  []bool
	index   map[string]int // name to number
	base    []int          // of each host, the number of its first resource; one more at the end
	pools   *pools
	traps   []trap
}

// New makes the web of p; what it costs in memory depends on the number of hosts.
func New(p Params) (*Web, error) {
	if err := p.Validate().Err("benchweb"); err != nil {
		return nil, err
	}
	w := &Web{p: p, places: newPlaces(), words: words(), traps: traps()}
	w.nameHosts()
	var err error
	w.pools, err = newPools(p.Seed)
	return w, err
}

// Params returns what the web was made of.
func (w *Web) Params() Params { return w.p }

// Seeds returns addresses that everything can be reached from; of a deep web, pages that
// some is reached from.
func (w *Web) Seeds() []string {
	if w.p.Deep {
		return w.deepSeeds()
	}
	seeds := make([]string, min(4, w.p.Hosts))
	for h := range seeds {
		seeds[h] = w.url(h, 0)
	}
	return seeds
}

// Link is a reference of a resource.
type Link struct {
	URL string    `json:"url"`
	By  Construct `json:"by"`
}

// Resource is the truth about one resource.
type Resource struct {
	ID        int       `json:"id"` // from 0, over all hosts
	URL       string    `json:"url"`
	Kind      Kind      `json:"kind"`
	Status    int       `json:"status"`
	National  bool      `json:"national"`      // a page that profile cz must find valid
	Reachable bool      `json:"reachable"`     // false: robots.txt forbids it; see Clicks for a deep web
	Via       string    `json:"via,omitempty"` // a document that makes it known; "" for the root of the first host
	By        Construct `json:"by,omitempty"`  // the construct that it does so by
	SHA1      string    `json:"sha1,omitempty"`
	Embeds    []Link    `json:"embeds,omitempty"`
	Links     []Link    `json:"links,omitempty"`
}

// Resource returns the truth about the id-th resource, without SHA1.
func (w *Web) Resource(id int) Resource {
	n := w.nodeOf(id)
	r := Resource{ID: id, URL: w.url(n.h, n.i), Kind: n.kind, Status: n.status, National: w.national(n), Reachable: !n.private, By: n.by}
	switch {
	case n.slot() != 0:
		r.Via = w.url(n.h, n.block()*blockSize+n.parent)
	case n.block() != 0:
		r.Via = w.url(n.h, (n.block()-1)/w.fan(n.h)*blockSize)
	case n.h != 0:
		r.Via = w.url((n.h-1)/2, 0)
	default:
		r.By = ""
	}
	for _, l := range w.appendRefs(nil, n) {
		k := Link{w.url(l.to.h, l.to.i), l.by}
		if l.by.embeds() {
			r.Embeds = append(r.Embeds, k)
		} else {
			r.Links = append(r.Links, k)
		}
	}
	return r
}

// nodeOf finds the host of a resource by its number.
func (w *Web) nodeOf(id int) node {
	lo, hi := 0, w.p.Hosts
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; w.base[mid] <= id {
			lo = mid
		} else {
			hi = mid
		}
	}
	return w.node(lo, id-w.base[lo])
}

// Find returns the number of the resource at an absolute address; a session id in it
// makes no difference.
func (w *Web) Find(url string) (id int, ok bool) {
	for i := 0; i+3 <= len(url); i++ {
		if url[i:i+3] != "://" {
			continue
		}
		rest := url[i+3:]
		for j := range len(rest) {
			if rest[j] != '/' {
				continue
			}
			h, ok := w.index[rest[:j]]
			scheme := "http"
			if ok && w.secure[h] {
				scheme = "https"
			}
			if !ok || url[:i] != scheme {
				return 0, false
			}
			target, _ := cutSession([]byte(rest[j:]))
			n, ok := w.find(h, target)
			return w.base[h] + n.i, ok
		}
	}
	return 0, false
}

// embeds reports whether a browser loads what is referred to without being asked.
func (c Construct) embeds() bool {
	switch c {
	case Anchor, AnchorBare, AnchorBase, Area, LinkNext, ScriptString, MetaRefresh, PDFLink, Location:
		return false
	}
	return true
}
