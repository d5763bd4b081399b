package config

import (
	"strings"
	"time"

	"exclave/analyzer"
	"exclave/chain"
	"exclave/chain/decide"
	"exclave/chain/extract"
	"exclave/chain/fetch"
	"exclave/chain/standard"
	"exclave/chain/write"
	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/conf"
	"exclave/internal/resolve"
	"exclave/internal/robots"
	"exclave/internal/urlx"
	"exclave/internal/whois"
	"exclave/warc"
	"exclave/warc/store"
)

// FileName is the name of the configuration in a job's folder.
const FileName = "job.toml"

// Config is the tree of job.toml.
type Config struct {
	Job      Job             `toml:"job"`
	Crawl    Crawl           `toml:"crawl"`
	HTTP     fetch.Config    `toml:"http"`
	DNS      resolve.Config  `toml:"dns"`
	Robots   Robots          `toml:"robots"`
	Sitemaps fetch.Sitemaps  `toml:"sitemaps"`
	Frontier frontier.Config `toml:"frontier"`
	// Credentials are user names, and where their passwords are.
	Credentials []fetch.Credential `toml:"credential"`
	// Order says what goes first, Limits what grows no further.
	Order  frontier.OrderConfig  `toml:"order"`
	Limits frontier.LimitsConfig `toml:"limits"`
	URL    URL                   `toml:"url"`
	// Documents bounds the reading of documents.
	Documents extract.Documents `toml:"documents"`
	Analysis  Analysis          `toml:"analysis"`
	// Whois says who is asked where registrants are.
	Whois whois.Config `toml:"whois"`
	WARC  warc.Config  `toml:"warc"`
	// Dedup says of which answers only a revisit record is archived.
	Dedup write.DedupConfig `toml:"dedup"`
	// Store says where complete WARC files are stored.
	Store store.Config `toml:"store"`
	// Checkpoint says when checkpoints are made, and which are kept.
	Checkpoint Checkpoint `toml:"checkpoint"`
	// Logs says how crawl.log, analysis.jsonl and out-of-scope.jsonl roll.
	Logs    frontier.LogsConfig `toml:"logs"`
	Metrics Metrics             `toml:"metrics"`
	Scope   []decide.RuleConfig `toml:"scope"`
	// Chain holds the steps of the chains that are not the default ones.
	Chain map[chain.Name][]standard.StepConfig `toml:"chain"`

	// Dir is the job's folder; relative file names start there.
	Dir string `toml:"-"`
}

// Job says what the crawl is.
type Job struct {
	Name        string   `toml:"name"`        // letters, digits, ".", "_" and "-"
	Description string   `toml:"description"` // for people; in the warcinfo records
	Operator    string   `toml:"operator"`    // who crawls; in the warcinfo records
	Seeds       []string `toml:"seeds"`       // files relative to the job's folder
	// SeedCredentials says what is done with user names and passwords in the URLs of
	// seeds: one of RefuseCredentials, DropCredentials, UseCredentials.
	SeedCredentials string `toml:"seed_credentials"`
	// SeedTraps takes the lines of logs among the seeds that were refused as traps
	// there, too (docs/formats/seeds.md).
	SeedTraps bool `toml:"seed_traps"`
}

// Words of Job.SeedCredentials.
const (
	RefuseCredentials = "refuse" // such a line is broken
	DropCredentials   = "drop"   // the URL is taken without
	UseCredentials    = "use"    // that, and they are sent to the server of the URL
)

const nameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"

// Validate returns every problem of the values.
func (j Job) Validate() (ps conf.Problems) {
	if j.Name == "" || strings.Trim(j.Name, nameLetters) != "" {
		ps.Add("name", `%q: must be letters, digits, ".", "_" and "-"`, j.Name)
	}
	switch j.SeedCredentials {
	case RefuseCredentials, DropCredentials, UseCredentials:
	default:
		ps.Add("seed_credentials", `%q: must be "refuse", "drop" or "use"`, j.SeedCredentials)
	}
	if len(j.Seeds) == 0 {
		ps.Add("seeds", "names no file; there is nothing to begin with")
	}
	return ps
}

// Crawl holds the settings of the crawl as a whole.
type Crawl struct {
	chain.Config
	// MinFreeDisk is how many bytes must be free where the job lies; with less the
	// crawl pauses until there is room. 0 = not looked at.
	MinFreeDisk int64 `toml:"min_free_disk"`
	// MaxStorage is how many bytes of WARC files the job may have; with more the
	// crawl stops in order. 0 = no limit.
	MaxStorage int64 `toml:"max_storage"`
	// MemoryLimit is how many bytes of memory the process should not exceed, at least
	// 256 MiB: the Go runtime collects garbage more often when it comes close. What its
	// heap does not hold is not counted. 0 = no limit. GOMEMLIMIT in the environment,
	// when set, counts instead.
	MemoryLimit int64 `toml:"memory_limit"`
	// StatisticsInterval is the time between two lines of
	// progress-statistics.log.
	StatisticsInterval time.Duration `toml:"statistics_interval"`
	// AnalyseLinked judges pages that a flagged page links to, too.
	AnalyseLinked bool `toml:"analyse_linked"`
	// FetchUnclaimedEmbeds asks for the embeds of pages that are not archived.
	FetchUnclaimedEmbeds bool `toml:"fetch_unclaimed_embeds"`
	// LinksLog writes logs/links.log, every link of every page.
	LinksLog bool `toml:"links_log"`
}

// With less memory a crawl does little but collect garbage.
const minMemoryLimit = 256 << 20

// Validate returns every problem of the values.
func (c Crawl) Validate() (ps conf.Problems) {
	ps = c.Config.Validate()
	if c.MinFreeDisk < 0 {
		ps.Add("min_free_disk", "%d is negative; 0 means it is not looked at", c.MinFreeDisk)
	}
	if c.MaxStorage < 0 {
		ps.Add("max_storage", "%d is negative; 0 means no limit", c.MaxStorage)
	}
	if c.MemoryLimit != 0 && c.MemoryLimit < minMemoryLimit {
		ps.Add("memory_limit", "%d is less than %d bytes; 0 means no limit", c.MemoryLimit, minMemoryLimit)
	}
	if c.StatisticsInterval < time.Second {
		ps.Add("statistics_interval", "%v is less than 1s", c.StatisticsInterval)
	}
	return ps
}

// Checkpoint says when checkpoints are made, and which are kept.
type Checkpoint struct {
	// Every is the time between two checkpoints of a running crawl, at least 1 s.
	// 0 = only when asked for.
	Every time.Duration `toml:"every"`
	// Keep is how many of the newest stay. 0 = all. Those that a person named stay, and
	// do not count.
	Keep int `toml:"keep"`
}

// Validate returns every problem of the values.
func (c Checkpoint) Validate() (ps conf.Problems) {
	if c.Every != 0 && c.Every < time.Second {
		ps.Add("every", "%v is less than 1s; 0 means only when asked for", c.Every)
	}
	if c.Keep < 0 {
		ps.Add("keep", "%d is negative; 0 means that all are kept", c.Keep)
	}
	return ps
}

// Robots says what is done about robots.txt.
type Robots struct {
	Policy robots.Policy `toml:"policy"`
	// UnreachableFor is after how long a robots.txt that could not be had counts as absent (RFC 9309 §2.3.1.4); 0 = never.
	UnreachableFor time.Duration `toml:"unreachable_for"`
}

// Validate returns every problem of the values.
func (r Robots) Validate() (ps conf.Problems) {
	ps.Check(r.UnreachableFor >= 0, "unreachable_for", "%v is negative; 0 means never", r.UnreachableFor)
	return ps
}

// URL says when two addresses are the same.
type URL struct {
	// Rules are complete after Load or Validate: what HostRules names is in them.
	urlx.Rules
	// HostRules is a file that says which host names mean the same. "" = none.
	HostRules string `toml:"host_rules"`
}

// ProfileDepth as Analysis.Depth means the depth that each profile names.
const ProfileDepth = -1

// Analysis says how pages are judged.
type Analysis struct {
	analyzer.Config
	// Depth is D, the link depth archived from a valid page, for all profiles:
	// 0 … 1,000,000, or [ProfileDepth].
	Depth int32 `toml:"depth"`
}

// Validate returns every problem of the values.
func (a Analysis) Validate() (ps conf.Problems) {
	ps = a.Config.Validate()
	ps.Check(len(a.Profiles) <= crawl.MaxProfiles, "profiles", "%d profiles: a crawl has at most %d; split the job, or take some out", len(a.Profiles), crawl.MaxProfiles)
	if a.Depth < ProfileDepth || a.Depth > analyzer.MaxDepth {
		ps.Add("depth", "%d is not between 0 and %d, nor -1 for what the profile says", a.Depth, analyzer.MaxDepth)
	}
	return ps
}

// DepthOf returns the depth in force for a profile.
func (a Analysis) DepthOf(p analyzer.Profile) int32 {
	if a.Depth == ProfileDepth {
		return p.Depth
	}
	return a.Depth
}

// Default returns the configuration of a new job that judges by the profile: the
// name of a built-in one, the path of a file, or "" for none. The job has no name.
func Default(profile string) *Config {
	c := &Config{
		Job:       Job{Seeds: []string{"seeds.txt"}, SeedCredentials: RefuseCredentials},
		Crawl:     Crawl{Config: chain.DefaultConfig(), MinFreeDisk: 1 << 30, MemoryLimit: 768 << 20, StatisticsInterval: 20 * time.Second, AnalyseLinked: true},
		HTTP:      fetch.DefaultConfig(),
		Robots:    Robots{UnreachableFor: 30 * 24 * time.Hour},
		Sitemaps:  fetch.DefaultSitemaps(),
		Frontier:  frontier.DefaultConfig(),
		Order:     frontier.DefaultOrderConfig(),
		Limits:    frontier.DefaultLimitsConfig(),
		DNS:       resolve.DefaultConfig(),
		Documents: extract.DefaultDocuments(),
		Analysis: Analysis{
			Config: analyzer.DefaultConfig(),
			Depth:  ProfileDepth,
		},
		Whois: whois.DefaultConfig(),
		WARC:  warc.DefaultConfig(),
		Dedup: write.DefaultDedup(),
		Store: store.DefaultConfig(),
		Logs:  frontier.DefaultLogsConfig(),
		Scope: decide.DefaultScope(NationalDomains(profile)...),
	}
	c.URL.StripSessionIDs = true
	if profile != "" {
		c.Analysis.Profiles = []string{profile}
	}
	return c
}

// Analyzer returns how the job judges pages.
func (c *Config) Analyzer() analyzer.Config {
	a := c.Analysis.Config
	a.Dir, a.Whois = c.Dir, c.Whois.On()
	return a
}

// NationalDomains returns the own domains of a profile, which are harvested on their own,
// so that a new job leaves them out: of a built-in one by its name, or of a file. A
// profile that cannot be read has none.
func NationalDomains(profile string) []string {
	p, err := analyzer.LoadProfile(profile)
	if err != nil {
		return nil // who uses the profile reports that
	}
	return p.OwnDomains
}
