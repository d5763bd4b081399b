package fetch

import (
	"fmt"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"exclave/internal/conf"
	"exclave/internal/record"
	"exclave/internal/sheet"
	"exclave/internal/urlx"
)

// Words of Config.Certificates.
const (
	AcceptCertificates = "accept"
	VerifyCertificates = "verify"
)

// Config is the configuration of the HTTP processor.
type Config struct {
	// Contact is a URL that says who crawls and why. It is compulsory.
	Contact string `toml:"contact"`
	// UserAgent replaces the default one; it must contain Contact. Empty:
	// "Mozilla/5.0 (compatible; exclave/VERSION +CONTACT)".
	UserAgent string `toml:"user_agent"`
	// From is an e-mail address sent with each request; empty sends none.
	From string `toml:"from"`
	// RobotsToken is the product token looked for in robots.txt: letters, '-', '_'.
	RobotsToken string `toml:"robots_token"`
	// Accept is the value of the Accept field.
	Accept string `toml:"accept"`
	// AcceptLanguage is the value of the Accept-Language field; empty sends none.
	// "profile" stands for the languages that the job's profiles look for.
	AcceptLanguage string `toml:"accept_language"`
	// ReferrerPolicy says what the Referer field tells of the page that led to a URI, in
	// the words of the W3C's Referrer Policy: "no-referrer", "unsafe-url" (all of the
	// address, as Heritrix), or what browsers do.
	ReferrerPolicy string `toml:"referrer_policy"`
	// Cookies keeps a jar for the job and sends what servers set. CookiesFile is a cookies.txt of
	// Netscape's form whose cookies are in it from the beginning.
	Cookies     bool   `toml:"cookies"`
	CookiesFile string `toml:"cookies_file"`
	// Soft404 says what is done about pages that a server gives for addresses that do not
	// exist: "off", "mark" (annotation soft404), or "hold", which also holds their links back.
	Soft404 string `toml:"soft_404"`
	// Headers are further fields of every request.
	Headers map[string]string `toml:"headers"`

	// Timeout bounds a whole exchange, redirects of robots.txt excepted.
	Timeout time.Duration `toml:"timeout"`
	// SocketTimeout bounds the wait for a connection and for each next byte.
	SocketTimeout time.Duration `toml:"socket_timeout"`
	// HeaderTimeout bounds an exchange up to the end of the header, connecting and TLS
	// included.
	HeaderTimeout time.Duration `toml:"header_timeout"`
	// LeastRate is how many bytes a second of a body must come; less for a quarter more
	// than SocketTimeout, and the rest is given up. 0 is any rate.
	LeastRate int64 `toml:"least_rate"`
	// MaxSize is how many bytes of a body are received, 0 for all; of a robots.txt it
	// is always 512 KB. Heritrix has no limit; ours keeps an endless stream from filling
	// the disk.
	MaxSize int64 `toml:"max_size"`
	// MaxSizes are sizes of media types, "application/pdf", "video/*" or "*/*", that count
	// before MaxSize: the most exact one that fits the Content-Type.
	MaxSizes map[string]int64 `toml:"max_sizes"`
	// TooLong says what is received of a body that declares to be longer: "cut", so much of
	// it, or "refuse", nothing.
	TooLong string `toml:"too_long"`
	// MaxHeader is how many bytes of a header are received, 1 KB … 1 MB.
	MaxHeader int `toml:"max_header"`
	// RobotsTTL is how long a robots.txt is relied on, at least an hour.
	RobotsTTL time.Duration `toml:"robots_ttl"`

	// Certificates is "accept": any certificate will do and what is wrong with it
	// is annotated; or "verify": a host with a wrong one is not asked.
	Certificates string `toml:"certificates"`
	// RootFiles are PEM files of certificate authorities trusted beside the
	// system's.
	RootFiles []string `toml:"root_certificates"`

	// ConnectTo maps "host:port", or "*:port" for every other host, to the
	// "address:port" that is connected to instead.
	ConnectTo map[string]string `toml:"connect_to"`
	// Allow lists address ranges that may be contacted although they are not
	// public: "127.0.0.0/8", "10.1.2.3"; or one port of them: "127.0.0.1:8080". Ports that
	// are no web servers' (badPorts) are contacted only where a port is named.
	Allow []string `toml:"allow"`
	// Refuse lists what is never contacted, in the same form: public ranges of the
	// operator's own. It goes before Allow.
	Refuse []string `toml:"refuse"`

	// Proxy is what servers are connected to through, "http://host:port" or
	// "socks5://host:port"; empty: nothing. SourceAddress is the address of this
	// machine that connections come from; empty: any.
	Proxy         string `toml:"proxy"`
	SourceAddress string `toml:"source_address"`
	// MaxRate is how many bytes a second are received of all answers together, HostRate of
	// one server's; 0 = any.
	MaxRate  int64 `toml:"max_rate"`
	HostRate int64 `toml:"host_rate"`

	// MaxIdle is how many connections are kept open between requests, of all servers
	// together; 0 keeps none. IdleTimeout is for how long.
	MaxIdle     int           `toml:"max_idle"`
	IdleTimeout time.Duration `toml:"idle_timeout"`
	// Memory is how many bytes of an answer are held in memory; the rest goes to a
	// scratch file.
	Memory int `toml:"record_memory"`
}

// Words of Config.TooLong.
const (
	CutBodies    = "cut"
	RefuseBodies = "refuse"
)

// ProfileLanguages as Config.AcceptLanguage stands for the languages of the job's profiles.
const ProfileLanguages = "profile"

// AcceptLanguages is a value of Accept-Language: the languages, most wanted first, then any other.
func AcceptLanguages(codes []string) string {
	if len(codes) == 0 {
		return ""
	}
	var b strings.Builder
	for i, code := range codes {
		b.WriteString(code)
		if i > 0 {
			fmt.Fprintf(&b, ";q=0.%d", max(9-i, 2))
		}
		b.WriteByte(',')
	}
	return b.String() + "*;q=0.1"
}

// leastRobotsTTL is longer than the rest between robots.txt and the page.
const leastRobotsTTL = time.Hour

// DefaultConfig returns Heritrix's timeouts, 100 MB of body, robots.txt for 24
// hours, any certificate, public addresses only. Contact is missing.
func DefaultConfig() Config {
	return Config{
		RobotsToken:    "exclave",
		Accept:         "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
		AcceptLanguage: ProfileLanguages, ReferrerPolicy: sheet.StrictOrigin, Cookies: true, Soft404: sheet.Soft404Off,
		Timeout: 20 * time.Minute, SocketTimeout: 20 * time.Second, HeaderTimeout: time.Minute, LeastRate: 500,
		MaxSize: 100e6, TooLong: CutBodies, MaxHeader: 256 << 10, RobotsTTL: 24 * time.Hour,
		Certificates: AcceptCertificates,
		MaxIdle:      1000, IdleTimeout: 15 * time.Second, Memory: record.DefaultMemory,
	}
}

// Agent returns the User-Agent that requests carry.
func (c Config) Agent(version string) string {
	if c.UserAgent != "" {
		return c.UserAgent
	}
	return "Mozilla/5.0 (compatible; exclave/" + version + " +" + c.Contact + ")"
}

// Validate returns every value that cannot be.
func (c Config) Validate() (ps conf.Problems) {
	u, err := url.Parse(c.Contact)
	ps.Check(err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "", "contact",
		"%q: must be the URL of a page that says who crawls, and why", urlx.HideUserinfo(c.Contact))
	ps.Check(c.UserAgent == "" || strings.Contains(c.UserAgent, c.Contact), "user_agent", "%q: must contain the contact URL", c.UserAgent)
	for _, f := range [...][2]string{{"contact", c.Contact}, {"user_agent", c.UserAgent}, {"from", c.From}, {"accept", c.Accept}, {"accept_language", c.AcceptLanguage}} {
		ps.Check(isFieldValue(f[1]), f[0], "%q: must be printable ASCII", f[1])
	}
	ps.Check(c.RobotsToken != "" && strings.Trim(strings.ToLower(c.RobotsToken), "abcdefghijklmnopqrstuvwxyz-_") == "", "robots_token",
		"%q: must be letters, '-' and '_'", c.RobotsToken)
	for _, d := range [...]struct {
		key string
		d   time.Duration
	}{{"timeout", c.Timeout}, {"socket_timeout", c.SocketTimeout}, {"header_timeout", c.HeaderTimeout}, {"idle_timeout", c.IdleTimeout}} {
		ps.Check(d.d > 0, d.key, "%v: must be more than 0", d.d)
	}
	ps.Check(c.RobotsTTL >= leastRobotsTTL, "robots_ttl", "%v: must be at least %v, or a host at rest would only be asked for robots.txt", c.RobotsTTL, leastRobotsTTL)
	ps.Check(c.LeastRate >= 0, "least_rate", "%d is negative; 0 means any rate", c.LeastRate)
	ps.Check(c.MaxSize >= 0, "max_size", "%d is negative; 0 means no limit", c.MaxSize)
	for _, t := range slices.Sorted(maps.Keys(c.MaxSizes)) {
		path := conf.Join("max_sizes", t)
		ps.Check(isTypePattern(t), path, "%q: must be a media type in lower case, such as \"application/pdf\", \"video/*\" or \"*/*\"", t)
		ps.Check(c.MaxSizes[t] >= 0, path, "%d is negative; 0 means no limit", c.MaxSizes[t])
	}
	ps.Check(c.TooLong == CutBodies || c.TooLong == RefuseBodies, "too_long", "%q: must be \"cut\" or \"refuse\"", c.TooLong)
	ps.Check(c.MaxHeader >= 1<<10 && c.MaxHeader <= record.MaxHead, "max_header", "%d is not between 1024 and %d", c.MaxHeader, record.MaxHead)
	ps.Check(c.Certificates == AcceptCertificates || c.Certificates == VerifyCertificates, "certificates",
		"%q: must be \"accept\" or \"verify\"", c.Certificates)
	ps.Check(c.MaxIdle >= 0, "max_idle", "%d is negative; 0 means none", c.MaxIdle)
	ps.Check(c.Memory >= 0, "record_memory", "%d is negative", c.Memory)
	ps.Check(sheet.IsReferrerPolicy(c.ReferrerPolicy), "referrer_policy", "%q: must be %q, %q or %q", c.ReferrerPolicy, sheet.NoReferrer, sheet.StrictOrigin, sheet.UnsafeURL)
	if c.Proxy != "" {
		if err := sheet.ValidProxy(c.Proxy); err != nil {
			ps.Add("proxy", "%v", err)
		}
	}
	_, err = netip.ParseAddr(c.SourceAddress)
	ps.Check(c.SourceAddress == "" || err == nil, "source_address", "%q is no address of a machine", c.SourceAddress)
	ps.Check(c.MaxRate >= 0, "max_rate", "%d is negative; 0 means any rate", c.MaxRate)
	ps.Check(c.HostRate >= 0, "host_rate", "%d is negative; 0 means any rate", c.HostRate)
	ps.Check(sheet.IsSoft404(c.Soft404), "soft_404", "%q: must be %q, %q or %q", c.Soft404, sheet.Soft404Off, sheet.Soft404Mark, sheet.Soft404Hold)
	ps = append(ps, sheet.ValidHeaders(c.Headers).Below("headers")...)
	_, more := parseConnectTo(c.ConnectTo)
	ps = append(ps, more.Below("connect_to")...)
	_, more = parseSpans(c.Allow)
	ps = append(ps, more.Below("allow")...)
	_, more = parseSpans(c.Refuse)
	return append(ps, more.Below("refuse")...)
}

// isFieldValue reports that s may stand in a header of ours.
func isFieldValue(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

// parseConnectTo reads Config.ConnectTo; keys of problems are those of the table.
func parseConnectTo(m map[string]string) (_ map[string]netip.AddrPort, ps conf.Problems) {
	out := make(map[string]netip.AddrPort, len(m))
	for _, from := range slices.Sorted(maps.Keys(m)) {
		host, port, err := net.SplitHostPort(from)
		if err != nil || host == "" || port == "" {
			ps.Add(conf.Join("", from), "%q: must be \"host:port\" or \"*:port\"", from)
			continue
		}
		addr, err := netip.ParseAddrPort(m[from])
		if err != nil || addr.Port() == 0 {
			ps.Add(conf.Join("", from), "%q: must be an IP address and a port, such as \"127.0.0.1:8080\"", m[from])
			continue
		}
		out[net.JoinHostPort(strings.ToLower(host), port)] = addr
	}
	return out, ps
}
