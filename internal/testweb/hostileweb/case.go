package hostileweb

import (
	"net"
	"net/http"
	"slices"
	"sync"

	"exclave/internal/testweb"

	"github.com/miekg/dns"
)

// Group is where a case attacks.
type Group string

// The groups.
const (
	Documents Group = "documents" // what is slow or large to read
	Wire      Group = "wire"      // what breaks HTTP, or takes its time
	Robots    Group = "robots.txt"
	Names     Group = "DNS"
	TLS       Group = "TLS"
	Traps     Group = "traps" // what never ends
)

// Case is one kind of hostility.
type Case struct {
	Name  string // a host label
	Group Group
	About string // a line for people

	// heavy documents take processor time even when all is well. In a mix of cases
	// their hosts ask for a Crawl-delay, so that the mix is no test of the processor.
	heavy bool
	// few: a host of this case knows so much that one or two are enough.
	few bool

	embed  func(url string) string                      // how an index page refers to an item; nil: by a link
	ext    string                                       // of items, with the dot
	item   func(n int) http.Handler                     // the n-th item of a host; nil: an ordinary page
	other  func(r *http.Request) http.Handler           // what else the host has; nil, or returns nil: nothing
	robots http.Handler                                 // nil: an ordinary one
	name   func(w dns.ResponseWriter, q *dns.Msg) error // answers for the host's name; nil: as usual
	secure func(c net.Conn)                             // talks on port 443, where the seeds are; closed when it returns
}

// Cases returns all cases, in the order of their groups.
func Cases() []Case {
	return slices.Concat(scripts(), bombs(), parsers(), framings(), timings(), redirects(), robots(), lookups(), handshakes(), traps())
}

// Find returns the cases of the given names, all for none, and the names that are none.
func Find(names ...string) (found []Case, unknown []string) {
	all := Cases()
	if len(names) == 0 {
		return all, nil
	}
	for _, name := range names {
		i := slices.IndexFunc(all, func(c Case) bool { return c.Name == name })
		if i < 0 {
			unknown = append(unknown, name)
			continue
		}
		found = append(found, all[i])
	}
	return found, unknown
}

// same makes every item the page that build makes once it is asked for.
func same(build func() testweb.Page) func(int) http.Handler {
	page := sync.OnceValue(build)
	serve := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { page().ServeHTTP(w, r) })
	return func(int) http.Handler { return serve }
}
