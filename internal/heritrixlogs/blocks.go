package heritrixlogs

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Summary is a crawl-report.
type Summary struct {
	Name, Status, Duration                string
	SeedsCrawled, SeedsUncrawled, Hosts   int64
	Processed, Successes                  int64
	Failures, Disregards                  int64
	NovelURIs, DupURIs, UnmodifiedURIs    int64
	Bytes, NovelBytes, DupBytes, SameSize int64
}

// text is a report that is read from its start.
type text struct {
	name string
	rest string
	checker
}

func open(in io.Reader, name string) (*text, error) {
	all, err := io.ReadAll(in)
	return &text{name: name, rest: string(all)}, err
}

// take reads what a pattern says must come next, and returns its groups.
func (t *text) take(pattern string) []string {
	re := regexp.MustCompile(`^(?:` + pattern + `)`)
	f := re.FindStringSubmatch(t.rest)
	if f == nil {
		line, _, _ := strings.Cut(t.rest, "\n")
		t.must(false, "want %q, have %q", pattern, line)
		return make([]string, re.NumSubexp()+1)
	}
	if t.err == nil {
		t.rest = t.rest[len(f[0]):]
	}
	return f
}

// next reports whether the rest begins so.
func (t *text) next(prefix string) bool { return t.err == nil && strings.HasPrefix(t.rest, prefix) }

// value reads "name: number" and what may follow it.
func (t *text) value(name, tail string) int64 {
	s := t.take(regexp.QuoteMeta(name) + `: (\d+)` + tail + `\n`)[1]
	if t.err != nil {
		return 0
	}
	return t.number(s)
}

// end is for what must not follow, and wraps what was wrong.
func (t *text) end() error {
	t.must(t.rest == "", "more follows: %q", t.rest)
	if t.err != nil {
		return fmt.Errorf("%s: %w", t.name, t.err)
	}
	return nil
}

// duration is what formatMillisecondsToConventional prints.
const duration = `(-?(?:\d+d)?(?:\d+h)?(?:\d+m)?(?:\d+s)?(?:\d+ms)?)`

// statuses are the descriptions of CrawlStatus.
var statuses = []string{"Created", "Pending", "Running", "Finished - Ended by operator", "Finished - Abnormal exit from crawling", "Finished",
	"Finished - Timelimit hit", "Finished - Maximum amount of data limit hit", "Finished - Maximum number of documents limit hit",
	"Finished - Maximum bytes written", "Pausing - Waiting for threads to finish", "Paused", "Checkpointing", "Preparing"}

// Crawl reads a crawl-report.
func Crawl(in io.Reader) (s Summary, err error) {
	t, err := open(in, "crawl-report")
	if err != nil {
		return s, err
	}
	const shown = ` \((?:0 B|\d+(?:\.\d)? (?:B|KiB|MiB|GiB|TiB))\)`
	s.Name = t.take(`crawl name: (.*)\n`)[1]
	s.Status = t.take(`crawl status: (.*)\n`)[1]
	t.must(slices.Contains(statuses, s.Status), "crawl status %q", s.Status)
	s.Duration = t.take(`duration: ` + duration + `\n\n`)[1]
	t.must(s.Duration != "", "no duration")
	s.SeedsCrawled, s.SeedsUncrawled = t.value("seeds crawled", ""), t.value("seeds uncrawled", `\n`)
	s.Hosts = t.value("hosts visited", `\n`)
	s.Processed, s.Successes, s.Failures = t.value("URIs processed", ""), t.value("URI successes", ""), t.value("URI failures", "")
	s.Disregards = t.value("URI disregards", `\n`)
	s.NovelURIs = t.value("novel URIs", "")
	if t.next("dup") {
		s.DupURIs = t.value("duplicate-by-hash URIs", "")
	}
	if t.next("not") {
		s.UnmodifiedURIs = t.value("not-modified URIs", "")
	}
	t.take(`\n`)
	s.Bytes = t.value("total crawled bytes", shown+" ")
	s.NovelBytes = t.value("novel crawled bytes", shown)
	if t.next("dup") {
		s.DupBytes = t.value("duplicate-by-hash crawled bytes", shown+" ")
	}
	if t.next("not") {
		s.SameSize = t.value("not-modified crawled bytes", shown+" ")
	}
	t.take(`\n`)
	t.take(`URIs/sec: \d+(?:\.\d{1,2})?\n`)
	t.take(`KB/sec: \d+\n`)
	t.must(s.Processed == s.Successes+s.Failures+s.Disregards, "URIs do not add up: %+v", s)
	t.must(s.Successes == s.NovelURIs+s.DupURIs+s.UnmodifiedURIs, "successes do not add up: %+v", s)
	t.must(s.Bytes == s.NovelBytes+s.DupBytes+s.SameSize, "bytes do not add up: %+v", s)
	return s, t.end()
}

// Processor is a paragraph of the processors-report.
type Processor struct {
	Name    string
	Handled int64 // "CrawlURIs handled", or "links from … CrawlURIs"; -1 = not said
	Links   int64 // -1 = not said
	Lines   []string
}

// Chain is a part of the processors-report.
type Chain struct {
	Name       string
	Processors []Processor
}

var (
	handled = regexp.MustCompile(`^  CrawlURIs handled: (\d+)$`)
	links   = regexp.MustCompile(`^  (\d+) links from (\d+) CrawlURIs$`)
)

// Processors reads a processors-report: the three chains, in order.
func Processors(in io.Reader) (out []Chain, err error) {
	t, err := open(in, "processors-report")
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"CandidateChain", "FetchChain", "DispositionChain"} {
		t.take(name + ` - Processors report - \d{12}\n`)
		n, _ := strconv.Atoi(t.take(`  Number of Processors: (\d+)\n\n`)[1])
		c := Chain{Name: name}
		for range n {
			p := Processor{Name: t.take(`Processor: (\S+)\n`)[1], Handled: -1, Links: -1}
			for t.next("  ") {
				line := t.take(`(  .*)\n`)[1]
				if f := handled.FindStringSubmatch(line); f != nil {
					p.Handled = t.number(f[1])
				}
				if f := links.FindStringSubmatch(line); f != nil {
					p.Links, p.Handled = t.number(f[1]), t.number(f[2])
				}
				p.Lines = append(p.Lines, line)
			}
			t.take(`\n`)
			for t.next("\nProcessor: ") { // processors of others may end with more
				t.take(`\n`)
			}
			c.Processors = append(c.Processors, p)
		}
		t.take(`\n`)
		out = append(out, c)
	}
	return out, t.end()
}

// Thread is a ToeThread of the threads-report.
type Thread struct {
	Number         int
	URI, Processor string // "" = it waits for one
	Attempts       int
	Step           string
}

// Threads reads a threads-report; there is none after the end of a crawl.
func Threads(in io.Reader) (out []Thread, active int, err error) {
	t, err := open(in, "threads-report")
	if err != nil {
		return nil, 0, err
	}
	if t.next("no ToeThreads") {
		t.take(`no ToeThreads\n?`)
		return nil, 0, t.end()
	}
	t.take(`Toe threads report - \d{12}\n Job being crawled: .*\n`)
	pool := t.take(` Number of toe threads in pool: (\d+) \((\d+) active\)\n\n`)
	n, _ := strconv.Atoi(pool[1])
	active, _ = strconv.Atoi(pool[2])
	busy := 0
	for range n {
		th := Thread{}
		th.Number, _ = strconv.Atoi(t.take(`\[ToeThread #(\d+): .*\n`)[1])
		if t.next(" -no CrawlURI- \n") {
			t.take(` -no CrawlURI- \n    (?:WAITING for ` + duration + `|` + `)\n`)
		} else {
			f := t.take(` CrawlURI (\S+) (\S*) (\S*)    (\d+) attempts\n    in processor: (\S*)\n    ACTIVE for ` + duration + `\n`)
			th.URI, th.Processor = f[1], f[5]
			th.Attempts, _ = strconv.Atoi(f[4])
			busy++
		}
		th.Step = t.take(`    step: (NASCENT|ABOUT_TO_GET_URI|FINISHED|ABOUT_TO_BEGIN_PROCESSOR|HANDLING_RUNTIME_EXCEPTION|ABOUT_TO_RETURN_URI|FINISHING_PROCESS) for ` + duration + `\n`)[1]
		thread(t)
		t.take(`\]\n`)
		out = append(out, th)
	}
	t.must(busy == active || t.err != nil, "%d have a URI, %d are active", busy, active)
	return out, active, t.end()
}

// thread reads what ToeThread.reportThread prints. "-" is a state that no thread of
// Java has, because there is none.
func thread(t *text) {
	t.take(`Java Thread State: (?:[A-Z_]+|-)\nBlocked/Waiting On: (?:NONE|.* which is owned by .*\(\d+\))\n(?:    \S.*\n)*`)
}
