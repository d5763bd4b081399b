package schema

import (
	"time"

	"exclave/crawl"
)

// HostKey returns the key of the row of a host or queue by its hash.
func HostKey(host uint64) []byte { return numberKey(Hosts, host) }

// Host is the row of a host or a queue: the queue without its URIs, and the counts of the host.
type Host struct {
	Name    string
	Pending uint64    // URIs in its queue
	Wake    time.Time // end of its delay; wall time
	GaveUp  bool      // a URI was given up because the host did not answer
	Tally   *Tally    // of its visits; nil = none, and in the rows that Next sees
	Backoff uint8     // failures that its back-off is for, halved by each answer
	Refused uint8     // answers 403 in a row
	// Requests since the last pause of its address, which was the Pauses-th.
	Requests, Pauses uint64
	Snoozed          bool       // evicted until Wake or Until
	Retired          Retirement // which budget is spent
	Best             uint8      // precedence of the head of its queue, as far as is known
	Ticket           time.Time  // when it got in line
	Spent            uint64     // of the balance of its session
	Round, RoundUsed uint64     // the round it was last dispatched in, and its URIs used in that round
	Took             uint64     // duration of its answers in milliseconds, smoothed; 0 = not known
	Known, Valid     uint64     // URIs of the host that are known, and those that are valid pages
	Failing          uint64     // origins in it that failed and have not recovered
	Until            time.Time  // all its origins back off until then; zero: not known
	Guessed          uint64     // URIs known only because useless pages lead to them
	// Judged are the pages of the host that were judged, ValidFor those that were valid, by
	// profile. Uncounted: pages may have been judged before a program counted them.
	Judged    uint64
	ValidFor  [crawl.MaxProfiles]uint64
	Uncounted bool
	// OffHours: it is snoozed because a URI of it was due outside the hours of a sheet.
	OffHours bool
}

// WakeTime is the wake time of the queue: the end of its delay, or of the back-off of all its origins.
func (h *Host) WakeTime() time.Time {
	if h.Until.After(h.Wake) {
		return h.Until
	}
	return h.Wake
}

// hostVersion starts the value of a host; hostVersionUnjudged did before pages that were judged
// were counted, hostVersion3 in state format 3.
const hostVersion, hostVersionUnjudged, hostVersion3 = 4, 3, 2

// Encode writes the row.
func (h *Host) Encode() []byte {
	e := newEnc()
	e.b[0] = hostVersion
	e.str(h.Name)
	e.uv(h.Pending)
	e.time(h.Wake)
	failing := h.Failing > 0 || !h.Until.IsZero()
	e.flags(h.GaveUp, h.Tally != nil, h.Snoozed, h.Retired != NotRetired, h.RoundUsed > 0, failing, h.Guessed > 0, h.Uncounted, h.OffHours)
	e.uv(uint64(h.Backoff))
	e.uv(uint64(h.Refused))
	e.uv(h.Requests)
	e.uv(h.Pauses)
	e.uv(uint64(h.Best))
	e.time(h.Ticket)
	e.uv(h.Spent)
	e.uv(h.Took)
	e.uv(h.Known)
	e.uv(h.Valid)
	if h.Retired != NotRetired {
		e.uv(uint64(h.Retired))
	}
	if h.RoundUsed > 0 {
		e.uv(h.Round)
		e.uv(h.RoundUsed)
	}
	if failing {
		e.uv(h.Failing)
		e.time(h.Until)
	}
	if h.Guessed > 0 {
		e.uv(h.Guessed)
	}
	e.uv(h.Judged)
	if h.Judged > 0 {
		for _, n := range h.ValidFor {
			e.uv(n)
		}
	}
	if h.Tally != nil {
		e.tally(*h.Tally)
	}
	return e.b
}

// DecodeHost reads a row of this or an older version.
func DecodeHost(b []byte) (*Host, error) {
	h := &Host{}
	return h, h.Decode(b)
}

// Decode is DecodeHost into an empty row.
func (h *Host) Decode(b []byte) error {
	version := byte(hostVersion)
	if len(b) > 0 && (b[0] == hostVersion3 || b[0] == hostVersionUnjudged) {
		version = b[0]
	}
	d := newDecOf(b, version)
	h.Name, h.Pending, h.Wake = d.str(), d.uv(), d.time()
	var visited, retired, round, failing, guessed bool
	d.flags(&h.GaveUp, &visited, &h.Snoozed, &retired, &round, &failing, &guessed, &h.Uncounted, &h.OffHours)
	h.Backoff, h.Refused = uint8(d.uv()), uint8(d.uv())
	h.Requests, h.Pauses = d.uv(), d.uv()
	if version > hostVersion3 {
		h.Best, h.Ticket, h.Spent, h.Took = uint8(d.uv()), d.time(), d.uv(), d.uv()
		h.Known, h.Valid = d.uv(), d.uv()
	}
	if retired {
		h.Retired = Retirement(d.uv())
	}
	if round {
		h.Round, h.RoundUsed = d.uv(), d.uv()
	}
	if failing {
		h.Failing, h.Until = d.uv(), d.time()
	}
	if guessed {
		h.Guessed = d.uv()
	}
	h.Uncounted = h.Uncounted || version <= hostVersionUnjudged && h.Known > 0
	if version > hostVersionUnjudged {
		if h.Judged = d.uv(); h.Judged > 0 {
			for i := range h.ValidFor {
				h.ValidFor[i] = d.uv()
			}
		}
	}
	if visited {
		y := d.tally()
		h.Tally = &y
	}
	return d.end()
}

// Retirement is why a queue is retired.
type Retirement uint8

// Why a queue is retired. Values are stored; never renumber.
const (
	NotRetired   Retirement = iota
	HostBudget              // the host's budget is spent
	DomainBudget            // the budget of its registered domain is spent
	SourceBudget            // the budgets of the sources of all its URIs are spent
)

// String names the budget that is spent.
func (w Retirement) String() string {
	return [...]string{"", "budget of the host", "budget of the domain", "budget of the source"}[min(w, SourceBudget)]
}

func checkHost(k, v []byte) error {
	if err := keyLen(k, 9); err != nil {
		return err
	}
	return new(Host).Decode(v)
}
