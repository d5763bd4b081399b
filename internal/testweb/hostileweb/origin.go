package hostileweb

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"exclave/internal/testweb"

	"github.com/miekg/dns"
)

// robots are files of rules that hold up who reads them.
func robots() []Case {
	serve := func(name, about string, h http.Handler) Case {
		return Case{Name: name, Group: Robots, About: about, robots: h}
	}
	rules := func(bytes int) string {
		var b strings.Builder
		b.WriteString("User-agent: *\n")
		for i := 0; b.Len() < bytes; i++ {
			fmt.Fprintf(&b, "Disallow: /forbidden/%d/*.html$\n", i)
		}
		return b.String()
	}
	built := func(name, about string, build func() testweb.Page) Case {
		return serve(name, about, same(build)(0))
	}
	return []Case{
		built("robots-512k", "a robots.txt of 512 KB", func() testweb.Page { return testweb.Text(rules(512 << 10)) }),
		built("robots-5m", "a robots.txt of 5 MB", func() testweb.Page { return testweb.Text(rules(5 << 20)) }),
		built("robots-line", "a robots.txt of one line of 2 MB", func() testweb.Page {
			return testweb.Text("User-agent: *\nDisallow: /" + strings.Repeat("*a", 1<<20))
		}),
		built("robots-stars", "rules of asterisks", func() testweb.Page {
			return testweb.Text("User-agent: *\n" + strings.Repeat("Disallow: /"+strings.Repeat("*a", 200)+"b$\n", 500))
		}),
		built("robots-bomb", "a robots.txt of 10 KB that unpacks to 10 MB", func() testweb.Page { return zipped("text/plain", fill("Disallow: /a\n")) }),
		serve("robots-503", "a robots.txt that fails", testweb.Text("broken\n").WithStatus(http.StatusServiceUnavailable)),
		serve("robots-never", "a robots.txt that is never answered", testweb.Page{Delay: 24 * time.Hour}),
		serve("robots-drip", "a robots.txt at a byte a second", testweb.Page{Raw: ok + "Content-Type: text/plain\r\n\r\n" + rules(10_000), Drip: 1, Every: time.Second}),
		serve("robots-loop", "a robots.txt that redirects to itself", testweb.Redirect(http.StatusFound, "/robots.txt")),
		serve("robots-reset", "a robots.txt whose connection is reset", testweb.Page{Raw: ok + "Content-Length: 100\r\n\r\nUser-agent: *\n", After: testweb.Reset}),
		serve("robots-noise", "a robots.txt of noise", testweb.Page{Body: strings.Repeat("\x00\xff\r\n:\r", 20_000)}.With("Content-Type", "application/octet-stream")),
	}
}

// lookups are names that do not resolve as they should.
func lookups() []Case {
	answer := func(name, about string, f func(w dns.ResponseWriter, q *dns.Msg) error) Case {
		return Case{Name: name, Group: Names, About: about, name: f}
	}
	code := func(rcode int) func(dns.ResponseWriter, *dns.Msg) error {
		return func(w dns.ResponseWriter, q *dns.Msg) error { return w.WriteMsg(new(dns.Msg).SetRcode(q, rcode)) }
	}
	a := func(q *dns.Msg, ip string) dns.RR {
		return &dns.A{Hdr: dns.RR_Header{Name: q.Question[0].Name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: 300}, A: net.ParseIP(ip).To4()}
	}
	cname := func(from, to string) dns.RR {
		return &dns.CNAME{Hdr: dns.RR_Header{Name: from, Rrtype: dns.TypeCNAME, Class: dns.ClassINET, Ttl: 300}, Target: to}
	}
	reply := func(change func(m, q *dns.Msg)) func(dns.ResponseWriter, *dns.Msg) error {
		return func(w dns.ResponseWriter, q *dns.Msg) error {
			m := new(dns.Msg).SetReply(q)
			change(m, q)
			return w.WriteMsg(m)
		}
	}
	return []Case{
		answer("dns-nxdomain", "a name that does not exist", code(dns.RcodeNameError)),
		answer("dns-servfail", "a name server that fails", code(dns.RcodeServerFailure)),
		answer("dns-refused", "a name server that refuses", code(dns.RcodeRefused)),
		answer("dns-silent", "a name server that does not answer", func(dns.ResponseWriter, *dns.Msg) error { return nil }),
		answer("dns-truncated", "an answer that is cut, by UDP and by TCP", reply(func(m, _ *dns.Msg) { m.Truncated = true })),
		answer("dns-wrong-id", "an answer to another question's number", reply(func(m, q *dns.Msg) {
			m.Id++
			m.Answer = []dns.RR{a(q, "127.0.0.1")}
		})),
		answer("dns-wrong-name", "an answer about another name", reply(func(m, q *dns.Msg) {
			r := a(q, "127.0.0.1")
			r.Header().Name = "other.test."
			m.Answer = []dns.RR{r}
		})),
		answer("dns-cname-loop", "names that mean each other", reply(func(m, q *dns.Msg) {
			name := q.Question[0].Name
			m.Answer = []dns.RR{cname(name, "loop."+name), cname("loop."+name, name)}
		})),
		answer("dns-empty", "an answer without addresses", reply(func(*dns.Msg, *dns.Msg) {})),
		answer("dns-many", "an answer of 500 addresses, by TCP", func(w dns.ResponseWriter, q *dns.Msg) error {
			m := new(dns.Msg).SetReply(q)
			if _, udp := w.RemoteAddr().(*net.UDPAddr); udp {
				m.Truncated = true
			} else {
				for i := range 500 {
					m.Answer = append(m.Answer, a(q, fmt.Sprintf("127.200.%d.%d", i/250, 1+i%250)))
				}
			}
			return w.WriteMsg(m)
		}),
		answer("dns-inside", "names whose address is in the crawler's own network", reply(func(m, q *dns.Msg) {
			m.Answer = []dns.RR{a(q, "10.0.0.1"), a(q, "169.254.169.254")}
		})),
		answer("dns-noise", "an answer that is none", func(w dns.ResponseWriter, q *dns.Msg) error {
			_, err := w.Write([]byte{byte(q.Id >> 8), byte(q.Id), 0x80, 0, 0, 1, 0xff, 0xff, 0, 0, 0, 0, 0xc0, 0x0c, 0xc0})
			return err
		}),
	}
}

// handshakes are TLS servers that fail.
func handshakes() []Case {
	talk := func(name, about string, f func(c net.Conn)) Case {
		return Case{Name: name, Group: TLS, About: about, secure: f}
	}
	hello := func(c net.Conn) { _, _ = c.Read(make([]byte, 1024)) } // whatever comes, the answer is the same
	say := func(text string) func(net.Conn) {
		return func(c net.Conn) {
			hello(c)
			_, _ = c.Write([]byte(text)) // the client went away
		}
	}
	return []Case{
		talk("tls-plain", "plain HTTP on the port of TLS", say(ok+"Content-Length: 5\r\n\r\nplain")),
		talk("tls-noise", "noise instead of a handshake", say(strings.Repeat("\x16\x03\x03\xff\xff\x00", 20_000))),
		talk("tls-alert", "an alert instead of a handshake", say("\x15\x03\x03\x00\x02\x02\x28")),
		talk("tls-close", "the connection is closed in the handshake", hello),
		talk("tls-never", "a handshake that is not answered", func(c net.Conn) {
			for {
				if _, err := c.Read(make([]byte, 1024)); err != nil {
					return
				}
			}
		}),
		talk("tls-no-certificate", "a server without a certificate", func(c net.Conn) {
			_ = tls.Server(c, &tls.Config{MinVersion: tls.VersionTLS12}).Handshake() // it fails
		}),
	}
}

// traps never end.
func traps() []Case {
	number := func(r *http.Request, pattern string) (n int, is bool) {
		_, err := fmt.Sscanf(r.URL.RequestURI(), pattern, &n)
		return n, err == nil
	}
	return []Case{
		{Name: "calendar", Group: Traps, About: "a calendar without an end",
			item: func(n int) http.Handler { return testweb.HTML(fmt.Sprintf("/calendar?month=%d", 1000*n)) },
			other: func(r *http.Request) http.Handler {
				n, is := number(r, "/calendar?month=%d")
				if !is {
					return nil
				}
				return testweb.HTML(fmt.Sprintf("/calendar?month=%d", n-1), fmt.Sprintf("/calendar?month=%d", n+1))
			}},
		{Name: "paths", Group: Traps, About: "paths that grow for ever",
			item: func(int) http.Handler { return testweb.HTML("/deep/a/") },
			other: func(r *http.Request) http.Handler {
				if !strings.HasPrefix(r.URL.Path, "/deep/") {
					return nil
				}
				return testweb.HTML("a/", "b/")
			}},
		{Name: "frames", Group: Traps, About: "frames in frames for ever",
			item: func(n int) http.Handler {
				return testweb.NationalPage(n, testweb.IFrame(fmt.Sprintf("/frame/%d", 1000*n)))
			},
			other: func(r *http.Request) http.Handler {
				n, is := number(r, "/frame/%d")
				if !is {
					return nil
				}
				return testweb.NationalPage(n, testweb.IFrame(fmt.Sprintf("/frame/%d", n+1)))
			}},
		{Name: "sessions", Group: Traps, About: "the same page under a new address each time",
			item: func(n int) http.Handler { return testweb.NationalPage(n, fmt.Sprintf("/s?session=%d", 1000*n)) },
			other: func(r *http.Request) http.Handler {
				n, is := number(r, "/s?session=%d")
				if !is {
					return nil
				}
				return testweb.NationalPage(1, fmt.Sprintf("/s?session=%d", n+1), fmt.Sprintf("/s?session=%d", n+2))
			}},
	}
}
