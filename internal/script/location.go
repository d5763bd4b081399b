package script

import (
	"net/url"
	"strings"
)

// maxPlace is how long the address is that a page says it has.
const maxPlace = 4096

// pageAt is where the page is, as its scripts see it.
type pageAt struct {
	at    url.URL  // moved by its history
	base  *url.URL // what addresses are relative to, unless it moved
	moved bool
	state value
}

// whereabouts is the place of the page, nil when nobody knows it.
func (p *Page) whereabouts() *pageAt {
	d := p.doc
	if d.place == nil && d.source.URL != nil {
		d.place = &pageAt{at: *d.source.URL, base: d.source.Base, state: null{}}
	}
	return d.place
}

// baseURL is what addresses are relative to, nil when nobody knows.
func (p *Page) baseURL() *url.URL {
	switch w := p.whereabouts(); {
	case w == nil:
		return nil
	case w.moved && (w.base == nil || *w.base == *p.doc.source.URL):
		return &w.at // it has no base of its own
	default:
		return w.base
	}
}

// ofPlace is a part of the page's address.
func ofPlace(s string) *text { return &text{s: s, own: true} }

// locationProperty is what the location has.
func (p *Page) locationProperty(key string) value {
	switch key {
	case "assign", "replace":
		return p.native(key, func(p *Page, _ value, args []value) value {
			p.sink(Goes, argument(args, 0))
			return nil
		})
	case "reload":
		return p.native(key, nothing)
	}
	w := p.whereabouts()
	if w == nil {
		switch key {
		case "href", "origin", "protocol", "search", "hash", "port":
			return &text{page: true}
		case "toString":
			return p.native(key, func(*Page, value, []value) value { return &text{page: true} })
		case "pathname":
			return &text{s: PathOfPage, page: true}
		case "host", "hostname":
			return &text{s: HostOfPage, page: true}
		}
		return unknown{}
	}
	p.cost((len(w.at.Path) + len(w.at.RawQuery) + len(w.at.Fragment)) / 64)
	switch key {
	case "toString", "valueOf":
		return p.native(key, func(*Page, value, []value) value { return ofPlace(w.at.String()) })
	}
	if s, has := partOf(&w.at, key); has {
		return ofPlace(s)
	}
	return unknown{}
}

// partOf is a part of an address, as locations and links have it.
func partOf(u *url.URL, key string) (string, bool) {
	switch key {
	case "href":
		return u.String(), true
	case "origin":
		return u.Scheme + "://" + u.Host, true
	case "protocol":
		return u.Scheme + ":", true
	case "host":
		return u.Host, true
	case "hostname":
		return u.Hostname(), true
	case "port":
		return u.Port(), true
	case "pathname":
		if u.Path == "" {
			return "/", true
		}
		return u.EscapedPath(), true
	case "search":
		if u.RawQuery == "" {
			return "", true
		}
		return "?" + u.RawQuery, true
	case "hash":
		if u.Fragment == "" {
			return "", true
		}
		return "#" + u.EscapedFragment(), true
	}
	return "", false
}

// setLocation sets a part of the location.
func (p *Page) setLocation(key string, v value) {
	switch key {
	case "href":
		p.sink(Goes, v)
	case "search", "pathname", "host", "hostname", "protocol":
		told(p, nil, []value{v})
	case "hash":
		told(p, nil, []value{v})
		t, w := p.textOf(one(v)), p.whereabouts()
		if w == nil || !t.known() || p.weak > 0 || len(t.s) > maxPlace {
			return
		}
		p.cost(1 + len(t.s)/16)
		old := w.at.String()
		w.at.Fragment = strings.TrimPrefix(t.s, "#")
		if len(p.jobs) < maxJobs {
			e := p.event("hashchange", p.global).(*object)
			e.put("oldURL", ofPlace(old))
			e.put("newURL", ofPlace(w.at.String()))
			p.jobs = append(p.jobs, func() { dispatch(p, p.global, []value{e}) })
		}
	}
}

// shows is for the address that a page says it has from now on, which a person may come back to.
func shows(p *Page, _ value, args []value) value {
	told(p, nil, args[:min(2, len(args))])
	t, is := argument(args, 2).(*text)
	if !is {
		return nil
	}
	t.given = true
	w := p.whereabouts()
	if w == nil || p.weak > 0 || !t.known() {
		return nil
	}
	p.cost((len(t.s) + len(w.at.Path)) / 16)
	if to, err := w.at.Parse(t.s); err == nil && to.Host == w.at.Host && len(to.String()) <= maxPlace {
		w.at, w.moved, w.state = *to, true, argument(args, 0)
	}
	return nil
}

// shared reports an address of another host that has where the page is in it: it shares that, in a window of its own. What is only made of
// where the page is may also be that.
func (p *Page) shared(s string, use Use) bool {
	w := p.whereabouts()
	if w == nil {
		return false
	}
	u, err := w.at.Parse(s)
	return err == nil && (u.Host != w.at.Host || use == Made && u.EscapedPath() == w.at.EscapedPath())
}

// setLink sets a part of the address of a link; false: it is none.
func (p *Page) setLink(o *object, key string, v value) bool {
	n := p.glance(o)
	t, has := p.attr(o, "href")
	if n == nil || n.Data != "a" && n.Data != "area" || !has || p.baseURL() == nil {
		return false
	}
	u, err := url.Parse(p.whole(t).s)
	to := p.textOf(one(v))
	if err != nil || !to.known() || len(t.s)+len(to.s) > maxPlace {
		return false
	}
	p.cost(1 + (len(t.s)+len(to.s))/16)
	switch key {
	case "search":
		u.RawQuery = strings.TrimPrefix(to.s, "?")
	case "hash":
		u.Fragment = strings.TrimPrefix(to.s, "#")
	case "pathname":
		u.Path, u.RawPath = to.s, ""
	}
	o.put("@href", p.make(u.String(), t, to))
	return true
}

// rebase is for the address that a script gives the base element.
func (p *Page) rebase(t *text) {
	w := p.whereabouts()
	if w == nil || p.weak > 0 || !t.known() {
		return
	}
	p.cost(len(t.s) / 16)
	if base, err := w.at.Parse(t.s); err == nil && len(base.String()) <= maxPlace {
		w.base, w.moved = base, true
	}
}

// whole is an address as the place of the page makes it, when that is known.
func (p *Page) whole(t *text) *text {
	base := p.baseURL()
	if base == nil || len(t.s) > maxPlace || !t.known() {
		return t
	}
	p.cost(len(t.s) / 16)
	u, err := base.Parse(strings.TrimSpace(t.s))
	if err != nil {
		return t
	}
	return &text{s: u.String(), parts: []*text{t}, lit: t.lit, from: t.from}
}
