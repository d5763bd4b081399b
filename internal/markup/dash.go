package markup

import (
	"math"
	"strconv"
	"strings"
)

// dashSegments collects what says which segments a DASH presentation has (ISO/IEC 23009-1, 5.3.9): templates of an adaptation set
// and of its representations, and timelines.
type dashSegments struct {
	b        *builder
	others   []dashLink // below the second base and further ones
	duration float64    // of the period, in seconds; 0 = not known
	set      *dashTemplate
	reps     []dashRepresentation
	open     *dashRepresentation // the one whose elements are read
	last     *dashTemplate       // whose timeline is read
	idle     int                 // segments that were no new links
	listed   bool                // the set names its segments one by one
}

type dashRepresentation struct {
	id, bandwidth string
	bases         []string
	template      *dashTemplate // nil: that of the set
	inherits      bool          // it has no base of its own
	listed        bool          // it names its segments one by one
}

// dashLink is an address that waits for those below the first base.
type dashLink struct{ url, context string }

// dashBase is what the references in an element are relative to: several BaseURL elements are alternatives (5.6.4).
type dashBase struct {
	urls []string // at least one
	own  int      // BaseURL elements that were read; 0 = urls are those of the element around
}

const (
	maxOwnBases = 4  // BaseURL elements of one level that count
	maxBases    = 16 // of all levels together

	maxDashRuns = 100_000 // of a timeline, and segments of a presentation that are no new links
)

// read takes a BaseURL element; from is the first address that is new.
func (d *dashBase) read(ref string, parent []string) (from int) {
	if d.own == maxOwnBases {
		return len(d.urls)
	}
	if d.own++; d.own == 1 {
		d.urls = nil
	}
	from = len(d.urls)
	for _, p := range parent {
		if len(d.urls) < maxBases {
			d.urls = append(d.urls, joinRef(p, ref))
		}
	}
	return from
}

// add takes a reference below the first base, and keeps it below the others.
func (s *dashSegments) add(bases []string, ref, context string) {
	s.b.add([]byte(joinRef(bases[0], ref)), Embed, context)
	for _, base := range bases[1:] {
		if other := joinRef(base, ref); other != ref && len(other) <= maxURL && len(s.others) < s.b.o.MaxLinks {
			s.others = append(s.others, dashLink{other, context})
		}
	}
}

// finish takes what waits, also in a presentation that is cut.
func (s *dashSegments) finish() {
	s.end("representation", nil)
	s.end("adaptationset", nil)
	for _, l := range s.others {
		s.b.add([]byte(l.url), Embed, l.context)
	}
}

// attribute takes an attribute that is a reference.
func (s *dashSegments) attribute(key string, val []byte, bases []string) {
	switch key {
	case "moreinformationurl":
		s.b.add(val, Nav, "dash/@"+key)
		return
	case "initialization", "media", "sourceurl", "index", "xlink:href":
	default:
		return
	}
	if ref, ok := cleanURL(val); ok && !strings.Contains(ref, "$") && !strings.HasPrefix(ref, "urn:") {
		s.add(bases, ref, "dash/@"+key)
	}
}

type dashTemplate struct {
	media, init  string
	start, scale int64
	duration     int64 // of a segment, in 1/scale seconds; 0: the timeline says
	timeline     []dashRun
}

// dashRun is an S element: r+1 segments of d from t on.
type dashRun struct {
	t, d, r int64
	hasT    bool
}

// start takes what an element says.
func (s *dashSegments) start(name string, attrs map[string]string, bases []string) {
	number := func(key string, def int64) int64 {
		n, err := strconv.ParseInt(attrs[key], 10, 64)
		if err != nil || n < 0 {
			return def
		}
		return n
	}
	switch name {
	case "mpd":
		s.duration = isoDuration(attrs["mediapresentationduration"])
	case "period":
		if d := isoDuration(attrs["duration"]); d > 0 {
			s.duration = d
		}
	case "adaptationset":
		s.set, s.reps, s.open, s.last, s.listed = nil, nil, nil, nil, false
	case "representation":
		if len(s.reps) < maxAttrs {
			s.open = &dashRepresentation{id: attrs["id"], bandwidth: attrs["bandwidth"], bases: bases, inherits: true}
		}
	case "segmenttemplate":
		t := &dashTemplate{start: 1, scale: 1}
		if s.open != nil && s.set != nil { // what is not said again is that of the set
			*t = *s.set
		}
		if v := attrs["media"]; v != "" {
			t.media = v
		}
		if v := attrs["initialization"]; v != "" {
			t.init = v
		}
		t.start, t.scale, t.duration = number("startnumber", t.start), max(number("timescale", t.scale), 1), number("duration", t.duration)
		if s.last = t; s.open != nil {
			s.open.template = t
		} else {
			s.set = t
		}
	case "segmentlist":
		if s.open != nil {
			s.open.listed = true
		} else {
			s.listed = true
		}
	case "segmenttimeline":
		if s.last != nil {
			s.last.timeline = nil
		}
	case "s":
		if s.last != nil && len(s.last.timeline) < maxDashRuns {
			r, err := strconv.ParseInt(attrs["r"], 10, 64)
			if err != nil {
				r = 0
			}
			_, hasT := attrs["t"]
			s.last.timeline = append(s.last.timeline, dashRun{number("t", 0), number("d", 0), r, hasT})
		}
	}
}

// end takes the end of an element; bases are those of what stood in it.
func (s *dashSegments) end(name string, bases []string) {
	switch name {
	case "representation":
		if s.open != nil {
			if bases != nil {
				s.open.bases = bases
			}
			s.reps = append(s.reps, *s.open)
			s.open = nil
		}
	case "adaptationset":
		for _, r := range s.reps {
			if r.template == nil {
				r.template = s.set
			}
			switch {
			case r.template != nil:
				s.expand(r)
			case r.inherits && !r.listed && !s.listed:
				s.files(r.bases)
			}
		}
		s.set, s.reps = nil, nil
	}
}

// files takes bases that are no folders: files, which a representation consists of. Above it they may only be what others are relative to, or
// be replaced.
func (s *dashSegments) files(bases []string) {
	for _, u := range bases {
		if !strings.HasSuffix(u, "/") {
			s.b.add([]byte(u), Embed, "dash/baseurl")
		}
	}
}

// expand adds the segments of a representation.
func (s *dashSegments) expand(r dashRepresentation) {
	b, t := s.b, r.template
	add := func(pattern string, number, time int64, context string) bool {
		links := len(b.doc.Links)
		if pattern == "" || links >= b.o.MaxLinks || s.idle >= maxDashRuns || !b.on(len(pattern)) {
			return false
		}
		if ref, ok := cleanURL([]byte(r.fill(pattern, number, time))); ok {
			s.add(r.bases, ref, context)
		}
		if len(b.doc.Links) == links {
			s.idle++
		}
		return true
	}
	add(t.init, t.start, 0, "dash/@initialization")
	if !strings.Contains(t.media, "$Number") && !strings.Contains(t.media, "$Time") {
		add(t.media, t.start, 0, "dash/@media")
		return
	}
	number := t.start
	end := int64(min(s.duration*float64(t.scale), math.MaxInt64/4))
	if len(t.timeline) == 0 {
		if t.duration <= 0 {
			return
		}
		for at := int64(0); at < end && add(t.media, number, at, "dash/@media"); at += t.duration {
			number++
		}
		return
	}
	at := int64(0)
	for i, run := range t.timeline {
		if run.hasT {
			at = run.t
		}
		if run.d <= 0 {
			return
		}
		repeats := run.r
		if repeats < 0 { // up to the next run, or the end
			until := end
			if i+1 < len(t.timeline) && t.timeline[i+1].hasT {
				until = t.timeline[i+1].t
			}
			repeats = (until-at+run.d-1)/run.d - 1
		}
		for n := int64(0); n <= repeats; n++ {
			if !add(t.media, number, at, "dash/@media") {
				return
			}
			number, at = number+1, at+run.d
		}
	}
}

// fill puts values into a template (5.3.9.4.4): "$Number%05d$", "$RepresentationID$", "$$".
func (r *dashRepresentation) fill(pattern string, number, time int64) string {
	parts := strings.Split(pattern, "$")
	if len(parts)%2 == 0 { // a sign is left over
		return pattern
	}
	for i := 1; i < len(parts); i += 2 {
		name, format, _ := strings.Cut(parts[i], "%0")
		width, err := strconv.Atoi(strings.TrimSuffix(format, "d"))
		if err != nil || width > 20 {
			width = 1
		}
		switch name {
		case "":
			parts[i] = "$"
		case "RepresentationID":
			parts[i] = r.id
		case "Bandwidth":
			parts[i] = pad(r.bandwidth, width)
		case "Number":
			parts[i] = pad(strconv.FormatInt(number, 10), width)
		case "Time":
			parts[i] = pad(strconv.FormatInt(time, 10), width)
		}
	}
	return strings.Join(parts, "")
}

func pad(s string, width int) string {
	return strings.Repeat("0", max(width-len(s), 0)) + s
}

// isoDuration reads "PT1H2M3.5S" in seconds, 0 for what is none.
func isoDuration(s string) float64 {
	_, rest, ok := strings.Cut(strings.Replace(strings.TrimSpace(s), "P0Y0M0DT", "PT", 1), "PT")
	if !ok {
		return 0
	}
	total := 0.0
	for rest != "" {
		n := strings.IndexAny(rest, "HMS")
		if n < 0 {
			return 0
		}
		v, err := strconv.ParseFloat(rest[:n], 64)
		if err != nil || v < 0 || v > 1e9 {
			return 0
		}
		total += v * map[byte]float64{'H': 3600, 'M': 60, 'S': 1}[rest[n]]
		rest = rest[n+1:]
	}
	return total
}
