package job

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"exclave/chain/write"
	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/job/folder"
	"exclave/internal/job/records"
	"exclave/internal/markup"
	"exclave/internal/mime"
	"exclave/internal/record"
	"exclave/internal/robots"
	"exclave/internal/urlx"
	"exclave/warc"
)

// found is a capture group as the archive has it.
type found struct {
	File       uint32
	Start, End int64
	URL        string
	Why        string `json:",omitempty"` // why it cannot be used, "" when it can

	// Of a page; Response is zero for a verdict that was made later.
	Response, Metadata crawl.Ref
	Type, ID, Digest   string
	Date               int64 // milliseconds
	Addr               netip.Addr
	Status             int
	MIME               mime.Info
	Size, Header       int64 // of the block, and of the header in it, in bytes
	ETag, LastModified string
	Redirect, NoFollow bool
	Carried            []answered `json:",omitempty"`

	Verdict crawl.Ref // zero without one
	Of      string    // record ID of the answer that a verdict made later is about
}

// answered is a deferred answer in a capture group.
type answered struct {
	Key    string
	Date   int64
	Status int
	Addrs  []netip.Addr // of dns:
	TTL    int64        // seconds
	Robots []byte       // rules, marshalled
}

func (g *found) span() crawl.Span { return crawl.Span{File: g.File, Start: g.Start, End: g.End} }

// maxLooked is how much of an answer is looked at for its type and its robots meta element.
const maxLooked = 1 << 20

// scan reads a WARC file and hands its capture groups to each, in order. end is where the last whole
// one ends.
type scan struct {
	r    *recoverer
	row  warc.FileState
	each func(*found) error
	open *found // being read
	own  []*answer
	last *found // whole, but a verdict may follow
	end  int64  // of the last record that belongs to a group that is whole
	upTo int64  // of the last whole record
	// behind is how many whole records stand behind end.
	behind int64
	hurt   []warc.Defect
	fresh  bool   // damage since the last record
	url    string // of the last group that was handed on
}

// answer is a response or revisit record within a group.
type answer struct {
	found
	dns    []netip.Addr
	ttl    int64
	robots []byte
}

// file reads one WARC file.
func (s *scan) file(ctx context.Context, name string) (err error) {
	f, err := s.r.opts.FS.Open(s.r.path(folder.WARCDir, name))
	if err != nil {
		return fmt.Errorf("job: recover: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	in := warc.NewTolerantReader(io.NewSectionReader(f, 0, 1<<62), func(d warc.Defect) {
		s.hurt, s.fresh = append(s.hurt, d), true
	})
	in.SecondOpinion(func(d warc.Defect) { s.r.note("%s at %d: %s", name, d.Offset, d.Detail) })
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		e, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("job: recover %s: %w", name, err)
		}
		a, err := s.answer(e)
		if err != nil {
			return fmt.Errorf("job: recover %s at %d: %w", name, e.Offset, err)
		}
		length, err := in.Finish()
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("job: recover %s: %w", name, err)
		}
		if length < 0 {
			continue // said to the reader's reporter
		}
		if err := s.record(e, a, crawl.Ref{File: s.row.Number, Offset: e.Offset, Length: length}); err != nil {
			return err
		}
	}
	return s.flush()
}

// answer looks at a response or revisit record; it is nil for another.
func (s *scan) answer(e *warc.Entry) (*answer, error) {
	if t := e.Type(); t != warc.TypeResponse && t != warc.TypeRevisit {
		return nil, nil
	}
	a := &answer{found: found{URL: e.TargetURI(), Type: e.Type(), ID: e.ID(), Digest: e.Header.Get("WARC-Payload-Digest"), Size: e.Size}}
	a.Addr, _ = netip.ParseAddr(e.Header.Get("WARC-IP-Address"))
	if t, err := e.Date(); err == nil {
		a.Date = t.UnixMilli()
	}
	block, err := io.ReadAll(io.LimitReader(e.Block, maxLooked))
	if err != nil {
		return a, nil // Finish says it again
	}
	if crawl.IsDNS(a.URL) {
		a.dns, a.ttl = dnsAnswer(block)
		return a, nil
	}
	if len(block) == 0 {
		return a, nil
	}
	return a, a.look(block, s.r.cfg.HTTP.RobotsToken)
}

// look takes from an answer what the chains took from it.
func (a *answer) look(block []byte, token string) (err error) {
	rec, err := record.Load(bytes.NewReader(block), "", 2*maxLooked)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rec.Close()) }()
	h := rec.Head()
	body, _ := rec.Body(maxLooked) // of a broken coding, what comes before
	a.Header = rec.HeaderLen()
	a.Status, a.ETag, a.LastModified = h.Status, h.Get("ETag"), h.Get("Last-Modified")
	a.MIME = mime.Detect(a.URL, h.Get("Content-Type"), body[:min(len(body), mime.HeadSize)], 0) // hints are those of the replay
	a.Redirect = a.Status >= 300 && a.Status < 400 && a.Status != 304 && h.Get("Location") != ""
	if a.MIME.Class == mime.HTML && bytes.Contains(bytes.ToLower(body), []byte("nofollow")) {
		a.NoFollow = markup.Parse(markup.KindOf(a.MIME.Type), body, markup.Options{DeclaredCharset: a.MIME.Charset}).NoFollow
	}
	if _, ok := crawl.PrereqKey(a.URL); ok {
		a.robots, err = robots.FromStatus(a.Status, body, token).MarshalBinary()
	}
	return err
}

// dnsAnswer reads addresses, and the shortest time to live, of a text/dns record.
func dnsAnswer(text []byte) (addrs []netip.Addr, ttl int64) {
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) != 5 || f[3] != "A" && f[3] != "AAAA" {
			continue
		}
		a, err := netip.ParseAddr(f[4])
		n, terr := strconv.ParseInt(f[1], 10, 64)
		if err != nil || terr != nil {
			continue
		}
		if len(addrs) == 0 || n < ttl {
			ttl = n
		}
		addrs = append(addrs, a)
	}
	return addrs, ttl
}

// record takes the next whole record.
func (s *scan) record(e *warc.Entry, a *answer, ref crawl.Ref) error {
	s.upTo = ref.Offset + ref.Length
	broken := s.fresh && s.open != nil && s.open.URL != ""
	s.fresh = false
	url, judged := strings.CutPrefix(e.TargetURI(), write.VerdictURI)
	judged = judged && e.Type() == warc.TypeMetadata
	if broken || judged && s.open != nil && s.open.URL != "" {
		if err := s.whole(s.open, ref.Offset, "a record of it is damaged or missing"); err != nil {
			return err
		}
	}
	s.behind++
	of := ""
	if ids := e.ConcurrentTo(); len(ids) > 0 {
		of = ids[0]
	}
	date := int64(0)
	if t, err := e.Date(); err == nil {
		date = t.UnixMilli()
	}
	switch {
	case judged:
		if l := s.last; l != nil && s.open == nil && l.ID == of && l.Date == date && l.Verdict.IsZero() && l.Why == "" {
			l.Verdict, l.End, s.end, s.behind = ref, s.upTo, s.upTo, 0
			return nil
		}
		s.begin(url)
		s.open.Verdict, s.open.Of, s.open.Date = ref, of, date
		return s.whole(s.open, s.upTo, "")
	case e.Type() == warc.TypeWarcinfo:
		s.begin("")
		return nil
	}
	s.begin(e.TargetURI())
	if a != nil {
		if a.Type == warc.TypeResponse || a.Type == warc.TypeRevisit {
			a.Response = ref
		}
		s.own = append(s.own, a)
	}
	if e.Type() == warc.TypeMetadata {
		return s.page(of, ref)
	}
	return nil
}

// begin begins a group, if none is being read.
func (s *scan) begin(url string) {
	if s.open == nil {
		s.open = &found{File: s.row.Number, Start: s.end}
		s.own = nil
	}
	if url != "" {
		s.open.URL = url
	}
}

// page ends the group of a page with its metadata record, which is about the answer of the given ID.
func (s *scan) page(of string, ref crawl.Ref) error {
	i := slices.IndexFunc(s.own, func(a *answer) bool { return a.ID == of })
	if i < 0 {
		return s.whole(s.open, s.upTo, "its response is damaged or missing")
	}
	g := s.own[i].found
	g.File, g.Start, g.Metadata = s.open.File, s.open.Start, ref
	if u, err := urlx.Parse(g.URL); err == nil {
		g.carries(s.own[:i], u)
	}
	return s.whole(&g, s.upTo, "")
}

// carries notes the deferred answers that stand before a page.
func (g *found) carries(before []*answer, page *urlx.URL) {
	for _, a := range before {
		key := crawl.RobotsKey(page.Origin())
		if crawl.IsDNS(a.URL) {
			key = a.URL
		}
		k := answered{Key: key, Date: a.Date, Status: a.Status, Addrs: a.dns, TTL: a.ttl, Robots: a.robots}
		// Redirects stand before the robots.txt they led to.
		if n := len(g.Carried); n > 0 && g.Carried[n-1].Key == key {
			g.Carried[n-1] = k
		} else {
			g.Carried = append(g.Carried, k)
		}
	}
}

// whole hands on the group before g, which ends at end.
func (s *scan) whole(g *found, end int64, why string) error {
	g.End, g.Why = end, why
	if err := s.hand(); err != nil {
		return err
	}
	s.last, s.open, s.own, s.end, s.behind = g, nil, nil, end, 0
	return nil
}

// hand hands on the group that is complete.
func (s *scan) hand() error {
	if s.last == nil {
		return nil
	}
	g := s.last
	s.last, s.url = nil, g.URL
	return s.each(g)
}

// flush ends a file. What stands behind the last whole group stays outside of all groups in a file that was
// being written; in one that was complete it is a group that counts for nothing: its bytes may be damaged.
func (s *scan) flush() error {
	if err := s.hand(); err != nil || !s.row.Final || s.end == 0 || s.end >= s.row.Committed {
		return err
	}
	rest := &found{File: s.row.Number, Start: s.end, URL: s.url}
	return errors.Join(s.whole(rest, s.row.Committed, "the end of the file holds no whole capture"), s.hand())
}

// candidate returns the URI of a capture.
func (g *found) candidate(rules urlx.Rules) (c crawl.Candidate, ok bool) {
	if host, ok := crawl.DNSHost(g.URL); ok { // of a group that is not whole
		return crawl.Candidate{URL: g.URL, Key: g.URL, Host: host}, true
	}
	u, err := urlx.Parse(g.URL)
	if err != nil {
		return c, false
	}
	return crawl.Candidate{URL: g.URL, Key: rules.Key(u), Host: u.Hostname(), Kind: crawl.LinkNav}, true
}

// facts are what the answers of a capture taught about its host and origin.
func (g *found) facts(u *crawl.CrawlURI, robotsTTL time.Duration) {
	for _, a := range g.Carried {
		at := time.UnixMilli(a.Date).UTC()
		if host, ok := crawl.DNSHost(a.Key); ok {
			u.HostFacts = &crawl.HostFacts{Host: host, Status: crawl.StatusDNS, Addrs: a.Addrs, Asked: at, Expires: at.Add(time.Duration(a.TTL) * time.Second)}
		} else if origin, ok := crawl.RobotsOrigin(a.Key); ok && a.Robots != nil {
			u.Origin = &crawl.OriginFacts{Origin: origin, Status: crawl.Status(a.Status),
				Robots: a.Robots, Fetched: at, Expires: at.Add(robotsTTL)}
		}
		u.Carried = append(u.Carried, a.Key)
	}
}

// described are the fields of a metadata record that say how a page was found.
type described struct {
	via, hops, tag string
	seed           bool
	took           time.Duration
	links          []crawl.Outlink
}

// describe reads a metadata record.
func (r *recoverer) describe(ref crawl.Ref) (d described, err error) {
	block, err := r.block(ref)
	if err != nil {
		return d, err
	}
	for line := range bytes.Lines(block) {
		name, value, _ := strings.Cut(strings.TrimRight(string(line), "\r\n"), ": ")
		switch name {
		case "seed":
			d.seed = true
		case "via":
			d.via = value
		case "hopsFromSeed":
			d.hops = value
		case "sourceTag":
			d.tag = value
		case "fetchTimeMs":
			if n, err := strconv.ParseInt(value, 10, 64); err == nil {
				d.took = time.Duration(n) * time.Millisecond
			}
		case "outlink":
			if o, ok := records.ParseOutlink(value); ok {
				d.links = append(d.links, o)
			}
		}
	}
	return d, nil
}

// block reads the block of a record of the archive.
func (r *recoverer) block(ref crawl.Ref) ([]byte, error) {
	s, ok := r.files[ref.File]
	if !ok {
		return nil, fmt.Errorf("job: recover: there is no WARC file number %d", ref.File)
	}
	e, done, err := warc.ReadAt(r.opts.FS, r.path(folder.WARCDir, s.DiskName()), warc.Ref(ref))
	if err != nil {
		return nil, fmt.Errorf("job: recover: %w", err)
	}
	block, err := io.ReadAll(e.Block)
	if err := errors.Join(err, done()); err != nil {
		return nil, fmt.Errorf("job: recover %s at %d: %w", s.Name, ref.Offset, err)
	}
	return block, nil
}

// judgement reads verdicts as they stand in the archive and in analysis.jsonl. Profiles that the job
// does not have any more are left out.
func (r *recoverer) judgement(verdicts []byte) (*crawl.Judgement, error) {
	var vs []struct {
		Profile       string
		Judged, Valid bool
		Points, Min   int64
	}
	if err := json.Unmarshal(verdicts, &vs); err != nil {
		return nil, fmt.Errorf("verdict: %w", err)
	}
	j := &crawl.Judgement{JSON: verdicts}
	for _, v := range vs {
		i := slices.Index(r.profiles, v.Profile)
		if i < 0 {
			continue
		}
		j.Points[i] = v.Points
		if v.Valid {
			j.ValidFor |= 1 << i
		} else if v.Judged && v.Min > 0 && v.Points >= (v.Min+1)/2 {
			j.Near = true
		}
	}
	return j, nil
}

// capture is the row of a group that counts for nothing.
func (g *found) capture(why string) frontier.Capture {
	c := frontier.Capture{Span: g.span(), Response: !g.Response.IsZero(), Abandoned: why}
	for _, a := range g.Carried {
		c.Carried = append(c.Carried, a.Key)
	}
	return c
}
