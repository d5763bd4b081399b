package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"exclave/chain"
	"exclave/crawl"
	"exclave/internal/clock"
	"exclave/internal/cookies"
	"exclave/internal/mime"
	"exclave/internal/record"
	"exclave/internal/resolve"
	"exclave/internal/robots"
	"exclave/internal/sheet"
	"exclave/internal/urlx"
)

// maxRetryAfter bounds what a server may ask for; max_retry_after of the frontier does so, too, and may be longer than a day.
const maxRetryAfter = 365 * 24 * time.Hour

// Resolver looks up hosts; *resolve.Resolver is one.
type Resolver interface {
	Lookup(ctx context.Context, host string) (*resolve.Answer, error)
}

// Deps are what the HTTP processor works with.
type Deps struct {
	Hosts    chain.Hosts // addresses of hosts
	Resolver Resolver    // for hosts that robots.txt redirects to; nil: they are not followed
	Scratch  string      // directory for long answers; "" is the system's
	Version  string      // of exclave, for the User-Agent
	// ToeThreads is how many share the processor: half of them may be held by slow
	// servers. 0: all of them.
	ToeThreads int
	// EntityDigest has the digest of an answer in chunks be that of its entity, without chunks.
	EntityDigest bool
	Clock        clock.Clock  // for what is stored; sockets follow the machine's clock
	Log          *slog.Logger // nil: nothing is logged
	// Sheets are the settings of what is asked for beside a URI: where its robots.txt is redirected to, where the form of a login is; nil: none.
	Sheets *sheet.Live
	// Robots is what is done about robots.txt where no sheet says otherwise, UnreachableFor
	// after how long one that cannot be had counts as absent; 0: never.
	Robots         robots.Policy
	UnreachableFor time.Duration
	// Sitemaps says which of them are asked for where no sheet says otherwise.
	Sitemaps Sitemaps
	// Languages is the value of Accept-Language that ProfileLanguages stands for; "": none.
	Languages string
	// Cookies are those of the job; nil: none.
	Cookies *cookies.Jar
	// Accounts are sent to servers that ask, or by the form that they name; nil: none.
	Accounts *Accounts
	// Credentials are sent to the servers they are for; nil: none.
	Credentials Credentials
	// ReadCredentials adds further ones, before the first request; nil: there are none. It
	// ends without an error when ctx does.
	ReadCredentials func(ctx context.Context, to Credentials) error
}

// HTTP fetches http: and https: URIs. Make it with NewHTTP.
type HTTP struct {
	cfg         Config
	deps        Deps
	clk         clock.Clock
	log         *slog.Logger
	agent       string
	connectTo   map[string]netip.AddrPort
	guard       guard
	tls         *tls.Config
	roots       *x509.CertPool
	pool        *pool
	slowLane    chan struct{} // see pace
	rate        *bucket       // of all answers
	rates       buckets       // of servers
	probes      probes
	dialTCP     func(ctx context.Context, network, addr string) (net.Conn, error)
	refusedOnce sync.Once
	proxyOnce   sync.Once // that a proxy made no connection was said
	seedRefused sync.Once // that a server did not take the password of a seed was said
	standings   standings
	proxies     proxies
}

var (
	_ chain.Processor = (*HTTP)(nil)
	_ chain.Starter   = (*HTTP)(nil)
	_ chain.Stopper   = (*HTTP)(nil)
	_ chain.Reporter  = (*HTTP)(nil)
)

// NewHTTP returns the processor, or every problem of the configuration.
func NewHTTP(c Config, d Deps) (*HTTP, error) {
	if err := c.Validate().Err("fetch"); err != nil {
		return nil, err
	}
	h := &HTTP{cfg: c, deps: d, clk: d.Clock, log: d.Log, agent: c.Agent(d.Version), tls: tlsConfig(),
		pool: newPool(c.MaxIdle, c.IdleTimeout), dialTCP: (&net.Dialer{KeepAlive: -1}).DialContext}
	if c.MaxRate > 0 {
		h.rate = &bucket{rate: c.MaxRate}
	}
	if d.ToeThreads > 0 {
		h.slowLane = make(chan struct{}, (d.ToeThreads+1)/2)
	}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	h.guard = newGuard(c)
	h.connectTo, _ = parseConnectTo(c.ConnectTo)
	var err error
	if h.roots, err = roots(c.RootFiles); err != nil {
		return nil, err
	}
	return h, nil
}

// Start reads the credentials: its initial task.
func (h *HTTP) Start(ctx context.Context) error {
	if h.deps.ReadCredentials == nil {
		return nil
	}
	if h.deps.Credentials == nil {
		h.deps.Credentials = Credentials{}
	}
	return h.deps.ReadCredentials(ctx, h.deps.Credentials)
}

// Report implements [chain.Reporter].
func (h *HTTP) Report(w io.Writer) error {
	_, err := fmt.Fprintf(w, "Idle connections:  %d\nSlow exchanges:    %d\n", h.pool.len(), len(h.slowLane))
	return err
}

// Stop closes the idle connections.
func (h *HTTP) Stop(context.Context) error {
	h.pool.close()
	return nil
}

// Process fetches the URI. Whatever is not an answer to be extracted and written
// goes on with the post chain; what no processor before has fetched and is
// neither http nor https ends as unfetchable.
func (h *HTTP) Process(ctx context.Context, u *crawl.CrawlURI) (chain.Result, error) {
	if u.Status != crawl.StatusUnattempted {
		return chain.Idle(), nil
	}
	target := u.Parsed()
	if target == nil || !target.IsWeb() {
		u.Status = crawl.StatusUnfetchable
		return chain.Jump(chain.Post), nil
	}
	target = target.WithoutUserinfo() // of states that older versions made
	u.Started = h.clk.Now()
	began := h.clk.Mono()
	defer func() { u.Took = h.clk.Mono() - began }()
	if crawl.IsRobots(u.Key) {
		return chain.Jump(chain.Post), h.robots(ctx, u, target)
	}
	q, validators := h.asked(u.Sheet), conditions(u)
	q.fields = append(append(q.fields, h.referer(u, target)...), validators...)
	jar := h.jarFor(u.Sheet)
	a, err := h.visit(ctx, u, target, jar, q)
	if err != nil {
		return chain.Jump(chain.Post), failed(u, err)
	}
	if err := h.accept(u, a); err != nil {
		return chain.Result{}, err
	}
	if u.NewCookies, err = jar.Set(target, values(a, "Set-Cookie")); err != nil {
		return chain.Result{}, fmt.Errorf("fetch: %s: %w", u.URL, err)
	}
	if to := redirect(target, a); to != nil {
		u.CookiesOn = jar.For(to) != ""
	}
	if err := h.soft404(ctx, u, target); err != nil {
		return chain.Result{}, err
	}
	u.NotModified = u.HTTPStatus == http.StatusNotModified && len(validators) > 0
	if u.NotModified {
		u.Digest, u.Class = u.Prior.PayloadDigest, u.Prior.Outcome.Class
	}
	if u.Status.Class() == crawl.ClassRetry && !u.LastAttempt {
		return chain.Jump(chain.Post), nil
	}
	return chain.Result{}, nil
}

// asked is how something is asked for, by the sheets that apply to it; nil: none.
func (h *HTTP) asked(of *sheet.Settings) ask {
	q := ask{own: h.cfg.Headers, lookup: h.facts, bounds: h.most(), timeout: h.cfg.Timeout, route: h.routeOf(of), rate: h.cfg.HostRate}
	language := h.cfg.AcceptLanguage
	if of != nil {
		s := &of.HTTP
		if s.Timeout != nil {
			q.timeout = *s.Timeout
		}
		if s.HostRate != nil {
			q.rate = *s.HostRate
		}
		if s.MaxSize != nil {
			q.bounds.body = func(*record.Head) int64 { return *s.MaxSize }
		}
		if s.AcceptLanguage != nil {
			language = *s.AcceptLanguage
		}
		if s.Headers != nil {
			q.own = sheet.JoinHeaders(h.cfg.Headers, s.Headers)
		}
	}
	if language == ProfileLanguages {
		language = h.deps.Languages
	}
	q.fields = append(q.fields, record.Field{Name: "Accept-Language", Value: language})
	return q
}

// referer is the Referer field of a request for a URI: the page that led to it, as far as the policy says it. A
// page got over TLS is not named to a server without; credentials and fragment never are.
func (h *HTTP) referer(u *crawl.CrawlURI, target *urlx.URL) []record.Field {
	policy := h.cfg.ReferrerPolicy
	if u.Sheet != nil && u.Sheet.HTTP.ReferrerPolicy != nil {
		policy = *u.Sheet.HTTP.ReferrerPolicy
	}
	if policy == sheet.NoReferrer || u.Seed {
		return nil
	}
	via, err := urlx.Parse(u.Via)
	if err != nil || !via.IsWeb() {
		return nil
	}
	value := via.WithoutUserinfo().WithoutFragment().String()
	if policy == sheet.StrictOrigin {
		switch {
		case via.Scheme() == "https" && target.Scheme() != "https":
			return nil
		case via.Origin() != target.Origin():
			value = via.Origin() + "/"
		}
	}
	return []record.Field{{Name: "Referer", Value: value}}
}

// visit makes the exchange for a URI, and once more when the server seems to have forgotten who it is.
func (h *HTTP) visit(ctx context.Context, u *crawl.CrawlURI, target *urlx.URL, jar *cookies.Jar, q ask) (*answer, error) {
	s, err := h.member(ctx, u, target, jar)
	if err != nil {
		return nil, err
	}
	asked := s.nth
	q.jar = jar
	for attempt := 0; ; attempt++ {
		a, err := h.identified(ctx, u, target, q)
		if err != nil {
			return nil, err
		}
		out, sure := h.looksLoggedOut(target, s, a)
		if attempt == 0 && out {
			if s, err = h.renewed(ctx, u, s, jar); err != nil {
				return nil, errors.Join(err, a.rec.Close())
			}
		}
		if attempt > 0 || s.nth == asked {
			h.opened(u, s, out, sure, s.nth != asked)
			return a, nil
		}
		if err := a.rec.Close(); err != nil {
			return nil, err
		}
	}
}

// jarFor returns the jar that a request takes part in, by the sheets that apply; nil for none.
func (h *HTTP) jarFor(of *sheet.Settings) *cookies.Jar {
	keep := h.cfg.Cookies
	if of != nil && of.HTTP.Cookies != nil {
		keep = *of.HTTP.Cookies
	}
	if !keep {
		return nil
	}
	return h.deps.Cookies
}

// facts are the addresses the frontier knows.
func (h *HTTP) facts(ctx context.Context, host string) ([]netip.Addr, error) {
	f, err := h.deps.Hosts.Host(ctx, host)
	if err != nil {
		return nil, fmt.Errorf("fetch: addresses of %s: %w", host, err)
	}
	return f.Addrs, nil
}

// failed notes what a server did; an error that is ours is returned.
func failed(u *crawl.CrawlURI, err error) error {
	var f *failure
	if !errors.As(err, &f) {
		return err
	}
	u.Status = f.status
	for _, n := range f.notes {
		u.Annotate(n)
	}
	return nil
}

// conditions make the request conditional when a page that is archived whole is fetched again.
func conditions(u *crawl.CrawlURI) []record.Field {
	p := u.Prior
	if !u.Force || p == nil || !p.Outcome.Archived || p.Outcome.Truncated {
		return nil
	}
	var out []record.Field
	if p.ETag != "" && isFieldValue(p.ETag) {
		out = append(out, record.Field{Name: "If-None-Match", Value: p.ETag})
	}
	if p.LastModified != "" && isFieldValue(p.LastModified) {
		out = append(out, record.Field{Name: "If-Modified-Since", Value: p.LastModified})
	}
	return out
}

// accept puts an answer on the URI.
func (h *HTTP) accept(u *crawl.CrawlURI, a *answer) (err error) {
	u.Rec, u.Addr, u.Truncated = a.rec, a.addr, a.truncated
	u.HTTPStatus, u.Status = a.status, crawl.Status(a.status)
	u.Digest = a.rec.PayloadDigest()
	if h.deps.EntityDigest && a.rec.Head().Chunked() {
		at, n := a.rec.Response()
		if u.Digest, err = record.EntityDigest(at, n); err != nil {
			return fmt.Errorf("fetch: %s: %w", u.URL, err)
		}
	}
	u.Protocols, u.CipherSuite = append(u.Protocols[:0], "http/1.0"), a.suite
	switch {
	case slices.Contains(a.notes, "http09"):
		u.Protocols[0] = "http/0.9"
	case a.rec.Head().HTTP11:
		u.Protocols[0] = "http/1.1"
	}
	if a.tls != "" {
		u.Protocols = append(u.Protocols, a.tls)
	}
	for _, n := range a.notes {
		u.Annotate(n)
	}
	describe(u, a.rec)
	if a.status == http.StatusTooManyRequests || a.status == http.StatusServiceUnavailable {
		u.RetryAfter = retryAfter(u.Header("Retry-After"), h.clk.Now())
	}
	return nil
}

// Describe sets answer, status, headers, type and class of u by a recorded answer.
func Describe(u *crawl.CrawlURI, rec *record.Recording) {
	u.Rec, u.HTTPStatus, u.Status = rec, rec.Head().Status, crawl.Status(rec.Head().Status)
	describe(u, rec)
}

// describe tells headers, type and class of a recorded answer.
func describe(u *crawl.CrawlURI, rec *record.Recording) {
	fields := rec.Head().Fields
	u.Headers = make([]crawl.Header, len(fields))
	for i, f := range fields {
		u.Headers[i] = crawl.Header(f)
	}
	head, _ := rec.Body(mime.HeadSize) // what could be decoded tells the type
	u.MIME = mime.Detect(u.URL, u.Header("Content-Type"), head, u.Reached().Hints)
	switch {
	case crawl.IsFTPListing(u.Parsed()):
		u.MIME = mime.Info{Type: "text/plain", Class: mime.Text}
	case crawl.IsFTPDirectory(u.Parsed(), u.Status):
		u.MIME = mime.Info{}
	}
	u.Class = classOf(u)
}

func classOf(u *crawl.CrawlURI) crawl.TypeClass {
	if crawl.IsFTPDirectory(u.Parsed(), u.Status) || u.HTTPStatus >= 300 && u.HTTPStatus < 400 && u.HTTPStatus != http.StatusNotModified && u.Header("Location") != "" {
		return crawl.ClassRedirect
	}
	switch u.MIME.Class {
	case mime.HTML:
		return crawl.ClassHTML
	case mime.Text:
		return crawl.ClassText
	case mime.Container:
		return crawl.ClassContainer
	}
	if t := u.MIME.Type; t == "application/json" || t == "text/json" || strings.HasSuffix(t, "+json") {
		return crawl.ClassContainer // scripts ask for what it names
	}
	return crawl.ClassOther
}

// retryAfter reads seconds, however many, or a date (RFC 9110 §10.2.3).
func retryAfter(value string, now time.Time) time.Duration {
	var d time.Duration
	if n, err := strconv.ParseInt(value, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) { // n is the nearest then
		d = time.Duration(min(max(n, 0), int64(maxRetryAfter/time.Second))) * time.Second
	} else if t, err := http.ParseTime(value); err == nil {
		d = t.Sub(now)
	}
	return min(max(d, 0), maxRetryAfter)
}
