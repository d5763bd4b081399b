package schema

// DecodeOldCounters reads the row as it is written now or was in format 3.
func DecodeOldCounters(v []byte) (s Counters, err error) {
	if len(v) > 0 && v[0] == statsVersion {
		return DecodeCounters(v)
	}
	d := newDecOf(v, statsVersion3)
	for _, p := range s.fields()[:10] {
		*p = d.iv()
	}
	s.Seq, s.Work = d.uv(), d.uv()
	d.uv() // hosts with pending URIs
	s.LongestQueue, s.LongestLength = d.uv(), d.uv()
	return s, d.end()
}

// Stats are the numbers of the crawl since it began. Discovered is the sum of
// Queued, Parked, InProcess, Finished and Dropped at every instant.
type Stats struct {
	Discovered  int64 `json:"discovered"`
	Queued      int64 `json:"queued"`
	Parked      int64 `json:"parked"`
	InProcess   int64 `json:"in_process"`
	Finished    int64 `json:"finished"`
	Archived    int64 `json:"archived"` // URIs with a response or revisit record
	Judged      int64 `json:"judged"`
	Valid       int64 `json:"valid"`
	Failed      int64 `json:"failed"`      // finished with a negative status, but for exclusions
	Disregarded int64 `json:"disregarded"` // finished out of scope or forbidden by robots.txt
	Retried     int64 `json:"retried"`     // attempts that will be repeated
	Dropped     int64 `json:"dropped"`     // dropped at a cap for better ones
	// Refused counts candidates beyond a cap, and links of useless pages that are not
	// followed. They do not become known: one that is found twice counts twice.
	Refused int64 `json:"refused"`
}

// Counters are the statistics as stored; Queued includes what is in process.
type Counters struct {
	Stats
	Seq, Work     uint64 // last used numbers of queue and work rows
	InLine        uint64 // queues in line
	Snoozed       uint64 // queues that are snoozed
	Retired       uint64 // queues that are retired
	LongestQueue  uint64 // the queue with most URIs, as far as is known
	LongestLength uint64 // of its queue
	// Round is the present round, from 0, and RoundUsed how many of its URIs are used.
	Round, RoundUsed uint64
}

// Moved counts a queue that moved from one place to another.
func (s *Counters) Moved(from, to Place) {
	step := func(p Place, by uint64) {
		switch p.Kind {
		case Line:
			s.InLine += by
		case Snoozed:
			s.Snoozed += by
		case Retired:
			s.Retired += by
		}
	}
	step(from, ^uint64(0))
	step(to, 1)
}

// statsVersion starts the value of the statistics; statsVersion3 did in state format 3.
const statsVersion, statsVersion3 = 3, 2

// Encode writes the row.
func (s *Counters) Encode() []byte {
	e := newEnc()
	e.b[0] = statsVersion
	for _, p := range s.fields() {
		e.iv(*p)
	}
	for _, n := range []uint64{s.Seq, s.Work, s.InLine, s.LongestQueue, s.LongestLength, s.Snoozed, s.Retired, s.Round, s.RoundUsed} {
		e.uv(n)
	}
	return e.b
}

func (s *Counters) fields() []*int64 {
	return []*int64{&s.Discovered, &s.Queued, &s.Parked, &s.Finished, &s.Archived, &s.Judged, &s.Valid,
		&s.Failed, &s.Disregarded, &s.Retried, &s.Dropped, &s.Refused}
}

// DecodeCounters reads the row as it is written now.
func DecodeCounters(b []byte) (s Counters, err error) {
	d := newDecOf(b, statsVersion)
	for _, p := range s.fields() {
		*p = d.iv()
	}
	s.Seq, s.Work, s.InLine, s.LongestQueue, s.LongestLength = d.uv(), d.uv(), d.uv(), d.uv(), d.uv()
	s.Snoozed, s.Retired, s.Round, s.RoundUsed = d.uv(), d.uv(), d.uv(), d.uv()
	return s, d.end()
}
