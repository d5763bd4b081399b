package benchweb

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// A trap is pages without end. Each follows from its address.
type trap struct {
	kind   string
	prefix string // that the targets of its pages begin with
	czech  bool   // its pages are national
	// entry is the target that the i-th page of a host has a link to.
	entry func(i int) string
	// links returns the targets that a page has links to.
	links func(p trapPage) []string
}

// trapPage is a page of a trap.
type trapPage struct {
	target string
	n      uint64 // follows from host and target
}

func (p trapPage) hash(k int) uint64 { return mix(p.n, uint64(k)) }

// TrapKinds are the kinds of traps.
func TrapKinds() []string {
	var kinds []string
	for _, t := range traps() {
		kinds = append(kinds, t.kind)
	}
	return append(kinds, farmKind, sessionKind)
}

const (
	farmKind    = "farm"          // hosts without end under one domain
	sessionKind = "session, copy" // the same page of a host under another session id
)

func fixed(target string) func(int) string { return func(int) string { return target } }

// traps is the table of traps but the farm, which is no page of a host.
func traps() []trap {
	return []trap{
		{kind: "calendar, query", prefix: "/calendar.php?", links: calendarQuery,
			entry: func(i int) string { return fmt.Sprintf("/calendar.php?view=month&year=2026&month=%d&day=1", 1+i%12) }},
		{kind: "facets", prefix: "/shop/list?", entry: fixed("/shop/list?c=all"), links: facets},
		{kind: "session, path", prefix: "/s/", entry: fixed("/s/0/item-1"), links: func(p trapPage) []string {
			return each(24, func(k int) string { return fmt.Sprintf("/s/%016x/item-%d", p.hash(k), k) })
		}},
		{kind: "farm"},
		{kind: "calendar, path", prefix: "/events/", entry: func(i int) string { return fmt.Sprintf("/events/2026/%02d/", 1+i%12) }, links: calendarPath},
		{kind: "index columns", prefix: "/pub/", entry: fixed("/pub/"), links: indexColumns},
		{kind: "endless path", prefix: "/endless/", entry: fixed("/endless/"), links: func(p trapPage) []string { return []string{p.target + "more/"} }},
		{kind: "calendar, Czech", prefix: "/kalendar/", czech: true, entry: func(i int) string { return fmt.Sprintf("/kalendar/2026/%02d/", 1+i%12) }, links: calendarPath},
		{kind: "two in turns", prefix: "/a/", entry: fixed("/a/b/"), links: func(p trapPage) []string {
			return []string{p.target + "a/", p.target + "b/", p.target + "a/b/"}
		}},
		{kind: "relative", prefix: "/docs/", entry: fixed("/docs/intro.html"), links: func(p trapPage) []string {
			return each(6, func(k int) string {
				return p.target[:strings.LastIndexByte(p.target, '/')+1] + words()[p.hash(k)%uint64(len(words()))] + "/intro.html"
			})
		}},
		{kind: "list, query", prefix: "/news?", entry: fixed("/news?page=1"), links: func(p trapPage) []string { return pages("/news?page=%d", p) }},
		{kind: "nonsense", prefix: "/x/", entry: fixed("/x/0.html"), links: func(p trapPage) []string {
			return each(2000, func(k int) string { return fmt.Sprintf("/x/%x.html", p.hash(k)) })
		}},
		{kind: "growing", prefix: "/track?", entry: fixed("/track?to=0"), links: func(p trapPage) []string {
			return each(4, func(k int) string { return fmt.Sprintf("%s%016x%016x", p.target, p.hash(k), p.hash(k+100)) })
		}},
		{kind: "search", prefix: "/search?", entry: func(i int) string { return "/search?q=" + words()[i%len(words())] }, links: func(p trapPage) []string {
			return each(12, func(k int) string { return p.target + "+" + words()[p.hash(k)%uint64(len(words()))] })
		}},
		{kind: "list, Czech", prefix: "/aktuality?", czech: true, entry: fixed("/aktuality?strana=1"), links: func(p trapPage) []string { return pages("/aktuality?strana=%d", p) }},
		{kind: "variants", prefix: "/view?", entry: func(i int) string { return fmt.Sprintf("/view?id=%d", i%50) }, links: variantsOf},
		{kind: "list, path", prefix: "/blog/page/", entry: fixed("/blog/page/2/"), links: func(p trapPage) []string { return pages("/blog/page/%d/", p) }},
		{kind: "session, query", prefix: "/basket?", entry: fixed("/basket?item=1"), links: func(p trapPage) []string {
			return each(24, func(k int) string { return fmt.Sprintf("/basket?item=%d&sid=%016x%016x", k, p.hash(k), p.hash(k+100)) })
		}},
	}
}

func each(n int, f func(k int) string) []string {
	all := make([]string, n)
	for k := range all {
		all[k] = f(k)
	}
	return all
}

// number is the k-th number in the target of a page, or what stands for it.
func (p trapPage) number(k, otherwise int) int {
	if n := ints(p.target); k < len(n) {
		return n[k]
	}
	return otherwise
}

func pages(format string, p trapPage) []string {
	n := p.number(0, 1)
	var all []string
	for _, m := range []int{n - 1, n + 1, n + 2, n + 3, n + 10, n + 100} {
		if m > 0 {
			all = append(all, fmt.Sprintf(format, m))
		}
	}
	return all
}

func calendarQuery(p trapPage) []string {
	y, m, d := p.number(0, 2026), p.number(1, 1), p.number(2, 1)
	var all []string
	add := func(view string, y, m, d int) {
		y, m = y+(m+11)/12-1, (m+11)%12+1
		all = append(all, fmt.Sprintf("/calendar.php?view=%s&year=%d&month=%d&day=%d", view, y, m, d))
	}
	for _, view := range []string{"day", "week", "month", "year"} {
		add(view, y, m, d)
		add(view, y, m-1, d)
		add(view, y, m+1, d)
	}
	add("year", y-1, m, d)
	add("year", y+1, m, d)
	for day := range 28 {
		add("day", y, m, day+1)
	}
	return append(all, fmt.Sprintf("/calendar.php?month=%d&year=%d&tmpl=component&print=1", m, y))
}

// calendarPath has the months, days and weeks around a day, below its first folder.
func calendarPath(p trapPage) []string {
	top := p.target[:strings.IndexByte(p.target[1:], '/')+2]
	y, m := p.number(0, 2026), (p.number(1, 1)+11)%12+1
	all := []string{fmt.Sprintf("%s%d/", top, y-1), fmt.Sprintf("%s%d/", top, y+1)}
	for _, k := range []int{-1, 1} {
		months := y*12 + m - 1 + k
		all = append(all, fmt.Sprintf("%s%d/%02d/", top, months/12, months%12+1))
	}
	for day := range 28 {
		all = append(all, fmt.Sprintf("%s%d/%02d/%02d/", top, y, m, day+1))
	}
	for k := range 4 {
		all = append(all, fmt.Sprintf("%s%d/week/%d/", top, y, (m-1)*4+k+1))
	}
	return all
}

// facets adds a filter to those that there are, or puts another value in its place.
func facets(p trapPage) []string {
	_, query, _ := strings.Cut(p.target, "?")
	set := strings.Split(query, "&")
	var all []string
	for _, name := range []string{"color", "size", "brand", "price", "stock", "sort"} {
		rest := slices.DeleteFunc(slices.Clone(set), func(f string) bool { return strings.HasPrefix(f, name+"=") })
		for v := range 4 {
			all = append(all, "/shop/list?"+strings.Join(append(slices.Clone(rest), fmt.Sprintf("%s=%d", name, v)), "&"))
		}
	}
	return all
}

// indexColumns is a listing of Apache; one of its folders leads back to itself.
func indexColumns(p trapPage) []string {
	folder, _, _ := strings.Cut(p.target, "?")
	var all []string
	for _, column := range []string{"N", "M", "S", "D"} {
		all = append(all, folder+"?C="+column+";O=A", folder+"?C="+column+";O=D")
	}
	for _, name := range []string{"debian/", "images/", "latest/", "src/"} {
		all = append(all, folder+name)
	}
	return all
}

// variantsOf are the forms of a page, and its neighbours.
func variantsOf(p trapPage) []string {
	id := p.number(0, 0) % 50
	all := []string{fmt.Sprintf("/view?id=%d", (id+1)%50), fmt.Sprintf("/view?id=%d", (id+49)%50)}
	for _, more := range []string{"print=1", "action=edit", "share=twitter", "share=facebook", "sort=asc", "sort=desc", "lang=en"} {
		all = append(all, p.target+"&"+more)
	}
	for k := range 5 {
		all = append(all, p.target+"&replytocom="+strconv.FormatUint(p.hash(k)%100_000, 10))
	}
	return all
}

// trapOf is the trap of a host, nil when it has none: one host in as many as the share
// says has one, of all kinds in turn; the seed says which begins.
func (w *Web) trapOf(h int) *trap {
	if !w.p.Traps || w.p.TrapShare == 0 {
		return nil
	}
	every := max(int(1/w.p.TrapShare), 1)
	at := h - h%every + every/2
	for w.p.Deep && at < h && w.own(at) { // nobody would come there
		at++
	}
	if h != at || w.p.Deep && w.own(h) {
		return nil
	}
	return &w.traps[(h/every+int(w.p.Seed%uint64(len(w.traps))))%len(w.traps)]
}

// farm is the domain of the link farm of a host.
func farm(h int) string { return "farm-" + strconv.Itoa(h) + ".net" }

// farmOf finds the host with whose link farm a name belongs.
func (w *Web) farmOf(name string) (h int, ok bool) {
	at := strings.LastIndex(name, ".farm-")
	if at < 0 {
		return 0, false
	}
	n := ints(name[at:])
	if len(n) != 1 || n[0] >= w.p.Hosts || name[at+1:] != farm(n[0]) {
		return 0, false
	}
	t := w.trapOf(n[0])
	return n[0], t != nil && t.kind == farmKind
}

func (w *Web) farmAddress(h int) netip.Addr { return loopback(10, h) }

// entryTo is the address of the trap that a page of a host leads to, "" for none.
func (w *Web) entryTo(n node) string {
	t := w.trapOf(n.h)
	switch {
	case t == nil || n.slot() != 0 || n.kind != HTML:
		return ""
	case t.kind == farmKind:
		return "http://a" + strconv.Itoa(n.block()%3) + "." + farm(n.h) + "/"
	}
	return t.entry(n.i)
}

// findTrap returns the trap that a target of a host is a page of, nil when it is none.
func (w *Web) findTrap(h int, target string) *trap {
	if t := w.trapOf(h); t != nil && t.prefix != "" && strings.HasPrefix(target, t.prefix) {
		return t
	}
	return nil
}

// trapPage renders the page of a trap of a host.
func (w *Web) trapPage(b *body, h int, t *trap, target string) {
	p := trapPage{target, w.hash(forTrap, h, 0)}
	for _, c := range []byte(target) {
		p.n = mix(p.n, uint64(c))
	}
	w.linkPage(b, p, t.czech, t.links(p))
}

// farmPage renders the page of a host of a link farm.
func (w *Web) farmPage(b *body, h int, name string) {
	p := trapPage{"/", w.hash(forTrap, h, 1)}
	for _, c := range []byte(name) {
		p.n = mix(p.n, uint64(c))
	}
	w.linkPage(b, p, false, each(20, func(k int) string {
		return "http://a" + strconv.FormatUint(p.hash(k)%1_000_000_000, 10) + "." + farm(h) + "/"
	}))
}

// linkPage is a page of some prose with links.
func (w *Web) linkPage(b *body, p trapPage, czech bool, links []string) {
	prose, lang := w.pools.english, "en"
	if czech {
		prose, lang = w.pools.czech, "cs"
	}
	title, err := url.PathUnescape(p.target)
	if err != nil {
		title = p.target
	}
	b.text("<!DOCTYPE html>\n<html lang=\"" + lang + "\">\n<head><meta charset=\"utf-8\"><title>" + title[:min(len(title), 100)] + "</title></head>\n<body>\n<a href=\"/\">Home</a>\n")
	for k := range 4 {
		b.piece(&prose[p.hash(-k-1)%uint64(len(prose))])
	}
	for _, u := range links {
		b.text("<a href=\"" + u + "\">" + strconv.Itoa(len(u)) + "</a>\n")
	}
	b.text("</body>\n</html>\n")
}
