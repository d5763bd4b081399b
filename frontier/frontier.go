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

// Archive is what the committer needs of the owner of the WARC files.
type Archive interface {
	// Sync makes every complete capture in the files durable.
	Sync(files []uint32) error
	// Committed is called when the state holds length as the committed length of the
	// file; it returns the files that got their final names.
	Committed(file uint32, length int64) ([]schema.FileRow, error)
	// FileName returns the final name of a file being written.
	FileName(file uint32) string
}

// Options are the parameters of Open.
type Options struct {
	FS     fsx.FS
	Dir    string // of the state
	LogDir string // of the logs that are committed with it
	Config rules.Config
	Order  rules.OrderConfig
	Limits rules.LimitsConfig
	// HostLimits are the limits of a host, which may change; nil: Limits. Only those of the budgets of hosts are heeded.
	HostLimits func(host string) rules.LimitsConfig
	Logs       LogsConfig
	Depths     crawl.Depths
	RulesHash  uint64        // of the rules that make keys; Open refuses a changed set
	Parts      []schema.Part // what else must not change during the job; Open refuses a change
	Clock      clock.Clock
	Links      rules.LinkReader
	Fail       *fsx.FailPoints
	Logger     *slog.Logger
	ReadOnly   bool // nothing is changed or recovered; for verify and reports
	// Cache is the size of the store's cache in bytes; 0 means the size used for a crawl.
	Cache int64
	// Check compares the archive with its committed lengths, before anything is changed.
	// If it returns an error, Open fails with it. strict: the mark is missing, so data in the
	// archive beyond the committed lengths may mean that the state is too old. It may be nil.
	Check func(ctx context.Context, k *Known, strict bool) error
	// MovedLog reports whether the owner of the job moved a part of a log away. Nil means that none was.
	MovedLog func(part string) bool
	// Aside keeps what logs hold beyond their committed lengths. Default: that of LogDir.
	Aside *aside.Folder
	anew  bool // see Rebuild
}

// Frontier keeps the state of the crawl: the known URIs, queues, facts about hosts, and the
// committed lengths of WARC files and logs.
type Frontier struct {
	o       Options
	cfg     rules.Config
	order   *rules.Order
	env     rules.Env     // of the rules
	longest time.Duration // the longest snooze that any rule can cause
	db      *store.Store
	salt    schema.Salt
	rules   uint64 // hash of the rules of [url] that the state was made with
	archive Archive
	zw      *zstd.Encoder // of deferred records
	zr      *zstd.Decoder
	logs    [crawl.NumLogs]*fsx.Append
	held    int                // calls of HoldRolls not yet released; guarded by mu
	rolled  chan struct{}      // filled when there is a new part of a log
	atRest  chan struct{}      // packParts sends when no part is left to compress
	packed  chan struct{}      // closed when packParts has ended
	unpack  context.CancelFunc // ends packParts; nil if it was not started
	number  uint64             // of the last commit; belongs to the committer
	marker  *marker            // nil when ReadOnly or anew
	clean   bool               // the last run closed the state in order
	opened  time.Duration
	// killed is the time, on the monotonic clock, from which queues are snoozed because the
	// last run was killed.
	killed    time.Duration
	wasKilled bool
	openedAt  time.Time    // wall clock at opened
	pace      sched.Config // of the scheduler; does not change
	began     QueuesBegan
	work      rules.Backlog  // belongs to the committer
	changes   []sched.Change // reused by each commit
	taken     []sched.Key    // keys in changes; reused too

	caches

	committer *commit.Committer
	ahead     commit.Reader // belongs to the committer
	recent    store.Recent
	filter    store.Filter   // of the keys of known URIs and hosts
	filling   sync.WaitGroup // of the filter
	leaving   chan struct{}  // filled when a queue must be evicted
	closed    bool

	mu      sync.Mutex
	st      schema.Counters
	tallies rules.Tallies
	files   map[uint32]schema.FileRow
	logRows [crawl.NumLogs]schema.LogRow
	sched   *sched.Scheduler
	pending int // requests not yet answered
	works   int // work items in the state
	holds   int
	err     error
	wakeup  chan struct{} // closed and replaced at each change
}

// Open opens the state, or makes a new one, and cuts the logs to their committed lengths. Before
// it changes anything it checks that state, mark, logs and (with Options.Check) archive belong
// together. Call Start next, when the archive has been recovered to Files.
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
		if err := f.checkBeforeOpen(ctx); err != nil {
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

// load reads the rows that are kept in memory, and migrates an older state.
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
	f.env = f.rulesEnv()
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
			if err := f.undoHalfRoll(l); err != nil {
				return err
			}
		}
		began := f.queuesOnDisk() // for the counts by state; f.began stays zero, for no run begins
		f.sched.Start(sched.Initial{Inactive: began.Inactive, Snoozed: began.Snoozed, Retired: began.Retired})
		return nil
	}
	if err := errors.Join(f.noteKill(), f.keepParts()); err != nil {
		return err
	}
	f.began = f.queuesOnDisk()
	if err := errors.Join(f.checkLine(), f.countDomains(), f.reviveRetired(), f.startSched()); err != nil {
		return err
	}
	return f.setClean(false)
}

func (f *Frontier) create() error {
	_, _ = rand.Read(f.salt[:]) // never fails (crypto/rand)
	f.env = f.rulesEnv()
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

// formatRow returns the row of the present format.
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

// Start starts the committer; then the frontier can dispatch URIs. rows are the WARC files as
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
	f.filling.Go(func() {
		_ = f.db.Guard(func() error { f.fillFilter(); return nil }) // a store that dies is not closed under it
	})
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

// Close stops the committer and, if nothing failed and no URI is in process, marks the state as
// closed in order.
func (f *Frontier) Close(context.Context) error {
	if f.closed {
		return nil
	}
	f.closed = true
	if f.archive != nil {
		f.committer.Stop()
		// A URI still in process may have been requested: the next start treats this run as
		// killed, and snoozes all queues.
		if f.Err() == nil && !f.anyInProcess() {
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

// anyInProcess reports whether any URI is in process.
func (f *Frontier) anyInProcess() bool {
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
	if f.db.Cause() == nil { // after a failure of the store a goroutine may still use the filter
		errs = append(errs, f.filter.Stop())
	}
	return errors.Join(errs...)
}

func (f *Frontier) hash(name string) uint64 { return f.salt.Hash(name) }

func (f *Frontier) id(key string) crawl.ID { return f.salt.ID(key) }

func (f *Frontier) originTag(url string) uint32 { return f.salt.OriginTag(url) }

// Clean reports whether the run before this one closed the state in order.
func (f *Frontier) Clean() bool { return f.clean }

// Err returns the error that made the frontier fail for good, nil while it works.
func (f *Frontier) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }
