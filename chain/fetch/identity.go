package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"exclave/crawl"
	"exclave/internal/record"
	"exclave/internal/urlx"
)

const (
	// vainSends is after how many refusals in a row a password that had opened something is not sent unasked any more.
	vainSends = 3
	// maxIdentities is how many requests a visit may take to say who asks.
	maxIdentities = 4
)

// identity is what a request says of who asks. The zero identity says nothing.
type identity struct {
	value string     // of Authorization
	by    *challenge // that it answers; nil: it is the credential of a seed, which goes unasked
}

// space is where a password is taken or is not: a protection space (RFC 9110 §11.5) and the account.
type space struct {
	origin, realm string
	of            *account // nil: of a seed
}

func (i identity) space(u *urlx.URL) space {
	if i.by == nil {
		return space{origin: u.Origin()}
	}
	return i.by.space(u)
}

func (c *challenge) space(u *urlx.URL) space { return space{u.Origin(), c.params["realm"], c.of} }

// standings say how passwords stand with servers.
type standings struct {
	mu sync.Mutex
	of map[space]*standing
}

type standing struct {
	opened  bool // something was got with it
	vain    int  // refusals since then
	refused bool // it is not sent unasked any more
	at      time.Time
}

func (s *standings) get(p space) *standing {
	if s.of == nil || len(s.of) >= maxCredentials {
		s.of = map[space]*standing{}
	}
	st, ok := s.of[p]
	if !ok {
		st = &standing{}
		s.of[p] = st
	}
	return st
}

// resting reports whether a password was refused, and not long ago: it is not what the server is answered.
func (s *standings) resting(p space, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.of[p]
	return st != nil && st.refused && now.Sub(st.at) < loginAgain
}

// refused reports whether a password is not sent unasked any more.
func (s *standings) refused(p space) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.of[p]
	return st != nil && st.refused
}

func (s *standings) opened(p space) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.get(p).opened
}

// open notes that something was got with a password.
func (s *standings) open(p space) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.get(p)
	st.opened, st.vain, st.refused = true, 0, false
}

// refuse notes that a password was refused, and reports whether it is not sent any more: one that opens pages may be refused for one of others.
func (s *standings) refuse(p space, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.get(p)
	st.vain++
	st.at = now
	st.refused = st.refused || !st.opened || st.vain >= vainSends
	return st.refused
}

// identified makes an exchange, and further ones when the server asks who it is. A password that was sent unasked and refused is left out once:
// the page may be one for everybody. Cookies of all answers but the last are kept. u is annotated; nil: nothing is.
func (h *HTTP) identified(ctx context.Context, u *crawl.CrawlURI, target *urlx.URL, q ask) (*answer, error) {
	note := func(word string) {
		if u != nil && word != "" && !slices.Contains(u.Annotations, word) {
			u.Annotate(word)
		}
	}
	id := h.identity(q, target, nil)
	var unasked, refused identity
	if id.value != "" {
		unasked = id
	}
	var tried []space
	for n := 1; ; n++ {
		note(id.note())
		with := q
		with.auth = id.value
		if value := q.jar.For(target); value != "" {
			with.fields = append(slices.Clip(with.fields), record.Field{Name: "Cookie", Value: value})
		}
		a, err := h.get(ctx, target, with)
		if err != nil {
			return nil, err
		}
		if a.status != http.StatusUnauthorized {
			switch {
			case id.value != "" && a.status < http.StatusInternalServerError && (id.by != nil || u != nil && !crawl.IsRobots(u.Key)): // which most give to everybody
				h.standings.open(id.space(target))
			case refused.value != "": // everybody gets it who does not send it
				note("auth:refused")
				h.refuse(target, refused)
			}
			return a, nil
		}
		c, vain := h.deps.Accounts.take(target, values(a, "WWW-Authenticate"), func(c *challenge) bool { return h.standings.resting(c.space(target), h.clk.Now()) })
		var next identity
		again := false
		switch {
		case n == maxIdentities:
		case c != nil && h.answers(target, c, id, tried, unasked):
			next, again = h.identity(q, target, c), true
			tried = append(tried, c.space(target))
		case id.value != "" && id == unasked:
			refused, again = id, true
		}
		if !again {
			switch {
			case refused.value != "" || id.value != "":
				note("auth:refused")
				if id.value == "" {
					id = refused
				}
				if id.by != nil && c != nil {
					id.by = c // which may be of another realm
				}
				h.refuse(target, id)
			case vain || h.standings.refused(space{origin: target.Origin()}):
				note("auth:refused")
			case h.deps.Accounts.of(target, func(x *account) bool { return x.Login == "" }) != nil:
				note("auth:unanswered")
			}
			return a, nil
		}
		if _, err = q.jar.Set(target, values(a, "Set-Cookie")); err != nil {
			err = fmt.Errorf("fetch: %s: %w", target.Origin(), err)
		}
		if err := errors.Join(err, a.rec.Close()); err != nil {
			return nil, err
		}
		id = next
	}
}

// answers reports whether a challenge is worth another request, after one that said id and others: it is not when the same was said before.
func (h *HTTP) answers(u *urlx.URL, c *challenge, id identity, tried []space, unasked identity) bool {
	same := func(i identity) bool { // whatever the realm, Basic is the same for an account
		return i.by != nil && (i.space(u) == c.space(u) || i.by.of == c.of && i.by.scheme == "basic" && c.scheme == "basic")
	}
	switch {
	case same(id):
		return c.stale() || id == unasked && c.scheme == "digest" && c.params["nonce"] != id.by.params["nonce"] && h.standings.opened(id.space(u))
	case same(unasked):
		return false
	}
	return !slices.Contains(tried, c.space(u))
}

// identity is what a request says: to a challenge, or unasked (nil), when the server has asked before, or a seed has a credential.
func (h *HTTP) identity(q ask, u *urlx.URL, c *challenge) identity {
	if value, by := h.deps.Accounts.authorization(cmp.Or(q.method, http.MethodGet), u, q.body, c); value != "" {
		return identity{value, by}
	}
	if c != nil || h.standings.refused(space{origin: u.Origin()}) {
		return identity{}
	}
	return identity{value: h.deps.Credentials[u.Origin()]}
}

// note is the annotation of a request with the identity.
func (i identity) note() string {
	if i.by == nil {
		return ""
	}
	return "auth:" + i.by.scheme
}

// refuse notes that a server did not take what it was sent, and says so once for each credential.
func (h *HTTP) refuse(u *urlx.URL, id identity) {
	const said = "a server refuses a user name or password; it is not sent there but, after ten minutes, where the server asks for it, and pages are archived as the server answers without. Mend it and start the crawl again"
	switch p := id.space(u); {
	case p.of != nil && !p.of.part.has(u, urlx.SURT(u)): // a robots.txt beside its prefix, which may be for others: its pages were not asked for
	case !h.standings.refuse(p, h.clk.Now()):
	case p.of == nil:
		h.seedRefused.Do(func() {
			h.log.Warn(said+"; further ones are only annotated", "of", "a seed", "server", u.Origin(), "url", u.WithoutUserinfo().String())
		})
	default:
		h.deps.Accounts.forget(id.by, u)
		p.of.refused.Do(func() {
			where := []any{"prefix", p.of.Prefix, "user", p.of.User, "realm", p.realm, "url", u.WithoutUserinfo().String()}
			if p.of.PasswordEnv != "" {
				where = append(where, "password_env", p.of.PasswordEnv)
			} else {
				where = append(where, "password_file", p.of.PasswordFile)
			}
			h.log.Warn(said, where...)
		})
	}
}
