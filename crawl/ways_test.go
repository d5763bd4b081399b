package crawl

import (
	"testing"

	"pgregory.net/rapid"

	"exclave/internal/mime"
)

// hopPaths are hop paths as crawls make them.
func hopPaths() *rapid.Generator[string] { return rapid.StringMatching(`[LEXRIP]{0,12}`) }

// ways are joined ways of some hop paths and contexts.
func ways() *rapid.Generator[Ways] {
	return rapid.Custom(func(t *rapid.T) (w Ways) {
		for _, hops := range rapid.SliceOfN(hopPaths(), 0, 4).Draw(t, "hops") {
			w = w.Join(WaysOf(hops, rapid.SampledFrom([]string{"", "a/@href", "script/@src", "link/@href[rel=stylesheet]"}).Draw(t, "context")))
		}
		if rapid.IntRange(0, 3).Draw(t, "loose") == 0 {
			w = w.Join(Ways{Loose: true})
		}
		return w
	})
}

// ADR 35: ways are joined in any order.
func TestWaysJoin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := ways().Draw(t, "a"), ways().Draw(t, "b"), ways().Draw(t, "c")
		if a.Join(b) != b.Join(a) || a.Join(b).Join(c) != a.Join(b.Join(c)) || a.Join(a) != a || a.Join(Ways{}) != a || (Ways{}).Join(a) != a {
			t.Fatalf("%+v, %+v, %+v", a, b, c)
		}
		// A link is reached from both as it is from each, and what a rule lets in it lets in
		// when more ways are known.
		hop, redirect := rapid.SampledFrom([]byte("LEXRIP")).Draw(t, "hop"), rapid.Bool().Draw(t, "redirect")
		if got, want := a.Join(b).Over(hop, redirect), a.Over(hop, redirect).Join(b.Over(hop, redirect)); (a != Ways{} && b != Ways{}) && got != want {
			t.Fatalf("over %c from %+v and %+v: %+v, not %+v", hop, a, b, got, want)
		}
		n, guesses := rapid.IntRange(0, 9).Draw(t, "n"), rapid.IntRange(0, 9).Draw(t, "guesses")
		if got := a.Join(b).Within(n, guesses); got != (a.Within(n, guesses) || b.Within(n, guesses)) {
			t.Fatalf("%+v and %+v within %d, %d: %t", a, b, n, guesses, got)
		}
	})
}

// What is computed hop by hop is what the hop path says.
func TestWaysOfPath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hops := hopPaths().Draw(t, "hops")
		hop := rapid.SampledFrom([]byte("LEXRIP")).Draw(t, "hop")
		path := hops + string(rune(hop))
		if got, want := WaysOf(hops, "").Over(hop, false), WaysOf(path, ""); got != want {
			t.Fatalf("%q: %+v, not %+v", path, got, want)
		}
		n, guesses := EmbedHops(path)
		w := WaysOf(path, "")
		if w.Nav != (n == 0) || w.Within(n, guesses) != (n > 0) || w.Within(n-1, guesses) || w.Within(n, guesses-1) {
			t.Fatalf("%q: %+v, %d hops, %d guesses", path, w, n, guesses)
		}
	})
}

// Beyond every limit that a rule can have, hops and guesses are as many as can be counted.
func TestWaysAreBounded(t *testing.T) {
	w := WaysOf("", "")
	for range 1000 {
		w = w.Over(HopSpeculative, false)
	}
	if len(w.Embeds) != mostGuesses+1 || w != w.Over(HopSpeculative, false) || w.Within(200, 198) {
		t.Errorf("%d bytes: %+v", len(w.Embeds), w)
	}
}

func TestAgainBy(t *testing.T) {
	nav, near, far := Ways{Nav: true}, WaysOf("E", ""), WaysOf("EE", "")
	sheet := Ways{Nav: true, Hints: mime.HintCSS}
	d := Depths{D: [MaxProfiles]int32{0, -1, -1, -1}}
	text := Outcome{Status: 200, Class: ClassText, Open: mime.HintCSS}
	kept := func(o Outcome) Outcome { o.Archived = true; return o }
	frame := kept(Outcome{Status: 200, Class: ClassHTML, Embedding: true})
	valid := frame
	valid.Judgeable, valid.Judged, valid.ValidFor = true, true, 1
	link := Claim{Link: [MaxProfiles]int32{1}}
	for _, c := range []struct {
		why      string
		claim    Claim
		o        Outcome
		was, now Ways
		want     Again
	}{
		{"nothing grew", Claim{Bin: true}, frame, far, far, AgainNothing},
		{"a frame is nearer: its own frames are", link, frame, far, far.Join(near), AgainJudge},
		{"a frame is navigated to", link, frame, near, near.Join(nav), AgainJudge},
		{"a valid frame is nearer: its own frames count from it", link, valid, far, far.Join(near), AgainNothing},
		{"a page is framed: its own frames are no nearer", link, frame, nav, nav.Join(near), AgainNothing},
		{"it embeds nothing", Claim{Bin: true}, kept(Outcome{Status: 200, Class: ClassOther}), far, near, AgainNothing},
		{"what nobody archives embeds nothing that is asked for", Claim{Analyse: true}, Outcome{Status: 200, Class: ClassHTML, Embedding: true}, far, near, AgainNothing},
		{"a redirect is framed: its target is", Claim{Bin: true}, kept(Outcome{Status: 302, Class: ClassRedirect}), nav, nav.Join(near), AgainJudge},
		{"text is a style sheet: its images are in the archived bytes", Claim{Bin: true}, kept(text), nav, sheet, AgainJudge},
		{"nobody archives it", Claim{Analyse: true}, text, nav, sheet, AgainNothing},
		{"HTML under Bin is archived as a style sheet", Claim{Bin: true}, Outcome{Status: 200, Class: ClassHTML, Open: mime.HintCSS}, nav, sheet, AgainFetch},
		{"the claim came after the link", Claim{Bin: true}, Outcome{Status: 200, Class: ClassHTML, Open: mime.HintCSS}, sheet, sheet, AgainFetch},
		{"nobody wants it", Claim{}, Outcome{Status: StatusOutOfScope}, far, near, AgainNothing},
		{"scope may let it in now", Claim{Bin: true}, Outcome{Status: StatusOutOfScope}, far, near, AgainFetch},
	} {
		if got := d.AgainBy(c.o, c.claim, c.claim, c.was, c.now); got != c.want {
			t.Errorf("%s: %v, want %v", c.why, got, c.want)
		}
	}
	// What was archived, but flagged by nobody, gave its embeds no ways.
	other := kept(Outcome{Status: 200, Class: ClassText, Embedding: true})
	if got := d.AgainBy(other, Claim{Bin: true}, Claim{Bin: true}.Join(link), nav, nav); got != AgainJudge {
		t.Errorf("a page is flagged: %v", got)
	}
	// A guess of a page of depth 0 is only to be judged, which scope may refuse.
	script := kept(Outcome{Status: 200, Class: ClassContainer, Guesses: true})
	deeper := Claim{Link: [MaxProfiles]int32{2}}
	if a, b := d.AgainBy(script, link, deeper, nav, nav), d.AgainBy(script, deeper, deeper, nav, nav); a != AgainJudge || b != AgainNothing {
		t.Errorf("depth of a page with guesses grows: %v, then %v", a, b)
	}
	d.UnclaimedEmbeds = true
	if got := d.AgainBy(text, Claim{Analyse: true}, Claim{Analyse: true}, nav, sheet); got != AgainFetch {
		t.Errorf("embeds of what nobody archives are asked for: %v", got)
	}
}

// An entry of a sitemap is another page, however far the sitemap is from one.
func TestManifestIsNavigation(t *testing.T) {
	for hops, nav := range map[string]bool{"LPM": true, "LEM": true, "PMM": true, "LEMR": true, "PME": false} {
		if n, _ := EmbedHops(hops); (n == 0) != nav || WaysOf(hops, "").Nav != nav {
			t.Errorf("%s: %d embed hops, %+v", hops, n, WaysOf(hops, ""))
		}
	}
	if w := WaysOf("LE", "").Over(HopManifest, false); !w.Nav || w.Embeds != "" {
		t.Errorf("%+v", w)
	}
}
