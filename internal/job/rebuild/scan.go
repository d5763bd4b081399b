package rebuild

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"exclave/chain/write"
	"exclave/crawl"
	"exclave/internal/job/folder"
	"exclave/internal/markup"
	"exclave/internal/mime"
	"exclave/internal/record"
	"exclave/internal/robots"
	"exclave/internal/urlx"
	"exclave/warc"
)

// maxLooked is how much of an answer is looked at for its type and its robots meta element.
const maxLooked = 1 << 20

// scan reads a WARC file and hands its capture groups to each, in order. end is where the last whole
// one ends.
type scan struct {
	r    *rebuilding
	row  warc.FileState
	each func(*group) error
	open *group // being read
	own  []*answer
	last *group // whole, but a verdict may follow
	end  int64  // of the last record that belongs to a group that is whole
	upTo int64  // of the last whole record
	// behind is how many whole records stand behind end.
	behind  int64
	damage  []warc.Defect
	damaged bool   // damage since the last record
	url     string // of the last group that was passed to each
}

// answer is a response or revisit record within a group.
type answer struct {
	group
	dns    []netip.Addr
	ttl    int64
	robots []byte
}

// file reads one WARC file.
func (s *scan) file(ctx context.Context, name string) (err error) {
	f, err := s.r.FS.Open(s.r.Path(folder.WARCDir, name))
	if err != nil {
		return fmt.Errorf("job: recover: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	in := warc.NewTolerantReader(io.NewSectionReader(f, 0, 1<<62), func(d warc.Defect) {
		s.damage, s.damaged = append(s.damage, d), true
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
	if t := e.Type(); t != warc.TypeResponse && t != warc.TypeRevisit && t != warc.TypeResource {
		return nil, nil
	}
	a := &answer{group: group{URL: e.TargetURI(), Type: e.Type(), ID: e.ID(), Digest: e.Header.Get("WARC-Payload-Digest"), Size: e.Size,
		Truncated: e.Header.Get("WARC-Truncated") != ""}}
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
	if u, err := urlx.Parse(a.URL); err == nil && !u.IsWeb() { // FTP, WHOIS: there is no header
		a.ContentType = e.Header.Get("Content-Type")
		a.Status = int(crawl.StatusWhois)
		if a.MIME = mime.Detect(a.URL, a.ContentType, block[:min(len(block), mime.HeadSize)], 0); a.Type == warc.TypeResource {
			a.Status = int(crawl.StatusFTPFile)
		}
		if crawl.IsFTPListing(u) {
			a.MIME = mime.Info{Type: "text/plain", Class: mime.Text}
		}
		return a, nil
	}
	chunked, err := a.look(block, s.r.Config.HTTP.RobotsToken)
	if err != nil {
		return a, err
	}
	if a.Type == warc.TypeRevisit {
		if e.Header.Get("WARC-Profile") == warc.ProfileIdentical {
			if a.Refers = strings.Trim(e.Header.Get("WARC-Refers-To"), "<>"); a.Refers == "" {
				a.Original = &crawl.Original{URL: e.Header.Get("WARC-Refers-To-Target-URI"), Digest: a.Digest}
				a.Original.Date, _ = time.Parse(time.RFC3339, e.Header.Get("WARC-Refers-To-Date"))
			}
		}
		return a, nil
	}
	if c := s.r.Config.Dedup; c.Wants(a.Header, a.Size-a.Header, e.Header.Get("WARC-Truncated")) {
		digest := a.Digest
		if chunked {
			if digest, err = entity(io.MultiReader(bytes.NewReader(block), e.Block)); err != nil {
				return a, nil // Finish says it again
			}
		}
		a.Payload = c.Payload(digest, a.URL, chunked)
	}
	return a, nil
}

// entity returns the digest of the entity body of an answer.
func entity(block io.Reader) (digest string, err error) {
	rec, err := record.Load(block, "", record.DefaultMemory)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, rec.Close()) }()
	at, n := rec.Response()
	return warc.EntityDigest(io.NewSectionReader(at, 0, n))
}

// look takes from an answer what the chains took from it, and tells whether its body is in chunks.
func (a *answer) look(block []byte, token string) (chunked bool, err error) {
	rec, err := record.Load(bytes.NewReader(block), "", 2*maxLooked)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, rec.Close()) }()
	h := rec.Head()
	body, _ := rec.Body(maxLooked) // of a broken coding, what comes before
	a.Header = rec.HeaderLen()
	a.Status, a.ETag, a.LastModified = h.Status, h.Get("ETag"), h.Get("Last-Modified")
	if a.Header == 0 { // HTTP/0.9
		a.Status = http.StatusOK
	}
	a.ContentType = h.Get("Content-Type")
	a.MIME = mime.Detect(a.URL, a.ContentType, body[:min(len(body), mime.HeadSize)], 0) // hints are those of the replay
	a.Redirect = a.Status >= 300 && a.Status < 400 && a.Status != 304 && h.Get("Location") != ""
	var says robots.Directives
	for _, f := range h.Fields {
		if strings.EqualFold(f.Name, "X-Robots-Tag") {
			says.ReadTag(f.Value, token)
		}
	}
	if low := bytes.ToLower(body); a.MIME.Class == mime.HTML && (bytes.Contains(low, []byte("nofollow")) || bytes.Contains(low, []byte("none"))) {
		says = says.Join(markup.Parse(markup.KindOf(a.MIME.Type), body, markup.Options{DeclaredCharset: a.MIME.Charset, RobotsToken: token}).Robots)
	}
	a.NoFollow = says.NoFollow
	if _, ok := crawl.PrereqKey(a.URL); ok {
		a.robots, err = robots.FromStatus(a.Status, body, token).MarshalBinary()
	}
	return h.Chunked(), err
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
	broken := s.damaged && s.open != nil && s.open.URL != ""
	s.damaged = false
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
		a.Response = ref
		s.own = append(s.own, a)
	}
	switch {
	case e.Type() == warc.TypeMetadata && e.Header.Get("Content-Type") == warc.ContentFields:
		return s.page(of, ref)
	case a != nil && a.Type == warc.TypeRevisit && of == "": // it is all that was written of what did not change
		return s.page(a.ID, crawl.Ref{})
	}
	return nil
}

// begin begins a group, if none is being read.
func (s *scan) begin(url string) {
	if s.open == nil {
		s.open = &group{File: s.row.Number, Start: s.end}
		s.own = nil
	}
	if url != "" {
		s.open.URL = url
	}
}

// page ends the group of a page with its metadata record, which is about the answer of the given ID; without one the reference is zero.
func (s *scan) page(of string, ref crawl.Ref) error {
	i := slices.IndexFunc(s.own, func(a *answer) bool { return a.ID == of })
	if i < 0 {
		return s.whole(s.open, s.upTo, "its response is damaged or missing")
	}
	g := s.own[i].group
	g.File, g.Start, g.Metadata = s.open.File, s.open.Start, ref
	if u, err := urlx.Parse(g.URL); err == nil {
		g.carries(s.own[:i], u)
	}
	return s.whole(&g, s.upTo, "")
}

// whole ends the group g at end, and passes the one before it to each.
func (s *scan) whole(g *group, end int64, why string) error {
	g.End, g.Why = end, why
	if err := s.pass(); err != nil {
		return err
	}
	s.last, s.open, s.own, s.end, s.behind = g, nil, nil, end, 0
	return nil
}

// pass passes the group that is complete to each.
func (s *scan) pass() error {
	if s.last == nil {
		return nil
	}
	g := s.last
	s.last, s.url = nil, g.URL
	return s.each(g)
}

// flush ends a file. What follows the last whole group stays outside of all groups in a file that was
// being written; in one that was complete it is a group that counts for nothing: its bytes may be damaged.
func (s *scan) flush() error {
	if err := s.pass(); err != nil || !s.row.Final || s.end == 0 || s.end >= s.row.Committed {
		return err
	}
	rest := &group{File: s.row.Number, Start: s.end, URL: s.url}
	return errors.Join(s.whole(rest, s.row.Committed, "the end of the file holds no whole capture"), s.pass())
}
