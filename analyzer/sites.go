package analyzer

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"exclave/internal/conf"
	"exclave/internal/urlx"
)

// siteLinks counts the outlinks that lead to a host; valid are those to a site on a list.
type siteLinks struct {
	sites *siteList
}

// siteOptions are those of the kind "valid_link".
type siteOptions struct {
	List  string   `toml:"list"`  // path of a file, one site a line
	Sites []string `toml:"sites"` // further sites
}

// forbiddenLinkOptions are those of the kind "forbidden_link".
type forbiddenLinkOptions struct{ siteOptions }

var (
	_ namesFiles = (*siteOptions)(nil)
	_ unwanted   = (*forbiddenLinkOptions)(nil)
)

func (o *forbiddenLinkOptions) unwanted() {}

// Validate returns every value that cannot be.
func (o *siteOptions) Validate() (ps conf.Problems) {
	ps.Check(o.List != "" || len(o.Sites) > 0, "", `names no site: give it "list", a file beside the profile, or "sites"`)
	for i, said := range o.Sites {
		if _, err := urlx.SURTPrefix(said); err != nil {
			ps.Add(conf.Element("sites", i), "%v", noSite(said))
		}
	}
	return ps
}

func noSite(said string) error {
	return fmt.Errorf("%q: a host, a domain, a URL or a SURT prefix is wanted", cut(said, 80))
}

func (o *siteOptions) beside(dir string) {
	if o.List != "" && !filepath.IsAbs(o.List) {
		o.List = filepath.Join(dir, o.List)
	}
}

func (o *siteOptions) check() (ps conf.Problems) {
	if _, err := o.read(); err != nil {
		ps = append(ps, conf.Problem{Key: "list", Msg: err.Error(), Fix: "write a host, a domain, a URL or a SURT prefix a line", Err: err})
	}
	return ps
}

// siteFile is what a list is shared by.
type siteFile string

func (o *siteOptions) open(r *resources) (Searcher, error) {
	l, err := shared(r, siteFile(o.List+"\n"+strings.Join(o.Sites, "\n")), o.read)
	if err != nil {
		return nil, err
	}
	return siteLinks{l}, nil
}

// read reads the file, if there is one, and adds the sites of the profile.
func (o *siteOptions) read() (*siteList, error) {
	var b siteListBuilder
	if o.List != "" {
		f, err := os.Open(o.List)
		if err != nil {
			if p := (*os.PathError)(nil); errors.As(err, &p) {
				err = p.Err
			}
			return nil, fmt.Errorf("%s: %w", o.List, err)
		}
		defer f.Close()
		if err := b.read(f); err != nil {
			return nil, fmt.Errorf("%s: %w", o.List, err)
		}
	}
	for _, said := range o.Sites {
		if err := b.add(said); err != nil {
			return nil, err
		}
	}
	return b.list(), nil
}

// contents implements hasContents: the sites count, not where they are read from.
func (s siteLinks) contents() map[string]string {
	h := sha256.New()
	for _, e := range s.sites.all {
		_, _ = io.WriteString(h, e.prefix+"\n") // never fails
	}
	return map[string]string{"list": fmt.Sprintf("%d sites, sha256 %.8x", len(s.sites.all), h.Sum(nil)), "sites": ""}
}

// Search implements Searcher.
func (s siteLinks) Search(ctx context.Context, p *Page) (Finding, error) {
	var t tally
	look := siteLook{list: s.sites, surt: make([]byte, 0, 128)}
	for i := range p.Outlinks {
		if i%BetweenChecks == 0 && ctx.Err() != nil {
			break
		}
		if l := &p.Outlinks[i]; l.Host != "" {
			site, ok := look.find(l)
			t.add(ok, site, "link")
		}
	}
	return t.finding(), ctx.Err()
}

// siteList holds sites: SURT prefixes, sorted, of which none begins with another, so that
// only the greatest that is not above a SURT can be its prefix.
type siteList struct {
	all   []site
	whole map[string]string // domains that are sites, with all below them, as the list has them
	parts domainSet         // hosts and domains of the other sites, but for those of any
	any   bool              // some site is not told by its host: each link has to be looked for
}

type site struct {
	prefix string
	said   string // as the list has it
}

// siteLook looks for the sites that the links of one page lead to, one after the other.
type siteLook struct {
	list *siteList

	// What the host of the last link says: links to one host often follow each other.
	host  string
	whole string // the site that all of the host is; "" = it is not
	parts bool   // sites may be parts of the host

	surt []byte
}

// find returns the site that a link leads to. Nearly every link is told by its host, which
// saves looking for its SURT.
func (s *siteLook) find(o *Outlink) (string, bool) {
	if o.Host != s.host {
		s.ofHost(o.Host)
	}
	if s.whole != "" && strings.HasPrefix(o.URL, "http") { // and not ftp
		return s.whole, true
	}
	if !s.parts {
		return "", false
	}
	u := o.To
	if u == nil {
		var err error
		if u, err = urlx.Parse(o.URL); err != nil {
			return "", false
		}
	}
	s.surt = urlx.AppendSURT(s.surt[:0], u)
	all := s.list.all
	i := sort.Search(len(all), func(i int) bool { return all[i].prefix > string(s.surt) }) - 1
	if i < 0 || len(s.surt) < len(all[i].prefix) || string(s.surt[:len(all[i].prefix)]) != all[i].prefix {
		return "", false
	}
	return all[i].said, true
}

// ofHost finds out what a host says.
func (s *siteLook) ofHost(name string) {
	s.host, s.whole, s.parts = name, "", s.list.any
	for host := strings.TrimSuffix(name, "."); host != ""; _, host, _ = strings.Cut(host, ".") {
		if said, ok := s.list.whole[host]; ok && s.whole == "" {
			s.whole = said
		}
		if _, ok := s.list.parts[host]; ok {
			s.parts = true
		}
	}
}

// siteListBuilder gathers sites. The zero value is ready.
type siteListBuilder struct{ all []site }

func (b *siteListBuilder) add(said string) error {
	prefix, err := urlx.SURTPrefix(said)
	if err != nil {
		return noSite(said)
	}
	b.all = append(b.all, site{prefix, said})
	return nil
}

// read adds the sites of a file: one a line; empty lines and lines that start with # are
// skipped. An error names the line.
func (b *siteListBuilder) read(r io.Reader) error {
	lines := bufio.NewScanner(r)
	n := 0
	for lines.Scan() {
		n++
		said := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if said == "" || said[0] == '#' {
			continue
		}
		if err := b.add(said); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("line %d: %w", n+1, err)
	}
	return nil
}

// list makes the list; what is below another site is left out.
func (b *siteListBuilder) list() *siteList {
	slices.SortStableFunc(b.all, func(x, y site) int { return strings.Compare(x.prefix, y.prefix) })
	l := &siteList{whole: map[string]string{}, parts: domainSet{}}
	for _, s := range b.all {
		if n := len(l.all); n > 0 && strings.HasPrefix(s.prefix, l.all[n-1].prefix) {
			continue
		}
		l.all = append(l.all, s)
		switch host := surtHost(s.prefix); {
		case host == "":
			l.any = true
		case strings.HasPrefix(s.prefix, "http://(") && strings.HasSuffix(s.prefix, ","):
			l.whole[host] = s.said
		default:
			l.parts[host] = struct{}{}
		}
	}
	l.all = slices.Clip(l.all)
	return l
}

// surtHost returns the host or domain in or below which everything is that begins with a
// SURT prefix: gov.cz of "http://(cz,gov,www" and of "http://(cz,gov,)/a". "" = it is not
// known.
func surtHost(prefix string) string {
	_, in, _ := strings.Cut(prefix, "://(")
	in, _, closed := strings.Cut(in, ")")
	if strings.HasPrefix(in, "[") { // IPv6
		return ""
	}
	last := strings.LastIndexByte(in, ',')
	if last < 0 { // an IPv4 address, or the beginning of a label
		host, _, _ := strings.Cut(in, ":")
		if !closed {
			return ""
		}
		return host
	}
	labels := strings.Split(in[:last], ",")
	slices.Reverse(labels)
	return strings.Join(labels, ".")
}
