package control

import (
	"maps"
	"net/http"
	"slices"
)

// Handler is what answers on the socket.
func (s *Server) Handler() http.Handler { return s.http.Handler }

// NewClient is a client whose crawl is a function.
func NewClient(crawl http.RoundTripper) *Client {
	return &Client{dir: "job", http: &http.Client{Transport: crawl}}
}

// Routes are what can be asked, as "METHOD /path", sorted.
func (s *Server) Routes() []string { return slices.Sorted(maps.Keys(s.routes())) }
