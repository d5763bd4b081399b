package live

import (
	"fmt"
	"slices"
	"time"

	"exclave/chain"
	"exclave/internal/job"
	"exclave/internal/printable"
)

// idle says why a crawl does nothing, or nothing that shows; "" while answers
// come in.
func idle(s *job.Snapshot) string {
	busy := working(s)
	switch s.State {
	case chain.Paused:
		text := "paused"
		if s.DiskFull {
			text = "paused until there is room: " + printable.Size(s.FreeDisk) + " are free, less than min_free_disk"
		}
		if !s.Unanswered.IsZero() {
			text = "paused: no name server answers since " + s.Unanswered.UTC().Format(time.RFC3339) + "; the crawl resumes when one does"
		}
		if len(busy) > 0 {
			return text + "; " + counted(len(busy), "URI") + " in process " + isAre(len(busy)) + " being finished"
		}
		return text
	case chain.Stopping:
		if len(busy) > 0 {
			return "stopping; " + counted(len(busy), "URI") + " in process may still be finished"
		}
		return "stopping; what is open is being completed"
	}
	if s.Now.URIs > 0 && len(busy) > 0 {
		return ""
	}
	if top, _ := busiest(busy); top == chain.StepCommits {
		return ""
	}
	if len(busy) > 0 {
		first := busy[0]
		none := "no answer yet"
		if s.Counts.Fetched > 0 {
			none = "no answer for a while"
		}
		text := fmt.Sprintf("%s at work, %s; the longest: %s for %s", counted(len(busy), "worker"), none, first.Step, short(s.Time.Sub(first.Since)))
		if first.Host != "" {
			text += " (" + first.Host + ")"
		}
		return text
	}
	q := s.Queues
	q.Waiting += q.Inactive // their turn comes after that of those in memory
	switch {
	case q.Ready > 0 || q.InProcess > 0:
		return "" // about to begin
	case q.Waiting > 0 && q.Resting > 0:
		return fmt.Sprintf("%s %s waiting for politeness, %d %s %s; next in %s",
			counted(q.Waiting, "host"), isAre(q.Waiting), q.Resting, plural(q.Resting, "rests", "rest"), whyResting(s), soon(q.Next))
	case q.Waiting > 0:
		return fmt.Sprintf("%s waiting for politeness; next in %s", allHosts(q.Waiting), soon(q.Next))
	case q.Resting > 0:
		return fmt.Sprintf("%s resting %s; next in %s", allHosts(q.Resting), whyResting(s), soon(q.Next))
	case q.Held:
		return "seeds are being read; nothing to fetch yet"
	}
	return "nothing is left to fetch"
}

// whyResting says why hosts rest for long. Which of them wait for hours of a sheet is not counted.
func whyResting(s *job.Snapshot) string {
	const shown = 3
	text := "after failed attempts"
	for i, c := range s.Closed {
		if i == shown {
			return text + fmt.Sprintf(", or of %d more sheets", len(s.Closed)-shown)
		}
		text += ", or " + c.String()
	}
	return text
}

// working returns the workers with a URI, longest at their step first.
func working(s *job.Snapshot) []chain.Activity {
	var busy []chain.Activity
	for _, a := range s.Workers {
		if a.URL != "" {
			busy = append(busy, a)
		}
	}
	slices.SortStableFunc(busy, func(a, b chain.Activity) int { return a.Since.Compare(b.Since) })
	return busy
}

// soon prints a time to wait, in whole seconds, never "0 s" for one that is left.
func soon(d time.Duration) string {
	if d > 2*time.Minute {
		return short(d)
	}
	return fmt.Sprintf("%d s", (d+time.Second-1)/time.Second)
}

func allHosts(n int) string {
	if n == 1 {
		return "the only host is"
	}
	return fmt.Sprintf("all %s hosts are", Number(int64(n)))
}

func counted(n int, what string) string {
	return Number(int64(n)) + " " + plural(n, what, what+"s")
}

func isAre(n int) string { return plural(n, "is", "are") }

func plural(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}
