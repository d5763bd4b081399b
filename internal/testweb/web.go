package testweb

import (
	"net/http"
	"strings"
)

// Web is a set of hosts.
type Web interface {
	// Host returns what answers for a host, nil when there is no such host.
	// The name is in lower case, in ACE form and without a port. It is called
	// for every DNS question and every request, by many goroutines at a time.
	Host(name string) http.Handler
}

// Hosts is a web of fixed hosts: name in lower case, without a port, to handler.
type Hosts map[string]http.Handler

// Host implements [Web].
func (h Hosts) Host(name string) http.Handler { return h[name] }

// Func is a web made by a function.
type Func func(name string) http.Handler

// Host implements [Web].
func (f Func) Host(name string) http.Handler { return f(name) }

// Join makes one web of several; the first that knows a host answers for it.
func Join(webs ...Web) Web {
	return Func(func(name string) http.Handler {
		for _, w := range webs {
			if h := w.Host(name); h != nil {
				return h
			}
		}
		return nil
	})
}

// URL returns the absolute URL a request was made for, path and query exactly
// as they came: "https://example.org/a?b". A default port is left out.
func URL(r *http.Request) string {
	scheme, port := "http", ":80"
	if r.TLS != nil {
		scheme, port = "https", ":443"
	}
	target := r.RequestURI
	if !strings.HasPrefix(target, "/") { // absolute form, as for a proxy
		target = r.URL.RequestURI()
	}
	return scheme + "://" + strings.TrimSuffix(strings.ToLower(r.Host), port) + target
}

// hostName strips the port of a Host header and lowers its case.
func hostName(host string) string {
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		host = host[:i]
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}
