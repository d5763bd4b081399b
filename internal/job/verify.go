package job

import (
	"context"
	"errors"
	"fmt"
	"time"

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
	o = o.toLook()
	j := Job{cfg: cfg, opts: o, dir: cfg.Dir}
	if err := Begun(cfg, o); err != nil {
		return nil, err
	}
	lock, err := j.lock("verify")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	f, err := openState(ctx, cfg, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close(ctx)) }()
	v := &verifier{Job: &j, f: f, captures: map[uint32][]frontier.Capture{}, responses: map[crawl.Ref]response{},
		metadata: map[crawl.Ref]string{}, urls: map[crawl.ID]string{}, carried: map[string]bool{},
		dns: map[string]int64{}, robots: map[string]int64{}, away: map[uint32]bool{}}
	if v.moved, err = readMoved(o.FS, j.dir); err != nil {
		return nil, err
	}
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
	moved     movedFiles
	away      map[uint32]bool     // WARC files that are registered as moved, and are
	logsAway  [crawl.NumLogs]bool // logs with parts that are
	finishes  int64
	judgings  int64
	recounted recounted // from crawl.log
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
	if err := v.f.Behind(); err != nil {
		v.bad(StateDir, "%v", err)
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
		if !ok && v.away[r.Response.File] {
			return nil
		}
		if !ok {
			v.bad(r.URL, "is archived by the state, but no response record is at %d in WARC file %d", r.Response.Offset, r.Response.File)
			return nil
		}
		v.compare(r, rec)
		if m := r.Metadata; !m.IsZero() && v.metadata[m] != r.URL && !v.away[m.File] {
			v.bad(r.URL, "its metadata record is not at %d in WARC file %d", m.Offset, m.File)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for id, url := range v.urls {
		if url == "" {
			v.bad(StateDir, "a capture belongs to URI %v, which has no record", id)
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
		case len(v.away) > 0 && (!ok || t > rec.date): // it may be there
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
