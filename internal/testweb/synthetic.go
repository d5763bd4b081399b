package testweb

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/encoding/charmap"
)

// Params describe a [Synthetic] web. Shares are between 0 and 1.
type Params struct {
	Seed   uint64
	Hosts  int // at least 1
	Pages  int // HTML pages of a host, at least 1
	FanOut int // links of a page to further pages of its host, at least 1
	Cross  int // links of a page to pages anywhere
	Images int // images of a page; one in four is on another host

	National    float64 // share of pages that are national
	Windows1250 float64 // share of national pages that are not in UTF-8
	Redirects   float64 // share of links that go through a redirect
	Errors      float64 // share of pages with a link that ends in an error
	TLS         float64 // share of hosts that are https

	// Traps adds an endless calendar to every host, linked from its root.
	Traps bool
	// SlowHosts is the number of hosts, the first ones, that answer after SlowBy.
	SlowHosts int
	SlowBy    time.Duration
}

// DefaultParams is a web of 60 hosts and some 4,000 URLs without traps.
func DefaultParams() Params {
	return Params{Seed: 1, Hosts: 60, Pages: 24, FanOut: 3, Cross: 2, Images: 1,
		National: 0.3, Windows1250: 0.2, Redirects: 0.1, Errors: 0.1, TLS: 0.1, SlowBy: 50 * time.Millisecond}
}

// Kind is what a [Resource] is.
type Kind string

// The kinds of resource in a synthetic web.
const (
	KindHTML     Kind = "html"
	KindCSS      Kind = "css"
	KindImage    Kind = "image"
	KindRedirect Kind = "redirect"
	KindError    Kind = "error"
)

// Resource is the truth about one URL.
type Resource struct {
	URL      string
	Kind     Kind
	Status   int
	National bool     // an HTML page that a Czech profile must find valid
	Links    []string // absolute, in the order of the page; of a redirect its target
	Embeds   []string // absolute: images, style sheets, their imports and backgrounds

	host, index int // which of its kind, for the body
	trap        bool
}

// Synthetic is a web that follows from its parameters alone. Nothing is stored:
// each answer is computed from the URL, so that a web of a million pages costs
// no memory. Every page can be reached from the root of the first host.
type Synthetic struct{ p Params }

// NewSynthetic returns the web of p; numbers that are too small become the
// smallest allowed.
func NewSynthetic(p Params) *Synthetic {
	p.Hosts, p.Pages, p.FanOut = max(p.Hosts, 1), max(p.Pages, 1), max(p.FanOut, 1)
	return &Synthetic{p: p}
}

// Seeds returns the root of every host.
func (s *Synthetic) Seeds() []string {
	seeds := make([]string, s.p.Hosts)
	for h := range seeds {
		seeds[h] = s.page(h, 0)
	}
	return seeds
}

// Truth returns every URL that can be reached from the seeds, sorted, except
// robots.txt (404 everywhere) and the calendars of Traps, which never end.
func (s *Synthetic) Truth() []Resource {
	var all []Resource
	seen := make(map[string]bool)
	queue := s.Seeds()
	for _, u := range queue {
		seen[u] = true
	}
	for len(queue) > 0 {
		r, ok := s.resource(queue[0])
		queue = queue[1:]
		if !ok || r.trap {
			continue
		}
		all = append(all, r)
		for _, u := range slices.Concat(r.Links, r.Embeds) {
			if !seen[u] {
				seen[u] = true
				queue = append(queue, u)
			}
		}
	}
	slices.SortFunc(all, func(a, b Resource) int { return strings.Compare(a.URL, b.URL) })
	return all
}

// Host implements [Web].
func (s *Synthetic) Host(name string) http.Handler {
	h, ok := s.hostIndex(name)
	if !ok {
		return nil
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page := NotFound()
		if res, ok := s.resource(URL(r)); ok {
			page = s.render(res)
		}
		if h < s.p.SlowHosts {
			page.Delay = s.p.SlowBy
		}
		page.ServeHTTP(w, r)
	})
}

// chance decides, for ever the same way, whether something with the given share
// happens at (what, h, i).
func (s *Synthetic) chance(share float64, what, h, i int) bool {
	return float64(s.number(what, h, i)>>11)/(1<<53) < share
}

func (s *Synthetic) number(what, h, i int) uint64 {
	return mix(mix(mix(s.p.Seed, uint64(what)), uint64(h)), uint64(i))
}

// What the numbers are drawn for.
const (
	forDomain = iota
	forScheme
	forNational
	forCharset
	forRedirect
	forRedirectStatus
	forError
	forErrorStatus
	forImage
	forCross // last: the number of the link is added
)

func (s *Synthetic) hostName(h int) string {
	domains := strings.Fields("com net org de sk pl eu at info")
	return "h" + pad(uint64(h), 4) + "." + domains[s.number(forDomain, h, 0)%uint64(len(domains))]
}

func (s *Synthetic) hostIndex(name string) (int, bool) {
	digits, _, _ := strings.Cut(strings.TrimPrefix(name, "h"), ".")
	h, err := strconv.Atoi(digits)
	if err != nil || h < 0 || h >= s.p.Hosts || s.hostName(h) != name {
		return 0, false
	}
	return h, true
}

func (s *Synthetic) url(h int, path string) string {
	if s.chance(s.p.TLS, forScheme, h, 0) {
		return "https://" + s.hostName(h) + path
	}
	return "http://" + s.hostName(h) + path
}

func (s *Synthetic) page(h, i int) string {
	if i == 0 {
		return s.url(h, "/")
	}
	return s.url(h, "/p/"+itoa(i)+".html")
}

func (s *Synthetic) image(h, i, k int) string {
	return s.url(h, "/i/"+itoa(i)+"-"+itoa(k)+".png")
}

// resource says what a URL is, and whether there is anything.
func (s *Synthetic) resource(u string) (Resource, bool) {
	_, rest, _ := strings.Cut(u, "://")
	name, path, _ := strings.Cut(rest, "/")
	h, ok := s.hostIndex(name)
	if !ok || u != s.url(h, "/"+path) {
		return Resource{}, false
	}
	r := Resource{URL: u, Status: http.StatusOK, host: h}
	dir, file, _ := strings.Cut(path, "/")
	switch {
	case path == "":
		return s.html(r)
	case dir == "p":
		i, err := strconv.Atoi(strings.TrimSuffix(file, ".html"))
		r.index = i
		if err != nil || i < 1 || i >= s.p.Pages || u != s.page(h, i) {
			return r, false
		}
		return s.html(r)
	case dir == "i":
		first, last, _ := strings.Cut(strings.TrimSuffix(file, ".png"), "-")
		i, err1 := strconv.Atoi(first)
		k, err2 := strconv.Atoi(last)
		r.Kind, r.index = KindImage, i*s.p.Images+k
		return r, err1 == nil && err2 == nil && i < s.p.Pages && k < s.p.Images && u == s.image(h, i, k)
	case path == "s/style.css":
		r.Kind, r.Embeds = KindCSS, []string{s.url(h, "/s/base.css"), s.url(h, "/s/style.png")}
		return r, true
	case path == "s/base.css":
		r.Kind, r.Embeds, r.index = KindCSS, []string{s.url(h, "/s/base.png")}, 1
		return r, true
	case path == "s/style.png", path == "s/base.png":
		r.Kind, r.index = KindImage, -len(path)
		return r, true
	case dir == "r", dir == "e":
		i, err := strconv.Atoi(file)
		r.index = i
		if err != nil || i < 0 || i >= s.p.Pages || itoa(i) != file {
			return r, false
		}
		if dir == "r" {
			return s.redirect(r), true
		}
		r.Kind, r.Status = KindError, []int{404, 410, 403, 500}[s.number(forErrorStatus, h, i)%4]
		return r, true
	}
	return s.calendar(r, path)
}

func (s *Synthetic) redirect(r Resource) Resource {
	r.Kind, r.Links = KindRedirect, []string{s.page(r.host, r.index)}
	r.Status = []int{301, 302, 307, 308}[s.number(forRedirectStatus, r.host, r.index)%4]
	return r
}

func (s *Synthetic) html(r Resource) (Resource, bool) {
	h, i := r.host, r.index
	r.Kind, r.National = KindHTML, s.chance(s.p.National, forNational, h, i)
	for child := i*s.p.FanOut + 1; child <= (i+1)*s.p.FanOut && child < s.p.Pages; child++ {
		if s.chance(s.p.Redirects, forRedirect, h, child) {
			r.Links = append(r.Links, s.url(h, "/r/"+itoa(child)))
		} else {
			r.Links = append(r.Links, s.page(h, child))
		}
	}
	if i == 0 {
		for next := 2*h + 1; next <= 2*h+2 && next < s.p.Hosts; next++ {
			r.Links = append(r.Links, s.page(next, 0))
		}
		if s.p.Traps {
			r.Links = append(r.Links, s.url(h, "/calendar?month=0"))
		}
	}
	for k := range s.p.Cross {
		n := s.number(forCross+k, h, i)
		r.Links = append(r.Links, s.page(int(n%uint64(s.p.Hosts)), int(n>>32)%s.p.Pages))
	}
	if s.chance(s.p.Errors, forError, h, i) {
		r.Links = append(r.Links, s.url(h, "/e/"+itoa(i)))
	}
	r.Embeds = append(r.Embeds, s.url(h, "/s/style.css"))
	for k := range s.p.Images {
		n := s.number(forImage, h, i*s.p.Images+k)
		if n%4 == 0 {
			r.Embeds = append(r.Embeds, s.image(int(n>>8%uint64(s.p.Hosts)), int(n>>40)%s.p.Pages, k))
		} else {
			r.Embeds = append(r.Embeds, s.image(h, i, k))
		}
	}
	return r, true
}

// calendar is a trap: each month links to the one before and the one after.
func (s *Synthetic) calendar(r Resource, path string) (Resource, bool) {
	value, found := strings.CutPrefix(path, "calendar?month=")
	month, err := strconv.Atoi(value)
	if !s.p.Traps || !found || err != nil {
		return r, false
	}
	r.Kind, r.index, r.trap = KindHTML, month, true
	for _, m := range []int{month - 1, month + 1} {
		r.Links = append(r.Links, s.url(r.host, "/calendar?month="+itoa(m)))
	}
	return r, true
}

func (s *Synthetic) render(r Resource) Page {
	unique := r.host*s.p.Pages*max(s.p.Images, 1) + r.index
	switch r.Kind {
	case KindHTML:
		return s.renderHTML(r, unique)
	case KindCSS:
		page := CSS(r.Embeds...)
		page.Body += "/* " + itoa(r.host) + " */\n"
		return page
	case KindImage:
		return Image(int(s.number(forImage, r.host, r.index)))
	case KindRedirect:
		return Redirect(r.Status, r.Links[0])
	}
	return ForeignPage(unique).WithStatus(r.Status)
}

func (s *Synthetic) renderHTML(r Resource, unique int) Page {
	own := strings.TrimSuffix(s.page(r.host, 0), "/")
	var parts []string
	for _, u := range r.Embeds {
		if strings.HasSuffix(u, ".css") {
			parts = append(parts, Stylesheet(strings.TrimPrefix(u, own)))
		} else {
			parts = append(parts, Img(strings.TrimPrefix(u, own)))
		}
	}
	for _, u := range r.Links {
		parts = append(parts, strings.TrimPrefix(u, own))
	}
	if !r.National {
		return ForeignPage(unique, parts...)
	}
	page := NationalPage(unique, parts...)
	if !s.chance(s.p.Windows1250, forCharset, r.host, r.index) {
		return page
	}
	return inWindows1250(page, int(s.number(forCharset, r.host, r.index)%3))
}

// inWindows1250 recodes a page, declared by header and meta element (0), by the
// meta element only (1) or nowhere (2).
func inWindows1250(p Page, declared int) Page {
	body, err := charmap.Windows1250.NewEncoder().String(p.Body)
	if err != nil {
		return Failure(err)
	}
	meta, contentType := `<meta charset="windows-1250">`, "text/html; charset=windows-1250"
	if declared > 0 {
		contentType = "text/html"
	}
	if declared > 1 {
		meta = ""
	}
	p.Body = strings.Replace(body, `<meta charset="utf-8">`, meta, 1)
	return p.With("Content-Type", contentType)
}
