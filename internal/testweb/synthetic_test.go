package testweb

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestSyntheticTruthIsWhatIsServed(t *testing.T) {
	// The kill tests compare a crawl with this list: it must be right.
	p := DefaultParams()
	p.Hosts, p.Traps = 8, true
	w := NewSynthetic(p)
	_, c := start(t, w, Options{})
	c.Timeout = 10 * time.Second
	bodies := make(map[string]string)
	for _, r := range w.Truth() {
		resp, body := get(t, c, r.URL)
		if resp.StatusCode != r.Status {
			t.Fatalf("%s: status %d, want %d", r.URL, resp.StatusCode, r.Status)
		}
		if r.Kind == KindRedirect {
			if l := resp.Header.Get("Location"); l != r.Links[0] {
				t.Errorf("%s: Location %s, want %s", r.URL, l, r.Links[0])
			}
			continue
		}
		for _, u := range append(r.Links, r.Embeds...) {
			_, path, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(u, "http://"), "https://"), "/")
			if !strings.Contains(body, "/"+path) {
				t.Errorf("%s does not mention %s", r.URL, u)
			}
		}
		if got := strings.Contains(body, "+420"); r.Kind == KindHTML && got != r.National {
			t.Errorf("%s: national %t, want %t", r.URL, got, r.National)
		}
		if other, dup := bodies[body]; dup {
			t.Errorf("%s and %s are equal", r.URL, other)
		}
		bodies[body] = r.URL
	}
	trap := w.url(0, "/calendar?month=41")
	if _, body := get(t, c, trap); !strings.Contains(body, "month=42") {
		t.Errorf("%s does not lead on", trap)
	}
	for _, u := range []string{w.url(0, "/p/0.html"), w.url(0, "/p/24.html"), w.url(0, "/p/01.html"), w.url(0, "/x")} {
		if resp, _ := get(t, c, u); resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s exists: %d", u, resp.StatusCode)
		}
	}
}

func TestSyntheticSizeAndMixture(t *testing.T) {
	// Issue 3: the real binary is killed during a crawl of at least 3,000 URLs.
	truth := NewSynthetic(DefaultParams()).Truth()
	hosts, kinds, national := map[string]bool{}, map[Kind]int{}, 0
	for _, r := range truth {
		hosts[strings.Split(r.URL, "/")[2]] = true
		kinds[r.Kind]++
		if r.National {
			national++
		}
	}
	if len(truth) < 3000 || len(hosts) != 60 {
		t.Errorf("%d URLs on %d hosts, want at least 3000 on 60", len(truth), len(hosts))
	}
	for _, k := range []Kind{KindHTML, KindCSS, KindImage, KindRedirect, KindError} {
		if kinds[k] < 50 {
			t.Errorf("%d of kind %s", kinds[k], k)
		}
	}
	if kinds[KindHTML] != 60*24 {
		t.Errorf("%d pages can be reached, want all %d", kinds[KindHTML], 60*24)
	}
	if share := float64(national) / float64(kinds[KindHTML]); share < 0.25 || share > 0.35 {
		t.Errorf("share of national pages %.2f, want about 0.3", share)
	}
	t.Logf("%d URLs: %v, national %d", len(truth), kinds, national)
}

func TestSyntheticFollowsSeed(t *testing.T) {
	// Another seed must be another web; the same seed the same.
	p := DefaultParams()
	a, b := NewSynthetic(p).Truth(), NewSynthetic(p).Truth()
	p.Seed++
	c := NewSynthetic(p).Truth()
	if len(a) != len(b) || a[100].URL != b[100].URL {
		t.Error("one seed, two webs")
	}
	if len(a) == len(c) && a[100].URL == c[100].URL && a[200].URL == c[200].URL {
		t.Error("two seeds, one web")
	}
}

func BenchmarkSynthetic(b *testing.B) {
	w := NewSynthetic(DefaultParams())
	u := w.page(7, 9)
	for b.Loop() {
		r, _ := w.resource(u)
		w.render(r)
	}
}
