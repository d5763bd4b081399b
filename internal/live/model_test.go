package live

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"exclave/chain"
	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/job"
	"exclave/internal/job/progress"
	"exclave/internal/sheet"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// crawling is a crawl with two workers of three at work.
func crawling() job.Snapshot {
	return job.Snapshot{Job: "knihovna", Time: noon, Elapsed: 26*time.Hour + 3*time.Minute + 4*time.Second, State: chain.Running,
		Frontier: frontier.Stats{Discovered: 1234567, Queued: 900001, Parked: 7, InProcess: 2, Finished: 334557,
			Archived: 30000, Judged: 2000, Valid: 250, Failed: 1500, Disregarded: 99},
		Queues: frontier.QueueStates{InProcess: 2, Ready: 3, Waiting: 40, Resting: 5, Next: 300 * time.Millisecond},
		Counts: chain.Counts{Fetched: 34000, Bytes: 3 << 30, Errors: map[string]int64{crawl.ErrorDNS: 12, crawl.Error4xx: 3456}},
		Now:    progress.Rate{URIs: 12.34, Bytes: 1536}, Average: progress.Rate{URIs: 7, Bytes: 100},
		FreeDisk: 5 << 40, Memory: 256 << 20,
		Workers: []chain.Activity{
			{Worker: 1, URL: "https://www.knihovna.example/katalog?id=1", Host: "www.knihovna.example", Chain: chain.Fetch, Step: "fetch/http", Since: noon.Add(-1500 * time.Millisecond)},
			{Worker: 2, Since: noon.Add(-4 * time.Minute)},
			{Worker: 3, URL: "dns:b.example", Host: "b.example", Chain: chain.Fetch, Step: "dns", Since: noon.Add(-42 * time.Second)},
		}}
}

func texts(rows []row) []string {
	var out []string
	for _, r := range rows {
		out = append(out, strings.TrimRight(r.text, " "))
	}
	return out
}

func compare(t *testing.T, got []string, want string) {
	t.Helper()
	if text := strings.Join(got, "\n"); text != strings.Trim(want, "\n") {
		t.Errorf("the screen is\n%s\nwant\n%s", text, strings.Trim(want, "\n"))
	}
}

// What an operator sees at the size most terminals have, and on a small one.
func TestScreens(t *testing.T) {
	m := model{snap: crawling(), known: true, kill: true}
	compare(t, texts(m.rows(80, 12)), `
 exclave  knihovna  running  26:03:04
now 12.3 URIs/s 1.5 KiB/s
queued 900,001  in process 2
archived 30,000  valid 250 (12.5 %)
hosts ready 3  waiting 40  resting 5
errors 3,468  received 3.0 GiB
worker    since  host                   processor                path
     3     42 s  b.example              fetch/dns                dns:b.example
     1    1.5 s  www.knihovna.example   fetch/http               /katalog?id=1
     2    4 min  -                      waits for a URI

`+" p pause   q stop   ? help   j/k scroll   Q stop at once")
	m.log, m.logged = []string{"12:00:00 WARN msg"}, 3
	compare(t, texts(m.rows(80, 24)), `
 exclave  knihovna  running  26:03:04
rate      now 12.3 URIs/s 1.5 KiB/s   average 7.0 URIs/s 100 B/s
URIs      discovered 1,234,567   queued 900,001   in process 2   parked 7
finished  334,557   archived 30,000   failed 1,500   disregarded 99
pages     judged 2,000   valid 250 (12.5 %)   received 3.0 GiB
hosts     ready 3   waiting 40   resting 5   in process 2   inactive 0
errors    dns 12   4xx 3,456
machine   disk free 5.0 TiB   memory 256.0 MiB   workers 2 of 3 busy

worker    since  host                   processor                path
     3     42 s  b.example              fetch/dns                dns:b.example
     1    1.5 s  www.knihovna.example   fetch/http               /katalog?id=1
     2    4 min  -                      waits for a URI








log: 3 lines, printed when the view ends
12:00:00 WARN msg
`+" p pause   q stop   ? help   j/k scroll   Q stop at once")
	m.log = nil
	m.snap.State, m.remote, m.kill, m.scroll = chain.Paused, true, false, 99
	compare(t, texts(m.rows(40, 10)), `
 exclave watch  knihovna  paused  26:03…
now 12.3 URIs/s 1.5 KiB/s
queued 900,001  in process 2
archived 30,000  valid 250 (12.5 %)
hosts ready 3  waiting 40  resting 5
errors 3,468  received 3.0 GiB
paused; 2 URIs in process are being fin…
worker    since  host        proc… 3-3/3
     2    4 min  -           waits for …
`+" r resume   q leave   S stop the crawl …")
}

// Whatever there is to show and whatever the size, rows fit, there are as many as
// the screen has, and nothing in them could steer a terminal.
func TestRowsFit(t *testing.T) {
	evil := "\x1b[2J\x1b]0;owned\x07\u202egnp.exe\u202c\r\n\x9b31m\xff\u2028漢字漢字\U0001f469\u200d\U0001f4bb" +
		strings.Repeat("e\u0301\u0301\u0301\u0301\u0301\u0301", 40)
	wild := crawling()
	wild.Job = evil
	wild.Frontier.Discovered, wild.Frontier.Queued = 1<<62, -1<<62
	wild.FreeDisk = -1
	wild.Workers = nil
	for i := range 500 {
		wild.Workers = append(wild.Workers, chain.Activity{Worker: i, URL: "http://" + evil, Host: evil, Chain: chain.Name(evil), Step: evil, Since: noon.Add(time.Duration(i) * time.Hour)})
	}
	for _, class := range crawl.ErrorClasses() {
		wild.Counts.Errors[class] = 1 << 60
	}
	wild.Now = progress.Rate{}
	paused, stopping := crawling(), wild
	paused.State, stopping.State = chain.Paused, chain.Stopping
	log := slices.Repeat([]string{evil}, 50)
	for name, m := range map[string]model{
		"nothing known": {},
		"no answer":     {trouble: evil},
		"plain":         {snap: crawling(), known: true},
		"wild":          {snap: wild, known: true, kill: true, log: log, logged: 1 << 40, scroll: 1 << 30},
		"lost":          {snap: wild, known: true, trouble: evil, scroll: -5},
		"paused":        {snap: paused, known: true, remote: true, asking: 'S'},
		"stopping":      {snap: stopping, known: true, asking: 'Q', log: log},
		"help":          {snap: wild, known: true, help: true, log: log},
		"remote help":   {snap: wild, known: true, help: true, remote: true},
	} {
		for _, width := range []int{1, 2, 9, 20, 40, 80, 200} {
			for _, height := range []int{1, 2, 3, 6, 10, 16, 24, 60} {
				rows := m.rows(width, height)
				if len(rows) != height {
					t.Errorf("%s at %d × %d: %d rows", name, width, height, len(rows))
				}
				for _, r := range rows {
					if bad := strings.IndexFunc(r.text, func(r rune) bool { return !unicode.IsPrint(r) }); bad >= 0 || !utf8.ValidString(r.text) {
						t.Fatalf("%s at %d × %d: %q is not harmless", name, width, height, r.text)
					}
					if w := widthOf(r.text); w > width {
						t.Errorf("%s at %d × %d: %q takes %d columns", name, width, height, r.text, w)
					}
				}
			}
		}
	}
}

// The table scrolls as far as it has rows, and no further.
func TestScroll(t *testing.T) {
	m := model{snap: crawling(), known: true}
	m.snap.Workers = nil
	for i := range 50 {
		m.snap.Workers = append(m.snap.Workers, chain.Activity{Worker: i + 1, Since: noon})
	}
	v := View{m: m}
	v.m.rows(80, 24)
	for _, c := range []struct {
		key         key
		first, last int
	}{{keyUp, 1, 13}, {'j', 2, 14}, {'k', 1, 13}, {keyPageDown, 14, 26}, {' ', 27, 39}, {keyPageUp, 14, 26},
		{keyEnd, 38, 50}, {keyDown, 38, 50}, {'g', 1, 13}, {'G', 38, 50}, {keyHome, 1, 13}} {
		v.move(c.key)
		rows := texts(v.m.rows(80, 24))
		if want := fmt.Sprintf(" %d-%d/50", c.first, c.last); !strings.HasSuffix(rows[9], want) {
			t.Errorf("after %q: %q, want …%q", c.key, rows[9], want)
		}
		if want := fmt.Sprintf("%6d ", c.first); !strings.HasPrefix(rows[10], want) {
			t.Errorf("after %q the first worker is %q, want %d", c.key, rows[10], c.first)
		}
	}
}

// Why nothing happens is said in words; while answers come in, nothing is.
func TestIdle(t *testing.T) {
	nobody := func(s *job.Snapshot) { s.Workers, s.Now = nil, progress.Rate{} }
	for _, c := range []struct {
		want string
		set  func(s *job.Snapshot)
	}{
		{"", func(*job.Snapshot) {}},
		{"paused; 2 URIs in process are being finished", func(s *job.Snapshot) { s.State = chain.Paused }},
		{"paused; 1 URI in process is being finished", func(s *job.Snapshot) { s.State, s.Workers = chain.Paused, s.Workers[:2] }},
		{"paused", func(s *job.Snapshot) { s.State, s.Workers = chain.Paused, nil }},
		{"paused until there is room: 1.0 KiB are free, less than min_free_disk", func(s *job.Snapshot) {
			s.State, s.Workers, s.DiskFull, s.FreeDisk = chain.Paused, nil, true, 1024
		}},
		{"stopping; 2 URIs in process may still be finished", func(s *job.Snapshot) { s.State = chain.Stopping }},
		{"stopping; what is open is being completed", func(s *job.Snapshot) { s.State, s.Workers = chain.Stopping, nil }},
		{"2 workers at work, no answer for a while; the longest: dns for 42 s (b.example)", func(s *job.Snapshot) { s.Now = progress.Rate{} }},
		{"1 worker at work, no answer yet; the longest: fetch/http for 1.5 s (www.knihovna.example)", func(s *job.Snapshot) {
			s.Now, s.Workers, s.Counts.Fetched = progress.Rate{}, s.Workers[:1], 0
		}},
		{"", nobody}, // hosts are ready: about to begin
		{"40 hosts are waiting for politeness, 5 rest after failed attempts; next in 1 s", func(s *job.Snapshot) {
			nobody(s)
			s.Queues.Ready, s.Queues.InProcess = 0, 0
		}},
		{"the only host is waiting for politeness; next in 2 s", func(s *job.Snapshot) {
			nobody(s)
			s.Queues = frontier.QueueStates{Waiting: 1, Next: 1001 * time.Millisecond}
		}},
		{"all 1,000 hosts are resting after failed attempts; next in 15 min", func(s *job.Snapshot) {
			nobody(s)
			s.Queues = frontier.QueueStates{Resting: 1000, Next: 15 * time.Minute}
		}},
		{"the only host is resting after failed attempts, or outside the hours 03:00-03:05 of sheet hrs, until 03:00; next in 4 h", func(s *job.Snapshot) {
			nobody(s)
			s.Queues = frontier.QueueStates{Resting: 1, Next: 4 * time.Hour}
			s.Closed = []sheet.Closing{{Sheet: "hrs", Hours: "03:00-03:05", Until: time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)}}
		}},
		{"all 1,040 hosts are waiting for politeness; next in 1 s", func(s *job.Snapshot) {
			nobody(s)
			s.Queues = frontier.QueueStates{Waiting: 40, Inactive: 1000, Next: time.Second}
		}},
		{"seeds are being read; nothing to fetch yet", func(s *job.Snapshot) { nobody(s); s.Queues = frontier.QueueStates{Held: true} }},
		{"nothing is left to fetch", func(s *job.Snapshot) { nobody(s); s.Queues = frontier.QueueStates{} }},
	} {
		s := crawling()
		c.set(&s)
		if got := idle(&s); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
