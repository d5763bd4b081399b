package folder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"

	"exclave/config"
	"exclave/crawl"
	"exclave/internal/aside"
	"exclave/internal/clock"
	"exclave/internal/fsx"
	"exclave/internal/logparts"
)

// Folders within a job's folder.
const (
	WARCDir       = "warcs"
	IndexDir      = "indexes" // of the complete WARC files
	LogDir        = "logs"
	ReportDir     = "reports"
	StateDir      = "state"
	CheckpointDir = "checkpoints"
	SheetDir      = "sheets" // of the operator; the program only reads it
)

// Names within StateDir.
const (
	FrontierDir     = "frontier"      // the state of the frontier
	ScratchDir      = "scratch"       // files that are never durable
	LockFile        = "job.lock"      // held by the process that works on the job
	LinksLog        = "links.log"     // in LogDir
	CookieFile      = "cookies.jsonl" // the jar
	WhoisFile       = "whois.jsonl"   // answers of WHOIS servers
	EvidenceKeyFile = "evidence.key"  // the secret that evidence is hashed under
)

// ProgressLog is the name, within LogDir, of the log of statistics, which no state knows.
const ProgressLog = "progress-statistics.log"

// Env is what work on a job needs from its surroundings. The zero Env is the real one, and logs nothing.
type Env struct {
	FS    fsx.FS       // default: the real file system
	Clock clock.Clock  // default: the system's
	Log   *slog.Logger // default: discards
}

// WithDefaults fills in what is not set.
func (e Env) WithDefaults() Env {
	if e.FS == nil {
		e.FS = fsx.Real()
	}
	if e.Clock == nil {
		e.Clock = clock.System()
	}
	if e.Log == nil {
		e.Log = slog.New(slog.DiscardHandler)
	}
	return e
}

// Folder is the folder of a job, its configuration, and the surroundings in which it is worked on. Make it with [Of].
type Folder struct {
	Env
	Config *config.Config
}

// Of returns the folder of a configuration.
func Of(cfg *config.Config, e Env) Folder { return Folder{e.WithDefaults(), cfg} }

// ReadOnly returns the folder with a file system on which nothing can be changed: the job may lie on a read-only
// file system, or belong to another user.
func (f Folder) ReadOnly() Folder {
	f.FS = fsx.ReadOnly(f.FS)
	return f
}

// Dir is the path of the folder.
func (f Folder) Dir() string { return f.Config.Dir }

// Path returns the path of something in the folder.
func (f Folder) Path(parts ...string) string {
	return filepath.Join(append([]string{f.Config.Dir}, parts...)...)
}

// Aside returns where what recovery takes away is kept.
func (f Folder) Aside() *aside.Folder { return aside.New(f.FS, f.Config.Dir, f.Clock) }

// ReadFile reads a file of the folder. The error wraps [fs.ErrNotExist] when there is none.
func (f Folder) ReadFile(parts ...string) ([]byte, error) { return ReadFile(f.FS, f.Path(parts...)) }

// SheetFiles returns the names of the job's files of sheets, within the folder and sorted; none when it has none. others
// are what else stands beside them, which nobody reads.
func (f Folder) SheetFiles() (names, others []string, err error) {
	all, err := f.FS.List(f.Path(SheetDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	for _, name := range all {
		if path := filepath.Join(SheetDir, name); filepath.Ext(name) == ".toml" {
			names = append(names, path)
		} else {
			others = append(others, path)
		}
	}
	slices.Sort(names)
	return names, others, err
}

// ReadFile reads a whole file.
func ReadFile(fsys fsx.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(f)
	return data, errors.Join(err, f.Close())
}

// ErrNotBegun is wrapped by the error of looking into a job that has no state.
var ErrNotBegun = errors.New("the job was never begun: exclave crawl begins it")

// Begun returns an error when the job has no state. It wraps [ErrNotBegun] when it never had one, as its
// crawl.log tells.
func (f Folder) Begun() error {
	name := f.Path(StateDir, FrontierDir)
	_, err := f.FS.Stat(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if logparts.Any(f.FS, f.Path(LogDir), crawl.LogCrawl.Name()) {
		return fmt.Errorf("job: %s is missing, but %s holds what a crawl wrote; put the state back from a copy, restore a checkpoint "+
			"(exclave checkpoint list JOB), or make it anew (exclave recover JOB)", name, f.Path(LogDir, crawl.LogCrawl.Name()))
	}
	return fmt.Errorf("job: %s: %w (%w)", f.Dir(), ErrNotBegun, err)
}

// IsLogPart reports whether a file is named as a part of a log, to which nobody writes.
func IsLogPart(name string) bool {
	for l := range crawl.NumLogs {
		if _, ok := logparts.Parse(l.Name(), name); ok {
			return true
		}
	}
	return false
}
