package sheet

import (
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"exclave/internal/conf"
	"exclave/internal/robots"
	"exclave/internal/urlx"
)

// Settings are what sheets may set. A key that is nil is not set: what job.toml says holds.
type Settings struct {
	Blocked *bool   `toml:"blocked"` // nothing is asked
	Reason  *string `toml:"reason"`  // why, one word for crawl.log; read when blocked
	// Scope goes before the rules of job.toml, except where these are about prerequisites: Accept or Reject.
	Scope *string `toml:"scope"`
	// MaxHops is the longest hop path; it takes the place of the rule too-many-hops. 0 … 199.
	MaxHops *int `toml:"max_hops"`
	// Hours are the times of day at which requests are made; at others what is queued waits.
	Hours    *Hours   `toml:"hours"`
	Frontier Frontier `toml:"frontier"`
	Limits   Limits   `toml:"limits"`
	HTTP     HTTP     `toml:"http"`
	Robots   Robots   `toml:"robots"`
	Sitemaps Sitemaps `toml:"sitemaps"`
}

// Words of Settings.Scope.
const (
	Accept = "accept"
	Reject = "reject"
)

// maxHops is how long a hop path may be.
const maxHops = 199

// Frontier is the politeness towards hosts, as in section [frontier] of job.toml. No wait is longer than the longest there.
type Frontier struct {
	DelayFactor   *float64       `toml:"delay_factor"`
	MinDelay      *time.Duration `toml:"min_delay"`
	MaxDelay      *time.Duration `toml:"max_delay"`
	MaxCrawlDelay *time.Duration `toml:"max_crawl_delay"`
}

// Limits are the budgets of hosts, as in section [limits]; 0 = none.
type Limits struct {
	HostDocuments *int64 `toml:"host_documents"`
	HostBytes     *int64 `toml:"host_bytes"`
}

// HTTP says what is asked for and received, as section [http] does.
type HTTP struct {
	AcceptLanguage *string           `toml:"accept_language"`
	ReferrerPolicy *string           `toml:"referrer_policy"`
	Headers        map[string]string `toml:"headers"` // of an outer sheet, too, those that this one does not name
	Timeout        *time.Duration    `toml:"timeout"`
	MaxSize        *int64            `toml:"max_size"` // goes before max_sizes
	Cookies        *bool             `toml:"cookies"`
	Soft404        *string           `toml:"soft_404"`
	Proxy          *string           `toml:"proxy"` // Direct = none
	SourceAddress  *string           `toml:"source_address"`
	HostRate       *int64            `toml:"host_rate"`
}

// Words of HTTP.Soft404.
const (
	Soft404Off  = "off"
	Soft404Mark = "mark" // pages are marked
	Soft404Hold = "hold" // and their links are not followed
)

// IsSoft404 reports whether a word is one of them.
func IsSoft404(word string) bool {
	return word == Soft404Off || word == Soft404Mark || word == Soft404Hold
}

// Direct as HTTP.Proxy is no proxy, where job.toml has one.
const Direct = "direct"

// Robots says what robots.txt is obeyed for, as section [robots] does.
type Robots struct {
	Policy *robots.Policy `toml:"policy"`
}

// Sitemaps says which sitemaps are asked for, as section [sitemaps] does.
type Sitemaps struct {
	Use *string `toml:"use"`
}

// Words of Sitemaps.Use.
const (
	SitemapsOff    = "off"
	SitemapsRobots = "robots" // those that robots.txt names
	SitemapsAll    = "all"    // and well-known places, where it names none
)

// IsSitemapsUse reports whether a word is one of them.
func IsSitemapsUse(word string) bool {
	return word == SitemapsOff || word == SitemapsRobots || word == SitemapsAll
}

// hostOnly are the keys about whole hosts: no SURT prefix with a path may set them, for a path would change them for its host.
func (s *Settings) hostOnly() (keys []string) {
	for _, part := range []struct {
		name string
		v    any
	}{{"hours", s.Hours}, {"frontier", s.Frontier}, {"limits", s.Limits}, {"sitemaps", s.Sitemaps}} {
		if v := reflect.ValueOf(part.v); !v.IsZero() {
			keys = append(keys, part.name)
		}
	}
	return keys
}

// Validate returns every value that cannot be.
func (s *Settings) Validate() (ps conf.Problems) {
	if r := s.Reason; r != nil {
		ps.Check(*r != "", "reason", "is empty; a sheet without a reason gives its name")
		ps.Check(!strings.ContainsAny(*r, " \t\r\n,"), "reason", "%q has a blank or a comma, which divide annotations in crawl.log; a sheet without a reason gives its name", *r)
	}
	if w := s.Scope; w != nil {
		ps.Check(*w == Accept || *w == Reject, "scope", `%q: must be "accept" or "reject"`, *w)
	}
	if n := s.MaxHops; n != nil {
		ps.Check(*n >= 0 && *n <= maxHops, "max_hops", "%d is not between 0 and %d", *n, maxHops)
	}
	f := s.Frontier
	if n := f.DelayFactor; n != nil {
		ps.Check(*n >= 0, "frontier.delay_factor", "%g is negative", *n)
	}
	for key, d := range f.delays() {
		ps.Check(d == nil || *d >= 0, key, "a delay is not negative")
	}
	if f.MinDelay != nil && f.MaxDelay != nil {
		ps.Check(*f.MaxDelay >= *f.MinDelay, "frontier.max_delay", "%v is less than min_delay, %v", *f.MaxDelay, *f.MinDelay)
	}
	for key, n := range map[string]*int64{"limits.host_documents": s.Limits.HostDocuments, "limits.host_bytes": s.Limits.HostBytes, "http.max_size": s.HTTP.MaxSize, "http.host_rate": s.HTTP.HostRate} {
		ps.Check(n == nil || *n >= 0, key, "a limit is not negative; 0 = none")
	}
	h := s.HTTP
	ps.Check(h.Timeout == nil || *h.Timeout > 0, "http.timeout", "an exchange needs time")
	if h.AcceptLanguage != nil {
		ps.Check(httpguts.ValidHeaderFieldValue(*h.AcceptLanguage), "http.accept_language", "%q is no value of a header field", *h.AcceptLanguage)
	}
	if p := h.Proxy; p != nil && *p != Direct {
		if err := ValidProxy(*p); err != nil {
			ps.Add("http.proxy", `%v; "direct" = none`, err)
		}
	}
	if w := h.Soft404; w != nil {
		ps.Check(IsSoft404(*w), "http.soft_404", "%q: must be %q, %q or %q", *w, Soft404Off, Soft404Mark, Soft404Hold)
	}
	if a := h.SourceAddress; a != nil {
		_, err := netip.ParseAddr(*a)
		ps.Check(err == nil, "http.source_address", "%q is no address of a machine", *a)
	}
	if h.ReferrerPolicy != nil {
		ps.Check(IsReferrerPolicy(*h.ReferrerPolicy), "http.referrer_policy", "%q: must be %q, %q or %q", *h.ReferrerPolicy, NoReferrer, StrictOrigin, UnsafeURL)
	}
	if w := s.Sitemaps.Use; w != nil {
		ps.Check(IsSitemapsUse(*w), "sitemaps.use", "%q: must be %q, %q or %q", *w, SitemapsOff, SitemapsRobots, SitemapsAll)
	}
	return append(ps, ValidHeaders(h.Headers).Below("http.headers")...)
}

// Policies of the Referer field, as the W3C's Referrer Policy names them.
const (
	NoReferrer   = "no-referrer"
	StrictOrigin = "strict-origin-when-cross-origin"
	UnsafeURL    = "unsafe-url"
)

// IsReferrerPolicy reports whether a word is one of the policies that are known.
func IsReferrerPolicy(word string) bool {
	return word == NoReferrer || word == StrictOrigin || word == UnsafeURL
}

// ownFields are header fields with a setting or a meaning of their own in every request.
const ownFields = " Host User-Agent From Accept Accept-Encoding Accept-Language Authorization Connection Content-Length Cookie If-Modified-Since If-None-Match Proxy-Authorization Referer Transfer-Encoding "

// ValidHeaders returns every header field of one's own that cannot be sent.
func ValidHeaders(headers map[string]string) (ps conf.Problems) {
	for _, name := range sortedKeys(headers) {
		key, value := conf.Join("", name), headers[name]
		ps.Check(httpguts.ValidHeaderFieldName(name), key, "%q is no name of a header field", name)
		ps.Check(httpguts.ValidHeaderFieldValue(value), key, "%q is no value of a header field", value)
		ps.Check(!strings.Contains(ownFields, " "+http.CanonicalHeaderKey(name)+" "), key, "%s has a setting or a meaning of its own", name)
		for _, other := range sortedKeys(headers) {
			ps.Check(other >= name || !strings.EqualFold(other, name), key, "is the field %s, which is set, too", other)
		}
	}
	return ps
}

// JoinHeaders returns the fields of both, those of more where both have one of that name, however it is written.
func JoinHeaders(headers, more map[string]string) map[string]string {
	out := map[string]string{}
	maps.Copy(out, headers)
	for name, value := range more {
		maps.DeleteFunc(out, func(n, _ string) bool { return strings.EqualFold(n, name) })
		out[name] = value
	}
	return out
}

// ValidProxy returns what is wrong with the address of a proxy.
func ValidProxy(text string) error {
	u, err := url.Parse(text)
	port := uint64(0)
	if err == nil {
		port, err = strconv.ParseUint(u.Port(), 10, 16)
	}
	if err != nil || port == 0 || u.Hostname() == "" || u.Path != "" && u.Path != "/" || u.Scheme != "http" && u.Scheme != "socks5" {
		return fmt.Errorf("%q: must be \"http://host:port\" or \"socks5://host:port\"", urlx.HideUserinfo(text))
	}
	if u.User != nil {
		return fmt.Errorf("%q: write it without a user name or password, which are in a [[credential]] of job.toml whose prefix is the address of the proxy", urlx.HideUserinfo(text))
	}
	return nil
}

// over returns s with the keys that more sets replaced; headers are joined.
func (s *Settings) over(more *Settings) *Settings {
	out := *s
	overlay(reflect.ValueOf(&out).Elem(), reflect.ValueOf(more).Elem())
	return &out
}

func overlay(to, from reflect.Value) {
	for i := range from.NumField() {
		switch t, f := to.Field(i), from.Field(i); {
		case f.IsZero():
		case f.Kind() == reflect.Struct:
			overlay(t, f)
		case f.Kind() == reflect.Map:
			t.Set(reflect.ValueOf(JoinHeaders(t.Interface().(map[string]string), f.Interface().(map[string]string))))
		default:
			t.Set(f)
		}
	}
}

// each calls fn with every key that is set, in the order of the declaration: "frontier.min_delay", "3s".
func (s *Settings) each(fn func(key, value string)) { eachOf("", reflect.ValueOf(s).Elem(), fn) }

func eachOf(above string, v reflect.Value, fn func(key, value string)) {
	for _, f := range conf.Fields(v) {
		key := above + f.Key
		switch f.Value.Kind() {
		case reflect.Struct:
			eachOf(key+".", f.Value, fn)
		case reflect.Map:
			for _, k := range sortedKeys(f.Value.Interface().(map[string]string)) {
				fn(key+"."+k, f.Value.MapIndex(reflect.ValueOf(k)).String())
			}
		default:
			if !f.Value.IsNil() {
				fn(key, fmt.Sprint(f.Value.Elem().Interface()))
			}
		}
	}
}
