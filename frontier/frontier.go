package frontier

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"hash/crc32"
	"log/slog"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"exclave/crawl"
	"exclave/frontier/commit"
	"exclave/frontier/rules"
	"exclave/frontier/sched"
	"exclave/frontier/schema"
	"exclave/frontier/store"
	"exclave/internal/aside"
	"exclave/internal/clock"
	"exclave/internal/fsx"
)

// Archive is what the committer asks of whoever owns the WARC files.
type Archive interface {
	// Sync makes every ended capture in the files durable.
	Sync(files []uint32) error
	// Committed says that the state holds length as the committed length of the
	// file; it returns the files that got their final names.
	Committed(file uint32, length int64) ([]schema.FileRow, error)
	// FileName returns the final name of a file being written.
	FileName(file uint32) string
}

// Options are what a frontier is opened with.
type Options struct {
	FS        fsx.FS
	Dir       string // of the state
	LogDir    string // of the logs that are committed with it
	Config    rules.Config
	Order     rules.OrderConfig
	Limits    rules.LimitsConfig
	Logs      LogsConfig
	Depths    crawl.Depths
	RulesHash uint64        // of the rules that make keys; a changed set is refused
	Parts     []schema.Part // what else must not change during the job; a change is refused
	Clock     clock.Clock
	Links     rules.LinkReader
	Fail      *fsx.FailPoints
	Logger    *slog.Logger
	ReadOnly  bool // nothing is changed or recovered; for verify and reports
	// Cache is the size in bytes of the store's cache; 0: that of a crawl.
	Cache int64
	// Check compares the archive with what the state acknowledges, before anything is
	// changed; its error refuses the job. strict: the mark is gone, so that whatever the archive
	// holds beyond that may mean that the state is older. Nil: nothing is compared.
	Check func(ctx context.Context, k *Known, strict bool) error
	// MovedLog reports whether a part of a log was moved away by its owner. Nil: none was.
	MovedLog func(part string) bool
	// Aside keeps what logs hold beyond what is acknowledged. Default: in LogDir.
	Aside *aside.Folder
	anew  bool // see Rebuild
}

// Frontier is the crawl's memory: queues, the seen set, host facts and
// everything that was acknowledged.
type Frontier struct {
	o       Options
	cfg     rules.Config
	order   *rules.Order
	env     rules.Env     // of the rules
	longest time.Duration // that any rule makes a host rest
	db      *store.Store
	salt    schema.Salt
	rules   uint64 // hash of the rules of [url] that the state was made with
	archive Archive
	zw      *zstd.Encoder // of deferred answers
	zr      *zstd.Decoder
	logs    [crawl.NumLogs]*fsx.Append
	held    int                // who wants no log to be rolled; f.mu is held
	rolled  chan struct{}      // filled when there is a new part of a log
	atRest  chan struct{}      // taken from when no part is left to be compressed
	packed  chan struct{}      // closed when no part is compressed any more
	unpack  context.CancelFunc // ends that; nil: nobody compresses
	number  uint64             // of the last commit; the committer's
	marker  *marker            // nil of one that is only read
	clean   bool               // the last run closed in order
	opened  time.Duration
	// killed is since when hosts are left in peace because the last run was killed, on the
	// monotonic clock.
	killed    time.Duration
	wasKilled bool
	openedAt  time.Time    // the wall's time when it was opened
	pace      sched.Config // the scheduler's; does not change
	began     QueuesBegan
	work      rules.Backlog  // of the committer
	changes   []sched.Change // room for those of a commit
	taken     []sched.Key    // room for the keys in them

	caches

	committer *commit.Committer
	ahead     commit.Reader // the committer's
	recent    store.Recent
	filter    store.Filter   // of the keys of known URIs and hosts
	filling   sync.WaitGroup // of the filter
	leaving   chan struct{}  // filled when a queue is to leave memory
	closed    bool

	mu      sync.Mutex
	st      schema.Counters
	tallies rules.Tallies
	files   map[uint32]schema.FileRow
	logRows [crawl.NumLogs]schema.LogRow
	sched   *sched.Scheduler
	pending int // requests not yet answered
	works   int // work rows
	holds   int
	err     error
	wakeup  chan struct{} // closed and renewed when something changed
}

// Open opens the state, or makes it, and brings the logs back to what it
// acknowledges; before that it demands that state, mark, logs and (Options.Check) archive
// may be of one moment. Start follows, when the archive has been recovered to Files.
func Open(ctx context.Context, o Options) (_ *Frontier, err error) {
	if o.Order.Queues == "" {
		o.Order = rules.DefaultOrderConfig()
	}
	if o.Aside == nil {
		o.Aside = aside.New(o.FS, o.LogDir, o.Clock)
	}
	f := &Frontier{o: o, cfg: o.Config, order: rules.NewOrder(o.Order, o.Limits), longest: o.Config.LongestSnooze(), opened: o.Clock.Mono(), openedAt: o.Clock.Now(),
		files: map[uint32]schema.FileRow{}, tallies: rules.NewTallies(),
		wakeup: make(chan struct{}),
		caches: newCaches(), leaving: make(chan struct{}, 1),
		rolled: make(chan struct{}, 1), atRest: make(chan struct{}), packed: make(chan struct{})}
	f.pace = f.schedConfig()
	f.sched = sched.New(f.pace)
	for l := range crawl.NumLogs {
		f.logRows[l].Log = l
	}
	if err := f.openCodec(); err != nil {
		return nil, fmt.Errorf("frontier: open: %w", err)
	}
	if !o.ReadOnly && !o.anew {
		if err := f.look(ctx); err != nil {
			return nil, fmt.Errorf("frontier: open %s: %w", o.Dir, err)
		}
	}
	if err := f.openStore(); err != nil {
		return nil, fmt.Errorf("frontier: open %s: %w", o.Dir, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.shut())
		}
	}()
	if err := f.load(); err != nil {
		return nil, fmt.Errorf("frontier: open %s: %w", o.Dir, cmp.Or(f.db.Cause(), err))
	}
	f.ahead = commit.Reader{Store: f.db, Salt: &f.salt, URIs: f.recs, Hosts: f.hostRows, Known: &f.filter, Recent: &f.recent}
	f.committer = commit.New(f.commitEnv())
	if o.ReadOnly || o.anew {
		return f, nil
	}
	if err := f.recoverLogs(); err != nil {
		return nil, err
	}
	if err := f.beginMark(); err != nil {
		return nil, fmt.Errorf("frontier: open %s: %w", o.Dir, err)
	}
	return f, nil
}

// load reads what is kept in memory.
func (f *Frontier) load() error {
	row, err := f.db.Get(schema.MetaKey(schema.MetaFormat))
	if err != nil {
		return err
	}
	if row == nil {
		if f.o.ReadOnly {
			return errors.New("there is no state of a crawl; was it ever started?")
		}
		return f.create()
	}
	format, err := schema.DecodeFormat(row)
	if err != nil {
		return fmt.Errorf("format row: %w", err)
	}
	if err := f.migrate(format); err != nil {
		return err
	}
	f.rules = format.Rules
	if !f.o.ReadOnly {
		if err := f.SameConfig(); err != nil {
			return err
		}
	}
	f.salt = format.Salt
	f.env = f.ruled()
	clean, err := f.db.Get(schema.MetaKey(schema.MetaClean))
	if err != nil {
		return err
	}
	f.clean = schema.DecodeClean(clean)
	if err := f.loadRows(); err != nil {
		return err
	}
	if f.o.ReadOnly {
		for l := range crawl.NumLogs {
			if err := f.unrolled(l); err != nil {
				return err
			}
		}
		began := f.queuesOnDisk() // to be counted; that they began a run is not
		f.sched.Start(sched.Initial{Inactive: began.Inactive, Snoozed: began.Snoozed, Retired: began.Retired})
		return nil
	}
	if err := errors.Join(f.noteKill(), f.keepParts()); err != nil {
		return err
	}
	f.began = f.queuesOnDisk()
	if err := errors.Join(f.checkLine(), f.countDomains(), f.wakeRetired(), f.startSched()); err != nil {
		return err
	}
	return f.setClean(false)
}

func (f *Frontier) create() error {
	_, _ = rand.Read(f.salt[:]) // never fails (crypto/rand)
	f.env = f.ruled()
	b := &store.Batch{}
	b.Set(schema.MetaKey(schema.MetaFormat), f.formatRow(f.o.RulesHash))
	b.Set(schema.MetaKey(schema.MetaQueues), []byte(f.cfg.Key()))
	b.Set(schema.MetaKey(schema.MetaLimits), f.o.Limits.Encode())
	b.Set(schema.MetaKey(schema.MetaLine), f.order.Key())
	b.Set(schema.MetaKey(schema.MetaCounted), schema.Present())
	b.Set(schema.MetaKey(schema.MetaDepths), schema.EncodeDepths(f.o.Depths))
	if len(f.o.Parts) > 0 {
		b.Set(schema.MetaKey(schema.MetaParts), schema.EncodeParts(f.o.Parts))
	}
	return f.db.Commit(b, true)
}

// formatRow is the row of the format that is written now.
func (f *Frontier) formatRow(rules uint64) []byte {
	return (&schema.Format{Version: schema.FormatVersion, Rules: rules, Salt: f.salt}).Encode()
}

func (f *Frontier) loadRows() error {
	v, err := f.db.Get(schema.MetaKey(schema.MetaStats))
	if err != nil {
		return err
	}
	if v != nil {
		if f.st, err = schema.DecodeCounters(v); err != nil {
			return fmt.Errorf("statistics row: %w", err)
		}
	}
	if err := loadTallies(&f.tallies, f.db); err != nil {
		return err
	}
	if err := f.loadAcknowledged(); err != nil {
		return err
	}
	if err := f.db.Scan(schema.Works.Prefix(), func(_, _ []byte) error { f.works++; return nil }); err != nil {
		return err
	}
	f.work.More = f.works > 0
	return nil
}

// Start makes the frontier ready to hand out URIs. rows are the WARC files as
// recovery left them.
func (f *Frontier) Start(a Archive, rows []schema.FileRow) error {
	b := &store.Batch{}
	for _, r := range rows {
		if f.files[r.Number] != r {
			f.files[r.Number] = r
			b.Set(schema.FileKey(r.Number), r.Encode())
		}
	}
	if err := f.db.Commit(b, true); err != nil {
		return fmt.Errorf("frontier: start: %w", err)
	}
	if err := f.filter.Start(); err != nil {
		return fmt.Errorf("frontier: start: %w", err)
	}
	f.archive = a
	f.filling.Go(f.fillFilter)
	f.committer.Start()
	go f.watchStore()
	if f.o.Logs.Compress {
		var ctx context.Context
		ctx, f.unpack = context.WithCancel(context.Background())
		go f.packParts(ctx)
	} else {
		close(f.packed)
	}
	return nil
}

// Close ends the committer and marks the state as closed in order, when nothing
// failed.
func (f *Frontier) Close(context.Context) error {
	if f.closed {
		return nil
	}
	f.closed = true
	if f.archive != nil {
		f.committer.Stop()
		// A URI that was not handed back may have been asked for: the next start takes it
		// for killed, and its host rests.
		if f.Err() == nil && !f.anyBusy() {
			err := f.setClean(true)
			if err == nil {
				err = f.marker.set(mark{Number: f.number, Closed: true})
			}
			if err != nil {
				return errors.Join(fmt.Errorf("frontier: close: %w", err), f.shut())
			}
		}
	}
	return f.shut()
}

// anyBusy reports whether some URI is in process.
func (f *Frontier) anyBusy() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sched.InProcessCount() > 0
}

func (f *Frontier) shut() error {
	if f.unpack != nil {
		f.unpack()
		<-f.packed
	}
	f.zr.Close()
	errs := []error{f.zw.Close(), f.marker.close()}
	for _, a := range f.logs {
		if a != nil {
			errs = append(errs, a.Close())
		}
	}
	if f.db == nil {
		return errors.Join(errs...)
	}
	_ = f.db.Guard(func() error { f.filling.Wait(); return nil })
	errs = append(errs, f.db.Close())
	if f.db.Cause() == nil { // else somebody may have been left behind who asks it
		errs = append(errs, f.filter.Stop())
	}
	return errors.Join(errs...)
}

func (f *Frontier) hash(name string) uint64 { return f.salt.Hash(name) }

func (f *Frontier) id(key string) crawl.ID { return f.salt.ID(key) }

func (f *Frontier) originTag(url string) uint32 { return f.salt.OriginTag(url) }

// Clean reports whether the run before this one closed the state in order.
func (f *Frontier) Clean() bool { return f.clean }

// Err returns what made the frontier fail for good, nil while it works.
func (f *Frontier) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }
