package job

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"slices"

	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/crawllog"
	"exclave/internal/logparts"
	"exclave/internal/urlx"
)

// logs checks the logs against what is acknowledged of them, and crawl.log and
// analysis.jsonl line by line against the state.
func (v *verifier) logs(context.Context) error {
	for _, row := range v.f.Logs() {
		before := len(v.defects)
		if err := v.log(row); err != nil {
			return err
		}
		if len(v.defects) == before {
			continue
		}
		if err := v.recount(row.Log); err != nil {
			return err
		}
	}
	if v.logsAway[crawl.LogCrawl] {
		return nil
	}
	return v.statistics()
}

func (v *verifier) log(row frontier.LogRow) error {
	lines, counted := int64(0), true
	known := map[string]bool{}
	for _, p := range row.Parts {
		known[p.Name] = true
		n, read, err := v.logFile(row.Log, p)
		if err != nil {
			return err
		}
		lines, counted = lines+n, counted && read
	}
	names, err := logparts.List(v.opts.FS, v.path(LogDir), row.Log.Name())
	if err != nil {
		return fmt.Errorf("job: verify: %w", err)
	}
	for _, name := range names {
		if !known[name] {
			v.bad(name, "the state does not know this part of %s%s", row.Log.Name(), v.unlessClean())
		}
	}
	n, read, err := v.logFile(row.Log, frontier.LogPart{Name: row.Log.Name(), Length: row.Length, Lines: row.Lines, CRC: row.CRC})
	if err != nil || !read || !counted {
		return err
	}
	lines += n
	want := map[crawl.LogID]int64{crawl.LogCrawl: v.finishes, crawl.LogAnalysis: v.judgings}
	if w, ok := want[row.Log]; ok && lines != w {
		v.bad(row.Log.Name(), "has %d lines, the state counts %d", lines, w)
	}
	return nil
}

// logFile checks a part of a log, or the file that is written to. It is not read when it is not there.
func (v *verifier) logFile(l crawl.LogID, p frontier.LogPart) (lines int64, read bool, err error) {
	in, err := logparts.OpenPart(v.opts.FS, v.path(LogDir), p.Name)
	switch {
	case err == nil:
	case logparts.Damaged(err):
		v.bad(p.Name, "is damaged: %v", err)
		return 0, false, nil
	case p.Name != l.Name() && v.moved.has(p.Name):
		v.opts.Log.Warn("not checked: registered as moved away", "file", p.Name)
		v.logsAway[l] = true
		return 0, false, nil
	case p.Length > 0:
		v.bad(p.Name, "is missing; %d bytes are acknowledged", p.Length)
		return 0, false, nil
	default:
		return 0, true, nil
	}
	sum, n := crc32.New(crc32.MakeTable(crc32.Castagnoli)), int64(0)
	err = logparts.Lines(io.TeeReader(in, sum), func(number int64, line []byte) error {
		lines = number
		n += int64(len(line))
		where := logparts.Place{File: p.Name, Line: number}.String()
		if line[len(line)-1] != '\n' {
			v.bad(where, "is cut off")
		}
		return v.line(l, where, line)
	})
	if err := errors.Join(err, in.Close()); logparts.Damaged(err) {
		v.bad(p.Name, "is damaged behind byte %d: %v", n, err)
		return 0, false, nil
	} else if err != nil {
		return 0, false, fmt.Errorf("job: verify %s: %w", p.Name, err)
	}
	switch {
	case n != p.Length:
		v.bad(p.Name, "has %d bytes, %d are acknowledged%s", n, p.Length, v.unlessClean())
	case sum.Sum32() != p.CRC:
		v.bad(p.Name, "its contents are not those acknowledged (checksum differs)")
	}
	if lines != p.Lines {
		v.bad(p.Name, "has %d lines, %d are acknowledged", lines, p.Lines)
	}
	return lines, true, nil
}

// eachLine calls fn for every line with its end, the last perhaps without.
func eachLine(in io.Reader, fn func([]byte) error) error {
	r := bufio.NewReader(in)
	for {
		line, err := r.ReadBytes('\n')
		if len(line) > 0 {
			if err := fn(line); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (v *verifier) line(log crawl.LogID, where string, line []byte) error {
	if log == crawl.LogCrawl {
		if e, err := crawllog.Parse(string(line)); err == nil {
			v.count(e)
		}
	}
	url, err := urlOf(log, line)
	if err != nil {
		v.bad(where, "%v", err)
		return nil
	}
	if log == crawl.LogScope {
		return nil
	}
	return v.known(where, url)
}

// urlOf returns the URL that a line of a log is about.
func urlOf(log crawl.LogID, line []byte) (string, error) {
	if log == crawl.LogCrawl {
		e, err := crawllog.Parse(string(line))
		return e.URL, err
	}
	var l struct {
		URL string `json:"url"`
	}
	if err := json.Unmarshal(line, &l); err != nil || l.URL == "" {
		return "", errors.New("is not a JSON object with a url")
	}
	return l.URL, nil
}

// known checks that a URL of a log is one the state has finished.
func (v *verifier) known(where, url string) error {
	if u, err := urlx.Parse(url); err == nil && u.PathQuery() == "/robots.txt" {
		if r, err := v.f.Lookup(crawl.RobotsKey(u.Origin())); err != nil || r != nil && r.Finishes > 0 {
			return err
		}
	}
	r, err := v.f.Lookup(v.key(url))
	if err != nil {
		return err
	}
	if r == nil || r.Finishes == 0 {
		v.bad(where, "%s is logged, but the state has not finished it", url)
	}
	return nil
}

// maxRecounted bounds how many URIs of one log recount names.
const maxRecounted = 100

// recount names the URIs that a damaged log has too many or too few lines of. It
// is not asked of a whole log, for it holds every URL in memory.
func (v *verifier) recount(log crawl.LogID) error {
	if log == crawl.LogScope || v.logsAway[log] {
		return nil
	}
	type tally struct {
		have, want int
		last       logparts.Place
	}
	tallies := map[string]tally{}
	if err := logparts.EachLine(v.opts.FS, v.path(LogDir), log.Name(), func(at logparts.Place, line []byte) error {
		if url, err := urlOf(log, line); err == nil {
			key := v.key(url)
			t := tallies[key]
			t.have, t.last = t.have+1, at
			tallies[key] = t
		}
		return nil
	}); err != nil && !logparts.Damaged(err) { // that was said
		return fmt.Errorf("job: verify %s: %w", log.Name(), err)
	}
	if err := v.f.EachURI(func(r *frontier.Record) error {
		want := r.Finishes
		if log == crawl.LogAnalysis {
			want = r.Judgings
		}
		if want > 0 {
			key := v.key(r.URL)
			t := tallies[key]
			t.want += want
			tallies[key] = t
		}
		return nil
	}); err != nil {
		return err
	}
	named := 0
	for _, key := range slices.Sorted(maps.Keys(tallies)) {
		t := tallies[key]
		if t.have == t.want || t.want == 0 { // URIs that the state does not know were named
			continue
		}
		if named++; named > maxRecounted {
			v.bad(log.Name(), "more URIs than these have another number of lines than the state counts")
			break
		}
		where := log.Name()
		if t.have > t.want {
			where = t.last.String()
		}
		v.bad(where, "%s is logged %d times, the state counts %d", key, t.have, t.want)
	}
	return nil
}

// key returns what decides sameness of a logged URL. The robots.txt that the
// crawler needs and one that a page links to have lines of the same URL.
func (v *verifier) key(url string) string {
	if u, err := urlx.Parse(url); err == nil {
		return v.cfg.URL.Key(u)
	}
	return url
}
