package benchweb

import (
	"bytes"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"exclave/analyzer"
	"exclave/internal/markup"
	"exclave/internal/urlx"
)

// deep is a deep web with a trap on every host.
func deep(t *testing.T, change func(*Params)) *Web {
	t.Helper()
	return small(t, func(p *Params) {
		p.Hosts, p.Resources, p.Deep, p.Traps, p.TrapShare, p.Locality = 40, 2000, true, true, 1, 0.8
		if change != nil {
			change(p)
		}
	})
}

func parsed(page []byte) *markup.Doc {
	return markup.Parse(markup.HTML, page, markup.Options{DeclaredCharset: "utf-8", KeepSource: true})
}

// A trap has no end: its pages lead to others of it that were not seen before, each has
// one answer, and is national only when it says so.
func TestTrapsHaveNoEnd(t *testing.T) {
	cz, err := analyzer.Open(t.Context(), analyzer.Config{Profiles: []string{"cz"}})
	if err != nil {
		t.Fatal(err)
	}
	defer cz.Close()
	w := deep(t, nil)
	kinds := map[string]bool{}
	for h := range w.p.Hosts {
		tr := w.trapOf(h)
		if tr == nil || tr.kind == farmKind || kinds[tr.kind] {
			continue
		}
		kinds[tr.kind] = true
		entry := w.entryTo(w.node(h, 0))
		if home := payload(w, w.base[h], false); !bytes.Contains(home, []byte(`href="`+entry+`"`)) {
			t.Errorf("%s: nothing leads to %s", tr.kind, entry)
		}
		seen, next := map[string]bool{entry: true}, []string{entry}
		for steps := range 100 {
			if len(next) == 0 {
				t.Fatalf("%s ends after %d pages", tr.kind, steps)
			}
			target := next[0]
			next = next[1:]
			var b, again body
			b.begin(false)
			w.trapPage(&b, h, tr, target)
			again.begin(false)
			w.trapPage(&again, h, tr, target)
			if w.findTrap(h, target) != tr || !bytes.Equal(b.end(), again.end()) {
				t.Fatalf("%s: %s is no page of it, or has two answers", tr.kind, target)
			}
			doc := parsed(b.end())
			for _, l := range doc.Links {
				if l.URL != "/" && !seen[l.URL] && len(next) < 200 {
					seen[l.URL] = true
					next = append(next, l.URL)
				}
			}
			if steps > 20 {
				continue
			}
			at, err := urlx.Parse(w.origins[h] + target)
			if err != nil {
				t.Fatal(err)
			}
			verdicts, err := cz.Run(t.Context(), analyzer.NewPage(at, "text/html", doc))
			if err != nil {
				t.Fatal(err)
			}
			if verdicts[0].Valid != tr.czech {
				t.Errorf("%s: %s: national %v", tr.kind, target, verdicts[0].Valid)
			}
		}
	}
	if len(kinds) != len(traps())-1 {
		t.Errorf("only %d kinds of traps have a host: %v", len(kinds), kinds)
	}
}

// Each page of a link farm leads to hosts that were not seen before; all are at one address.
func TestFarm(t *testing.T) {
	w := deep(t, nil)
	h := 0
	for tr := w.trapOf(h); tr == nil || tr.kind != farmKind; tr = w.trapOf(h) {
		h++
	}
	seen, next := map[string]bool{}, []string{w.entryTo(w.node(h, 0))}
	for range 50 {
		name := strings.TrimSuffix(strings.TrimPrefix(next[0], "http://"), "/")
		next = next[1:]
		if of, ok := w.farmOf(name); !ok || of != h {
			t.Fatalf("%s is no host of the farm", name)
		}
		if ip, ok := w.lookup(name); !ok || ip != w.farmAddress(h) {
			t.Fatalf("%s is at %v, %v", name, ip, ok)
		}
		var b body
		b.begin(false)
		w.farmPage(&b, h, name)
		for _, l := range parsed(b.end()).Links {
			if !seen[l.URL] && l.URL != "/" {
				seen[l.URL] = true
				next = append(next, l.URL)
			}
		}
	}
	if len(seen) < 900 {
		t.Errorf("50 pages led to %d hosts", len(seen))
	}
	for _, name := range []string{"a1." + farm(h+1), "a1." + farm(h) + ".x", farm(h), "a1.farm-x.net"} {
		if _, ok := w.farmOf(name); ok {
			t.Errorf("%s is a host of the farm", name)
		}
	}
}

// Whatever the style of a host, an address is that of one resource, with and without a
// session id; the answers to two session ids lead on to others.
func TestStyles(t *testing.T) {
	w := deep(t, nil)
	urls, seen := map[string]bool{}, map[style]bool{}
	for id := range w.p.Resources {
		r, n := w.Resource(id), w.nodeOf(id)
		urls[r.URL], seen[w.style(n.h)] = true, true
		if got, ok := w.Find(r.URL); !ok || got != id {
			t.Fatalf("%s is %d, %v; should be %d", r.URL, got, ok, id)
		}
	}
	if len(urls) != w.p.Resources || len(seen) != int(styles) {
		t.Errorf("%d addresses, %d styles", len(urls), len(seen))
	}
	s := serve(t, w)
	c := client(t, s)
	h := 0
	for w.style(h) != sessionStyle || w.size(h) < 2*blockSize || w.secure[h] {
		h++
	}
	page := w.url(h, blockSize)
	sep := "?"
	if strings.Contains(page, "?") {
		sep = "&"
	}
	var bodies [2]string
	for i, id := range []string{"1", "2"} {
		var status int
		status, _, bodies[i] = get(t, c, page+sep+sessionKey+id)
		if status != http.StatusOK || !strings.Contains(bodies[i], sessionKey) {
			t.Fatalf("status %d: %s", status, bodies[i])
		}
	}
	if bodies[0] == bodies[1] {
		t.Error("two sessions get the same links")
	}
	if st := s.Stats(); st.TrapsByKind[sessionKind] != 1 || st.Unknown != 0 {
		t.Errorf("%+v", st)
	}
}

// Clicks is compared with distances that are lowered until none can be.
func TestClicks(t *testing.T) {
	w := deep(t, nil)
	want := make([]int, w.p.Resources)
	for i := range want {
		want[i] = 1 << 30
	}
	for _, u := range w.Seeds() {
		id, ok := w.Find(u)
		if !ok || w.own(w.nodeOf(id).h) {
			t.Fatalf("seed %s", u)
		}
		want[id] = 0
	}
	for changed := true; changed; {
		changed = false
		for id := range want {
			r := w.Resource(id)
			lower := func(links []Link, cost int) {
				for _, l := range links {
					to, _ := w.Find(l.URL)
					if l.By == Location {
						cost = 0
					}
					t := w.nodeOf(to)
					if (l.By == ScriptString || l.By.embeds()) && r.Kind == HTML && !r.National || t.private || w.own(t.h) {
						continue
					}
					if want[id]+cost < want[to] {
						want[to], changed = want[id]+cost, true
					}
				}
			}
			lower(r.Links, 1)
			lower(r.Embeds, 0)
		}
	}
	clicks, via := w.Clicks()
	far, national := 0, 0
	for id, n := range clicks {
		if n == Unreached {
			n = 1 << 30
		}
		if n != want[id] {
			t.Fatalf("%s: %d clicks, should be %d", w.Resource(id).URL, n, want[id])
		}
		if n < 1<<30 && w.Resource(id).National {
			national++
			if n > 4 {
				far++
			}
		}
		if n > 0 && n < 1<<30 && (via[id] == Unreached || clicks[via[id]] > n) {
			t.Errorf("%s: %d clicks by %d", w.Resource(id).URL, n, via[id])
		}
	}
	if far < 10 || far > national/2 {
		t.Errorf("%d of %d national pages are more than four clicks away", far, national)
	}
}

// With any number of pages in a row everything is reached that Clicks reaches; with few,
// less; and no national page is nearer than the row before it is long.
func TestRuns(t *testing.T) {
	w := deep(t, func(p *Params) { p.Hosts, p.Resources, p.SeedShare = 200, 10_000, 0.01 })
	clicks, _ := w.Clicks()
	runs := w.Runs()
	byRun := map[int]int{}
	for id, run := range runs {
		switch {
		case clicks[id] == Unreached:
			if run != Unreached {
				t.Fatalf("%s: %d", w.Resource(id).URL, run)
			}
		case w.Resource(id).National:
			byRun[run]++
		}
	}
	for id, run := range runs {
		if clicks[id] < 0 || run <= 0 {
			continue
		}
		// Fewer clicks than run would be a way with a shorter row.
		if r := w.Resource(id); r.Kind == HTML && clicks[id] < run && r.By != Location {
			t.Errorf("%s: %d clicks, behind %d pages in a row", r.URL, clicks[id], run)
		}
	}
	if byRun[0] < 20 || byRun[1]+byRun[2]+byRun[3] < 10 {
		t.Errorf("national pages by pages in a row before them: %v", byRun)
	}
}

// Hosts have addresses of their own, and some share one.
func TestAddresses(t *testing.T) {
	w := deep(t, func(p *Params) { p.Hosts, p.Resources = 400, 4000 })
	hosts := map[netip.Addr]int{}
	for h, name := range w.hosts {
		ip, ok := w.lookup(name)
		if !ok || !ip.IsLoopback() || ip != w.address(h) {
			t.Fatalf("%s is at %v", name, ip)
		}
		hosts[ip]++
	}
	shared := 0
	for _, n := range hosts {
		if n > 1 {
			shared += n
		}
	}
	if shared < 60 || shared > 140 {
		t.Errorf("%d of 400 hosts share an address", shared)
	}
}
