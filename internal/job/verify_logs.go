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
	return v.statistics()
}

func (v *verifier) log(row frontier.LogRow) error {
	name := row.Log.Name()
	in, err := v.opts.FS.Open(v.path(LogDir, name))
	if err != nil {
		if row.Length > 0 {
			v.bad(name, "is missing; %d bytes are acknowledged", row.Length)
		}
		return nil
	}
	defer in.Close()
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	lines, n := int64(0), int64(0)
	if err := eachLine(io.TeeReader(in, sum), func(line []byte) error {
		lines++
		n += int64(len(line))
		where := fmt.Sprintf("%s line %d", name, lines)
		if line[len(line)-1] != '\n' {
			v.bad(where, "is cut off")
		}
		return v.line(row.Log, where, line)
	}); err != nil {
		return fmt.Errorf("job: verify %s: %w", name, err)
	}
	switch {
	case n != row.Length:
		v.bad(name, "has %d bytes, %d are acknowledged%s", n, row.Length, v.unlessClean())
	case sum.Sum32() != row.CRC:
		v.bad(name, "its contents are not those acknowledged (checksum differs)")
	}
	if lines != row.Lines {
		v.bad(name, "has %d lines, %d are acknowledged", lines, row.Lines)
	}
	want := map[crawl.LogID]int64{crawl.LogCrawl: v.finishes, crawl.LogAnalysis: v.judgings}
	if w, ok := want[row.Log]; ok && lines != w {
		v.bad(name, "has %d lines, the state counts %d", lines, w)
	}
	return nil
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
	if log == crawl.LogScope {
		return nil
	}
	type tally struct{ have, want, line int }
	tallies := map[string]tally{}
	in, err := v.opts.FS.Open(v.path(LogDir, log.Name()))
	if err != nil {
		return nil // said already
	}
	defer in.Close()
	n := 0
	if err := eachLine(in, func(line []byte) error {
		n++
		if url, err := urlOf(log, line); err == nil {
			key := v.key(url)
			t := tallies[key]
			t.have, t.line = t.have+1, n
			tallies[key] = t
		}
		return nil
	}); err != nil {
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
			where = fmt.Sprintf("%s line %d", where, t.line)
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
