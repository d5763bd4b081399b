package collection

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"exclave/internal/extsort"
	"exclave/internal/seedlog"
	"exclave/internal/testweb/benchlog"
	"exclave/internal/urlx"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// truth is what a log holds, counted in memory.
type truth struct {
	urls           map[string]bool
	via            map[string]string // of an address: a page of the nation, otherwise any, of several the first
	byHost         map[string]int
	pages, domains map[string]map[string]bool
}

func truthOf(t *testing.T, log []byte, tld string) truth {
	t.Helper()
	w := truth{map[string]bool{}, map[string]string{}, map[string]int{}, map[string]map[string]bool{}, map[string]map[string]bool{}}
	r, err := seedlog.Open(bytes.NewReader(log), seedlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return w
		} else if err != nil {
			t.Fatal(err)
		}
		u := r.URL()
		if u == nil {
			continue
		}
		host := u.Hostname()
		if !w.urls[u.String()] {
			w.urls[u.String()] = true
			w.byHost[host]++
		}
		via, err := urlx.Parse(string(e.Via))
		if err != nil {
			continue
		}
		ranked := "1" + via.String()
		if urlx.TLD(via.Hostname()) == tld {
			ranked = "0" + via.String()
		}
		if old := w.via[u.String()]; old == "" || ranked < old {
			w.via[u.String()] = ranked
		}
		if ranked[0] == '1' {
			continue
		}
		if w.pages[host] == nil {
			w.pages[host], w.domains[host] = map[string]bool{}, map[string]bool{}
		}
		w.pages[host][via.WithoutFragment().String()] = true
		w.domains[host][urlx.RegisteredDomain(via.Hostname())] = true
	}
}

// hosts are the rows that hosts.tsv must have, without rank and collection.
func (w truth) hosts() []string {
	hosts := slices.SortedFunc(maps.Keys(w.byHost), func(x, y string) int {
		return cmp.Or(cmp.Compare(len(w.domains[y]), len(w.domains[x])), cmp.Compare(len(w.pages[y]), len(w.pages[x])),
			cmp.Compare(w.byHost[y], w.byHost[x]), cmp.Compare(x, y))
	})
	for i, h := range hosts {
		hosts[i] = fmt.Sprintf("%s\t%d\t%d\t%d", h, w.byHost[h], len(w.pages[h]), len(w.domains[h]))
	}
	return hosts
}

func logOf(t testing.TB, lines int64, seed uint64, sources bool) []byte {
	t.Helper()
	p := benchlog.DefaultParams()
	p.Lines, p.Hosts, p.Domains, p.Seed, p.Sources = lines, int(lines/20), int(lines/200), seed, sources
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func reading(ctx context.Context, logs ...[]byte) func(*Gatherer) error {
	return func(g *Gatherer) error {
		for _, l := range logs {
			if _, err := g.Read(ctx, bytes.NewReader(l), seedlog.Options{}); err != nil {
				return err
			}
		}
		return nil
	}
}

func jobText(name, seeds string) []byte { return []byte(name + " " + seeds) }

// lines of a file.
func lines(t *testing.T, name ...string) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(name...))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}

// Every way to divide: each address in one collection, what stays together together,
// collections of like size, better hosts first, counts as counted in memory (issue 5,
// Seeds at size); with each a page that links to it, the nation's before others (issue 17).
func TestSplit(t *testing.T) {
	one, two := logOf(t, 8_000, 1, false), logOf(t, 2_000, 2, false)
	want := truthOf(t, slices.Concat(one, two), "cz")
	wantRows := want.hosts()
	unit := map[By]func(string) string{ByHost: func(h string) string { return h }, ByDomain: domainOf, ByTLD: urlx.TLD}
	for _, by := range Ways() {
		for _, p := range []Plan{{By: by, Parts: 4}, {By: by, MaxURLs: 1500}} {
			dir := filepath.Join(t.TempDir(), "made")
			made, total, err := Make(t.Context(), dir, Options{TLDs: []string{"CZ"}}, p, reading(t.Context(), one, two), jobText)
			if err != nil {
				t.Fatal(err)
			}
			rows := lines(t, dir, HostsName)
			rank := map[string]int{}
			for i, row := range rows[1:] {
				f := strings.Split(row, "\t")
				rank[f[1]] = i + 1
				if plain := strings.Join(f[1:5], "\t"); f[0] != fmt.Sprint(i+1) || plain != wantRows[i] {
					t.Fatalf("%v: row %q, want %q", p, row, wantRows[i])
				}
			}
			if len(rank) != len(want.byHost) || total.Hosts != int64(len(rank)) || total.URLs != int64(len(want.urls)) {
				t.Errorf("%v: %d hosts, want %d; %+v", p, len(rank), len(want.byHost), total)
			}
			seen, home, most := map[string]bool{}, map[string]string{}, int64(0)
			for _, c := range made {
				if got := lines(t, dir, c.Name, "job.toml")[0]; got != c.Name+" seeds.jsonl" {
					t.Errorf("%v: job.toml: %q", p, got)
				}
				last, hosts, bytes := 0, map[string]bool{}, int64(0)
				urls := lines(t, dir, c.Name, "seeds.jsonl")
				for _, line := range urls {
					var seed struct{ URL, Via string }
					if err := json.Unmarshal([]byte(line), &seed); err != nil {
						t.Fatal(err)
					}
					url, host := seed.URL, string(hostOf([]byte(seed.URL)))
					hosts[host] = true
					bytes += int64(len(line)) + 1
					if seed.Via != want.via[url][1:] {
						t.Fatalf("%v: %s was found on %q, want %q", p, url, seed.Via, want.via[url])
					}
					if seen[url] || !want.urls[url] {
						t.Fatalf("%v: %s: %s is there twice, or should not be", p, c.Name, url)
					}
					seen[url] = true
					if rank[host] < last {
						t.Fatalf("%v: %s: %s of rank %d comes after rank %d", p, c.Name, url, rank[host], last)
					}
					last = rank[host]
					if by == BySize {
						continue
					}
					if at := home[unit[by](host)]; at != "" && at != c.Name {
						t.Fatalf("%v: %s is in %s and %s", p, unit[by](host), at, c.Name)
					}
					home[unit[by](host)] = c.Name
				}
				most = max(most, c.URLs)
				if c.URLs != int64(len(urls)) || c.Hosts != int64(len(hosts)) || c.Bytes != bytes {
					t.Errorf("%v: %+v, found %d URLs of %d hosts in %d bytes", p, c, len(urls), len(hosts), bytes)
				}
			}
			if len(seen) != len(want.urls) {
				t.Errorf("%v: %d of %d addresses", p, len(seen), len(want.urls))
			}
			if even := int64(len(seen)/len(made)) + 1; by != ByTLD && most > even+even/10 {
				t.Errorf("%v: the largest of %d collections has %d of %d URLs", p, len(made), most, len(seen))
			}
			if p.MaxURLs > 0 && by != ByTLD && most > p.MaxURLs {
				t.Errorf("%v: a collection has %d URLs", p, most)
			}
		}
	}
}

// The order of the logs changes nothing; source tags are kept; rules of the job say
// what is the same.
func TestSplitIsOneForAll(t *testing.T) {
	a, b := logOf(t, 3_000, 1, true), logOf(t, 2_000, 2, true)
	var texts [][]string
	for _, logs := range [][][]byte{{a, b}, {b, a, b}} {
		dir := filepath.Join(t.TempDir(), "made")
		made, _, err := Make(t.Context(), dir, Options{TLDs: []string{"cz"}}, Plan{By: ByHost, Parts: 3}, reading(t.Context(), logs...), jobText)
		if err != nil {
			t.Fatal(err)
		}
		text := lines(t, dir, HostsName)
		for _, c := range made {
			text = append(text, lines(t, dir, c.Name, "seeds.jsonl")...)
		}
		texts = append(texts, text)
	}
	if !slices.Equal(texts[0], texts[1]) {
		t.Error("the order of logs matters")
	}
	if last := texts[0][len(texts[0])-1]; !strings.Contains(last, `","source":"http://www.`) {
		t.Errorf("no source tag: %s", last)
	}

	// An address that no page is known to link to comes without; what would break a line is quoted, a password dropped.
	vias := "{\"url\":\"http://a.com/?\\\\<é\",\"via\":\"http://u:p@b.cz/#x\",\"source\":\"a \\\"b\\\"\"}\n{\"url\":\"http://b.com/\",\"via\":\"nonsense\"}\n"
	in := filepath.Join(t.TempDir(), "made")
	if _, _, err := Make(t.Context(), in, Options{}, Plan{By: BySize, Parts: 1}, reading(t.Context(), []byte(vias)), jobText); err != nil {
		t.Fatal(err)
	}
	if got, want := lines(t, in, name(0), "seeds.jsonl"), []string{`{"url":"http://a.com/?\\%3C%C3%A9","via":"http://b.cz/","source":"a \"b\""}`, `{"url":"http://b.com/"}`}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}

	log := []byte("http://www.a.com/x\nhttp://a.com/x#y\nhttp://[::1]:8080/\ngopher://a.com/\nhttp://u:p@b.com/secret\nhttp://b.com/?q=a&b\n")
	dir := filepath.Join(t.TempDir(), "made")
	if _, total, err := Make(t.Context(), dir, Options{Rules: urlx.Rules{StripWWW: true}}, Plan{By: ByTLD, Parts: 9}, reading(t.Context(), log), jobText); err != nil || total.URLs != 3 || total.Hosts != 3 {
		t.Errorf("%+v %v", total, err)
	}
	if got := lines(t, dir, HostsName)[1:]; !slices.Equal(got, []string{"1\t::1\t1\t0\t0\t" + name(0), "2\ta.com\t1\t0\t0\t" + name(1), "3\tb.com\t1\t0\t0\t" + name(1)}) &&
		!slices.Equal(got, []string{"1\t::1\t1\t0\t0\t" + name(1), "2\ta.com\t1\t0\t0\t" + name(0), "3\tb.com\t1\t0\t0\t" + name(0)}) {
		t.Errorf("%q", got)
	}
}

// A log that cannot be read to its end, and a disk that takes no more, are told; what
// read ahead has ended (TestMain looks), whatever was in its hands.
func TestReadFails(t *testing.T) {
	log, bad := logOf(t, 20_000, 1, false), errors.New("bad sector")
	g := New(Options{Dir: t.TempDir()})
	in := io.MultiReader(bytes.NewReader(log), iotest.ErrReader(bad))
	if _, err := g.Read(t.Context(), in, seedlog.Options{}); !errors.Is(err, bad) {
		t.Errorf("a log that cannot be read: %v", err)
	}
	g.Close()

	g = New(Options{Dir: filepath.Join(t.TempDir(), "is", "not", "there")})
	g.urls = extsort.NewSorter(g.o.Dir, "urls", extsort.NewPool(4000)).Remember()
	if _, err := g.Read(t.Context(), bytes.NewReader(log), seedlog.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("nowhere to write: %v", err)
	}
	g.Close()
}

// The same log gives the same bytes, whatever makes splitting faster: digests of the
// folders that the first version made. A folder is divided anew only by decision.
func TestSplitGivesTheSameBytes(t *testing.T) {
	log := logOf(t, 10_000, 3, true)
	want := map[By]string{ByHost: "8c1de9a2de001dab", ByDomain: "c65cf3292557ed21", ByTLD: "7518642af6505126", BySize: "2ef6778407a75262"}
	for _, by := range Ways() {
		dir := filepath.Join(t.TempDir(), "made")
		made, _, err := Make(t.Context(), dir, Options{TLDs: []string{"cz"}}, Plan{By: by, Parts: 4}, reading(t.Context(), log), jobText)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.New()
		files := []string{HostsName}
		for _, c := range made {
			files = append(files, filepath.Join(c.Name, "seeds.jsonl"))
		}
		for _, name := range files {
			b, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(sum, "%s %d\n%s", name, len(b), b)
		}
		if got := hex.EncodeToString(sum.Sum(nil)[:8]); got != want[by] {
			t.Errorf("by %s: %s, want %s", by, got, want[by])
		}
	}
}

// Hosts that share a hash are counted, placed and written apart.
func TestHostsThatShareAHash(t *testing.T) {
	g := New(Options{Dir: t.TempDir()})
	defer g.Close()
	for i, url := range []string{"http://a.com/1", "http://b.com/1", "http://a.com/2", "http://b.com/3", "http://b.com/2"} {
		if err := g.urls.Add(7, uint64(i), []byte(url), []byte{0, 0}); err != nil {
			t.Fatal(err)
		}
	}
	for _, link := range []string{"b.com\x00x.cz\x00http://x.cz/", "a.com\x00x.cz\x00http://x.cz/", "b.com\x00x.cz\x00http://x.cz/2"} {
		if err := g.links.Add(7, 9, []byte(link)); err != nil {
			t.Fatal(err)
		}
	}
	u, err := extsort.NewRunWriter(g.uniqueName())
	if err != nil {
		t.Fatal(err)
	}
	ranking, _, err := g.count(t.Context(), u, nil)
	if err := errors.Join(err, u.Close()); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := ranking.Close(); err != nil {
			t.Error(err)
		}
	}()
	var got []string
	for ranking.Next() {
		h := rankOf(&ranking.Record)
		got = append(got, fmt.Sprint(string(h.host), h.urls, h.pages, h.domains))
	}
	if !slices.Equal(got, []string{"b.com3 2 1", "a.com2 1 1"}) {
		t.Errorf("%q", got)
	}
	places := extsort.NewSorter(g.o.Dir, "places", g.pool)
	for rank, host := range []string{"b.com", "a.com"} {
		if err := places.Add(7, uint64(rank), []byte(host)); err != nil {
			t.Fatal(err)
		}
	}
	m, err := places.Sorted()
	if err != nil {
		t.Fatal(err)
	}
	seeds, err := g.order(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := seeds.Close(); err != nil {
			t.Error(err)
		}
	}()
	var order []string
	for seeds.Next() {
		order = append(order, strings.Trim(string(seeds.Data), "\x00"))
	}
	if want := []string{"http://b.com/1", "http://b.com/2", "http://b.com/3", "http://a.com/1", "http://a.com/2"}; !slices.Equal(order, want) {
		t.Errorf("%q", order)
	}
}

// Nothing is there that looks finished: not after an error, not after the end of the
// context, not after a crash; and what is there already stays as it is.
func TestMakeIsWholeOrNothing(t *testing.T) {
	parent := t.TempDir()
	dir, log := filepath.Join(parent, "made"), logOf(t, 40_000, 1, false)
	try := func(ctx context.Context, read func(*Gatherer) error) error {
		_, _, err := Make(ctx, dir, Options{}, Plan{By: ByHost, Parts: 2}, read, jobText)
		return err
	}
	empty := func(what string) {
		t.Helper()
		if left, err := os.ReadDir(parent); err != nil || len(left) > 0 {
			t.Errorf("%s: left behind: %v %v", what, left, err)
		}
	}
	broken := errors.New("broken")
	if err := try(t.Context(), func(*Gatherer) error { return broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
	empty("an error")
	// The context ends in the course of each pass.
	for _, pass := range []string{"lines read", "addresses sorted", "hosts ranked", "addresses placed", "seeds written"} {
		ctx, cancel := context.WithCancel(t.Context())
		seen := false
		_, _, err := Make(ctx, dir, Options{step: func(p string) {
			if p == pass {
				seen = true
				cancel()
			}
		}}, Plan{By: ByHost, Parts: 2}, reading(ctx, log), jobText)
		if !errors.Is(err, context.Canceled) || !seen {
			t.Errorf("%s: %v", pass, err)
		}
		empty(pass)
	}
	if err := try(t.Context(), reading(t.Context(), []byte("# nothing\n"))); !errors.Is(err, ErrNoSeeds) {
		t.Error(err)
	}
	empty("no seeds")

	// As a crash leaves it: the lock's file, and a part of everything.
	for _, d := range []string{"0001", "sort"} {
		if err := os.MkdirAll(filepath.Join(dir+".tmp", d), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := try(t.Context(), reading(t.Context(), log)); !errors.Is(err, ErrExists) {
		t.Errorf("a folder of somebody else is taken: %v", err)
	}
	for _, f := range []string{lockName, "0001/seeds.txt", "sort/urls-7.run"} {
		if err := os.WriteFile(filepath.Join(dir+".tmp", f), []byte("rest"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// While one is made, another of the same name is refused.
	if err := try(t.Context(), func(g *Gatherer) error {
		if err := try(t.Context(), reading(t.Context(), log)); err == nil || errors.Is(err, ErrExists) {
			t.Errorf("two at the same time: %v", err)
		}
		return reading(t.Context(), log)(g)
	}); err != nil {
		t.Fatal(err)
	}
	names := func() (names []string) {
		left, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range left {
			names = append(names, e.Name())
		}
		return names
	}
	if got := names(); !slices.Equal(got, []string{"0001", "0002", HostsName}) {
		t.Errorf("%q", got)
	}
	if left, err := os.ReadDir(filepath.Join(dir, "0001")); err != nil || len(left) != 2 {
		t.Errorf("%v %v", left, err)
	}
	if err := try(t.Context(), reading(t.Context(), log)); !errors.Is(err, ErrExists) {
		t.Errorf("an existing folder is not refused: %v", err)
	}
	if got := names(); len(got) != 3 {
		t.Errorf("%q", got)
	}
}

// Plans that cannot be are refused before anything is read.
func TestPlan(t *testing.T) {
	for _, p := range []Plan{{By: "colour", Parts: 1}, {By: ByHost}, {By: ByHost, Parts: 1, MaxURLs: 1}, {By: ByHost, Parts: MaxParts + 1}, {By: ByHost, MaxURLs: -1}} {
		if len(p.Validate()) == 0 {
			t.Errorf("accepted: %+v", p)
		}
	}
	d := divider{plan: Plan{By: BySize, MaxURLs: 1}}
	if err := d.assign(MaxParts + 1); err == nil {
		t.Error("more collections than there may be")
	}
}

// Processor time of a line that is read, decompressed and put into the sorters.
func BenchmarkRead(b *testing.B) {
	log := logOf(b, 300_000, 1, false)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(log); err != nil {
		b.Fatal(err)
	}
	if err := z.Close(); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(log)))
	b.ReportAllocs()
	for b.Loop() {
		g := New(Options{Dir: b.TempDir(), TLDs: []string{"cz"}})
		if _, err := g.Read(b.Context(), bytes.NewReader(packed.Bytes()), seedlog.Options{}); err != nil {
			b.Fatal(err)
		}
		g.Close()
	}
	b.ReportMetric(300_000*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}

// Processor time of a line, from the log to the seeds.
func BenchmarkSplit(b *testing.B) {
	log := logOf(b, 300_000, 1, false)
	b.SetBytes(int64(len(log)))
	for b.Loop() {
		dir := filepath.Join(b.TempDir(), "made")
		if _, _, err := Make(b.Context(), dir, Options{TLDs: []string{"cz"}}, Plan{By: ByDomain, Parts: 8}, reading(b.Context(), log), jobText); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(300_000*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}
