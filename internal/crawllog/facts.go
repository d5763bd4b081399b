package crawllog

import (
	"strconv"
	"strings"
)

// The annotations that say facts, which are read back: whatever writes crawl.log makes them
// of these, and [Entry.Facts] is the one place that reads them. All others are for people.
const (
	Judged      = "judged"                        // the archived answer was read; nothing was fetched
	NotModified = "duplicate:server-not-modified" // 304, archived as a revisit record
	Duplicate   = "duplicate:digest"              // the same content as an earlier answer, archived as a revisit record
	BinLink     = "binLink"                       // claimed as what an archived page embeds

	valid, invalid, validLink, found = "valid:", "invalid:", "validLink:", "found:"
)

// Found is the annotation of a URI that a sitemap has, or that is one: the context of the link.
func Found(context string) string { return found + context }

// Verdict is the annotation of a page that the analyzer judged: the points of the best profile.
func Verdict(accepted bool, points int64) string {
	if accepted {
		return valid + strconv.FormatInt(points, 10)
	}
	return invalid + strconv.FormatInt(points, 10)
}

// ValidLink is the annotation of a URI that a depth reaches: how many links further it goes.
func ValidLink(depth int32) string { return validLink + strconv.FormatInt(int64(depth), 10) }

// Facts are what the annotations of a line say.
type Facts struct {
	Judged      bool   // the line is of an archived answer that was read again
	NotModified bool   // the line is of a revisit record of a 304
	Duplicate   bool   // the line is of a revisit record of an identical payload
	Analysed    bool   // the analyzer judged the page
	Valid       bool   // a profile accepted it
	BinLink     bool   // see [BinLink]
	Linked      bool   // a depth reaches the URI
	Depth       int32  // how many links further; 0 without Linked
	Found       string // the context of the link, when a sitemap has the URI
}

// Facts reads the annotations. Words that it does not know say nothing; of several verdicts
// the last counts, of several depths the greatest.
func (e *Entry) Facts() (f Facts) {
	for _, a := range e.Annotations {
		switch a {
		case Judged:
			f.Judged = true
		case NotModified:
			f.NotModified = true
		case Duplicate:
			f.Duplicate = true
		case BinLink:
			f.BinLink = true
		}
		switch value, ok := strings.CutPrefix(a, validLink); {
		case ok:
			if n, err := strconv.ParseInt(value, 10, 32); err == nil && n >= 0 {
				f.Linked, f.Depth = true, max(f.Depth, int32(n))
			}
		case strings.HasPrefix(a, found):
			f.Found = strings.ReplaceAll(a[len(found):], "%2C", ",") // an annotation has no comma
		case strings.HasPrefix(a, valid):
			f.Analysed, f.Valid = true, true
		case strings.HasPrefix(a, invalid):
			f.Analysed, f.Valid = true, false
		}
	}
	return f
}
