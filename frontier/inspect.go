package frontier

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"exclave/crawl"
	"exclave/frontier/commit"
	"exclave/frontier/rules"
	"exclave/frontier/sched"
	"exclave/frontier/schema"
)

// QueueState is the state of a queue as verbs show it.
type QueueState string

// The states of a queue.
const (
	QueueInProcess QueueState = "in process" // it has a URI in process
	QueueReady     QueueState = "ready"
	QueueWaiting   QueueState = "waiting"   // snoozed for the delay
	QueueAddress   QueueState = "address"   // snoozed because its IP address is at a limit
	QueueResting   QueueState = "resting"   // snoozed because it backs off, or all its origins do
	QueueInactive  QueueState = "inactive"  // in the line beyond the horizon, on disk only
	QueueRetired   QueueState = "retired"   // a budget is spent
	QueueExhausted QueueState = "exhausted" // it has no pending URI
)

// Queue is all that the frontier knows of a queue.
type Queue struct {
	Host     string
	State    QueueState
	Waiting  uint64            // pending URIs, including those in process
	Until    time.Time         // its wake time; zero when it is not snoozed
	Failures int               // that its back-off counts; halved by every answer
	Refused  int               // answers 403 in a row
	OffHours bool              // it was snoozed because a URI of it was due outside the hours of a sheet
	GaveUp   bool              // its last URI was given up because it did not answer
	Address  netip.Addr        // the first of its DNS answer; the zero Addr when it has none
	Paused   time.Time         // end of the last pause of the address; zero when it had none
	Retired  schema.Retirement // the budget that is spent
	Known    uint64            // known URIs of the host
	Valid    uint64            // of them, valid pages
	Took     time.Duration     // smoothed time of its answers; 0 when not known
	Tally    schema.Tally
	Origins  []RestingOrigin // the first of those that failed and have not recovered
	Next     []string        // its first URLs
	Failed   []FailedURI     // those of Next that failed
}

// FailedURI is a URI that failed and is pending again.
type FailedURI struct {
	URL      string `json:"url"`
	Attempts int    `json:"attempts"` // since it became pending
	// Status is how the last of them failed, and At when; zero: by a program that did not keep it.
	Status crawl.Status `json:"status,omitempty"`
	At     time.Time    `json:"at,omitzero"`
}

// maxNext is the maximum number of URLs shown of a queue.
const maxNext = 10

// Queue returns the queue of a host, nil when the host is not known.
func (f *Frontier) Queue(ctx context.Context, name string) (*Queue, error) {
	hash := f.hash(name)
	v, err := f.db.Get(schema.HostKey(hash))
	if v == nil || err != nil {
		return nil, err
	}
	row, err := schema.DecodeHost(v)
	if err != nil {
		return nil, fmt.Errorf("frontier: host %s: %w", name, err)
	}
	q := &Queue{Host: row.Name, Waiting: row.Pending, Failures: int(row.Backoff), Refused: int(row.Refused), GaveUp: row.GaveUp, OffHours: row.OffHours,
		Retired: row.Retired, Known: row.Known, Valid: row.Valid, Took: time.Duration(row.Took) * time.Millisecond}
	if row.Tally != nil {
		q.Tally = *row.Tally
	}
	facts, err := f.Host(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("frontier: host %s: %w", name, err)
	}
	if len(facts.Addrs) > 0 {
		q.Address = facts.Addrs[0]
		a, err := f.addressRow(q.Address)
		if err != nil {
			return nil, fmt.Errorf("frontier: address of %s: %w", name, err)
		}
		q.Paused = a.Until
	}
	if q.Origins, err = f.failedOrigins(hash); err != nil {
		return nil, fmt.Errorf("frontier: origins of %s: %w", name, err)
	}
	f.stateOf(q, hash, row)
	full := errors.New("enough")
	err = f.EachPending(ctx, name, func(r *schema.Record) error {
		if r.Attempts > 0 {
			q.Failed = append(q.Failed, FailedURI{r.URL, r.Attempts, r.Failure, r.FailedAt})
		}
		if q.Next = append(q.Next, r.URL); len(q.Next) == maxNext {
			return full
		}
		return nil
	})
	if errors.Is(err, full) {
		err = nil
	}
	return q, err
}

// stateOf sets the state of the queue and its wake time.
func (f *Frontier) stateOf(q *Queue, hash uint64, row *schema.Host) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now, mono := f.wall(), f.o.Clock.Mono()
	if wake := row.WakeTime(); wake.After(now) {
		q.Until = wake
	}
	l, inMemory := f.sched.QueueInfo(schema.Place{Host: hash}, mono)
	originsBackOff := row.Until.After(now)
	if l.BackOffUntil > 0 {
		originsBackOff, q.Until = true, f.pace.Wall(l.BackOffUntil)
	}
	switch {
	case inMemory && l.State >= sched.InProcess:
		q.State = QueueInProcess
	case q.Waiting == 0:
		q.State = QueueExhausted
	case row.Retired != schema.NotRetired:
		q.State = QueueRetired
	case inMemory && l.State == sched.Address:
		q.State = QueueAddress
		if l.AddressUntil > mono {
			q.Until = f.pace.Wall(l.AddressUntil)
		}
	case !inMemory && !f.o.ReadOnly && !row.Snoozed:
		q.State = QueueInactive
	case q.Until.IsZero():
		q.State = QueueReady
	case q.Failures > 0 && !row.OffHours, originsBackOff:
		q.State = QueueResting
	default:
		q.State = QueueWaiting
	}
}

// EachPending calls fn for every pending URI, including those in process, with its via, as of
// now: those of one queue in order, or, when host is "", those of all queues, host by host.
// It stops at the first error of fn and returns it.
func (f *Frontier) EachPending(ctx context.Context, host string, fn func(*schema.Record) error) (err error) {
	db, err := f.db.Snapshot()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	n := 0
	call := func(r *schema.Record) error {
		if n++; n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		var err error
		if r.Via, err = f.viaOf(r); err != nil {
			return fmt.Errorf("frontier: via of %s: %w", r.URL, err)
		}
		return fn(r)
	}
	if host == "" {
		return eachURI(db, func(r *schema.Record) error {
			if r.State != schema.Pending {
				return nil
			}
			return call(r)
		})
	}
	hash := f.hash(host)
	names := oneName(db)
	return db.Scan(schema.QueuePrefix(hash), func(_, v []byte) error {
		id, err := schema.QueuedID(hash, v)
		if err != nil {
			return fmt.Errorf("frontier: queue of %s: %w", host, err)
		}
		val, err := db.Get(schema.URIKey(id))
		if err != nil {
			return fmt.Errorf("frontier: queue of %s: %w", host, err)
		}
		if val == nil {
			return fmt.Errorf("frontier: queue of %s: record %v is missing", host, id)
		}
		r, err := schema.DecodeRecord(id, val, names)
		if err != nil {
			return fmt.Errorf("frontier: queue of %s: record %v: %w", host, id, err)
		}
		return call(r)
	})
}

// QueueSize is a queue and its length.
type QueueSize struct {
	Host    string `json:"host"`
	Waiting uint64 `json:"waiting"`
}

// mostBiggest bounds how many queues Biggest keeps in memory.
const mostBiggest = 1_000_000

// Biggest returns the n longest queues, at most a million, longest first, and how many
// queues are exhausted. It reads the rows of all hosts.
func (f *Frontier) Biggest(n int) (top []QueueSize, exhausted int64, err error) {
	n = max(0, min(n, mostBiggest))
	v, err := f.View()
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	less := func(a, b QueueSize) int {
		return cmp.Or(cmp.Compare(b.Waiting, a.Waiting), cmp.Compare(a.Host, b.Host))
	}
	err = v.EachHost(func(h HostRow) error {
		switch {
		case h.Name == schema.DNSHost:
		case h.Waiting == 0:
			exhausted++
		default:
			top = append(top, QueueSize{h.Name, h.Waiting})
			if len(top) >= 2*n+100 {
				slices.SortFunc(top, less)
				top = top[:n]
			}
		}
		return nil
	})
	slices.SortFunc(top, less)
	return top[:min(n, len(top))], exhausted, err
}

// Drop finishes pending URIs with a status, without a request (the verb `frontier delete`).
// log makes the log lines of each. URIs that are in process or no longer pending, and
// prerequisites, are left alone. It returns how many were finished.
func (f *Frontier) Drop(ctx context.Context, status crawl.Status, log func(*crawl.CrawlURI) []crawl.LogLine, ids ...crawl.ID) (n int, err error) {
	for len(ids) > 0 {
		r := &commit.Request{Request: rules.Request{Delete: &rules.Deletion{IDs: ids[:min(len(ids), rules.MaxLinks)], Status: status, Log: log}}}
		ids = ids[len(r.Delete.IDs):]
		if err := f.committer.Submit(ctx, r); err != nil {
			return n, fmt.Errorf("frontier: drop: %w", err)
		}
		n += r.Delete.Deleted
	}
	return n, nil
}

// addressRow returns the row of an address.
func (f *Frontier) addressRow(ip netip.Addr) (row schema.Address, err error) {
	v, err := f.db.Get(schema.AddressKey(ip))
	if v == nil || err != nil {
		return row, err
	}
	return schema.DecodeAddress(v)
}

// QueueOf returns the name of the queue that a URI belongs to, pending or not.
func (f *Frontier) QueueOf(r *schema.Record) string { return f.env.QueueName(r) }
