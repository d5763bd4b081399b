package rules

import (
	"exclave/crawl"
	"exclave/frontier/schema"
)

// alike reports whether two URLs differ in numbers only, as the pages of a list and the days of
// a calendar do.
func alike(a, b string) bool {
	if a == b {
		return false
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		x, y := digits(a, i), digits(b, j)
		switch {
		case x > i && y > j:
			i, j = x, y
		case x > i || y > j || a[i] != b[j]:
			return false
		case a[i] == '%' && len(a) > i+2 && len(b) > j+2: // an escape is a letter
			if a[i+1:i+3] != b[j+1:j+3] {
				return false
			}
			i, j = i+3, j+3
		default:
			i, j = i+1, j+1
		}
	}
	return i == len(a) && j == len(b)
}

// digits returns where a number ends that begins at i, i when none does.
func digits(s string, i int) int {
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	return i
}

// leastAlike is how many links to new URLs like its own make a page empty that leads to nothing else. With fewer the
// links do not branch, and the bound on hops ends the path.
const leastAlike = 3

// emptyRun returns how many empty pages in a row, on the way to the page, end with it: pages that lead to nothing new
// but URLs that differ from their own in numbers only, like the months of a calendar beyond the last event. Calendar
// links that the scope refused count too.
func (t *Tx) emptyRun(r *schema.Record, u *crawl.CrawlURI) (run uint8, err error) {
	o := t.env.Order
	if o.FollowUseless || o.EmptyPages == 0 || u.Mode != crawl.ModeFetch || t.Request == nil || t.Request.Ahead > 0 || r.Outcome.Class != crawl.ClassHTML {
		return 0, nil
	}
	some, fresh := u.CalendarLinks, 0
	for i := range u.Links {
		if c := &u.Links[i]; c.Kind == crawl.LinkNav && alike(r.URL, c.URL) {
			some++
		}
	}
	if some < leastAlike {
		return 0, nil
	}
	for i := range u.Links {
		c := &u.Links[i]
		if c.Kind != crawl.LinkNav || c.Key == r.Key {
			continue
		}
		like := alike(r.URL, c.URL)
		if like && fresh == leastAlike {
			continue
		}
		known, _, err := t.lookupAt(t.Request.IDs[i], c.Key)
		switch {
		case err != nil:
			return 0, err
		case known != nil:
		case !like:
			return 0, nil
		default:
			fresh++
		}
	}
	if fresh > 0 && (fresh+u.CalendarLinks >= leastAlike || r.Empty > 0) {
		return min(r.Empty+1, schema.MostInARow), nil
	}
	return 0, nil
}
