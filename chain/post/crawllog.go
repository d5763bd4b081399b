package post

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"exclave/crawl"
	"exclave/internal/crawllog"
)

const (
	stamp17 = "20060102150405.000" // without the dot
	// shownHops is how many hops Heritrix shows.
	shownHops = 50
)

// extra is the thirteenth field, of lines about an answer.
type extra struct {
	ContentSize    int64  `json:"contentSize"`
	WARCFilename   string `json:"warcFilename,omitempty"`
	WARCFileOffset *int64 `json:"warcFileOffset,omitempty"`
	Simhash        string `json:"simhash,omitempty"`
	TextHash       string `json:"textHash,omitempty"`
}

// CrawlLogLine returns the line of crawl.log (docs/formats/crawl-log.md) of a
// URI that is done, with its line end. file is the name of the WARC file of
// u.Response, "" when it is not archived.
func CrawlLogLine(u *crawl.CrawlURI, file string, now time.Time) []byte {
	status, size := u.Outcome().Status, "-"
	if u.Mode == crawl.ModeFetch {
		status = u.Status
	}
	var x extra
	if u.Rec != nil && u.Mode == crawl.ModeFetch {
		if _, x.ContentSize = u.Rec.Response(); x.ContentSize > 0 {
			size = strconv.FormatInt(x.ContentSize-u.Rec.HeaderLen(), 10) // what Heritrix calls the content length
		}
	}
	mime, began := u.MIME.Type, "-"
	if mime == "" {
		mime = "unknown"
	}
	via := u.Via
	if u.Hops == "" { // what begins a hop path has none in Heritrix, and scripts tell seeds by that
		via = ""
	}
	if !u.Started.IsZero() {
		began = strings.Replace(u.Started.UTC().Format(stamp17), ".", "", 1) + "+" + strconv.FormatInt(max(u.Took.Milliseconds(), 0), 10)
	}
	b := fmt.Appendf(nil, "%s %5d %10s %s %s %s %s #%03d %s %s %s %s", stamp(now), status, size,
		field(u.URL), field(shortHops(u.Hops)), field(via), field(mime), u.Worker, began,
		field(digest(u)), field(u.SourceTag), field(strings.Join(annotations(u), ",")))
	if file != "" {
		x.WARCFilename, x.WARCFileOffset = file, &u.Response.Offset
		x.Simhash, x.TextHash = u.Simhash, u.TextHash
	}
	if x != (extra{}) {
		// Marshalling numbers and a string cannot fail.
		j, _ := json.Marshal(x)
		b = append(append(b, ' '), j...)
	}
	return append(b, '\n')
}

// Field returns a value as a field of crawl.log has it: one word, "-" when empty.
// Reports use it too.
func Field(s string) string { return field(s) }

// field makes a value one word: what would split the line is percent-encoded.
func field(s string) string {
	if s == "" {
		return "-"
	}
	if strings.IndexFunc(s, splits) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if splits(r) {
			for _, c := range []byte(string(r)) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// splits reports blanks, line ends and control characters, in the widest sense
// that any reader might have of them.
func splits(r rune) bool {
	return r <= ' ' || r >= 0x7f && r <= 0xa0 || r == 0x1680 || r >= 0x2000 && r <= 0x200b ||
		r == 0x2028 || r == 0x2029 || r == 0x202f || r == 0x205f || r == 0x3000 || r == 0xfeff
}

func shortHops(h string) string {
	if n := len(h) - shownHops; n > 0 {
		return strconv.Itoa(n) + "+" + h[n:]
	}
	return h
}

// annotations returns the words of the twelfth field, each once: what happened,
// then what processors noted, then why the URI was wanted.
func annotations(u *crawl.CrawlURI) []string {
	var out []string
	add := func(w string) {
		w = strings.ReplaceAll(w, ",", "%2C")
		if w != "" && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	if u.Attempt > 1 {
		add(strconv.Itoa(u.Attempt) + "t")
	}
	switch u.Truncated {
	case crawl.TruncLength:
		add("lenTrunc")
	case crawl.TruncTime:
		add("timeTrunc")
	case crawl.TruncDisconnect:
		add("discTrunc")
	}
	if u.Dropped > 0 {
		add("dol:" + strconv.Itoa(u.Dropped))
	}
	if u.Status == crawl.StatusRobots {
		add("robotExcluded")
	}
	if u.Mode == crawl.ModeJudge {
		add(crawllog.Judged)
	}
	for _, w := range u.Annotations {
		add(w)
	}
	if depth := slices.Max(u.Claim.Link[:]) - 1; depth >= 0 {
		add(crawllog.ValidLink(depth))
	}
	if u.Claim.Bin {
		add(crawllog.BinLink)
	}
	if crawl.OfSitemap(u.Context) && strings.HasSuffix(u.Hops, string(rune(crawl.HopManifest))) { // which no archive has
		add(crawllog.Found(u.Context))
	}
	return out
}
