package rebuild

import (
	"fmt"
	"strings"

	"exclave/frontier"
	"exclave/internal/aside"
)

// Result is what [State] made.
type Result struct {
	Files, Captures int64 // in the archive, and counted as acknowledged
	Abandoned       int64 // captures that count for nothing
	Lines           int64 // of crawl.log that the state was made from
	Written         int64 // lines of crawl.log that were missing
	Stats           frontier.Stats
	frontier.Settled
	Lost   int64         // archived by crawl.log, but not, or no more, in the archive
	Unread int64         // judged by crawl.log, but nothing has the verdict
	Over   bool          // the crawl was over: nothing that was found was left to fetch
	Aside  []aside.Entry // what was set aside
	Notes  []string      // contradictions and damage, for a person
	More   int64         // notes beyond those
}

// maxNotes bounds Result.Notes.
const maxNotes = 200

// String says in lines what was made, for a person.
func (r Result) String() string {
	var b strings.Builder
	s := r.Stats
	fmt.Fprintf(&b, "from %d lines of crawl.log and %d captures in %d WARC files: %d URIs known, %d finished, %d archived, %d judged, %d valid, %d queued\n",
		r.Lines, r.Captures, r.Files, s.Discovered, s.Finished, s.Archived, s.Judged, s.Valid, s.Queued)
	for _, l := range []struct {
		n    int64
		what string
	}{
		{r.Written, "archived or judged, without a line of crawl.log: the line was written (recovered)"},
		{r.Lost, "archived by crawl.log, but the archive does not hold them: fetched again"},
		{r.Unread, "judged by crawl.log, but neither archive nor analysis.jsonl has the verdict: taken by the word in crawl.log"},
		{r.Abandoned, "captures count for nothing: of pages that are archived elsewhere, or not whole"},
		{r.Again, "claimed more than they were fetched for: fetched or judged again"},
		{r.Refetched, "not archived, so that their links are unknown: fetched again"},
		{r.Unclaimed, "in the archive, and nothing tells why: they stay, their links are not followed"},
	} {
		if l.n > 0 {
			fmt.Fprintf(&b, "%d %s\n", l.n, l.what)
		}
	}
	if r.Over {
		b.WriteString("the crawl was over: links of pages that are not archived were all followed\n")
	}
	return b.String()
}
