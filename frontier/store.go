package frontier

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"hash/crc32"
	"log/slog"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/sstable/block"
	"github.com/klauspost/compress/zstd"

	"exclave/crawl"
	"exclave/internal/aside"
	"exclave/internal/clock"
	"exclave/internal/fsx"
)

// FormatVersion is the version of the state on disk; another is refused.
const FormatVersion = 5

// numberedFormat is the first format whose commits have numbers (ADR 31).
const numberedFormat = 5

// FileRow is what the state keeps of a WARC file.
type FileRow struct {
	Number    uint32
	Name      string // final base name; ".open" is appended on disk until Final
	Committed int64  // bytes acknowledged
	Final     bool
}

// LogRow is what the state keeps of a log.
type LogRow struct {
	Log    crawl.LogID
	Length int64  // bytes acknowledged
	Lines  int64  // lines in them
	CRC    uint32 // CRC-32C of them
	// Parts are those that the log was rolled into (ADR 39), the oldest first. What is above is of the file behind
	// them.
	Parts []LogPart
}

// Archive is what the committer asks of whoever owns the WARC files.
type Archive interface {
	// Sync makes every ended capture in the files durable.
	Sync(files []uint32) error
	// Committed says that the state holds length as the committed length of the
	// file; it returns the files that got their final names.
	Committed(file uint32, length int64) ([]FileRow, error)
	// FileName returns the final name of a file being written.
	FileName(file uint32) string
}

// KnownLink is a link of an archived page: its key and kind.
type KnownLink struct {
	Key  string
	Kind crawl.LinkKind
}

// LinkReader reads the outlinks of an archived page from its metadata record.
type LinkReader interface {
	Outlinks(ctx context.Context, metadata crawl.Ref) ([]KnownLink, error)
}

// Options are what a frontier is opened with.
type Options struct {
	FS        fsx.FS
	Dir       string // of the state
	LogDir    string // of the logs that are committed with it
	Config    Config
	Order     OrderConfig
	Limits    LimitsConfig
	Logs      LogsConfig
	Depths    crawl.Depths
	RulesHash uint64 // of the rules that make keys; a changed set is refused
	Parts     []Part // what else must not change during the job; a change is refused
	Clock     clock.Clock
	Links     LinkReader
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
	Dropped     int64 `json:"dropped"`     // gave way to better ones at a cap
	// Refused are candidates beyond a cap, or links of useless pages that are not
	// followed. They are not remembered: one that is found twice counts twice.
	Refused int64 `json:"refused"`
}

// stored are the statistics as kept; waiting includes what is in process.
type stored struct {
	Stats
	seq, work uint64 // last used numbers of queue and work rows
	queues    uint64 // hosts with URIs waiting, in line
	resting   uint64 // those that rest on disk
	retired   uint64 // those whose budget is spent
	longest   uint64 // the host with most of them, as far as is known
	length    uint64 // of its queue
	// round is the present round, from 0, and roundUsed what was asked for in it.
	round, roundUsed uint64
}

// statsVersion starts the value of the statistics; statsVersion3 did in state format 3.
const statsVersion, statsVersion3 = 3, 2

func (s *stored) encode() []byte {
	e := newEnc()
	e.b[0] = statsVersion
	for _, p := range s.fields() {
		e.iv(*p)
	}
	for _, n := range []uint64{s.seq, s.work, s.queues, s.longest, s.length, s.resting, s.retired, s.round, s.roundUsed} {
		e.uv(n)
	}
	return e.b
}

func (s *stored) fields() []*int64 {
	return []*int64{&s.Discovered, &s.Queued, &s.Parked, &s.Finished, &s.Archived, &s.Judged, &s.Valid,
		&s.Failed, &s.Disregarded, &s.Retried, &s.Dropped, &s.Refused}
}

func decodeStored(b []byte) (s stored, err error) {
	d := newDecOf(b, statsVersion)
	for _, p := range s.fields() {
		*p = d.iv()
	}
	s.seq, s.work, s.queues, s.longest, s.length = d.uv(), d.uv(), d.uv(), d.uv(), d.uv()
	s.resting, s.retired, s.round, s.roundUsed = d.uv(), d.uv(), d.uv(), d.uv()
	return s, d.end()
}

// Frontier is the crawl's memory: queues, the seen set, host facts and
// everything that was acknowledged.
type Frontier struct {
	o       Options
	cfg     Config
	order   *order
	longest time.Duration // that any rule makes a host rest
	db      *pebble.DB
	dead    *death
	copied  atomic.Int64 // see storeFS
	salt    [16]byte
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
	// openedAt is the wall's time then; ahead is how far the clock was set back since
	// the last run: by so much earlier hosts come back that rest on disk.
	openedAt time.Time
	ahead    time.Duration
	work     workQueue // of the committer

	names       memo[uint64, string]
	vias        memo[crawl.ID, string] // URLs that URIs were found on
	hostFacts   *cache[crawl.HostFacts]
	originFacts *cache[crawl.OriginFacts]
	written     *cache[crawl.Deferred] // answers that are in the archive

	reqs   chan *request
	groups chan *readGroup // read ahead, for the committer
	recent recent
	seen   seen
	// recs, hostRows and domainRows are rows of tables u, h and b.
	recs       *rowCache[crawl.ID]
	hostRows   *rowCache[uint64]
	domainRows *rowCache[string]
	registered memo[string, string] // domains of hosts
	offs       chan struct{}        // filled when a host was put off
	quit       chan struct{}
	idle       chan struct{} // closed when the committer has ended
	closed     bool

	mu      sync.Mutex
	st      stored
	tallies tallies
	files   map[uint32]FileRow
	logRows [crawl.NumLogs]LogRow
	hosts   map[uint64]*host // with URIs waiting, as far as the horizons
	horizon place            // the last host in line that is in memory
	more    bool             // there are hosts behind it, on disk
	awake   place            // the last host in the order of waking that was taken into memory
	resume  uint64           // when the next one may be asked, in milliseconds since 1970; 0: none rests
	ready   hostHeap         // hosts in memory by when they may be asked
	due     dueHeap          // those that may be
	changes QueueChanges
	// reserved are URIs that give way in the commit under way.
	reserved map[crawl.ID]bool
	addrs    map[netip.Addr]*address // of hosts in memory, as far as they matter
	resting  addressHeap             // those that hosts wait for
	off      []putOff                // hosts that the committer is to send to disk
	process  map[crawl.ID]*host
	reading  int // hosts something of which is being read
	pending  int // requests not yet answered
	works    int // work rows
	holds    int
	err      error
	wakeup   chan struct{} // closed and renewed when something changed
}

// Open opens the state, or makes it, and brings the logs back to what it
// acknowledges; before that it demands that state, mark, logs and (Options.Check) archive
// may be of one moment. Start follows, when the archive has been recovered to Files.
func Open(ctx context.Context, o Options) (_ *Frontier, err error) {
	if o.Order.Queues == "" {
		o.Order = DefaultOrderConfig()
	}
	if o.Aside == nil {
		o.Aside = aside.New(o.FS, o.LogDir, o.Clock)
	}
	f := &Frontier{o: o, cfg: o.Config, order: newOrder(o.Order, o.Limits), longest: o.Config.longestRest(), opened: o.Clock.Mono(), openedAt: o.Clock.Now(),
		horizon: place{kind: placeLine}, awake: place{kind: placeResting}, reserved: map[crawl.ID]bool{}, files: map[uint32]FileRow{}, hosts: map[uint64]*host{}, addrs: map[netip.Addr]*address{}, tallies: newTallies(),
		process: map[crawl.ID]*host{}, wakeup: make(chan struct{}), reqs: make(chan *request, 1024), groups: make(chan *readGroup, groupsAhead),
		recs: newRowCache(cachedRecords, uriHash), hostRows: newRowCache(cachedHosts, hostHash), domainRows: newRowCache(cachedDomains, nameHash()), offs: make(chan struct{}, 1),
		quit: make(chan struct{}), idle: make(chan struct{}), dead: newDeath(),
		rolled: make(chan struct{}, 1), atRest: make(chan struct{}), packed: make(chan struct{}),
		hostFacts:   newCache(func(crawl.HostFacts) int { return 0 }), // at most 32 addresses
		originFacts: newCache(func(o crawl.OriginFacts) int { return len(o.Robots) }),
		written:     newCache(func(d crawl.Deferred) int { return len(d.Raw) })}
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
	if err := f.openDB(); err != nil {
		return nil, fmt.Errorf("frontier: open %s: %w", o.Dir, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.shut())
		}
	}()
	if err := f.load(); err != nil {
		return nil, fmt.Errorf("frontier: open %s: %w", o.Dir, cmp.Or(f.dead.cause(), err))
	}
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

// StoreOptions are the options of the state store, without file system and logger.
func StoreOptions() *pebble.Options {
	opts := &pebble.Options{FormatMajorVersion: pebble.FormatNewest, MemTableSize: 32 << 20, CacheSize: 128 << 20, MaxOpenFiles: 500}
	last := len(opts.Levels) - 1
	for i := range last {
		opts.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	opts.Levels[last].FilterPolicy = pebble.NoFilterPolicy // most that is looked up is there
	compression := pebble.DBCompressionBalanced
	for i := range last - 1 { // what is there is written again soon
		compression.Levels[i] = block.NoCompression
	}
	opts.ApplyCompressionSettings(func() pebble.DBCompressionSettings { return compression })
	return opts
}

// get returns the value of a key, nil when there is none.
func get(r pebble.Reader, key []byte) ([]byte, error) {
	v, c, err := r.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	v = append([]byte(nil), v...)
	return v, c.Close()
}

// scan calls fn for every key with the prefix, in order, until it returns an
// error. Key and value are fn's only during the call.
func scan(r pebble.Reader, prefix []byte, fn func(key, value []byte) error) (err error) {
	return scanFrom(r, prefix, prefix, fn)
}

// scanFrom is scan from a key on.
func scanFrom(r pebble.Reader, from, prefix []byte, fn func(key, value []byte) error) (err error) {
	it, err := r.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: after(prefix)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		if err := fn(it.Key(), v); err != nil {
			return err
		}
	}
	return it.Error()
}

// load reads what is kept in memory.
func (f *Frontier) load() error {
	format, err := get(f.db, nameKey('m', "format"))
	if err != nil {
		return err
	}
	if format == nil {
		if f.o.ReadOnly {
			return errors.New("there is no state of a crawl; was it ever started?")
		}
		return f.create()
	}
	d := newDec(format)
	version, rules, salt := d.uv(), d.uv(), d.str()
	if err := d.end(); err != nil {
		return fmt.Errorf("format row: %w", err)
	}
	if err := f.migrate(version, rules, salt); err != nil {
		return err
	}
	f.rules = rules
	if !f.o.ReadOnly {
		if err := f.SameConfig(); err != nil {
			return err
		}
	}
	copy(f.salt[:], salt)
	clean, err := get(f.db, nameKey('m', "clean"))
	if err != nil {
		return err
	}
	f.clean = len(clean) > 1 && clean[1] == 1
	if err := f.loadRows(); err != nil {
		return err
	}
	if f.o.ReadOnly {
		for l := range crawl.NumLogs {
			if err := f.unrolled(l); err != nil {
				return err
			}
		}
		return nil
	}
	if err := errors.Join(f.noteKill(), f.keepParts()); err != nil {
		return err
	}
	f.changes.Began = QueuesBegan{Inactive: int64(f.st.queues), Snoozed: int64(f.st.resting), Retired: int64(f.st.retired)}
	if err := errors.Join(f.checkLine(), f.countDomains(), f.wakeRetired(), f.loadPlaces()); err != nil {
		return err
	}
	return f.setClean(0)
}

func (f *Frontier) create() error {
	_, _ = rand.Read(f.salt[:]) // never fails (crypto/rand)
	b := f.db.NewBatch()
	if err := errors.Join(b.Set(nameKey('m', "format"), formatRow(f.o.RulesHash, string(f.salt[:])), nil),
		b.Set(nameKey('m', "queues"), []byte(f.cfg.queueKey()), nil),
		b.Set(nameKey('m', "limits"), f.o.Limits.encode(), nil),
		b.Set(nameKey('m', "line"), f.order.key(), nil),
		b.Set(nameKey('m', "counted"), []byte{valueVersion}, nil),
		b.Set(nameKey('m', "depths"), encodeDepths(f.o.Depths), nil)); err != nil {
		return errors.Join(err, b.Close())
	}
	if len(f.o.Parts) > 0 {
		if err := b.Set(nameKey('m', "parts"), encodeParts(f.o.Parts), nil); err != nil {
			return errors.Join(err, b.Close())
		}
	}
	return f.commit(b, pebble.Sync)
}

func formatRow(rules uint64, salt string) []byte {
	e := newEnc()
	e.uv(FormatVersion)
	e.uv(rules)
	e.str(salt)
	return e.b
}

func (f *Frontier) loadRows() error {
	v, err := get(f.db, nameKey('m', "stats"))
	if err != nil {
		return err
	}
	if v != nil {
		if f.st, err = decodeStored(v); err != nil {
			return fmt.Errorf("statistics row: %w", err)
		}
	}
	if err := f.tallies.load(f.db); err != nil {
		return err
	}
	if err := f.loadAcknowledged(); err != nil {
		return err
	}
	if err := scan(f.db, []byte{'k'}, func(_, _ []byte) error { f.works++; return nil }); err != nil {
		return err
	}
	f.work.more = f.works > 0
	return nil
}

// loadPlaces looks for hosts in line and for those that rest on disk.
func (f *Frontier) loadPlaces() error {
	f.more = f.st.queues > 0
	if f.st.resting == 0 {
		return nil
	}
	it, err := f.db.NewIter(&pebble.IterOptions{LowerBound: []byte{placeResting}, UpperBound: []byte{placeResting + 1}})
	if err != nil {
		return err
	}
	if it.First() {
		f.resume = readPlace(it.Key()).at
	}
	if it.Last() {
		last := time.UnixMilli(int64(readPlace(it.Key()).at)).Sub(f.wall())
		f.ahead = max(last-f.longest, 0)
	}
	return errors.Join(it.Error(), it.Close())
}

// Start makes the frontier ready to hand out URIs. rows are the WARC files as
// recovery left them.
func (f *Frontier) Start(a Archive, rows []FileRow) error {
	b := f.db.NewBatch()
	for _, r := range rows {
		if f.files[r.Number] != r {
			f.files[r.Number] = r
			_ = b.Set(fileKey(r.Number), encodeFile(r), nil)
		}
	}
	if err := f.commit(b, pebble.Sync); err != nil {
		return fmt.Errorf("frontier: start: %w", err)
	}
	if err := f.seen.start(); err != nil {
		return fmt.Errorf("frontier: start: %w", err)
	}
	f.archive = a
	f.seen.filling.Go(f.fillSeen)
	go f.readLoop()
	go f.commitLoop()
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

func (r *LogRow) encode() []byte {
	e := newEnc()
	e.iv(r.Length)
	e.iv(r.Lines)
	e.uv(uint64(r.CRC))
	return e.b
}

func encodeFile(r FileRow) []byte {
	e := newEnc()
	e.str(r.Name)
	e.uv(uint64(r.Committed))
	e.flags(r.Final)
	return e.b
}

// Close ends the committer and marks the state as closed in order, when nothing
// failed.
func (f *Frontier) Close(context.Context) error {
	if f.closed {
		return nil
	}
	f.closed = true
	if f.archive != nil {
		close(f.quit)
		<-f.idle
		// A URI that was not handed back may have been asked for: the next start takes it
		// for killed, and its host rests.
		if f.Err() == nil && !f.anyBusy() {
			err := f.setClean(1)
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
	for _, h := range f.hosts {
		if h.busy > 0 {
			return true
		}
	}
	return false
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
	_ = f.dead.guard(func() error { f.seen.filling.Wait(); return nil })
	if f.db != nil {
		errs = append(errs, f.closeDB())
	}
	if f.dead.cause() == nil { // else somebody may have been left behind who asks it
		errs = append(errs, f.seen.stop())
	}
	return errors.Join(errs...)
}

// Clean reports whether the run before this one closed the state in order.
func (f *Frontier) Clean() bool { return f.clean }

// Err returns what made the frontier fail for good, nil while it works.
func (f *Frontier) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

func millis(t time.Time) time.Time { return t.Truncate(time.Millisecond) }

// ceilMillis is millis for the end of a rest, which must not come early.
func ceilMillis(t time.Time) time.Time { return millis(t.Add(time.Millisecond - 1)) }
