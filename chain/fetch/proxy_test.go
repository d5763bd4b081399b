package fetch

import (
	"bufio"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"exclave/crawl"
	"exclave/internal/sheet"
	"exclave/internal/testweb"
)

// basicProxy is a CONNECT proxy that asks for a password, and counts who was refused.
type basicProxy struct {
	mu      sync.Mutex
	refused []string
}

func (p *basicProxy) accept(c net.Conn) (string, error) {
	r, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		return "", err
	}
	value := r.Header.Get("Proxy-Authorization")
	if value != "Basic "+base64.StdEncoding.EncodeToString([]byte("reader:Circle of Life")) {
		p.mu.Lock()
		p.refused = append(p.refused, value)
		p.mu.Unlock()
		_, err = io.WriteString(c, "HTTP/1.1 407 Who\r\nProxy-Authenticate: Negotiate\r\nProxy-Authenticate: Basic realm=\"out\"\r\nContent-Length: 0\r\n\r\n")
		return "", errors.Join(errors.New("refused"), err)
	}
	_, err = io.WriteString(c, "HTTP/1.1 299 Yes\r\n\r\n")
	return r.RequestURI, err
}

// digestProxy is one that wants a digest of the CONNECT.
func digestProxy(c net.Conn) (string, error) {
	s := &digestServer{alg: "MD5"}
	r, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		return "", err
	}
	r.Header.Set("Authorization", r.Header.Get("Proxy-Authorization"))
	r.URL.Path = r.RequestURI // what the digest is of
	answer := plainAnswer{header: http.Header{}}
	r.URL.Opaque = r.RequestURI
	s.ServeHTTP(&answer, r)
	if answer.status == http.StatusUnauthorized {
		_, err = fmt.Fprintf(c, "HTTP/1.1 407 Who\r\nProxy-Authenticate: %s\r\nContent-Length: 0\r\n\r\n", answer.header.Get("WWW-Authenticate"))
		return "", errors.Join(errors.New("refused"), err)
	}
	_, err = io.WriteString(c, "HTTP/1.1 200 Yes\r\n\r\n")
	return r.RequestURI, err
}

type plainAnswer struct {
	header http.Header
	status int
}

func (a *plainAnswer) Header() http.Header         { return a.header }
func (a *plainAnswer) Write(b []byte) (int, error) { return len(b), nil }
func (a *plainAnswer) WriteHeader(status int)      { a.status = status }

// socksPassword is a SOCKS5 proxy with user and password (RFC 1929).
func socksPassword(c net.Conn) (string, error) {
	b := make([]byte, 256)
	read := func(n int) string {
		if _, err := io.ReadFull(c, b[:n]); err != nil {
			return ""
		}
		return string(b[:n])
	}
	if head := read(2); head == "" || !strings.Contains(read(int(head[1])), "\x02") {
		_, err := c.Write([]byte{5, 0xff})
		return "", errors.Join(errors.New("no password is offered"), err)
	}
	if _, err := c.Write([]byte{5, 2}); err != nil {
		return "", err
	}
	user := read(int(read(2)[1]))
	if password := read(int(read(1)[0])); user != "reader" || password != "Circle of Life" {
		_, err := c.Write([]byte{1, 1})
		return "", errors.Join(errors.New("refused"), err)
	}
	if _, err := c.Write([]byte{1, 0}); err != nil {
		return "", err
	}
	return socksRequest(c)
}

// A proxy that asks for a password is told that of the credential for its address, and nobody else is.
func TestProxyWithPassword(t *testing.T) {
	s := serve(t, testweb.Tiny{"http://a.example/": testweb.Text("plain"), "https://a.example/": testweb.Text("secret")})
	for name, tt := range map[string]struct {
		scheme string
		accept func(net.Conn) (string, error)
	}{"basic": {"http", (&basicProxy{}).accept}, "digest": {"http", digestProxy}, "socks": {"socks5", socksPassword}, "socks without": {"socks5", socks}} {
		p := startProxy(t, tt.accept)
		address := tt.scheme + "://" + p.Addr().String()
		h := client(t, s, func(c *Config, d *Deps) {
			c.Proxy, c.MaxIdle = address, 0
			d.Accounts = accounts(t, Credential{Prefix: address, User: "reader"})
		})
		for _, url := range []string{"http://a.example/", "https://a.example/", "http://a.example/"} {
			u := page(url)
			if process(t, h, u); u.Status != 200 || strings.Contains(sent(t, u), "Proxy-") || strings.Contains(sent(t, u), "Circle") || slices.Contains(u.Annotations, "proxy:failed") {
				t.Errorf("%s, %s: status %d, %v", name, url, u.Status, u.Annotations)
			}
		}
		if p.used.Load() != 3 {
			t.Errorf("%s: %d connections", name, p.used.Load())
		}
	}
	basic := &basicProxy{}
	p := startProxy(t, basic.accept)
	for why, tt := range map[string]struct {
		credential Credential
		says       string
		refused    int // for two pages
	}{
		"a wrong one":          {Credential{Prefix: "http://" + p.Addr().String(), User: "other"}, "refuses the user name or password of the credential for it", 3},
		"for another":          {Credential{Prefix: "http://127.0.0.1:1", User: "reader"}, "[[credential]]", 2},
		"for another realm":    {Credential{Prefix: "http://" + p.Addr().String(), User: "reader", Realm: "in"}, "[[credential]]", 2},
		"a form, and no proxy": {Credential{Prefix: "http://" + p.Addr().String(), User: "reader", Login: "http://a.example/", UserField: "a", PasswordField: "b"}, "[[credential]]", 2},
	} {
		basic.refused = nil
		var said strings.Builder
		h := client(t, s, func(c *Config, d *Deps) {
			c.Proxy, d.Log = "http://"+p.Addr().String(), slog.New(slog.NewTextHandler(&said, nil))
			d.Accounts = accounts(t, tt.credential)
		})
		for range 2 {
			u := page("http://a.example/")
			if process(t, h, u); u.Status != crawl.StatusConnectFailed || !slices.Contains(u.Annotations, "proxy:failed:407") {
				t.Errorf("%s: status %d, %v", why, u.Status, u.Annotations)
			}
		}
		if text := said.String(); !strings.Contains(text, tt.says) || strings.Contains(text, "Circle") || strings.Contains(text, "Basic") || len(basic.refused) != tt.refused {
			t.Errorf("%s: %q refused, log %s", why, basic.refused, text)
		}
	}
}

// User name and password of a proxy are in no setting: who writes them there is told where, and they are not shown.
func TestProxyPasswordInSetting(t *testing.T) {
	for _, text := range []string{"http://reader:s3cr3t@proxy.example:3128", "socks5://reader:s3cr3t@proxy.example:1080"} {
		err := sheet.ValidProxy(text)
		if err == nil || strings.Contains(err.Error(), "s3cr3t") || !strings.Contains(err.Error(), "[[credential]]") || !strings.Contains(err.Error(), "proxy.example") {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"reader:s3cr3t@proxy.example:3128", "http://reader:s3cr3t/x@proxy.example:3128", "http://reader:s3cr3t#@proxy.example:3128", "https://reader:s3cr3t@proxy.example:3128", "http://reader:%s3cr3t@proxy:1", "http://reader:s3cr3t@proxy.example"} {
		c := DefaultConfig()
		c.Contact, c.Proxy = "https://a.cz/", text
		s := sheet.Settings{HTTP: sheet.HTTP{Proxy: &text}}
		if said := fmt.Sprint(c.Validate(), s.Validate()); strings.Count(said, "proxy") < 2 || strings.Contains(said, "3cr3t") {
			t.Errorf("%s: %s", text, said)
		}
	}
	for prefix, good := range map[string]bool{"socks5://proxy.example:1080": true, "socks5://proxy.example": false, "socks5://u:s3cr3t@proxy.example:1080": false, "socks5://proxy.example:1080/x": false, "socks5://:1080": false} {
		ps := Credential{Prefix: prefix, User: "reader", PasswordEnv: "X"}.Validate()
		if (len(ps) == 0) != good || strings.Contains(fmt.Sprint(ps), "s3cr3t") {
			t.Errorf("%s: %v", prefix, ps)
		}
	}
}
