// Package rules opens the rules of a job: the analyzer with its profiles, and the scope. It also derives the options of
// the frontier from them and from the configuration. A running job, a job at rest and a job whose state is made anew open
// them here, so that all three decide alike.
package rules

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"

	"exclave/analyzer"
	"exclave/chain/decide"
	"exclave/config"
	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/conf"
	"exclave/internal/cookies"
	"exclave/internal/job/folder"
	"exclave/internal/secret"
	"exclave/internal/sheet"
)

// OpenAnalyzer opens the analyzer of a job; the caller closes it. key is what evidence is hashed under, nil where
// nothing is judged.
func OpenAnalyzer(ctx context.Context, f folder.Folder, key []byte) (*analyzer.Analyzer, error) {
	c := f.Config.Analyzer()
	c.Key = key
	a, err := analyzer.Open(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("job: %w", err)
	}
	return a, nil
}

// Scope returns the rules of the job's scope, as they are now; sheets go before them.
func Scope(f folder.Folder, sheets *sheet.Live) (*decide.Sequence, error) {
	scope, problems := decide.Build(f.Config.Scope, f.Dir(), f.Clock.Now())
	if len(problems) > 0 {
		return nil, fmt.Errorf("job: scope%s: %s", problems[0].Key, problems[0].Msg)
	}
	scope.Under(sheets)
	return scope, nil
}

// maxProblems is how many problems of sheets are said.
const maxProblems = 100

// ReadSheets reads the sheets of a job with these profiles, in the order of their files' names. With problems there is no set.
func ReadSheets(f folder.Folder, profiles []string) (*sheet.Set, conf.Problems, error) {
	names, _, err := f.SheetFiles()
	if err != nil {
		return nil, nil, fmt.Errorf("job: sheets: %w", err)
	}
	var texts []sheet.Text
	for _, name := range names {
		data, err := f.ReadFile(name)
		if err != nil {
			return nil, nil, fmt.Errorf("job: sheets: %w", err)
		}
		texts = append(texts, sheet.Text{Name: f.Path(name), Data: data})
	}
	set, problems := sheet.Read(texts, profiles)
	problems = append(problems, set.Delays(f.Config.Frontier.MinDelay, f.Config.Frontier.LongestSnooze())...)
	if f.Config.Frontier.QueueKey != frontier.QueueByHost {
		problems = append(problems, set.Budgets()...)
	}
	if n := len(problems) - maxProblems; n > 0 {
		problems = append(problems[:maxProblems], conf.Problem{Msg: fmt.Sprintf("and %d more problems of sheets", n)})
	}
	if len(problems) > 0 {
		set = nil
	}
	return set, problems, nil
}

// Sheets is [ReadSheets] with the problems as an error, each on a line.
func Sheets(f folder.Folder, profiles []string) (*sheet.Set, error) {
	set, problems, err := ReadSheets(f, profiles)
	if err != nil {
		return nil, err
	}
	return set, problems.Err("job")
}

// SourceAddresses returns which addresses that connections shall come from this machine does not have.
func SourceAddresses(cfg *config.Config, sheets *sheet.Set) conf.Problems {
	var ps conf.Problems
	if a := cfg.HTTP.SourceAddress; a != "" {
		if err := hasAddress(a); err != nil {
			ps.Add("http.source_address", "%v", err)
		}
	}
	return append(cfg.Locate(ps), sheets.SourceAddresses(hasAddress)...)
}

// MoreSourceAddresses is [SourceAddresses] for those only that sheets add to what is in force: an interface that is down
// for a while keeps no sheet from being read that has nothing to do with it.
func MoreSourceAddresses(cfg *config.Config, now, sheets *sheet.Set) conf.Problems {
	known := map[string]bool{cfg.HTTP.SourceAddress: true}
	now.SourceAddresses(func(a string) error {
		known[a] = true
		return nil
	})
	return sheets.SourceAddresses(func(a string) error {
		if known[a] {
			return nil
		}
		return hasAddress(a)
	})
}

// hasAddress tries whether connections can come from an address.
func hasAddress(a string) error {
	l, err := net.Listen("tcp", net.JoinHostPort(a, "0"))
	if err != nil {
		return noAddress(a, err)
	}
	return l.Close()
}

// noAddress returns what a trial says about an address: nothing when there was no room for one, as in a busy crawl.
func noAddress(a string, err error) error {
	for _, full := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM} {
		if errors.Is(err, full) {
			return nil
		}
	}
	if errors.Is(err, syscall.EADDRNOTAVAIL) {
		return fmt.Errorf("%s: no connection can come from this address, which is none of this machine: %w", a, err)
	}
	return fmt.Errorf("%s: no connection can come from this address: %w", a, err)
}

// HostLimits returns what the limits of a host are, by the sheets in force.
func HostLimits(cfg *config.Config, sheets *sheet.Live) func(host string) frontier.LimitsConfig {
	return func(host string) frontier.LimitsConfig {
		l, of := cfg.Limits, sheets.Now().BudgetsOf(host)
		if of.HostDocuments != nil {
			l.HostDocuments = *of.HostDocuments
		}
		if of.HostBytes != nil {
			l.HostBytes = *of.HostBytes
		}
		return l
	}
}

// GivenCookies returns the text of the job's cookies.txt, nil when it names none.
func GivenCookies(cfg *config.Config) ([]byte, conf.Problems) {
	if cfg.HTTP.CookiesFile == "" {
		return nil, nil
	}
	name := cfg.Path(cfg.HTTP.CookiesFile)
	given, err := secret.Read(name)
	if err != nil {
		return nil, cfg.Locate(conf.Problems{{Key: "http.cookies_file", Msg: err.Error(), Err: err}})
	}
	return given, cookies.Check(given, name)
}

// Depths returns the rules of archiving for the profiles of a job.
func Depths(cfg *config.Config, a *analyzer.Analyzer) crawl.Depths {
	d := crawl.Depths{AnalyseLinked: cfg.Crawl.AnalyseLinked, UnclaimedEmbeds: cfg.Crawl.FetchUnclaimedEmbeds}
	for i := range d.D {
		d.D[i] = -1
	}
	for i, p := range a.Profiles() {
		d.D[i] = cfg.Analysis.DepthOf(p)
	}
	return d
}

// Frontier returns how the state of a job is opened, as far as its configuration and its analyzer say. Whoever opens
// it for writing adds what it writes with.
func Frontier(f folder.Folder, a *analyzer.Analyzer) frontier.Options {
	o := frontier.Options{FS: f.FS, Dir: f.Path(folder.StateDir, folder.FrontierDir), LogDir: f.Path(folder.LogDir),
		Config: f.Config.Frontier, Order: f.Config.Order, Limits: f.Config.Limits, Logs: f.Config.Logs,
		Depths: Depths(f.Config, a), RulesHash: f.Config.URL.Hash(), Clock: f.Clock, Logger: f.Log}
	for _, p := range a.Parts() {
		o.Parts = append(o.Parts, frontier.Part(p)) // what the verdicts follow from
	}
	return o
}
