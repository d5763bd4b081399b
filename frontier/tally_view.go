package frontier

import (
	"cmp"
	"fmt"
	"time"

	"exclave/crawl"
	"exclave/frontier/rules"
	"exclave/frontier/schema"
	"exclave/frontier/store"
)

// View is one instant of the state, for reports that read it more than once while
// the crawl goes on. It must be closed, because it keeps old data on disk. It may be used
// by one goroutine.
type View struct {
	db *store.Snapshot
}

// View returns the state as of now.
func (f *Frontier) View() (*View, error) {
	db, err := f.db.Snapshot()
	return &View{db}, err
}

// Close releases the instant.
func (v *View) Close() error { return v.db.Close() }

// HostRow is what reports show of the row of a host.
type HostRow struct {
	Name    string
	Waiting uint64    // pending URIs, including those in process
	Wake    time.Time // wake time
	GaveUp  bool      // its last URI was given up because it did not answer
	Tally   schema.Tally
}

// EachHost calls fn for every host that has a row, and for [DNSHost], in unspecified
// order.
func (v *View) EachHost(fn func(HostRow) error) error {
	return v.db.Scan(schema.Hosts.Prefix(), func(k, val []byte) error {
		h, err := schema.DecodeHost(val)
		if err != nil {
			return fmt.Errorf("frontier: host %x: %w", k[1:], err)
		}
		return fn(shown(h))
	})
}

// QueueRow is a queue with pending URIs, and its state.
type QueueRow struct {
	HostRow
	State      QueueState
	Until      time.Time // its wake time; zero when it is not snoozed
	Precedence uint8     // of the head of the queue, as far as known; lower is sooner
	Spent      uint64    // URIs of its session that were requested
	Backoff    int       // failures that its back-off counts; halved by every answer
}

// EachQueue calls fn for every queue with pending URIs in the view, with its state as of
// now, in unspecified order.
func (f *Frontier) EachQueue(v *View, fn func(QueueRow) error) error {
	return v.db.Scan(schema.Hosts.Prefix(), func(k, val []byte) error {
		h, err := schema.DecodeHost(val)
		if err != nil {
			return fmt.Errorf("frontier: host %x: %w", k[1:], err)
		}
		if h.Pending == 0 {
			return nil
		}
		q := Queue{Waiting: h.Pending, Failures: int(h.Backoff)}
		f.stateOf(&q, f.hash(h.Name), h)
		return fn(QueueRow{HostRow: shown(h), State: q.State, Until: q.Until, Precedence: h.Best, Spent: h.Spent, Backoff: int(h.Backoff)})
	})
}

// shown returns the HostRow of a host.
func shown(h *schema.Host) HostRow {
	row := HostRow{Name: h.Name, Waiting: h.Pending, Wake: h.WakeTime(), GaveUp: h.GaveUp}
	if h.Tally != nil {
		row.Tally = *h.Tally
	}
	return row
}

// EachSource calls fn for every source tag and host with the number of visits that
// succeeded, by tag, then by host. URIs without a tag do not count. (Versions before
// state format 5 counted failures too; those counts stay.)
func (v *View) EachSource(fn func(tag, host string, uris uint64) error) error {
	return v.db.Scan(schema.TallyPrefix(schema.BySourceHost), func(k, val []byte) error {
		s, err := schema.ReadSourceHost(k)
		n, faulty := schema.DecodeNumber(val)
		if err := cmp.Or(faulty, err); err != nil {
			return fmt.Errorf("frontier: count of source %q: %w", schema.TallyName(k), err)
		}
		return fn(s.Tag, s.Host, n)
	})
}

// EachURI calls fn for every known URI, in unspecified order.
func (v *View) EachURI(fn func(*schema.Record) error) error { return eachURI(v.db, fn) }

// Redirect returns the URL that a URI redirects to, "" when it does not.
func (v *View) Redirect(r *schema.Record) (string, error) {
	if r.Outcome.Class != crawl.ClassRedirect {
		return "", nil
	}
	links, err := v.db.Get(schema.LinksKey(r.ID))
	if err != nil || links == nil {
		return "", err
	}
	kept, err := schema.DecodeLinks(r.ID.Host, links)
	if err != nil {
		return "", fmt.Errorf("frontier: links of %s: %w", r.URL, err)
	}
	for _, l := range kept {
		if l.Kind != crawl.LinkRedirect {
			continue
		}
		val, err := v.db.Get(schema.URIKey(l.ID))
		if err != nil || val == nil {
			return "", err
		}
		target, err := schema.DecodeRecord(l.ID, val, oneName(v.db))
		if err != nil {
			return "", fmt.Errorf("frontier: record %v: %w", l.ID, err)
		}
		return target.URL, nil
	}
	return "", nil
}

// Disregarded reports whether a status means that the URI was excluded on purpose:
// out of scope, forbidden by robots.txt, too many hops, over a budget.
func Disregarded(s crawl.Status) bool { return rules.Excluded(s) }

// QueueDepths are the lengths of the queues.
type QueueDepths struct {
	Queues  int   // with pending URIs
	Longest int64 // URIs in the longest, including those in process; once that one gets shorter, another may be longer
	Sum     int64 // URIs in all of them
}

// Depths measures the queues.
func (f *Frontier) Depths() QueueDepths {
	f.mu.Lock()
	defer f.mu.Unlock()
	return QueueDepths{Queues: int(f.st.InLine), Longest: int64(f.st.LongestLength), Sum: f.st.Queued}
}

// checkTallies searches for contradictions between the tables of tallies, each of which
// counts every visit once.
func checkTallies(db *store.Snapshot, note func(string, ...any)) error {
	all := rules.NewTallies()
	if err := loadTallies(&all, db); err != nil {
		return fmt.Errorf("frontier: %w", err)
	}
	var kinds, statuses, hosts schema.Tally
	for _, y := range all.Types {
		kinds.Add(y)
	}
	for _, y := range all.Statuses {
		statuses.Add(y)
	}
	err := (&View{db: db}).EachHost(func(h HostRow) error {
		hosts.Add(h.Tally)
		return nil
	})
	if kinds != statuses {
		note("statistics: the MIME types add up to %+v, the statuses to %+v", kinds, statuses)
	}
	if hosts != statuses {
		note("statistics: the hosts add up to %+v, the statuses to %+v", hosts, statuses)
	}
	return err
}
