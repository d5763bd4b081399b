package heritrixlogs

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
)

// Job is what a crawl left behind.
type Job struct {
	Log       []Line
	Crawl     Summary
	Seeds     []Seed
	Hosts     []Host
	Sources   []Source
	MIMETypes []Count
	Codes     []Count
	Chains    []Chain
	Frontier  Frontier
	Nonempty  []Queue // not written at the end of a crawl by Heritrix: read when it is there
	Threads   []Thread
}

// Read reads logs/crawl.log and the files in reports/ of a job, by Heritrix's names.
func Read(logs, reports string) (*Job, error) {
	j := &Job{}
	report := func(name string) string { return filepath.Join(reports, name+".txt") }
	err := first(
		read(filepath.Join(logs, "crawl.log"), func(in io.Reader) (err error) { j.Log, err = CrawlLog(in); return }),
		read(report("crawl-report"), func(in io.Reader) (err error) { j.Crawl, err = Crawl(in); return }),
		read(report("seeds-report"), func(in io.Reader) (err error) { j.Seeds, err = Seeds(in); return }),
		read(report("hosts-report"), func(in io.Reader) (err error) { j.Hosts, err = Hosts(in); return }),
		read(report("source-report"), func(in io.Reader) (err error) { j.Sources, err = Sources(in); return }),
		read(report("mimetype-report"), func(in io.Reader) (err error) { j.MIMETypes, err = MIMETypes(in); return }),
		read(report("responsecode-report"), func(in io.Reader) (err error) { j.Codes, err = ResponseCodes(in); return }),
		read(report("processors-report"), func(in io.Reader) (err error) { j.Chains, err = Processors(in); return }),
		read(report("frontier-summary-report"), func(in io.Reader) (err error) { j.Frontier, err = FrontierSummary(in); return }),
		read(report("threads-report"), func(in io.Reader) (err error) { j.Threads, _, err = Threads(in); return }),
	)
	if _, missing := os.Stat(report("frontier-nonempty-report")); missing == nil && err == nil {
		err = read(report("frontier-nonempty-report"), func(in io.Reader) (err error) { j.Nonempty, err = Nonempty(in); return })
	}
	return j, err
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func read(name string, fn func(io.Reader) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read
	return fn(f)
}

// Disagreements are numbers that say different things of the same, in log and
// reports. size is what the log says was received with a line about an answer, header
// and body; left are lines about URIs that were not fetched (nil: none).
func (j *Job) Disagreements(size func(Line) int64, left func(Line) bool) (out []string) {
	differ := func(what string, a, b any) {
		if a != b {
			out = append(out, fmt.Sprintf("%s: %v and %v", what, a, b))
		}
	}
	var lines, successes, bytes int64
	codes, types := map[string]int64{}, map[string]Count{}
	sources := map[string]int64{}
	for _, l := range j.Log {
		if left != nil && left(l) {
			continue
		}
		lines++
		if l.Status <= 0 {
			continue
		}
		successes++
		bytes += size(l)
		codes[strconv.Itoa(l.Status)]++
		c := types[l.MIME]
		types[l.MIME] = Count{c.URLs + 1, c.Bytes + size(l), l.MIME}
		if l.Source != "" {
			sources[l.Source]++
		}
	}
	differ("URIs processed, lines of crawl.log", j.Crawl.Processed, lines)
	differ("URI successes, lines with a status above 0", j.Crawl.Successes, successes)
	differ("total crawled bytes, those of crawl.log", j.Crawl.Bytes, bytes)
	differ("response codes, those of crawl.log", len(j.Codes), len(codes))
	for _, c := range j.Codes {
		differ("code "+c.Name, c.URLs, codes[c.Name])
	}
	differ("MIME types, those of crawl.log", len(j.MIMETypes), len(types))
	for _, c := range j.MIMETypes {
		differ("type "+c.Name, c, types[c.Name])
	}
	var sum Host
	hosts := int64(0)
	for _, h := range j.Hosts {
		sum.URLs, sum.Bytes = sum.URLs+h.URLs, sum.Bytes+h.Bytes
		sum.NovelURLs, sum.DupURLs, sum.UnmodifiedURLs = sum.NovelURLs+h.NovelURLs, sum.DupURLs+h.DupURLs, sum.UnmodifiedURLs+h.UnmodifiedURLs
		if h.Name != "dns:" {
			hosts++
		}
	}
	differ("URLs of hosts, successes", sum.URLs, j.Crawl.Successes)
	differ("bytes of hosts, total", sum.Bytes, j.Crawl.Bytes)
	differ("novel URLs of hosts, novel URIs", sum.NovelURLs, j.Crawl.NovelURIs)
	differ("duplicates of hosts, duplicate URIs", sum.DupURLs, j.Crawl.DupURIs)
	differ("unmodified of hosts, not-modified URIs", sum.UnmodifiedURLs, j.Crawl.UnmodifiedURIs)
	if j.Crawl.Hosts > hosts {
		differ("hosts visited, hosts of the hosts-report", j.Crawl.Hosts, hosts)
	}
	tagged := map[string]int64{}
	for _, s := range j.Sources {
		tagged[s.Tag] += s.URLs
	}
	differ("sources, those of crawl.log", len(tagged), len(sources))
	for tag, n := range tagged {
		differ("source "+tag, n, sources[tag])
	}
	crawled := int64(0)
	for _, s := range j.Seeds {
		if s.Crawled {
			crawled++
		}
	}
	differ("seeds crawled, CRAWLED", j.Crawl.SeedsCrawled, crawled)
	differ("seeds uncrawled, NOTCRAWLED", j.Crawl.SeedsUncrawled, int64(len(j.Seeds))-crawled)
	differ("finished of the frontier, URIs processed", j.Frontier.Finished, j.Crawl.Processed)
	differ("successes of the frontier, of the crawl", j.Frontier.Succeeded, j.Crawl.Successes)
	return out
}
