package near_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"exclave/internal/near"
	"exclave/internal/simhash"
)

func find(t testing.TB, f *near.Finder, pages []near.Page) near.Result {
	t.Helper()
	for _, p := range pages {
		if err := f.Add(p); err != nil {
			t.Fatal(err)
		}
	}
	r, err := f.Find(t.Context())
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	return r
}

// flipped returns h with n bits changed.
func flipped(r *rand.Rand, h uint64, n int) uint64 {
	for _, bit := range r.Perm(64)[:n] {
		h ^= 1 << bit
	}
	return h
}

// compared is what should be found, by comparing each text with each.
func compared(pages []near.Page, k int) (r near.Result) {
	type text struct {
		near.Page
		pages, root int
	}
	var texts []text
	sizes := map[int]int64{}
	for _, p := range pages {
		r.Pages++
		if !p.Compared {
			r.Short++
		}
		if i := slices.IndexFunc(texts, func(t text) bool { return t.Text == p.Text && t.Simhash == p.Simhash }); i >= 0 {
			if texts[i].pages++; texts[i].pages == 2 {
				r.SameGroups++
			}
			r.Same++
			sizes[texts[i].root]++
			continue
		}
		root := len(texts)
		if i := slices.IndexFunc(texts, func(t text) bool { return t.Compared && simhash.Distance(t.Simhash, p.Simhash) <= k }); i >= 0 && p.Compared {
			r.Near++
			root = texts[i].root
		}
		texts = append(texts, text{p, 1, root})
		sizes[root]++
	}
	r.Texts = int64(len(texts))
	for root, n := range sizes {
		if slices.ContainsFunc(texts, func(t text) bool { return t.root == root && t.Text != texts[root].Text }) {
			r.Groups++
			r.Largest = append(r.Largest, near.Group{Pages: n})
		}
	}
	return r
}

// ADR 81: what the tables find is what comparing each pair finds, at every distance, in chains too, and whatever the order on disk.
func TestFind(t *testing.T) {
	for k := range near.MaxDistance + 1 {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			r := rand.New(rand.NewPCG(81, uint64(k)))
			var pages []near.Page
			for i := range 600 {
				p := near.Page{URL: fmt.Sprintf("http://h%d.test/%d", i%7, i), Host: fmt.Sprintf("h%d.test", i%7), Simhash: r.Uint64(), Text: r.Uint64(), Compared: i%50 != 0}
				if i > 0 {
					switch of := pages[r.IntN(i)]; i % 3 {
					case 1: // near, or just not; of one that may be near to others itself
						p.Simhash = flipped(r, of.Simhash, r.IntN(k+3))
					case 2:
						if i%2 == 0 {
							p.Simhash, p.Text, p.Compared = of.Simhash, of.Text, of.Compared
						}
					}
				}
				pages = append(pages, p)
			}
			got, want := find(t, near.New(t.TempDir(), k), pages), compared(pages, k)
			if got.Counts != want.Counts || got.Short != want.Short || got.Texts != want.Texts || got.SameGroups != want.SameGroups || got.Groups != want.Groups || got.Cut != 0 {
				t.Fatalf("%+v\nwant %+v", got, want)
			}
			sizes := func(gs []near.Group) (n []int64) {
				for _, g := range gs {
					n = append(n, g.Pages)
				}
				slices.Sort(n)
				return n[max(0, len(n)-100):]
			}
			if a, b := sizes(got.Largest), sizes(want.Largest); !slices.Equal(a, b) {
				t.Errorf("groups of %v pages, want %v", a, b)
			}
			var sum near.Counts
			for _, h := range got.Hosts {
				sum.Pages, sum.Same, sum.Near = sum.Pages+h.Pages, sum.Same+h.Same, sum.Near+h.Near
			}
			if sum != got.Counts {
				t.Errorf("hosts sum up to %+v, all are %+v", sum, got.Counts)
			}
		})
	}
}

// docs/formats/reports.md: what groups and hosts are told of.
func TestGroups(t *testing.T) {
	page := func(url, host string, sim, text uint64) near.Page {
		return near.Page{URL: url, Host: host, Simhash: sim, Text: text, Compared: true}
	}
	got := find(t, near.New(t.TempDir(), 3), []near.Page{
		page("http://a.test/old", "a.test", 0xffff, 9), // visited again below: this counts for nothing
		page("http://a.test/1", "a.test", 0b0, 1),
		page("http://b.test/1", "b.test", 0b111, 2),    // near to a.test/1
		page("http://b.test/2", "b.test", 0b111111, 3), // near to b.test/1 alone
		page("http://b.test/3", "b.test", 0b111111, 3), // the same as b.test/2
		page("http://a.test/old", "a.test", 0xffff0000, 4),
		{URL: "http://a.test/short", Host: "a.test", Text: 5},
		{URL: "http://b.test/short\x00", Host: "b.test", Text: 5},
	})
	want := near.Result{Counts: near.Counts{Pages: 7, Same: 2, Near: 2}, Short: 2, Texts: 5, SameGroups: 2, Groups: 1,
		LargestSame: []near.Group{{2, 1, []string{"http://a.test/short", "http://b.test/short\x00"}}, {2, 1, []string{"http://b.test/2", "http://b.test/3"}}},
		Largest:     []near.Group{{4, 3, []string{"http://a.test/1", "http://b.test/1", "http://b.test/2"}}},
		Hosts:       []near.Host{{near.Counts{Pages: 4, Same: 2, Near: 2}, "b.test", 1}},
	}
	if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		t.Errorf("%+v\nwant\n%+v", got, want)
	}
}

// A bucket that is full is compared in parts, which is told: time is bounded, too.
func TestFullBucket(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var pages []near.Page
	for i := range 100 { // all with the same first block, and far from each other
		pages = append(pages, near.Page{URL: fmt.Sprint(i), Simhash: r.Uint64() &^ 0xffff, Text: uint64(i), Compared: true})
	}
	f := near.New(t.TempDir(), 3)
	f.SetBucket(40)
	if got := find(t, f, pages); got.Cut != 2 {
		t.Errorf("%+v", got)
	}
}

// What cannot be read, or has no text, is no page.
func TestParse(t *testing.T) {
	const h = "00000000000000ff"
	for _, c := range []struct {
		sim, text string
		want      bool
	}{{h, h, true}, {"", h, true}, {h, "", false}, {"", "", false}, {"ff", h, false}, {h, "00000000000000FF", false}} {
		var p near.Page
		if got := p.Parse(c.sim, c.text); got != c.want || got && (p.Compared != (c.sim != "") || p.Text != 255) {
			t.Errorf("%q %q: %v %+v", c.sim, c.text, got, p)
		}
	}
}

// An order to stop ends it, and leaves nothing on the disk.
func TestStop(t *testing.T) {
	temp := t.TempDir()
	f := near.New(temp, 3)
	r := rand.New(rand.NewPCG(2, 2))
	for i := range 300_000 { // more than fits in memory
		if err := f.Add(near.Page{URL: fmt.Sprint(i), Simhash: r.Uint64(), Text: r.Uint64(), Compared: true}); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Find(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Error(left, err)
	}
}

// A million pages, of which a tenth are near to another.
func BenchmarkFind(b *testing.B) {
	const n = 1_000_000
	for b.Loop() {
		r := rand.New(rand.NewPCG(3, 3))
		f := near.New(b.TempDir(), 3)
		var last uint64
		for i := range n {
			h := r.Uint64()
			if i%10 == 9 {
				h = flipped(r, last, 3)
			}
			last = h
			if err := f.Add(near.Page{URL: fmt.Sprintf("http://www.host%d.test/some/folder/page-%d.html", i%5000, i), Host: fmt.Sprintf("www.host%d.test", i%5000), Simhash: h, Text: uint64(i), Compared: true}); err != nil {
				b.Fatal(err)
			}
		}
		got, err := f.Find(b.Context())
		if err := errors.Join(err, f.Close()); err != nil || got.Near != n/10 {
			b.Fatal(got.Counts, err)
		}
	}
	b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "pages/s")
}
