package job_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"exclave/internal/testweb"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
)

// reach is a crawler of a few lines that shares nothing with the engine: the tree
// of x/net/html, addresses of net/url, expressions for CSS. It says what a recorded
// web has to give at least.
type reach struct {
	t      *testing.T
	client *http.Client
	known  map[string]testweb.Capture // by URL as net/url writes it
	via    map[string]string          // of what is reached, the page it was found on
	queue  []string
}

// reachable returns the URLs of truth that links lead to from the seeds, each with
// the page the first such link is on.
func reachable(t *testing.T, srv *testweb.Server, truth []testweb.Capture, seeds []string) map[string]string {
	t.Helper()
	r := &reach{t: t, client: srv.Client(), known: map[string]testweb.Capture{}, via: map[string]string{}}
	defer r.client.CloseIdleConnections()
	tr := r.client.Transport.(*http.Transport)
	dial := tr.DialContext
	tr.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if addr == strings.TrimPrefix(selftest, "http://") {
			addr = "selftest.example:80"
		}
		return dial(ctx, network, addr)
	}
	for _, c := range truth {
		if u, err := url.Parse(c.URL); err == nil {
			r.known[u.String()] = c
		}
	}
	base := &url.URL{}
	for _, s := range seeds {
		r.link(base, "seeds", s)
	}
	out := map[string]string{}
	for len(r.queue) > 0 {
		next := r.queue[0]
		r.queue = r.queue[1:]
		out[r.known[next].URL] = r.via[next]
		r.visit(next)
	}
	return out
}

// link queues a reference when it leads to something recorded.
func (r *reach) link(base *url.URL, page, ref string) {
	u, err := base.Parse(strings.TrimSpace(ref))
	if err != nil || ref == "" {
		return
	}
	u.Fragment, u.RawFragment = "", ""
	if u.Path == "" {
		u.Path = "/"
	}
	target := u.String()
	if _, ok := r.known[target]; !ok {
		return
	}
	if _, seen := r.via[target]; !seen {
		r.via[target] = page
		r.queue = append(r.queue, target)
	}
}

func (r *reach) visit(page string) {
	r.t.Helper()
	resp, err := r.client.Get(page)
	must(r.t, err)
	body, err := decoded(resp)
	must(r.t, err)
	base, err := url.Parse(page)
	must(r.t, err)
	r.link(base, page, resp.Header.Get("Location"))
	typ := resp.Header.Get("Content-Type")
	switch {
	case resp.StatusCode != http.StatusOK || len(body) == 0:
	case strings.Contains(typ, "html"):
		text, err := charset.NewReader(bytes.NewReader(body), typ)
		must(r.t, err)
		root, err := html.ParseWithOptions(text, html.ParseOptionEnableScripting(false))
		must(r.t, err)
		r.tree(root, base, page)
	case strings.Contains(typ, "css"):
		r.css(string(body), base, page)
	}
}

func decoded(resp *http.Response) ([]byte, error) {
	defer resp.Body.Close()
	switch body := io.Reader(resp.Body); resp.Header.Get("Content-Encoding") {
	case "gzip":
		z, err := gzip.NewReader(body)
		if err != nil {
			return nil, err
		}
		return io.ReadAll(z)
	case "br":
		return io.ReadAll(brotli.NewReader(body))
	default:
		return io.ReadAll(body)
	}
}

func (r *reach) tree(root *html.Node, base *url.URL, page string) {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == "base" && attribute(n, "href") != "" {
			if b, err := base.Parse(attribute(n, "href")); err == nil && b.Host != "" {
				base = b
			}
			break
		}
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			r.element(n, base, page)
		}
	}
}

func (r *reach) element(n *html.Node, base *url.URL, page string) {
	for _, a := range n.Attr {
		switch a.Key {
		case "href", "src", "background", "poster", "data", "cite", "longdesc":
			if n.Data != "base" {
				r.link(base, page, a.Val)
			}
		case "srcset", "imagesrcset":
			for _, candidate := range strings.Split(a.Val, ", ") {
				first, _, _ := strings.Cut(strings.TrimSpace(candidate), " ")
				r.link(base, page, first)
			}
		case "action":
			if !strings.EqualFold(attribute(n, "method"), "post") {
				r.link(base, page, a.Val)
			}
		case "style":
			r.css(a.Val, base, page)
		}
	}
	switch n.Data {
	case "meta":
		if _, to, ok := strings.Cut(strings.ToLower(attribute(n, "content")), "url="); ok && strings.EqualFold(attribute(n, "http-equiv"), "refresh") {
			v := attribute(n, "content")
			r.link(base, page, strings.Trim(v[len(v)-len(to):], `'"`))
		}
	case "param":
		if name := strings.ToLower(attribute(n, "name")); name == "movie" || name == "src" {
			r.link(base, page, attribute(n, "value"))
		}
	case "style":
		if n.FirstChild != nil {
			r.css(n.FirstChild.Data, base, page)
		}
	case "noframes", "noembed":
		if n.FirstChild != nil { // read as text by the tree builder
			if inner, err := html.Parse(strings.NewReader(n.FirstChild.Data)); err == nil {
				r.tree(inner, base, page)
			}
		}
	}
}

func (r *reach) css(text string, base *url.URL, page string) {
	references := regexp.MustCompile(`(?i)url\(\s*['"]?([^'")]+?)['"]?\s*\)|@import\s+['"]([^'"]+)`)
	text = regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAllString(text, " ")
	for _, m := range references.FindAllStringSubmatch(text, -1) {
		r.link(base, page, m[1]+m[2])
	}
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}
