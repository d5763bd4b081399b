package frontierbench

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/maphash"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"exclave/crawl"
	"exclave/frontier"
	"exclave/frontier/schema"
	"exclave/frontier/store"
	"exclave/internal/clock"
	"exclave/internal/fsx"
)

// Params are the parameters of a measurement.
type Params struct {
	Seed      uint64
	Dir       string        // of the state; must be new
	URIs      int           // known at the end of loading
	Hosts     int           // 0 = one for 50 URIs
	Flat      bool          // hosts are equally likely, not by a power law
	Loaders   int           // goroutines that schedule
	Workers   int           // ToeThreads
	Drain     time.Duration // of finishing URIs, and again at half the rate
	SyncDelay time.Duration // added to every fsync
	NoLimits  bool          // without the limits that a job has by default
	// Slice is called when another tenth was loaded, with the number of candidates in it; its time
	// does not count. It may be nil.
	Slice func(candidates int64) error
	// Peak returns the greatest resident memory of the process so far, in bytes.
	Peak func() int64
	// CPU returns the processor time of the process so far, in seconds.
	CPU func() float64
}

// slicesLoaded is how many slices are loaded.
const slicesLoaded = 10

func (p *Params) hosts() int {
	if p.Hosts > 0 {
		return p.Hosts
	}
	return max(p.URIs/50, 10)
}

// Figures are what was measured. Rates are per second of wall time.
type Figures struct {
	URIs         int64   `json:"uris"`
	Hosts        int     `json:"hosts"`
	Candidates   int64   `json:"candidates"`
	Schedule     float64 `json:"schedule_candidates_per_second"`
	Bare         float64 `json:"bare_pebble_candidates_per_second"`
	Generator    float64 `json:"generator_candidates_per_second"`
	Ratio        float64 `json:"schedule_ratio_to_bare"`
	Finished     float64 `json:"finished_uris_per_second"`
	ScheduleCPU  float64 `json:"schedule_cpu_us_per_candidate"` // of the process, the generator's included
	FinishedCPU  float64 `json:"finished_cpu_us_per_uri"`       // the same, of 20 links
	NextP99      float64 `json:"next_p99_ms_at_half_rate"`
	NextMax      float64 `json:"next_max_ms_at_half_rate"`
	FinishedP999 float64 `json:"finished_p99_9_ms_at_half_rate"`
	FinishedMax  float64 `json:"finished_max_ms_at_half_rate"`
	// The same while pages of HugeLinks links are finished beside them, one after the other.
	HugePages        int64   `json:"huge_pages"`
	HugePage         float64 `json:"huge_page_seconds"`
	HugeNextMax      float64 `json:"next_max_ms_beside_huge_pages"`
	HugeFinishedP999 float64 `json:"finished_p99_9_ms_beside_huge_pages"`
	HugeFinishedMax  float64 `json:"finished_max_ms_beside_huge_pages"`
	// The same during a checkpoint: how long it took, and for how long no commit was made.
	Checkpoint            float64            `json:"checkpoint_seconds"`
	CheckpointHeld        float64            `json:"checkpoint_held_seconds"`
	CheckpointFinishedMax float64            `json:"finished_max_ms_during_checkpoint"`
	Tables                map[string]uint64  `json:"table_bytes"`
	PerURI                float64            `json:"bytes_per_waiting_uri"`
	PerHost               float64            `json:"bytes_per_host"`
	Seconds               map[string]float64 `json:"seconds"`
	RSS                   int64              `json:"peak_rss_bytes"` // until huge pages are made
	RSSInAll              int64              `json:"peak_rss_bytes_with_huge_pages"`
	ReopenKilled          float64            `json:"reopen_after_kill_seconds"`
	ReopenStopped         float64            `json:"reopen_after_stop_seconds"`
}

// noArchive is an archive in which nothing is ever written.
type noArchive struct{}

// Sync implements [frontier.Archive].
func (noArchive) Sync([]uint32) error { return nil }

// Committed implements [frontier.Archive].
func (noArchive) Committed(uint32, int64) ([]frontier.FileRow, error) { return nil, nil }

// FileName implements [frontier.Archive].
func (noArchive) FileName(uint32) string { return "" }

// Open opens the state of a measurement.
func Open(ctx context.Context, p Params) (*frontier.Frontier, error) {
	cfg := frontier.DefaultConfig()
	cfg.DelayFactor, cfg.MinDelay, cfg.MaxDelay = 0, 0, 0
	d := crawl.Depths{AnalyseLinked: true}
	for i := range d.D {
		d.D[i] = -1
	}
	d.D[0] = 0
	limits := frontier.DefaultLimitsConfig()
	if p.NoLimits {
		limits = frontier.LimitsConfig{}
	}
	fs := slowFS(p.SyncDelay)
	f, err := frontier.Open(ctx, frontier.Options{FS: fs, Dir: fs.PathJoin(p.Dir, "state"), LogDir: p.Dir, Config: cfg, Limits: limits, Depths: d,
		Clock: clock.System(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	if err := f.Start(noArchive{}, f.Files()); err != nil {
		return nil, errors.Join(err, f.Close(ctx))
	}
	return f, nil
}

// Run loads and drains a frontier and leaves it open. What [Bare] measures is left out.
func Run(ctx context.Context, p Params) (_ *frontier.Frontier, fig Figures, err error) {
	fig.Seconds = map[string]float64{}
	began := time.Now()
	lap := func(name string) {
		fig.Seconds[name] = time.Since(began).Seconds()
		began = time.Now()
	}
	p.Hosts = p.hosts()
	f, err := Open(ctx, p)
	if err != nil {
		return nil, fig, err
	}
	lap("open")
	made := make([]atomic.Uint32, p.Hosts)
	if err := load(ctx, f, p, made, &fig); err != nil {
		return f, fig, err
	}
	lap("load")
	if err := f.Compact(ctx); err != nil {
		return f, fig, err
	}
	lap("compact")
	if fig.Tables, err = f.Tables(); err != nil {
		return f, fig, err
	}
	fig.Hosts = f.Depths().Queues
	fig.URIs = f.Stats().Discovered
	for _, t := range schema.Tables() {
		switch n := float64(fig.Tables[t.Table.String()]); t.Grows {
		case schema.WithURIs:
			fig.PerURI += n / float64(fig.URIs)
		case schema.WithHosts:
			fig.PerHost += n / float64(max(fig.Hosts, 1))
		}
	}
	gens := make([]*candidates, p.Workers+1) // one for each worker
	for i := range gens {
		gens[i] = newCandidates(p.Seed+7+uint64(i)<<32, made, p.Flat)
	}
	used := p.CPU()
	full, err := drain(ctx, f, p, gens, 0, nil)
	if err != nil {
		return f, fig, err
	}
	fig.FinishedCPU = (p.CPU() - used) * 1e6 / float64(max(full.done, 1))
	lap("drain")
	fig.Finished = float64(full.done) / p.Drain.Seconds()
	half, err := drain(ctx, f, p, gens, fig.Finished/2, nil)
	if err != nil {
		return f, fig, err
	}
	lap("drain at half the rate")
	fig.NextP99, fig.NextMax = millis(half.next, 99), millis(half.next, 100)
	fig.FinishedP999, fig.FinishedMax = millis(half.finished, 99.9), millis(half.finished, 100)
	fig.RSS = p.Peak()
	huge, err := drain(ctx, f, p, gens, fig.Finished/2, func(ctx context.Context) error { return hugePages(ctx, f, gens[p.Workers], &fig) })
	if err != nil {
		return f, fig, err
	}
	lap("drain beside huge pages")
	fig.HugeNextMax, fig.HugeFinishedP999, fig.HugeFinishedMax = millis(huge.next, 100), millis(huge.finished, 99.9), millis(huge.finished, 100)
	copied, err := drain(ctx, f, p, gens, fig.Finished/2, func(ctx context.Context) error { return checkpoint(ctx, f, p, &fig) })
	if err != nil {
		return f, fig, err
	}
	lap("drain during a checkpoint")
	fig.CheckpointFinishedMax = millis(copied.finished, 100)
	fig.RSSInAll = p.Peak()
	return f, fig, nil
}

// HugeLinks is the number of links of a huge page.
const HugeLinks = 100000

// millis is a percentile of durations in milliseconds, 0 without any; it sorts them.
func millis(ds []time.Duration, percent float64) float64 {
	if len(ds) == 0 {
		return 0
	}
	slices.Sort(ds)
	return float64(ds[min(int(float64(len(ds))*percent/100), len(ds)-1)].Microseconds()) / 1000
}

// batch is how many candidates are scheduled together.
const batch = 100

// load schedules candidates until enough are known.
func load(ctx context.Context, f *frontier.Frontier, p Params, made []atomic.Uint32, fig *Figures) error {
	gens := make([]*candidates, p.Loaders)
	for i := range gens {
		gens[i] = newCandidates(p.Seed+uint64(i)<<32, made, p.Flat)
	}
	errs, fresh := make([]error, p.Loaders), make([]int, p.Loaders)
	var took time.Duration
	var used float64
	for s := range slicesLoaded {
		var sent atomic.Int64
		var all sync.WaitGroup
		began, usedBefore := time.Now(), p.CPU()
		for i, g := range gens {
			all.Go(func() {
				cs := make([]crawl.Candidate, batch)
				for fresh[i] < p.URIs/p.Loaders*(s+1)/slicesLoaded && errs[i] == nil {
					for k := range cs {
						var again bool
						if cs[k], again = g.next(); !again {
							fresh[i]++
						}
					}
					errs[i] = f.Schedule(ctx, cs...)
					sent.Add(batch)
				}
			})
		}
		all.Wait()
		took += time.Since(began)
		used += p.CPU() - usedBefore
		fig.Candidates += sent.Load()
		if p.Slice != nil {
			errs = append(errs, p.Slice(sent.Load()))
		}
		if err := errors.Join(errs...); err != nil {
			return err
		}
	}
	fig.Schedule = float64(fig.Candidates) / took.Seconds()
	fig.ScheduleCPU = used * 1e6 / float64(fig.Candidates)
	g := newCandidates(p.Seed, make([]atomic.Uint32, p.Hosts), p.Flat)
	began := time.Now()
	const some = 200000
	for range some {
		_, _ = g.next()
	}
	fig.Generator = some / time.Since(began).Seconds()
	return nil
}

// links makes the links of a page. It yields, because making 100,000 links is not part of what is
// measured.
func (g *candidates) links(n int, via string) []crawl.Candidate {
	cs := make([]crawl.Candidate, n)
	for i := range cs {
		if i%100 == 99 {
			runtime.Gosched()
		}
		cs[i], _ = g.next()
		cs[i].Via = via
	}
	return cs
}

// hugePages takes and finishes pages of HugeLinks links until ctx ends.
func hugePages(ctx context.Context, f *frontier.Frontier, g *candidates, fig *Figures) error {
	for {
		links := g.links(HugeLinks, "")
		u, err := f.Next(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		u.Status, u.Class, u.Links = 200, crawl.ClassHTML, links
		began := time.Now()
		if err := f.Finished(context.WithoutCancel(ctx), u); err != nil {
			return err
		}
		fig.HugePages++
		fig.HugePage += (time.Since(began).Seconds() - fig.HugePage) / float64(fig.HugePages)
	}
}

// checkpoint copies the state in the middle of a drain.
func checkpoint(ctx context.Context, f *frontier.Frontier, p Params, fig *Figures) error {
	select {
	case <-ctx.Done():
	case <-time.After(p.Drain / 3):
	}
	fs := slowFS(p.SyncDelay)
	dir := fs.PathJoin(p.Dir, "checkpoint")
	began := time.Now()
	was, err := f.Checkpoint(context.WithoutCancel(ctx), dir)
	fig.Checkpoint, fig.CheckpointHeld = time.Since(began).Seconds(), was.Held.Seconds()
	return errors.Join(err, fs.RemoveAll(dir))
}

// drained is the result of a drain: how many pages were finished, and how long the calls
// took.
type drained struct {
	done           int64
	next, finished []time.Duration
}

// drain takes and finishes URIs, each a page of 20 links, for a while, at most rate
// of them a second when it is not 0; beside runs meanwhile.
func drain(ctx context.Context, f *frontier.Frontier, p Params, gens []*candidates, rate float64, beside func(context.Context) error) (d drained, err error) {
	ctx, cancel := context.WithTimeout(ctx, p.Drain)
	defer cancel()
	var mu sync.Mutex // of d
	var turn atomic.Int64
	began := time.Now()
	errs := make([]error, p.Workers+1)
	var all sync.WaitGroup
	if beside != nil {
		all.Go(func() { errs[p.Workers] = beside(ctx) })
	}
	for i := range p.Workers {
		all.Go(func() {
			for ctx.Err() == nil {
				if rate > 0 {
					at := began.Add(time.Duration(float64(turn.Add(1)) / rate * float64(time.Second)))
					select {
					case <-ctx.Done():
						return
					case <-time.After(time.Until(at)):
					}
				}
				asked := time.Now()
				u, err := f.Next(ctx)
				if err != nil {
					if ctx.Err() == nil {
						errs[i] = err
					}
					return
				}
				took := time.Since(asked)
				u.Status, u.Class = 200, crawl.ClassHTML
				u.Lines = []crawl.LogLine{{Log: crawl.LogCrawl, Text: []byte(u.URL + " 200 text/html\n")}}
				u.Links = gens[i].links(20, u.URL)
				mu.Lock()
				d.next = append(d.next, took)
				mu.Unlock()
				asked = time.Now()
				if err := f.Finished(context.WithoutCancel(ctx), u); err != nil {
					errs[i] = err
					return
				}
				took = time.Since(asked)
				mu.Lock()
				d.finished = append(d.finished, took)
				d.done++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return d, errors.Join(errs...)
}

// Bare is a store that rows of the same sizes are written to, as fast as any frontier on
// Pebble could: what Schedule is compared to, in turns.
type Bare struct {
	p     Params
	dir   string
	fs    fsx.FS
	db    *pebble.DB
	seed  maphash.Seed
	gens  []*candidates
	rands []*rand.Rand
	sent  int64
	took  time.Duration
}

// OpenBare makes the store, beside the state that is measured.
func OpenBare(p Params) (*Bare, error) {
	b := &Bare{p: p, fs: slowFS(p.SyncDelay), seed: maphash.MakeSeed()}
	b.dir = b.fs.PathJoin(p.Dir, "bare")
	opts := store.PebbleOptions()
	opts.FS, opts.Logger = b.fs, quiet{pebble.DefaultLogger}
	made := make([]atomic.Uint32, p.hosts())
	for i := range p.Loaders {
		b.gens = append(b.gens, newCandidates(p.Seed+uint64(i)<<32, made, p.Flat))
		b.rands = append(b.rands, rand.New(rand.NewPCG(p.Seed, uint64(i))))
	}
	var err error
	b.db, err = pebble.Open(b.dir, opts)
	return b, err
}

// Write writes the rows of so many candidates.
func (b *Bare) Write(candidates int64) error {
	errs := make([]error, len(b.gens))
	var all sync.WaitGroup
	began := time.Now()
	for i, g := range b.gens {
		all.Go(func() {
			for range candidates / batch / int64(len(b.gens)) {
				if errs[i] = bareBatch(b.db, g, b.rands[i], b.seed); errs[i] != nil {
					return
				}
			}
		})
	}
	all.Wait()
	b.took += time.Since(began)
	b.sent += candidates / batch / int64(len(b.gens)) * batch * int64(len(b.gens))
	return errors.Join(errs...)
}

// Rate is how many candidates a second were written.
func (b *Bare) Rate() float64 { return float64(b.sent) / b.took.Seconds() }

// Close removes the store.
func (b *Bare) Close() error { return errors.Join(b.db.Close(), b.fs.RemoveAll(b.dir)) }

// quiet discards the progress messages of a store.
type quiet struct{ pebble.Logger }

// Infof implements [pebble.Logger].
func (quiet) Infof(string, ...any) {}

// bareBatch writes what a batch of candidates leaves in the state: two rows for each
// that is new, two for its host.
func bareBatch(db *pebble.DB, g *candidates, r *rand.Rand, seed maphash.Seed) (err error) {
	b := db.NewBatch()
	defer func() { err = errors.Join(err, b.Close()) }()
	hosts := map[string]bool{}
	n := r.Uint64() >> 20
	for range batch {
		c, again := g.next()
		if again {
			continue
		}
		h := maphash.String(seed, c.Host)
		key := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64([]byte{'u'}, h), r.Uint64())
		value := append([]byte(c.URL[7+len(c.Host):]), c.Context+c.SourceTag+"0123456789abcdef"...)
		n++
		queue := binary.BigEndian.AppendUint64(append(binary.BigEndian.AppendUint64([]byte{'q'}, h), 3), n)
		if err := errors.Join(b.Set(key, value, nil), b.Set(queue, key[9:], nil)); err != nil {
			return err
		}
		if !hosts[c.Host] {
			hosts[c.Host] = true
			if err := errors.Join(b.Set(append([]byte{'h'}, key[1:9]...), []byte(c.Host+"0123456789"), nil), b.Set(append([]byte("w12345678"), key[1:9]...), nil, nil)); err != nil {
				return err
			}
		}
	}
	return b.Commit(pebble.Sync)
}

// Reopen opens a state, takes one URI and returns how long that took.
func Reopen(ctx context.Context, p Params) (seconds float64, err error) {
	began := time.Now()
	f, err := Open(ctx, p)
	if err != nil {
		return 0, err
	}
	u, err := f.Next(ctx)
	seconds = time.Since(began).Seconds()
	if err == nil {
		u.Disposition = crawl.Resign
		err = f.Finished(ctx, u)
	}
	return seconds, errors.Join(err, f.Close(ctx))
}

// slowFS is the machine's disk with slower fsyncs.
func slowFS(delay time.Duration) fsx.FS {
	if delay == 0 {
		return fsx.Real()
	}
	return fsx.Slow(fsx.Real(), delay)
}
