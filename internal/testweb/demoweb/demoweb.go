package demoweb

import (
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"exclave/internal/testweb"
)

//go:embed web
var files embed.FS

// Verdict is what the analysis must say of a page.
type Verdict int

// The verdicts. A page is Unjudged when it is not text, not a success or not
// fetched at all.
const (
	Unjudged Verdict = iota
	Invalid
	Valid
)

// String returns "unjudged", "invalid" or "valid".
func (v Verdict) String() string { return [...]string{"unjudged", "invalid", "valid"}[v] }

// Expectation is the truth about one URL of the web.
type Expectation struct {
	URL     string
	Verdict Verdict // the same at every depth
	// Archived holds for a crawl with the link depth given to Expected.
	Archived bool
	Why      string // what the page is there for
}

// Expected returns the truth about every URL of the web, except robots.txt and
// the months of the endless calendar (see [Trap]), in the order of the hosts.
// depth is the link depth of the crawl; 0 and 1 are known.
func Expected(depth int) []Expectation {
	var out []Expectation
	for _, p := range pages() {
		if !strings.HasSuffix(p.url, "/robots.txt") {
			out = append(out, Expectation{p.url, p.verdict, int(p.archived) <= depth, p.why})
		}
	}
	return out
}

// Trap reports whether a URL is a month of the endless calendar. None of them
// is valid or archived; how many are fetched is for the crawl's limits to say.
func Trap(u string) bool { return strings.HasPrefix(u, calendarURL) }

const calendarURL = "http://www.events-calendar.eu/calendar?month="

// Web returns the web, every host under its own name.
func Web() testweb.Web {
	tiny := make(testweb.Tiny)
	for _, p := range pages() {
		if p.serve == nil {
			continue // the host is gone
		}
		tiny[p.url] = p.serve(p.url)
	}
	return testweb.Join(testweb.Hosts{"www.events-calendar.eu": calendar{tiny}}, tiny)
}

// calendar answers for the months, of which there is no first and no last.
type calendar struct{ rest http.Handler }

func (c calendar) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	month, err := strconv.Atoi(r.URL.Query().Get("month"))
	if r.URL.Path != "/calendar" || err != nil {
		c.rest.ServeHTTP(w, r)
		return
	}
	day := time.Date(2008, time.January, 1, 0, 0, 0, 0, time.UTC).AddDate(0, month, 0)
	title := day.Format("January 2006")
	testweb.HTML("<h1>"+title+"</h1><p>No events were entered for "+title+". Try another month.</p>",
		fmt.Sprintf("/calendar?month=%d", month-1), fmt.Sprintf("/calendar?month=%d", month+1)).ServeHTTP(w, r)
}

// Seeds returns the URLs of the out-of-scope log, in its order, without repeats.
func Seeds() []string {
	var seeds []string
	seen := make(map[string]bool)
	for _, d := range discarded() {
		if !seen[d.url] {
			seen[d.url] = true
			seeds = append(seeds, d.url)
		}
	}
	return seeds
}

// OutOfScopeLog writes the log that a harvest of the .cz domain would have left
// behind: the links to this web that it found and threw away, one JSON object
// per line (docs/formats), with one link found twice.
func OutOfScopeLog(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	at := time.Date(2008, time.May, 5, 9, 0, 0, 0, time.UTC)
	for i, d := range discarded() {
		via, err := url.Parse(d.via)
		if err != nil {
			return fmt.Errorf("demoweb: out-of-scope log: %w", err)
		}
		line := struct {
			URL    string `json:"url"`
			Via    string `json:"via"`
			Hops   string `json:"hops"`
			Rule   string `json:"rule"`
			Time   string `json:"time"`
			Source string `json:"source"`
		}{d.url, d.via, d.hops, "host-list", at.Add(time.Duration(i) * 1700 * time.Millisecond).Format("2006-01-02T15:04:05.000Z"),
			"http://" + via.Host + "/"}
		if err := enc.Encode(line); err != nil {
			return fmt.Errorf("demoweb: write out-of-scope log: %w", err)
		}
	}
	return nil
}
