package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"exclave/crawl"
	"exclave/internal/cookies"
	"exclave/internal/mime"
	"exclave/internal/record"
	"exclave/internal/urlx"
)

const (
	// loginAgain is the time in which a credential is used for a form so often: twice in a row when that brought nothing, quickLogins
	// times at all.
	loginAgain  = 10 * time.Minute
	vainLogins  = 2
	quickLogins = 10
	// maxForm is how much of a login page is read, maxLoginHops how many redirects lead to it.
	maxForm      = 1 << 20
	maxLoginHops = 5
)

// membership is the login that a request is made with. The zero membership needs none.
type membership struct {
	*account
	nth  int  // which of the account's logins
	sent bool // for this request
}

// member logs in for a URI, unless that was done.
func (h *HTTP) member(ctx context.Context, u *crawl.CrawlURI, target *urlx.URL, jar *cookies.Jar) (membership, error) {
	a := h.deps.Accounts.of(target, func(x *account) bool { return x.Login != "" })
	if a == nil || jar == nil {
		return membership{}, nil
	}
	a.mu.Lock() // other ToeThreads with URIs of the account wait for the same login
	defer a.mu.Unlock()
	if a.logins == 0 {
		return h.login(ctx, u, a, jar)
	}
	if !a.ok {
		u.Annotate("login:failed")
	}
	return membership{account: a, nth: a.logins}, nil
}

// renewed returns the membership for a request that was answered as to somebody who is not logged in: of another ToeThread, which has logged in
// since, or one of its own. It is s when there is no better one.
func (h *HTTP) renewed(ctx context.Context, u *crawl.CrawlURI, s membership, jar *cookies.Jar) (membership, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.sent:
		return s, nil
	case s.logins > s.nth:
		if s.ok {
			s.nth = s.logins
		}
		return s, nil
	case !s.mayAgain(h.clk.Now()):
		return s, nil
	}
	n, err := h.login(ctx, u, s.account, jar)
	if !s.ok {
		n.nth = s.nth
	}
	return n, err
}

// mayAgain reports whether the form is to be sent once more. a.mu is held.
func (a *account) mayAgain(now time.Time) bool {
	return now.Sub(a.since) >= loginAgain || a.ok && a.vain < vainLogins && a.quick < quickLogins
}

// login sends the form of an account, whose mu is held. The error is ours.
func (h *HTTP) login(ctx context.Context, u *crawl.CrawlURI, a *account, jar *cookies.Jar) (membership, error) {
	var err error
	a.ok, err = h.sendForm(ctx, u, a, jar)
	if ctx.Err() != nil {
		return membership{}, ctx.Err()
	}
	if now := h.clk.Now(); now.Sub(a.since) >= loginAgain {
		a.since, a.quick = now, 0
	}
	a.logins++
	a.quick++
	a.vain++
	if !a.ok {
		why := "the answers set no cookie"
		if a.misnamed != "" {
			why = a.misnamed
		}
		if err != nil {
			why = err.Error()
		}
		h.loginFailed(u, a, why)
	}
	var f *failure
	if errors.As(err, &f) || errors.As(err, new(notAsked)) {
		err = nil // of the server
	}
	return membership{a, a.logins, true}, err
}

// loginFailed says that a login brought nothing.
func (h *HTTP) loginFailed(u *crawl.CrawlURI, a *account, why string) {
	u.Annotate("login:failed")
	h.log.Warn("a login failed; pages are fetched without it, and it is tried again in ten minutes", "login", a.Login, "user", a.User, "why", why)
}

// opened notes what the last answer for a URI says of the login that it was asked for with. A server that takes any password for the
// form tells so by what it answers then. again: it was asked for once more, with another login.
func (h *HTTP) opened(u *crawl.CrawlURI, s membership, out, sure, again bool) {
	if s.account == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !s.ok: // it was said
	case out && !sure: // a page may be for others; that tells nothing of a login that is known to open some
		if s.sent && s.works {
			s.vain--
		}
	case out && s.sent && (s.logins == 1 || s.vain == vainLogins):
		h.loginFailed(u, s.account, fmt.Sprintf("the server answers the form with status %d, but %s as to somebody who is not logged in", s.answered, u.URL))
	case out:
		u.Annotate("login:failed")
	case s.sent:
		u.Annotate("login:ok")
	}
	if s.ok && !out && (again || s.sent) {
		s.works = true
	}
	if again && s.ok && !out {
		s.vain = 0
	}
}

// looksLoggedOut reports whether an answer is one for somebody who is not logged in; sure: it is no page that is not for this user.
func (h *HTTP) looksLoggedOut(target *urlx.URL, s membership, a *answer) (out, sure bool) {
	if s.account == nil {
		return false, false
	}
	switch a.status {
	case http.StatusUnauthorized:
		return true, true
	case http.StatusForbidden:
		return true, false
	}
	to := redirect(target, a)
	page, err := urlx.Parse(s.Login)
	out = to != nil && err == nil && to.Origin() == page.Origin() && to.Path() == page.Path()
	return out, out
}

// sendForm asks for the login page and sends its form. It reports whether the form did not come back, and there are cookies.
func (h *HTTP) sendForm(ctx context.Context, u *crawl.CrawlURI, a *account, jar *cookies.Jar) (ok bool, err error) {
	page, err := urlx.Parse(a.Login)
	if err != nil {
		return false, err
	}
	got, err := h.follow(ctx, u, page, jar, ask{})
	if err != nil {
		return false, err
	}
	if withTLS(page, got.at) {
		page = got.at // so are its cookies
	}
	a.misnamed = a.misnames(got.forms, got.at)
	to, q, err := a.filled(got.loginPage, a.form(got.forms), page)
	if err != nil {
		return false, notAsked("the form's action is no address")
	}
	if withTLS(page, to) {
		if page, err = to.Resolve(page.PathQuery()); err != nil {
			return false, err
		}
	}
	if to.Origin() != page.Origin() {
		return false, notAsked("the form would be sent to another server, " + to.Origin())
	}
	formOnly := jar.For(page)
	// Frameworks take a form only from a page of their own (Django, of its own when it has TLS).
	q.fields = []record.Field{{Name: "Referer", Value: got.at.WithoutUserinfo().WithoutFragment().String()}}
	if q.method != "" {
		q.fields = append(q.fields, record.Field{Name: "Origin", Value: got.at.Origin()})
	}
	got, err = h.follow(ctx, u, to, jar, q)
	if err != nil {
		return false, err
	}
	a.answered = got.first
	after := jar.For(page)
	back := a.form(got.forms) != nil
	switch {
	case got.first >= http.StatusBadRequest && a.misnamed == "":
		return false, notAsked(fmt.Sprintf("the server answers the form with status %d", got.first))
	case got.first >= http.StatusBadRequest:
		return false, nil
	case back && a.misnamed != "" || after == formOnly && (back || a.misnamed != "" && a.misnames(got.forms, got.at) != ""):
		return false, nil // the form came back
	}
	return after != "", nil // what is behind it tells more
}

// withTLS reports the same server, which was asked for without TLS and answers with it.
func withTLS(from, to *urlx.URL) bool {
	return from.Hostname() == to.Hostname() && from.Scheme() == "http" && to.Scheme() == "https" && from.Port() == "" && to.Port() == ""
}

// followed is what a request led to.
type followed struct {
	loginPage
	first int // status of the first answer
}

// follow makes a request and follows its redirects, which the jar takes part in. Nothing of it is archived.
func (h *HTTP) follow(ctx context.Context, u *crawl.CrawlURI, to *urlx.URL, jar *cookies.Jar, q ask) (out followed, err error) {
	for hop := 0; ; hop++ {
		settings, err := h.sheetFor(u, to)
		if err != nil && q.secret {
			err = notAsked("a sheet blocks an address that the form is sent to, or leads to")
		}
		if err != nil {
			return out, err
		}
		base := h.asked(settings)
		base.method, base.body, base.typ, base.secret, base.lookup = q.method, q.body, q.typ, q.secret, h.lookup
		base.fields = append(base.fields, q.fields...)
		base.jar = jar
		base.bounds.body = func(*record.Head) int64 { return maxForm }
		a, err := h.identified(ctx, nil, to, base)
		if err != nil {
			return out, err
		}
		if hop == 0 {
			out.first = a.status
		}
		_, err = jar.Set(to, values(a, "Set-Cookie"))
		next := redirect(to, a)
		body, _ := a.rec.Body(maxForm) // a broken coding leaves what comes before
		out.loginPage = readPage(body, mime.Charset(a.rec.Head().Get("Content-Type")), to)
		if err = errors.Join(err, a.rec.Close()); err != nil || next == nil || hop == maxLoginHops {
			return out, err
		}
		if a.status != http.StatusTemporaryRedirect && a.status != http.StatusPermanentRedirect {
			q = ask{secret: q.secret} // a server may repeat what it was sent
		}
		if q.method != "" && next.Origin() != to.Origin() {
			return out, notAsked("the form would be sent on to another server, " + next.Origin())
		}
		to = next
	}
}

// values are those of a header field of an answer.
func values(a *answer, name string) (out []string) {
	for _, f := range a.rec.Head().Fields {
		if strings.EqualFold(f.Name, name) {
			out = append(out, f.Value)
		}
	}
	return out
}

// form returns the form with the password's field, nil when the page has none. Of several, such as one for registration, it is
// one with the user's field, too, then the one that asks for the least beside what is configured, then the first.
func (a *account) form(page []*loginForm) (best *loginForm) {
	var least []int
	for _, f := range page {
		if !f.has(a.PasswordField) {
			continue
		}
		without := 1
		if f.has(a.UserField) {
			without = 0
		}
		if n := []int{without, a.beyond(f.required), a.beyond(f.seen)}; best == nil || slices.Compare(n, least) < 0 {
			best, least = f, n
		}
	}
	return best
}

// beyond counts the names that the account has no value for.
func (a *account) beyond(names []string) (n int) {
	for _, name := range names {
		if _, ok := a.Fields[name]; !ok && name != a.UserField && name != a.PasswordField {
			n++
		}
	}
	return n
}

// misnames says which of the fields that are named the form with the password's field has not, or else the first that asks
// for a password; "" when it has them, or when there is no such form.
func (a *account) misnames(page []*loginForm, at *urlx.URL) string {
	f := a.form(page)
	if i := slices.IndexFunc(page, func(f *loginForm) bool { return f.secret }); f == nil && i >= 0 {
		f = page[i]
	}
	if f == nil {
		return ""
	}
	for _, want := range []string{a.UserField, a.PasswordField} {
		if !f.has(want) {
			return fmt.Sprintf("the form at %s has no field %s; it has %s", at.WithoutUserinfo(), want, strings.Join(f.seen, ", "))
		}
	}
	return ""
}
