package benchweb

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"exclave/analyzer"
	"exclave/internal/markup"
	"exclave/internal/urlx"
)

func small(t testing.TB, change func(*Params)) *Web {
	t.Helper()
	p := DefaultParams()
	p.Hosts, p.Resources = 8, 700
	if change != nil {
		change(&p)
	}
	w, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// payload is the body of a resource, as sent to a client that accepts gzip or not.
func payload(w *Web, id int, gzip bool) []byte {
	var b body
	n := w.nodeOf(id)
	b.begin(w.answerOf(n, gzip).gzip)
	w.render(&b, n)
	return bytes.Clone(b.end())
}

func TestDeterministic(t *testing.T) {
	// Figures are compared across versions and machines: the web must be the same.
	a, b := small(t, nil), small(t, nil)
	other := small(t, func(p *Params) { p.Seed = 2 })
	same := 0
	seen := map[string]int{}
	for id := range a.p.Resources {
		one := payload(a, id, false)
		if !bytes.Equal(one, payload(b, id, false)) {
			t.Fatalf("%s differs", a.Resource(id).URL)
		}
		if bytes.Equal(one, payload(other, id, false)) {
			same++
		}
		if k := a.Resource(id).Kind; k != Redirect {
			if was, again := seen[string(one)]; again {
				t.Errorf("%s has the body of %s", a.Resource(id).URL, a.Resource(was).URL)
			}
			seen[string(one)] = id
		}
	}
	if same > a.p.Resources/20 {
		t.Errorf("%d bodies do not depend on the seed", same)
	}
}

func TestEveryConstruct(t *testing.T) {
	// The list is that of layout.go; each must be the only way to something.
	w := small(t, nil)
	by, kinds := map[Construct]int{}, map[Kind]int{}
	for id := range w.p.Resources {
		r := w.Resource(id)
		by[r.By]++
		kinds[r.Kind]++
	}
	for _, c := range []Construct{Anchor, AnchorBare, AnchorBase, Area, IFrame, Frame, ObjectPage, LinkNext, ScriptString, MetaRefresh,
		Img, Srcset, Picture, LazyImg, Poster, InputImage, Background, ObjectImage, EmbedImage, SVGImage, SVGXlink, SVGUse, StyleAttr,
		StyleElement, StyleImport, Stylesheet, PreloadStyle, PreloadImage, Icon, LinkManifest, Script, ScriptModule, PreloadScript,
		ModulePreload, VideoSrc, VideoSource, AudioSrc, TrackSrc, CSSURL, CSSImport, CSSFont, JSImport, ManifestIcon, PDFLink,
		SVGFileImage, Location} {
		if by[c] == 0 {
			t.Errorf("nothing is referred to by %s alone", c)
		}
	}
	for _, k := range []Kind{HTML, CSS, JS, JPEG, PNG, SVG, PDF, Font, Video, Audio, Track, Manifest, Redirect, Error} {
		if kinds[k] == 0 {
			t.Errorf("no %s", k)
		}
	}
}

func TestMixture(t *testing.T) {
	// The issue: 15 KB on average, images about half of all bytes; a factor of
	// mean-size scales.
	for _, mean := range []int{15_000, 30_000} {
		w := small(t, func(p *Params) { p.Resources, p.MeanSize = 1500, mean })
		all, images, status := 0, 0, map[int]int{}
		for id := range w.p.Resources {
			r, n := w.Resource(id), len(payload(w, id, false))
			all += n
			status[r.Status]++
			if r.Kind == JPEG || r.Kind == PNG {
				images += n
			}
		}
		if got := all / w.p.Resources; got < mean*4/5 || got > mean*6/5 {
			t.Errorf("%d bytes on average, should be %d", got, mean)
		}
		if share := float64(images) / float64(all); share < 0.4 || share > 0.6 {
			t.Errorf("%.2f of all bytes are images", share)
		}
		for _, s := range []int{200, 301, 302, 307, 308, 404, 500} {
			if status[s] == 0 {
				t.Errorf("no status %d", s)
			}
		}
	}
}

func TestFind(t *testing.T) {
	w := small(t, func(p *Params) { p.TLS = 0.5 })
	for id := range w.p.Resources {
		u := w.Resource(id).URL
		if got, ok := w.Find(u); !ok || got != id {
			t.Fatalf("%s is %d, %v; should be %d", u, got, ok, id)
		}
		for _, wrong := range []string{u + "x", strings.Replace(u, "://", "://x", 1), strings.Replace(u, "http", "ftp", 1), strings.Replace(u, "-", "+", 2)} {
			if _, ok := w.Find(wrong); ok && wrong != u {
				t.Errorf("%s is found", wrong)
			}
		}
	}
}

func TestGzip(t *testing.T) {
	// The stream is put together from blocks compressed before.
	w := small(t, nil)
	n := 0
	for id := range w.p.Resources {
		if !w.answerOf(w.nodeOf(id), true).gzip {
			continue
		}
		n++
		z, err := gzip.NewReader(bytes.NewReader(payload(w, id, true)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, payload(w, id, false)) {
			t.Errorf("%s differs when compressed", w.Resource(id).URL)
		}
	}
	if n < 50 {
		t.Errorf("only %d are compressed", n)
	}
}

func TestNational(t *testing.T) {
	// Precision and recall are measured against this truth: profile cz must agree.
	a, err := analyzer.Open(t.Context(), analyzer.Config{Profiles: []string{"cz"}})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	w := small(t, func(p *Params) { p.National = 0.5 })
	seen := map[bool]int{}
	for id := range w.p.Resources {
		r := w.Resource(id)
		if r.Kind != HTML {
			continue
		}
		_, charset, _ := strings.Cut(w.answerOf(w.nodeOf(id), false).typ, "; charset=")
		doc := markup.Parse(markup.HTML, payload(w, id, false), markup.Options{DeclaredCharset: charset, KeepSource: true})
		at, err := urlx.Parse(r.URL)
		if err != nil {
			t.Fatal(err)
		}
		verdicts, err := a.Run(t.Context(), analyzer.NewPage(at, "text/html", doc))
		if err != nil {
			t.Fatal(err)
		}
		seen[r.National]++
		if verdicts[0].Valid != r.National {
			t.Errorf("%s: national %v, judged %v", r.URL, r.National, verdicts[0].Valid)
		}
	}
	if seen[true] < 50 || seen[false] < 50 {
		t.Errorf("%v", seen)
	}
}

func TestLocality(t *testing.T) {
	// Pages of a host, and what they link to elsewhere, are mostly in one language.
	for _, locality := range []float64{0, 0.8} {
		w := small(t, func(p *Params) { p.Hosts, p.Resources, p.National, p.Locality = 40, 4000, 0.3, locality })
		pages, all := 0, 0
		cross, same := 0, 0
		for id := range w.p.Resources {
			n := w.nodeOf(id)
			if n.kind != HTML || w.frameset(n) || n.private {
				continue
			}
			pages++
			if w.national(n) {
				all++
			}
			for _, r := range w.appendRefs(nil, n) {
				if r.by == Anchor && r.to.h != n.h && n.i != 0 {
					cross++
					if w.national(r.to) == w.national(n) {
						same++
					}
				}
			}
		}
		share, want := float64(same)/float64(cross), 0.3*0.3+0.7*0.7
		if locality > 0 {
			want = locality + (1-locality)*want
		}
		if share < want-0.07 || share > want+0.07 {
			t.Errorf("locality %g: %.2f of the links elsewhere are to the same language, should be %.2f", locality, share, want)
		}
		if n := float64(all) / float64(pages); n < 0.15 || n > 0.45 {
			t.Errorf("locality %g: %.2f of the pages are national", locality, n)
		}
	}
}

func TestShapes(t *testing.T) {
	// Any number of hosts and resources; each resource in exactly one place.
	for _, c := range [][2]int{{1, 1}, {1, 17}, {7, 7}, {3, 50}, {400, 401}} {
		w := small(t, func(p *Params) { p.Hosts, p.Resources = c[0], c[1] })
		urls := map[string]bool{}
		for id := range w.p.Resources {
			urls[w.Resource(id).URL] = true
		}
		if len(urls) != c[1] {
			t.Errorf("%d hosts, %d resources: %d addresses", c[0], c[1], len(urls))
		}
	}
}

func TestValidate(t *testing.T) {
	for name, change := range map[string]func(*Params){
		"resources": func(p *Params) { p.Resources = 0 }, "hosts": func(p *Params) { p.Hosts = 30_000 },
		"mean size": func(p *Params) { p.MeanSize = 1 }, "slow hosts": func(p *Params) { p.SlowHosts = -1 },
		"errors": func(p *Params) { p.Errors = 0.1 }, "tls": func(p *Params) { p.TLS = -1 }, "locality": func(p *Params) { p.Locality = 1.5 },
	} {
		p := DefaultParams()
		change(&p)
		if _, err := New(p); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTruth(t *testing.T) {
	w := small(t, nil)
	var out bytes.Buffer
	if err := w.WriteTruth(&out, true); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != w.p.Resources {
		t.Fatalf("%d lines", len(lines))
	}
	var r Resource
	if err := json.Unmarshal([]byte(lines[600]), &r); err != nil || r.ID != 600 || len(r.SHA1) != 40 || r.Via == "" {
		t.Errorf("%v: %s", err, lines[600])
	}
}

func BenchmarkRender(b *testing.B) {
	w := small(b, func(p *Params) { p.Resources = 20_000 })
	var wk body
	size := 0
	for i := 0; b.Loop(); i++ {
		n := w.nodeOf(i % w.p.Resources)
		wk.begin(w.answerOf(n, true).gzip)
		w.render(&wk, n)
		size += len(wk.end())
	}
	b.SetBytes(int64(size / b.N))
}
