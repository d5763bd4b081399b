package job

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"
	"syscall"

	"exclave/analyzer"
	"exclave/chain"
	"exclave/chain/extract"
	"exclave/chain/fetch"
	"exclave/chain/standard"
	"exclave/config"
	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/conf"
	"exclave/internal/cookies"
	"exclave/internal/fsx"
	"exclave/internal/job/checkpoint"
	"exclave/internal/job/elsewhere"
	"exclave/internal/job/evidence"
	"exclave/internal/job/folder"
	"exclave/internal/job/pause"
	"exclave/internal/job/question"
	"exclave/internal/job/records"
	"exclave/internal/job/rules"
	"exclave/internal/job/seeds"
	"exclave/internal/logparts"
	"exclave/internal/resolve"
	"exclave/internal/sheet"
	"exclave/internal/whois"
	"exclave/warc"
)

// Open opens a job in order: folders and lock, state, archive (recovered to what the state
// acknowledges), chains. Whatever way the last run ended, the job goes
// on from what was acknowledged. After an error nothing is open.
func Open(ctx context.Context, cfg *config.Config, o Options) (_ *Job, err error) {
	o = o.withDefaults()
	c := &composer{Job: &Job{cfg: cfg, opts: o, folder: folder.Of(cfg, o.Env()), events: make(chan event, 16)}}
	c.away = elsewhere.Of(c.folder)
	c.halt, c.stop = context.WithCancel(context.WithoutCancel(ctx))
	c.onClose(func(context.Context) error { c.stop(); return nil })
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	steps := []func(context.Context) error{c.folders, c.checkRoom, c.openKey, c.openAnalyzer, c.openSheets, c.openState, c.keepKey, c.openArchive, c.openChains}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	c.answers = c.answerer()
	c.Questions = c.answers
	return c.Job, nil
}

// answerer answers questions about the job while it is open.
func (c *composer) answerer() *question.Answers {
	j := c.Job
	return &question.Answers{Folder: j.folder, State: j.frontier, Analyzer: j.analyzer, Scope: j.scope, Sheets: j.sheets, Records: j.records(),
		Running: &question.Running{Chains: j.chains, Controller: j.ctl, Note: j.note}}
}

// composer builds a job of its parts, one after the other; what it opens is closed in reverse.
type composer struct {
	*Job
	key    evidence.Key // that evidence is hashed under
	newKey bool         // it is not written yet
	away   *elsewhere.Files
}

func (c *composer) onClose(fn func(context.Context) error) { c.closers = append(c.closers, fn) }

// folders makes the folders of the job and takes its lock.
func (c *composer) folders(context.Context) error {
	fs := c.opts.FS
	dirs := []string{folder.WARCDir, folder.LogDir, folder.ReportDir, folder.StateDir}
	if c.cfg.WARC.CDXJ {
		dirs = append(dirs, folder.IndexDir)
	}
	for _, d := range dirs {
		if err := fsx.MkdirAll(fs, c.path(d)); err != nil {
			return fmt.Errorf("job: make folder %s: %w", c.path(d), err)
		}
	}
	lock, err := c.folder.Lock("lock")
	if err != nil {
		return err
	}
	c.onClose(func(context.Context) error { return lock.Close() })
	// Recordings of a run that was killed; scratch files are never durable.
	if err := os.RemoveAll(c.path(folder.StateDir, folder.ScratchDir)); err != nil {
		return fmt.Errorf("job: clear scratch files: %w", err)
	}
	if err := os.MkdirAll(c.path(folder.StateDir, folder.ScratchDir), fsx.FolderMode); err != nil {
		return fmt.Errorf("job: make scratch folder: %w", err)
	}
	return nil
}

// filesBeside is how many files are open beside those of ToeThreads and kept
// connections: Pebble's tables, WARC files, logs.
const filesBeside = 600

// checkRoom refuses to start where the crawl would soon fail.
func (c *composer) checkRoom(context.Context) error {
	need := uint64(2*c.cfg.Crawl.ToeThreads + c.cfg.HTTP.MaxIdle + filesBeside)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err == nil && limit.Cur < need {
		return fmt.Errorf("job: %d files may be open, %d are needed for %d ToeThreads: raise the limit (ulimit -n %d) or lower toe_threads",
			limit.Cur, need, c.cfg.Crawl.ToeThreads, need)
	}
	return pause.Disk{Folder: c.folder}.Check()
}

func (c *composer) openAnalyzer(ctx context.Context) (err error) {
	if c.analyzer, err = rules.OpenAnalyzer(ctx, c.folder, c.key); err == nil {
		c.onClose(func(context.Context) error { return c.analyzer.Close() })
	}
	return err
}

func (c *composer) openSheets(context.Context) error {
	set, err := rules.Sheets(c.folder, c.analyzer.Names())
	c.sheets = sheet.NewLive(set)
	if err != nil || c.opts.AtRest {
		return err
	}
	return rules.SourceAddresses(c.cfg, set).Err("job")
}

// openState opens the state, which brings the logs back to what it acknowledges.
func (c *composer) openState(ctx context.Context) error {
	if n := len(c.analyzer.Profiles()); n > crawl.MaxProfiles {
		return fmt.Errorf("job: %d profiles; a crawl has at most %d", n, crawl.MaxProfiles)
	}
	if _, _, err := c.away.Find(""); err != nil {
		return err // rather than miss what it would say
	}
	o := rules.Frontier(c.folder, c.analyzer)
	o.MovedLog, o.Links = c.away.Has, records.Links{Reader: c.records(), Rules: c.cfg.URL.Rules}
	o.HostLimits = rules.HostLimits(c.cfg, c.sheets)
	o.Fail, o.Aside, o.Check = c.opts.Fail, c.folder.Aside(), c.checkArchive
	f, err := frontier.Open(ctx, o)
	if err != nil {
		return fmt.Errorf("job: %w", err)
	}
	c.frontier = f
	c.checkpoints = checkpoint.NewMaker(c.folder, f, checkpoint.Options{Key: c.key, Software: c.opts.Software, Made: c.checkpointed, Fail: c.opts.Fail})
	c.onClose(f.Close)
	return nil
}

// openWhois returns who asks WHOIS servers, nil when nobody is to be asked.
func (c *composer) openWhois() (extract.Whois, error) {
	if !c.cfg.Whois.On() || !c.analyzer.WantsWhois() {
		return nil, nil
	}
	w, err := whois.Open(c.cfg.Whois, c.opts.FS, c.path(folder.StateDir, folder.WhoisFile), c.opts.Clock)
	if err != nil {
		return nil, fmt.Errorf("job: %w", err)
	}
	c.onClose(func(context.Context) error { return w.Close() })
	return w, nil
}

// openChains builds scope, name resolution, HTTP client, chains and controller.
func (c *composer) openChains(context.Context) error {
	scope, err := rules.Scope(c.folder, c.sheets)
	if err != nil {
		return err
	}
	c.scope, c.seeder = scope, seeds.New(c.cfg, scope, c.frontier)
	dns, err := resolve.New(c.cfg.DNS)
	if err != nil {
		return fmt.Errorf("job: %w", err)
	}
	c.pauses = pause.New(func(paused bool) {
		if paused {
			c.ctl.Pause()
		} else {
			c.ctl.Resume()
		}
	})
	c.unanswered = pause.NewNames(c.pauses, c.opts.Clock, c.opts.Log, c.tell)
	c.names = resolve.NewWatch(dns, c.unanswered.None)
	jar, err := c.openJar()
	if err != nil {
		return err
	}
	var accounts *fetch.Accounts
	if !c.opts.AtRest {
		var bad conf.Problems
		if accounts, bad = c.cfg.Accounts(); len(bad) > 0 {
			return bad.Err("job")
		}
	}
	http, err := fetch.NewHTTP(c.httpConfig(), fetch.Deps{Hosts: c.frontier, Resolver: c.names, Scratch: c.path(folder.StateDir, folder.ScratchDir),
		Clock: c.opts.Clock, ToeThreads: c.cfg.Crawl.ToeThreads, Log: c.opts.Log, Languages: fetch.AcceptLanguages(c.analyzer.Languages()), Cookies: jar, Accounts: accounts, Sheets: c.sheets, Version: c.opts.Version, Robots: c.cfg.Robots.Policy, UnreachableFor: c.cfg.Robots.UnreachableFor, Sitemaps: c.cfg.Sitemaps, EntityDigest: c.cfg.WARC.PayloadDigest == warc.DigestEntity,
		ReadCredentials: func(ctx context.Context, to fetch.Credentials) error { return seeds.ReadCredentials(ctx, c.cfg, to) }})
	if err != nil {
		return fmt.Errorf("job: %w", err)
	}
	asked, err := c.openWhois()
	if err != nil {
		return err
	}
	earlier, err := c.openEarlier()
	if err != nil {
		return err
	}
	links, err := c.openLinksLog()
	if err != nil {
		return err
	}
	room := extract.NewRoom(c.cfg.Documents)
	room.With(&archived{state: c.frontier, records: c.records().Here(), rules: c.cfg.URL.Rules})
	steps, problems := standard.Build(&standard.Env{
		Whois: asked,
		Dir:   c.folder.Dir(), Clock: c.opts.Clock, Depths: rules.Depths(c.cfg, c.analyzer), Keys: c.cfg.URL.Rules, Scope: scope, Sheets: c.sheets, Hosts: c.frontier,
		Robots: c.cfg.Robots.Policy, RobotsToken: c.cfg.HTTP.RobotsToken, LinksLog: links, Resolver: c.names, HTTP: http, Analyzer: c.analyzer, Room: room, Packed: c.cfg.Documents.Packed, Archive: c.pool,
		Dedup: c.cfg.Dedup, Originals: c.frontier, Earlier: earlier, EntityDigest: c.cfg.WARC.PayloadDigest == warc.DigestEntity,
		Reader: c.records(), FileName: archive{pool: c.pool}.FileName,
	}, c.cfg.Chain)
	if len(problems) > 0 {
		return fmt.Errorf("job: chain%s: %s", problems[0].Key, problems[0].Msg)
	}
	if c.opts.steps != nil {
		c.opts.steps(steps)
	}
	if c.chains, err = chain.NewChains(steps); err != nil {
		return err
	}
	// Made here, not in Run: a job can be paused and looked at as soon as it is open.
	c.ctl = chain.NewController(c.cfg.Crawl.Config, c.frontier, c.chains, c.opts.Clock, c.opts.Log)
	return nil
}

// shared is a file that several goroutines write to.
type shared struct {
	mu sync.Mutex
	f  *fsx.Append
}

// Write implements [io.Writer].
func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.f.Write(p)
}

// openLinksLog returns what the lines of links.log are written to, nil when there shall be none.
func (c *composer) openLinksLog() (io.Writer, error) {
	if !c.cfg.Crawl.LinksLog {
		return nil, nil
	}
	f, err := fsx.OpenAppendShared(c.opts.FS, c.path(folder.LogDir, folder.LinksLog))
	if err != nil {
		return nil, fmt.Errorf("job: %w", err)
	}
	c.onClose(func(context.Context) error { return errors.Join(f.Sync(), f.Close()) })
	return &shared{f: f}, nil
}

// openJar returns the cookies of the job, which a sheet may have kept though the job keeps none.
func (c *composer) openJar() (*cookies.Jar, error) {
	given, bad := rules.GivenCookies(c.cfg)
	if len(bad) > 0 {
		return nil, bad.Err("job")
	}
	jar, err := cookies.Open(c.opts.FS, c.path(folder.StateDir, folder.CookieFile), given, c.opts.Clock)
	if err != nil {
		return nil, fmt.Errorf("job: %w", err)
	}
	c.onClose(func(context.Context) error { return jar.Close() })
	return jar, nil
}

// httpConfig returns the client's configuration with files found from the job's
// folder.
func (c *composer) httpConfig() fetch.Config {
	h := c.cfg.HTTP
	h.RootFiles = slices.Clone(h.RootFiles)
	for i, name := range h.RootFiles {
		h.RootFiles[i] = c.cfg.Path(name)
	}
	return h
}

// openKey reads the job's secret, and makes one up for a job that has none: keepKey writes it.
func (c *composer) openKey(context.Context) (err error) {
	if c.key, err = evidence.Read(c.folder); errors.Is(err, fs.ErrNotExist) {
		c.key, c.newKey = evidence.NewKey(), true
		return nil
	}
	return err
}

// keepKey writes a new secret, once the state was not refused: nothing was changed until then. It says when what is
// hashed from now on cannot be compared with what was.
func (c *composer) keepKey(context.Context) error {
	if !c.newKey {
		return nil
	}
	if err := c.key.Write(c.folder); err != nil {
		return err
	}
	log := crawl.LogAnalysis.Name()
	if logparts.Any(c.opts.FS, c.path(folder.LogDir), log) && c.cfg.Analysis.Evidence == analyzer.DetailHashed {
		c.opts.Log.Warn("the job had no key for hashed evidence, or one that was not secret; from now on it is hashed under a new one",
			"log", c.path(folder.LogDir, log))
	}
	return nil
}
