package job

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"time"

	"exclave/chain/post"
	"exclave/config"
	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/urlx"
	"exclave/warc"
)

// Defect is a disagreement that Verify found: what, and where.
type Defect struct {
	Where string // file with offset or line, or a URL
	What  string
}

// String is one line for a person.
func (d Defect) String() string { return d.Where + ": " + d.What }

// Verify checks a job that is not running, and changes nothing: every WARC
// record is whole and belongs to a capture that the state acknowledges; every
// archived URI has its record there; the logs are what was acknowledged, line by
// line; the deferred DNS and robots.txt records stand before the pages that need
// them; the state does not contradict itself. Defects come in order of discovery.
// An error means that the check could not be made.
func Verify(ctx context.Context, cfg *config.Config, o Options) (_ []Defect, err error) {
	o = o.withDefaults()
	j := Job{cfg: cfg, opts: o, dir: cfg.Dir}
	lock, err := o.FS.Lock(j.path(StateDir, "job.lock"))
	if err != nil {
		if _, serr := o.FS.Stat(j.path(StateDir)); serr != nil {
			return nil, fmt.Errorf("job: verify %s: there is no state; was the job ever started? (%w)", j.dir, serr)
		}
		return nil, fmt.Errorf("job: verify %s: %w", j.dir, ErrLocked)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	f, err := openState(ctx, cfg, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close(ctx)) }()
	v := &verifier{Job: &j, f: f, captures: map[uint32][]frontier.Capture{}, responses: map[crawl.Ref]response{},
		metadata: map[crawl.Ref]string{}, urls: map[crawl.ID]string{}, carried: map[string]bool{},
		dns: map[string]int64{}, robots: map[string]int64{}}
	for _, step := range []func(context.Context) error{v.state, v.archive, v.uris, v.logs} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := step(ctx); err != nil {
			return v.defects, err
		}
	}
	return v.defects, nil
}

type response struct {
	url    string
	digest string
	id     string
	kind   string
	date   int64 // milliseconds
}

type verifier struct {
	*Job
	f         *frontier.Frontier
	defects   []Defect
	captures  map[uint32][]frontier.Capture
	urls      map[crawl.ID]string    // of URIs that captures belong to
	responses map[crawl.Ref]response // response and revisit records in the archive
	metadata  map[crawl.Ref]string   // URLs of metadata records in the archive
	carried   map[string]bool        // deferred answers that an acknowledged capture brought
	dns       map[string]int64       // earliest record of a host
	robots    map[string]int64       // earliest record of an origin
	finishes  int64
	judgings  int64
}

func (v *verifier) bad(where, format string, a ...any) {
	v.defects = append(v.defects, Defect{where, fmt.Sprintf(format, a...)})
}

// state checks the state against itself.
func (v *verifier) state(context.Context) error {
	problems, err := v.f.Check()
	if err != nil {
		return err
	}
	for _, p := range problems {
		v.bad(StateDir, "%s", p)
	}
	if err := v.f.EachCapture(func(c frontier.Capture) error {
		v.captures[c.Span.File] = append(v.captures[c.Span.File], c)
		v.urls[c.ID] = ""
		if c.Abandoned == "" {
			for _, key := range c.Carried {
				v.carried[key] = true
			}
		}
		return nil
	}); err != nil {
		return err
	}
	return v.f.EachDeferred(func(d crawl.Deferred) error {
		if d.Written && !v.carried[d.Key] {
			v.bad(StateDir, "%s counts as archived, but no capture brought it", d.Key)
		}
		return nil
	})
}

// archive checks the WARC files, and that each record lies in a capture.
func (v *verifier) archive(context.Context) error {
	rows := v.f.Files()
	known := map[string]bool{}
	for _, row := range rows {
		s := warc.FileState(row)
		name := s.DiskName()
		if _, err := v.opts.FS.Stat(v.path(WARCDir, name)); err != nil && !row.Final {
			name = row.Name // renamed before the state could say so
		}
		known[name] = true
		if err := v.file(row, name); err != nil {
			return err
		}
	}
	for n := range v.captures {
		if !slices.ContainsFunc(rows, func(r frontier.FileRow) bool { return r.Number == n }) {
			v.bad(StateDir, "captures lie in WARC file number %d, which has no row", n)
		}
	}
	names, err := v.opts.FS.List(v.path(WARCDir))
	if err != nil {
		return fmt.Errorf("job: verify: %w", err)
	}
	for _, n := range names {
		if !known[n] {
			v.bad(n, "the state does not know this file%s", v.unlessClean())
		}
	}
	return nil
}

// unlessClean says what to do about leftovers of a killed run.
func (v *verifier) unlessClean() string {
	if v.f.Clean() {
		return ""
	}
	return "; the job was killed: let exclave crawl go on with it first"
}

func (v *verifier) file(row frontier.FileRow, name string) error {
	st, err := v.opts.FS.Stat(v.path(WARCDir, name))
	if err != nil {
		v.bad(name, "is missing; %d bytes in it are acknowledged", row.Committed)
		return nil
	}
	if st.Size() != row.Committed {
		v.bad(name, "has %d bytes, %d are acknowledged%s", st.Size(), row.Committed, v.unlessClean())
	}
	spans := v.captures[row.Number]
	at := int64(0)
	for _, c := range spans {
		if c.Span.Start != at {
			v.bad(name, "at %d: no capture is acknowledged up to %d", at, c.Span.Start)
		}
		at = c.Span.End
	}
	if at != row.Committed {
		v.bad(name, "captures end at %d, %d bytes are acknowledged", at, row.Committed)
	}
	walk := &fileWalk{v: v, name: name, row: row, spans: spans, ids: map[string]bool{}, urls: map[string]bool{}}
	defects, err := warc.Verify(v.opts.FS, v.path(WARCDir, name), walk.record)
	if err != nil {
		return err
	}
	for _, d := range defects {
		v.bad(fmt.Sprintf("%s at %d", name, d.Offset), "%s: %s", d.Kind, d.Detail)
	}
	walk.end()
	return nil
}

// fileWalk follows the records of a file through its captures.
type fileWalk struct {
	v        *verifier
	name     string
	row      frontier.FileRow
	spans    []frontier.Capture
	i        int             // capture in hand
	answers  int             // responses of the capture's own URI in it
	ids      map[string]bool // of the capture's records
	urls     map[string]bool // of the capture's responses
	pointers []string        // WARC-Concurrent-To within the capture
	begun    bool
}

func (w *fileWalk) where(off int64) string { return fmt.Sprintf("%s at %d", w.name, off) }

func (w *fileWalk) record(r warc.RecordInfo) error {
	for w.i < len(w.spans) && r.Ref.Offset >= w.spans[w.i].Span.End {
		w.closeCapture()
	}
	at := w.where(r.Ref.Offset)
	if w.i >= len(w.spans) || r.Ref.Offset < w.spans[w.i].Span.Start {
		w.v.bad(at, "%s record of %s belongs to no acknowledged capture", r.Type, r.TargetURI)
		return nil
	}
	c := w.spans[w.i]
	if !w.begun {
		w.begun = true
		if r.Ref.Offset != c.Span.Start {
			w.v.bad(w.where(c.Span.Start), "a capture begins here, but no record does")
		}
	}
	if r.Ref.Offset+r.Ref.Length > c.Span.End {
		w.v.bad(at, "the record reaches over the end of its capture at %d", c.Span.End)
	}
	if r.Ref.Offset == 0 && r.Type != warc.TypeWarcinfo {
		w.v.bad(at, "the file does not begin with a warcinfo record")
	}
	w.ids[r.ID] = true
	w.pointers = append(w.pointers, r.ConcurrentTo...)
	w.note(r, c)
	return nil
}

// note remembers the records that the state points to or that pages need.
func (w *fileWalk) note(r warc.RecordInfo, c frontier.Capture) {
	ref := crawl.Ref{File: w.row.Number, Offset: r.Ref.Offset, Length: r.Ref.Length}
	switch r.Type {
	case warc.TypeMetadata:
		w.v.metadata[ref] = r.TargetURI
	case warc.TypeResponse, warc.TypeRevisit:
		ms := r.Date.UnixMilli()
		w.urls[r.TargetURI] = true
		if host, ok := strings.CutPrefix(r.TargetURI, "dns:"); ok {
			keepEarliest(w.v.dns, host, ms)
			return
		}
		w.v.responses[ref] = response{url: r.TargetURI, digest: r.Payload, id: r.ID, kind: r.Type, date: ms}
		if u, err := urlx.Parse(r.TargetURI); err == nil && u.PathQuery() == "/robots.txt" {
			keepEarliest(w.v.robots, u.Origin(), ms)
		}
		if !slices.Contains(c.Carried, carriedKey(r.TargetURI)) {
			w.answers++
		}
	}
}

func keepEarliest(m map[string]int64, key string, ms int64) {
	if t, ok := m[key]; !ok || ms < t {
		m[key] = ms
	}
}

// carriedURI is the target URI of the record that a deferred answer became.
func carriedURI(key string) string {
	if origin, ok := strings.CutPrefix(key, crawl.RobotsKey("")); ok {
		return origin + "/robots.txt"
	}
	return key
}

// carriedKey is the opposite of carriedURI.
func carriedKey(uri string) string {
	if origin, ok := strings.CutSuffix(uri, "/robots.txt"); ok {
		return crawl.RobotsKey(origin)
	}
	return uri
}

func (w *fileWalk) closeCapture() {
	c := w.spans[w.i]
	at := w.where(c.Span.Start)
	if !w.begun {
		w.v.bad(at, "the capture of %d bytes holds no record", c.Span.End-c.Span.Start)
	} else {
		for _, key := range c.Carried {
			if !w.urls[carriedURI(key)] {
				w.v.bad(at, "the capture does not hold the record of %s that the state says it brought", carriedURI(key))
			}
		}
		if c.Response && w.answers == 0 {
			w.v.bad(at, "the capture holds no response")
		}
	}
	for _, p := range w.pointers {
		// A verdict made later points to the response of an earlier capture.
		if c.Response && !w.ids[p] {
			w.v.bad(at, "WARC-Concurrent-To %s is not in the capture", p)
		}
	}
	w.i, w.begun, w.answers, w.pointers = w.i+1, false, 0, nil
	w.ids, w.urls = map[string]bool{}, map[string]bool{}
}

func (w *fileWalk) end() {
	for w.i < len(w.spans) {
		w.closeCapture()
	}
}

// uris checks every URI against the archive.
func (v *verifier) uris(context.Context) error {
	err := v.f.EachURI(func(r *frontier.Record) error {
		if _, ok := v.urls[r.ID]; ok {
			v.urls[r.ID] = r.URL
		}
		v.finishes += int64(r.Finishes)
		v.judgings += int64(r.Judgings)
		if !r.Outcome.Archived {
			return nil
		}
		rec, ok := v.responses[r.Response]
		if !ok {
			v.bad(r.URL, "is archived by the state, but no response record is at %d in WARC file %d", r.Response.Offset, r.Response.File)
			return nil
		}
		v.compare(r, rec)
		if m := r.Metadata; !m.IsZero() && v.metadata[m] != r.URL {
			v.bad(r.URL, "its metadata record is not at %d in WARC file %d", m.Offset, m.File)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for id, url := range v.urls {
		if url == "" {
			v.bad(StateDir, "a capture belongs to URI %016x, which has no record", uint64(id))
		}
	}
	return nil
}

func stamp(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }

func (v *verifier) compare(r *frontier.Record, rec response) {
	if rec.date != r.Date.UnixMilli() {
		v.bad(r.URL, "its record is dated %s, the state says %s", stamp(rec.date), stamp(r.Date.UnixMilli()))
	}
	if rec.url != r.URL {
		v.bad(r.URL, "its place in the archive holds %s", rec.url)
	}
	if r.RecordID != "" && rec.id != r.RecordID {
		v.bad(r.URL, "its record is %s, the state says %s", rec.id, r.RecordID)
	}
	if r.Digest != "" && rec.kind == warc.TypeResponse && rec.digest != r.Digest {
		v.bad(r.URL, "its payload digest is %s, the state says %s", rec.digest, r.Digest)
	}
	u, err := urlx.Parse(r.URL)
	if err != nil {
		v.bad(r.URL, "%v", err)
		return
	}
	need := func(m map[string]int64, key, what string) {
		t, ok := m[key]
		switch {
		case !ok:
			v.bad(r.URL, "is archived without the %s of %s", what, key)
		case t > rec.date:
			v.bad(r.URL, "the %s of %s is dated %s, after it", what, key, stamp(t))
		}
	}
	if !u.IsIP() {
		need(v.dns, u.Hostname(), "DNS record")
	}
	if v.cfg.Robots.Policy.String() == "obey" {
		need(v.robots, u.Origin(), "robots.txt")
	}
}

// logs checks the logs against what is acknowledged of them, and crawl.log and
// analysis.jsonl line by line against the state.
func (v *verifier) logs(context.Context) error {
	for _, row := range v.f.Logs() {
		if err := v.log(row); err != nil {
			return err
		}
	}
	return nil
}

func (v *verifier) log(row frontier.LogRow) error {
	name := row.Log.Name()
	in, err := v.opts.FS.Open(v.path(LogDir, name))
	if err != nil {
		if row.Length > 0 {
			v.bad(name, "is missing; %d bytes are acknowledged", row.Length)
		}
		return nil
	}
	defer in.Close()
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	lines, n := int64(0), int64(0)
	r := bufio.NewReader(io.TeeReader(in, sum))
	for {
		line, err := r.ReadBytes('\n')
		n += int64(len(line))
		if len(line) > 0 {
			lines++
			if line[len(line)-1] != '\n' {
				v.bad(fmt.Sprintf("%s line %d", name, lines), "is cut off")
			}
			if err := v.line(row.Log, fmt.Sprintf("%s line %d", name, lines), bytes.TrimSpace(line)); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("job: verify %s: %w", name, err)
		}
	}
	switch {
	case n != row.Length:
		v.bad(name, "has %d bytes, %d are acknowledged%s", n, row.Length, v.unlessClean())
	case sum.Sum32() != row.CRC:
		v.bad(name, "its contents are not those acknowledged (checksum differs)")
	}
	if lines != row.Lines {
		v.bad(name, "has %d lines, %d are acknowledged", lines, row.Lines)
	}
	want := map[crawl.LogID]int64{crawl.LogCrawl: v.finishes, crawl.LogAnalysis: v.judgings}
	if w, ok := want[row.Log]; ok && lines != w {
		v.bad(name, "has %d lines, the state counts %d", lines, w)
	}
	return nil
}

func (v *verifier) line(log crawl.LogID, where string, line []byte) error {
	switch log {
	case crawl.LogCrawl:
		e, err := post.ParseCrawlLog(string(line))
		if err != nil {
			v.bad(where, "%v", err)
			return nil
		}
		return v.known(where, e.URL)
	default:
		var l struct {
			URL string `json:"url"`
		}
		if err := json.Unmarshal(line, &l); err != nil || l.URL == "" {
			v.bad(where, "is not a JSON object with a url")
			return nil
		}
		if log == crawl.LogAnalysis {
			return v.known(where, l.URL)
		}
	}
	return nil
}

// known checks that a URL of a log is one the state has finished.
func (v *verifier) known(where, url string) error {
	key := url
	if u, err := urlx.Parse(url); err == nil {
		key = v.cfg.URL.Key(u)
		if u.PathQuery() == "/robots.txt" {
			if r, err := v.f.Lookup(crawl.RobotsKey(u.Origin())); err != nil || r != nil && r.Finishes > 0 {
				return err
			}
		}
	}
	r, err := v.f.Lookup(key)
	if err != nil {
		return err
	}
	if r == nil || r.Finishes == 0 {
		v.bad(where, "%s is logged, but the state has not finished it", url)
	}
	return nil
}
