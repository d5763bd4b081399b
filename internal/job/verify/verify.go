package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync/atomic"
	"time"

	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/extsort"
	"exclave/internal/job/elsewhere"
	"exclave/internal/job/folder"
	"exclave/internal/job/view"
	"exclave/warc"
)

// Defect is a disagreement that was found: what, and where.
type Defect struct {
	Where string // file with offset or line, or a URL
	What  string
}

// String is one line for a person.
func (d Defect) String() string { return d.Where + ": " + d.What }

// Options say how a job is verified. The zero Options read everything.
type Options struct {
	// Fast leaves out what takes reading everything (FastLeavesOut).
	Fast bool
	// Workers is how many read the archive and the logs at the same time; 0: as many as there are
	// processors.
	Workers int
	// Temp is the folder for what does not fit in memory; "": the system's (TMPDIR). Nothing
	// stays there.
	Temp     string
	Progress io.Writer    // where progress goes; nil: nowhere
	Defect   func(Defect) // called with each defect when it is found; may be nil
	// Earlier calls each for the responses of other archives that are known: target URI, date and payload digest. nil: revisit
	// records that refer to other archives are not checked.
	Earlier func(each func(url string, date time.Time, digest string) error) error
	// Ask reports whether a server of another archive has a response; an error says that it could not be asked. It is called by up to 256 goroutines,
	// for what Earlier does not know. nil: there is nobody to ask.
	Ask func(ctx context.Context, url, digest string, date time.Time) (bool, error)
	// Offline takes on trust what Earlier does not know: there are servers, and they are not asked.
	Offline bool
	// Unproven is told once, if there are any, how many revisit records are taken on trust or could not be asked about, and then why. May be nil.
	Unproven func(records int64, why error)
	// Remote reads WARC files that exclave stored elsewhere, and that are not here, from their place. Without it they are taken on trust when
	// register, manifest and state say the same of them.
	Remote bool
	// Trusted hears at the end of how many files, and bytes, were taken on trust. May be nil.
	Trusted func(files int, bytes int64)
	// Sizes bound its memory; the zero Sizes are those of the verb.
	Sizes Sizes
}

// Sizes bound what is held at the same time.
type Sizes struct {
	Chunk int   // bytes of a chunk of a sorter
	Unit  int64 // bytes of a WARC file that are read at a time, about
	Lines int   // bytes of a log that are read at a time, about
	Cache int64 // bytes of the store's cache
}

// maxWorkers bounds the memory of machines with very many processors.
const maxWorkers = 32

func (o Options) withDefaults() Options {
	if o.Workers <= 0 {
		o.Workers = min(runtime.GOMAXPROCS(0), maxWorkers)
	}
	if o.Defect == nil {
		o.Defect = func(Defect) {}
	}
	if o.Unproven == nil {
		o.Unproven = func(int64, error) {}
	}
	if o.Sizes == (Sizes{}) {
		o.Sizes = Sizes{Chunk: 4 << 20, Unit: 4 << 20, Lines: 256 << 10, Cache: 32 << 20}
	}
	return o
}

// FastLeavesOut says what [Options].Fast does not check.
const FastLeavesOut = "not checked: the bodies of records, their checksums and digests, what headers say that the state does not know, records that the state does not point to, when DNS answers and robots.txt were recorded, and each line of the logs"

// All is [Run] of everything, and returns the defects in the order of discovery.
func All(ctx context.Context, f folder.Folder) (defects []Defect, err error) {
	err = Run(ctx, f, Options{Defect: func(d Defect) { defects = append(defects, d) }})
	return defects, err
}

// Run checks a job that is not running, and changes nothing: every WARC
// record is whole and belongs to a capture that the state acknowledges; every
// archived URI has its record there; the logs are what was acknowledged, line by
// line; the deferred DNS and robots.txt records stand before the pages that need
// them; the state does not contradict itself. Memory is bounded: what has to be compared is
// sorted on disk (ADR 40). An error means that the check could not be made.
func Run(ctx context.Context, f folder.Folder, with Options) (err error) {
	with = with.withDefaults()
	at, err := view.Open(ctx, f, view.Options{For: "verify", Cache: with.Sizes.Cache, Files: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, at.Close()) }()
	v := &verifier{View: at, with: with, scratch: extsort.NewScratch(with.Temp, with.Sizes.Chunk)}
	defer func() { err = errors.Join(err, v.close()) }()
	v.moved = elsewhere.Of(at.Folder)
	if _, _, err := v.moved.Find(""); err != nil {
		return err
	}
	if err := v.run(ctx); err != nil {
		return err
	}
	if with.Trusted != nil && v.trusted > 0 {
		with.Trusted(v.trusted, v.trustedBytes)
	}
	return nil
}

type verifier struct {
	*view.View
	with    Options
	scratch *extsort.Scratch
	found   atomic.Int64 // defects
	effort  effort
	moved   *elsewhere.Files
	sums    warc.Manifest // read when a file is elsewhere
	files   []*archiveFile
	away    int // WARC files that are registered as moved, and are, and are not read

	trusted      int // of them those of which all say the same
	trustedBytes int64

	// What is brought together, sorted.
	owners   *extsort.Sorter // IDs of URIs that captures belong to
	carried  *extsort.Sorter // deferred answers that an acknowledged capture brought
	logged   *extsort.Sorter // IDs of URIs that lines are about: log, line
	unknown  *extsort.Sorter // lines whose URI the state has not finished: log, line
	expected *extsort.Sorter // what the state says of records (expect.go)
	needs    *extsort.Sorter // DNS and robots.txt records, and the pages that need them
	ids      *extsort.Sorter // hashes of record IDs by file: offset
	refers   *extsort.Sorter // responses, and the revisit records that refer to them (revisit.go)
	abroad   *extsort.Sorter // the same of other archives, by target URI

	elsewhere int64 // revisit records that refer to other archives

	logs      []*readLog
	finishes  int64
	judgings  int64
	recounted recounted // from crawl.log
}

// run makes the checks. What the archive is compared with comes first.
func (v *verifier) run(ctx context.Context) error {
	for _, s := range []struct {
		to   **extsort.Sorter
		name string
	}{{&v.owners, "owners"}, {&v.carried, "carried"}, {&v.logged, "logged"}, {&v.unknown, "unknown"}, {&v.expected, "expected"}, {&v.needs, "needs"}, {&v.ids, "ids"}, {&v.refers, "refers"}, {&v.abroad, "abroad"}} {
		*s.to = v.scratch.Sorter(s.name)
	}
	v.owners.Remember()
	v.findFiles()
	v.effort.plan(v)
	if v.with.Progress != nil {
		defer v.showProgress(ctx)()
	}
	for _, step := range []func(context.Context) error{v.captures, v.readLogs, v.state, v.archive, v.precede, v.compareLogs} {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// close removes what was sorted.
func (v *verifier) close() error {
	for _, s := range []*extsort.Sorter{v.owners, v.carried, v.logged, v.unknown, v.expected, v.needs, v.ids, v.refers, v.abroad} {
		if s != nil {
			s.Abandon()
		}
	}
	return v.scratch.Close()
}

func (v *verifier) bad(where, format string, a ...any) {
	v.found.Add(1)
	v.with.Defect(Defect{where, fmt.Sprintf(format, a...)})
}

// captures reads which captures are acknowledged.
func (v *verifier) captures(ctx context.Context) error {
	last := uint32(0)
	return v.State.EachCapture(func(c frontier.Capture) error {
		if c.Span.File != last {
			last = c.Span.File
			if v.file(last) == nil {
				v.bad(folder.StateDir, "captures lie in WARC file number %d, which has no row", last)
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if err := v.owners.Add(c.ID.Host, c.ID.URI); err != nil {
			return err
		}
		if err := v.expectOriginal(v.expected, &c); err != nil {
			return err
		}
		for _, key := range c.Carried {
			if c.Abandoned == "" {
				if err := v.carried.Add(0, 0, []byte(key)); err != nil {
					return err
				}
			}
			if v.with.Fast {
				if err := v.have(key, longAgo); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// state checks the state against itself, and takes down what it says of archive and logs.
func (v *verifier) state(ctx context.Context) (err error) {
	v.effort.begin("state")
	owners, err := v.owners.Sorted()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, owners.Close()) }()
	logged, err := v.logged.Sorted()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, logged.Close()) }()
	pass := &statePass{v: v, owners: owners, logged: logged, moreOwners: owners.Next(), moreLogged: logged.Next()}
	if err := v.State.Audit(ctx, frontier.Audit{Scratch: v.scratch, Note: func(s string) { v.bad(folder.StateDir, "%s", s) }, Each: pass.uri}); err != nil {
		return err
	}
	if err := pass.end(); err != nil {
		return err
	}
	if err := v.State.Behind(); err != nil {
		v.bad(folder.StateDir, "%v", err)
	}
	return v.deferred()
}

// deferred checks that what counts as archived was brought by a capture.
func (v *verifier) deferred() (err error) {
	carried, err := v.carried.Sorted()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, carried.Close()) }()
	more := carried.Next()
	if err := v.State.EachDeferred(func(d crawl.Deferred) error { // in the order of keys
		for more && string(carried.Data) < d.Key {
			more = carried.Next()
		}
		if d.Written && (!more || string(carried.Data) != d.Key) {
			v.bad(folder.StateDir, "%s counts as archived, but no capture brought it", d.Key)
		}
		return nil
	}); err != nil {
		return err
	}
	return carried.Err
}

// statePass reads the URIs of the state beside what captures and logs say of them, all by ID.
type statePass struct {
	v                      *verifier
	owners, logged         *extsort.Merge
	moreOwners, moreLogged bool
}

func (p *statePass) uri(r *frontier.Record) error {
	p.v.effort.add(1)
	if err := p.before(r.ID, r); err != nil {
		return err
	}
	p.v.finishes += int64(r.Finishes)
	p.v.judgings += int64(r.Judgings)
	if !r.Outcome.Archived {
		return nil
	}
	if err := p.v.expect(p.v.expected, r); err != nil || !p.v.with.Fast {
		return err
	}
	if key, ok := crawl.PrereqKey(r.URL); ok {
		if err := p.v.have(key, longAgo); err != nil {
			return err
		}
	}
	return p.v.need(r.URL, r.Date.UnixMilli())
}

// before handles what is said of IDs up to one; r is the record of the last of them, nil at the end.
func (p *statePass) before(id crawl.ID, r *frontier.Record) error {
	compare := func(m *extsort.Merge) int {
		if r == nil {
			return -1
		}
		return crawl.ID{Host: m.A, URI: m.B}.Compare(id)
	}
	for p.moreOwners {
		c := compare(p.owners)
		if c > 0 {
			break
		}
		if c < 0 {
			p.v.bad(folder.StateDir, "a capture belongs to URI %v, which has no record", crawl.ID{Host: p.owners.A, URI: p.owners.B})
		}
		p.moreOwners = p.owners.Next()
	}
	for p.moreLogged {
		c := compare(p.logged)
		if c > 0 {
			break
		}
		if c < 0 || r.Finishes == 0 {
			if err := p.v.unknownLine(p.logged.Data); err != nil {
				return err
			}
		}
		p.moreLogged = p.logged.Next()
	}
	return nil
}

func (p *statePass) end() error {
	return errors.Join(p.before(crawl.ID{}, nil), p.owners.Err, p.logged.Err)
}

func stamp(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }
