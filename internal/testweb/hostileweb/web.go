package hostileweb

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"

	"exclave/internal/conf"
	"exclave/internal/testweb"
)

// Params describe a web.
type Params struct {
	Cases []string `json:"cases"` // names; none: only healthy hosts
	// Healthy hosts, 1 … 10,000, each with Pages pages, an image for each page and a frame for
	// every fourth, 1 … 1,000,000,000.
	Healthy int `json:"healthy_hosts"`
	Pages   int `json:"healthy_pages"`
	// Hosts of each case, 0 … 1,000, each with Items hostile items, 1 … 1,000,000,000.
	Hosts int `json:"hosts_per_case"`
	Items int `json:"items_per_host"`
	// CrawlDelay is what hosts with heavy documents ask for, in seconds, each between once
	// and twice this, so that they do not answer at the same moment; 0: nothing. A mix of
	// all cases would be a test of the processor without it.
	CrawlDelay int `json:"heavy_crawl_delay_seconds"`
}

// Validate returns every value that cannot be.
func (p Params) Validate() (ps conf.Problems) {
	between := func(name string, n, least, most int) {
		ps.Check(n >= least && n <= most, name, "%d is not between %d and %d", n, least, most)
	}
	between("healthy hosts", p.Healthy, 1, 10_000)
	between("healthy pages", p.Pages, 1, 1_000_000_000)
	between("hosts of a case", p.Hosts, 0, 1_000)
	between("items of a host", p.Items, 1, 1_000_000_000)
	between("Crawl-delay", p.CrawlDelay, 0, 3_600)
	if len(p.Cases) > 0 {
		if _, unknown := Find(p.Cases...); len(unknown) > 0 {
			ps.Add("", "no case is called %s", strings.Join(unknown, ", "))
		}
	}
	return ps
}

// HealthyURLs is how many addresses the healthy hosts have, robots.txt left out.
func (p Params) HealthyURLs() int { return p.Healthy * (2*p.Pages + (p.Pages+2)/4) }

// fewHosts is how many hosts a case has at most of which one knows much.
const fewHosts = 2

// perIndex is how many items an index page of a hostile host leads to.
const perIndex = 20

// host is what answers for a name.
type host struct {
	name   string
	of     *Case // nil: healthy
	index  int   // among its like
	number int   // among all
	addr   netip.Addr
}

// web is all hosts.
type web struct {
	p     Params
	hosts []host
	byDNS map[string]*host
}

func newWeb(p Params) (*web, error) {
	if err := p.Validate().Err("hostileweb"); err != nil {
		return nil, err
	}
	w := &web{p: p, byDNS: map[string]*host{}}
	for i := range p.Healthy {
		w.hosts = append(w.hosts, host{name: healthyName(i), index: i})
	}
	var cases []Case
	if len(p.Cases) > 0 {
		cases, _ = Find(p.Cases...)
	}
	for c := range cases {
		n := p.Hosts
		if cases[c].few {
			n = min(n, fewHosts)
		}
		for i := range n {
			w.hosts = append(w.hosts, host{name: fmt.Sprintf("h%03d.%s.test", i, strings.ReplaceAll(cases[c].Name, ".", "-")), of: &cases[c], index: i})
		}
	}
	for i := range w.hosts {
		h := &w.hosts[i]
		h.number = i
		h.addr = netip.AddrFrom4([4]byte{127, 100, byte(i / 250), byte(1 + i%250)})
		w.byDNS[h.name] = h
	}
	return w, nil
}

func healthyName(i int) string { return fmt.Sprintf("healthy%04d.test", i) }

// seeds are the first pages of all hosts, of healthy ones and others in turns.
func (w *web) seeds() []string {
	var seeds []string
	healthy, hostile := w.hosts[:w.p.Healthy], w.hosts[w.p.Healthy:]
	for i := range max(len(healthy), len(hostile)) {
		if i < len(healthy) {
			seeds = append(seeds, "http://"+healthy[i].name+"/")
		}
		if i < len(hostile) {
			scheme := "http://"
			if hostile[i].of.secure != nil {
				scheme = "https://"
			}
			seeds = append(seeds, scheme+hostile[i].name+"/")
		}
	}
	return seeds
}

// kind is what a request was for.
type kind int

const (
	healthyURL kind = iota // one of HealthyURLs
	ordinary               // robots.txt and index pages that are as they should be
	hostile
)

// find returns what answers a request to a host.
func (w *web) find(h *host, r *http.Request) (http.Handler, kind) {
	if h.of == nil {
		return w.healthy(h, r)
	}
	return w.hostile(h, r)
}

func (w *web) healthy(h *host, r *http.Request) (http.Handler, kind) {
	if r.URL.Path == "/robots.txt" {
		return testweb.Text("User-agent: *\nDisallow: /private/\n"), ordinary
	}
	if r.URL.Path == "/" {
		return w.page(h.index, 0), healthyURL
	}
	var i int
	var ext string
	if n, err := fmt.Sscanf(r.URL.Path, "/p/%d%s", &i, &ext); n == 2 && err == nil && i > 0 && i < w.p.Pages && ext == ".html" {
		return w.page(h.index, i), healthyURL
	}
	if n, err := fmt.Sscanf(r.URL.Path, "/i/%d%s", &i, &ext); n == 2 && err == nil && i >= 0 && i < w.p.Pages && ext == ".png" {
		return testweb.Image(w.unique(h.index, i)), healthyURL
	}
	if n, err := fmt.Sscanf(r.URL.Path, "/f/%d%s", &i, &ext); n == 2 && err == nil && i < w.p.Pages && framed(i) && ext == ".html" {
		return testweb.NationalPage(w.unique(h.index, i) + 1<<40), healthyURL
	}
	return testweb.NotFound(), ordinary
}

// framed reports whether a page has a frame.
func framed(page int) bool { return page%4 == 1 }

func (w *web) unique(h, i int) int { return h*w.p.Pages + i }

// page is a healthy page: each leads to two further ones of its host, the first also to
// the next host; one in four is foreign.
func (w *web) page(h, i int) testweb.Page {
	parts := []string{testweb.Img(fmt.Sprintf("/i/%d.png", i))}
	if framed(i) {
		parts = append(parts, testweb.IFrame(fmt.Sprintf("/f/%d.html", i)))
	}
	for next := 2*i + 1; next <= 2*i+2 && next < w.p.Pages; next++ {
		parts = append(parts, fmt.Sprintf("/p/%d.html", next))
	}
	if i == 0 {
		parts = append(parts, "http://"+healthyName((h+1)%w.p.Healthy)+"/")
	}
	if i%4 == 3 {
		return testweb.ForeignPage(w.unique(h, i), parts...)
	}
	return testweb.NationalPage(w.unique(h, i), parts...)
}

func (w *web) hostile(h *host, r *http.Request) (http.Handler, kind) {
	c := h.of
	if r.URL.Path == "/robots.txt" {
		switch {
		case c.robots != nil:
			return c.robots, hostile
		case c.heavy && w.p.CrawlDelay > 0:
			return testweb.Text(fmt.Sprintf("User-agent: *\nCrawl-delay: %d\n", w.p.CrawlDelay+h.number*7%w.p.CrawlDelay)), ordinary
		}
		return testweb.Text("User-agent: *\nDisallow: /private/\n"), ordinary
	}
	if r.URL.Path == "/" {
		i := 0
		if q := r.URL.RawQuery; q != "" {
			if _, err := fmt.Sscanf(q, "from=%d", &i); err != nil || i < 0 {
				return testweb.NotFound(), ordinary
			}
		}
		return w.index(h, i), ordinary
	}
	var n int
	if _, err := fmt.Sscanf(r.URL.Path, "/x/%d", &n); err == nil && n >= 0 && n < w.p.Items {
		if c.item == nil { // what is hostile about it was before
			return testweb.NationalPage(n), hostile
		}
		return c.item(n), hostile
	}
	if c.other != nil {
		if other := c.other(r); other != nil {
			return other, hostile
		}
	}
	return testweb.NotFound(), ordinary
}

// index is a page that leads to items, and to the next of its like.
func (w *web) index(h *host, from int) testweb.Page {
	var parts []string
	to := min(from+perIndex, w.p.Items)
	for n := from; n < to; n++ {
		url := fmt.Sprintf("/x/%d%s", n, h.of.ext)
		if h.of.embed != nil {
			url = h.of.embed(url)
		}
		parts = append(parts, url)
	}
	if to < w.p.Items {
		parts = append(parts, fmt.Sprintf("/?from=%d", to))
	}
	return testweb.NationalPage(from, parts...)
}
