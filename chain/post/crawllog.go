package post

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"exclave/crawl"
)

const (
	stamp17 = "20060102150405.000" // without the dot
	// shownHops is how many hops Heritrix shows.
	shownHops = 50
)

// extra is the thirteenth field.
type extra struct {
	ContentSize    int64  `json:"contentSize"`
	WARCFilename   string `json:"warcFilename"`
	WARCFileOffset int64  `json:"warcFileOffset"`
}

// CrawlLogLine returns the line of crawl.log (docs/formats/crawl-log.md) of a
// URI that is done, with its line end. file is the name of the WARC file of
// u.Response, "" = no thirteenth field.
func CrawlLogLine(u *crawl.CrawlURI, file string, now time.Time) []byte {
	status, size := u.Outcome().Status, "-"
	if u.Mode == crawl.ModeFetch {
		status = u.Status
	}
	var n int64
	if u.Rec != nil && u.Mode == crawl.ModeFetch {
		_, n = u.Rec.Response()
		size = strconv.FormatInt(n, 10)
	}
	mime, began := u.MIME.Type, "-"
	if mime == "" {
		mime = "unknown"
	}
	if !u.Started.IsZero() {
		began = strings.Replace(u.Started.UTC().Format(stamp17), ".", "", 1) + "+" + strconv.FormatInt(max(u.Took.Milliseconds(), 0), 10)
	}
	b := fmt.Appendf(nil, "%s %5d %10s %s %s %s %s #%03d %s %s %s %s", stamp(now), status, size,
		field(u.URL), field(shortHops(u.Hops)), field(u.Via), field(mime), u.Worker, began,
		field(digest(u)), field(u.SourceTag), field(strings.Join(annotations(u), ",")))
	if file != "" {
		// Marshalling numbers and a string cannot fail.
		j, _ := json.Marshal(extra{n, file, u.Response.Offset})
		b = append(append(b, ' '), j...)
	}
	return append(b, '\n')
}

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
		add("judged")
	}
	for _, w := range u.Annotations {
		add(w)
	}
	if depth := slices.Max(u.Claim.Link[:]) - 1; depth >= 0 {
		add("validLink:" + strconv.Itoa(int(depth)))
	}
	if u.Claim.Bin {
		add("binLink")
	}
	return out
}

// Entry is a line of crawl.log. Texts that are "-" in the line are empty.
type Entry struct {
	Time        time.Time
	Status      crawl.Status
	Size        int64 // bytes; -1 when not given
	URL         string
	Hops        string // as shown; "7+…" for a path of 57
	Via         string
	MIME        string // "unknown" when there is none
	Worker      int
	Started     time.Time // zero when nothing was fetched
	Took        time.Duration
	Digest      string
	Source      string
	Annotations []string
	// The thirteenth field; "" and 0 when it is missing or another's.
	ContentSize    int64
	WARCFilename   string
	WARCFileOffset int64
}

// ErrCrawlLog is wrapped by errors about lines that are not of crawl.log.
var ErrCrawlLog = errors.New("not a line of crawl.log")

// ParseCrawlLog reads a line of crawl.log, ours or Heritrix's. The start and
// duration of the fetch may be parted by '+' or, as Heritrix's manual has it, by ';'.
func ParseCrawlLog(line string) (Entry, error) {
	f := strings.Fields(line)
	if len(f) < 12 {
		return Entry{}, fmt.Errorf("post: %w: it has %d fields, not 12", ErrCrawlLog, len(f))
	}
	var e Entry
	var errs []error
	check := func(name string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("post: %w: %s: %w", ErrCrawlLog, name, err))
		}
	}
	var err error
	e.Time, err = time.Parse(time.RFC3339Nano, f[0])
	check("log time", err)
	status, err := strconv.ParseInt(f[1], 10, 32)
	check("status", err)
	e.Status, e.Size = crawl.Status(status), -1
	if f[2] != "-" {
		e.Size, err = strconv.ParseInt(f[2], 10, 64)
		check("size", err)
	}
	e.URL, e.Hops, e.Via, e.MIME = text(f[3]), text(f[4]), text(f[5]), text(f[6])
	e.Worker, err = strconv.Atoi(strings.TrimPrefix(f[7], "#"))
	check("worker", err)
	e.Started, e.Took, err = fetchTime(f[8])
	check("fetch time", err)
	e.Digest, e.Source = text(f[9]), text(f[10])
	if a := text(f[11]); a != "" {
		e.Annotations = strings.Split(a, ",")
	}
	if len(f) > 12 {
		var x extra
		if json.Unmarshal([]byte(strings.Join(f[12:], " ")), &x) == nil {
			e.ContentSize, e.WARCFilename, e.WARCFileOffset = x.ContentSize, x.WARCFilename, x.WARCFileOffset
		}
	}
	if len(errs) > 0 {
		return Entry{}, errors.Join(errs...)
	}
	return e, nil
}

func text(s string) string {
	if s == "-" {
		return ""
	}
	return s
}

func fetchTime(s string) (time.Time, time.Duration, error) {
	if s == "-" {
		return time.Time{}, 0, nil
	}
	began, took := s, "0"
	if i := strings.IndexAny(s, "+;"); i >= 0 {
		began, took = s[:i], s[i+1:]
	}
	if len(began) < 15 {
		return time.Time{}, 0, fmt.Errorf("%q is no start and duration", s)
	}
	t, err := time.Parse(stamp17, began[:14]+"."+began[14:])
	if err != nil {
		return time.Time{}, 0, err
	}
	ms, err := strconv.ParseUint(strings.TrimSuffix(took, "ms"), 10, 40)
	if err != nil {
		return time.Time{}, 0, err
	}
	return t, time.Duration(ms) * time.Millisecond, nil
}
