package crawl_test

import (
	"math/rand/v2"
	"testing"

	"exclave/crawl"
)

// anything draws the values that laws are tried on.
type anything struct{ *rand.Rand }

func (r anything) claim() crawl.Claim {
	c := crawl.Claim{Analyse: r.coin(), Bin: r.coin(), Keep: r.coin()}
	for i := range c.Link {
		if r.coin() {
			c.Link[i] = r.Int32N(5)
		}
	}
	return c
}

func (r anything) coin() bool { return r.IntN(2) == 0 }

// outcome is one that a fetch can have.
func (r anything) outcome() crawl.Outcome {
	o := crawl.Outcome{Status: []crawl.Status{200, 200, 200, 301, 404, 503, crawl.StatusRobots, crawl.StatusConnectFailed}[r.IntN(8)]}
	if o.Status < 100 {
		return o
	}
	o.Class = crawl.TypeClass(1 + r.IntN(5))
	if o.Status == 200 && (o.Class == crawl.ClassHTML || o.Class == crawl.ClassText) {
		o.Judgeable = true
		if o.Judged = r.coin(); o.Judged {
			o.ValidFor = uint8(r.IntN(1 << crawl.MaxProfiles))
		}
	}
	return o
}

func (r anything) depths() crawl.Depths {
	d := crawl.Depths{AnalyseLinked: true, UnclaimedEmbeds: r.coin()}
	for i := range d.D {
		d.D[i] = r.Int32N(4)
	}
	return d
}

// laws tries a law on many draws; the seed is in the message of a failure.
func laws(t *testing.T, law func(t *testing.T, r anything)) {
	t.Helper()
	for range 5000 {
		seed := rand.Uint64()
		law(t, anything{rand.New(rand.NewPCG(seed, 0))})
		if t.Failed() {
			t.Fatalf("seed %#x", seed)
		}
	}
}

// effect makes claims equal that archive and pass on the same: whatever has a link
// depth is archived as B would, and at depth 0 it does not matter for which profile.
func effect(c crawl.Claim) crawl.Claim {
	deep := false
	for _, l := range c.Link {
		deep = deep || l > 0
	}
	if deep {
		c.Bin = true
		for i := range c.Link {
			c.Link[i] = max(c.Link[i], 1)
		}
	}
	return c
}

func TestJoin(t *testing.T) {
	// Claims are joined in the order of discovery, which must not matter: Join is
	// commutative, associative and idempotent, and its neutral element is zero.
	laws(t, func(t *testing.T, r anything) {
		a, b, c := r.claim(), r.claim(), r.claim()
		if a.Join(b) != b.Join(a) {
			t.Errorf("not commutative: %+v, %+v", a, b)
		}
		if a.Join(b).Join(c) != a.Join(b.Join(c)) {
			t.Errorf("not associative: %+v, %+v, %+v", a, b, c)
		}
		if a.Join(a) != a || a.Join(crawl.Claim{}) != a {
			t.Errorf("not idempotent, or zero is not neutral: %+v", a)
		}
		if j := a.Join(b); !covers(j, a) || !covers(j, b) {
			t.Errorf("the join of %+v and %+v does not cover them", a, b)
		}
	})
}

func TestMoreClaimsArchiveMore(t *testing.T) {
	// A claim that comes later takes nothing back: archiving and depth grow with the
	// claim, and so does what links get. (With AnalyseLinked; the thesis takes A from
	// the links of flagged pages, and so depends on the order.)
	kinds := []crawl.LinkKind{crawl.LinkNav, crawl.LinkEmbed, crawl.LinkFrame, crawl.LinkSpeculative, crawl.LinkRedirect}
	laws(t, func(t *testing.T, r anything) {
		d, less, o := r.depths(), r.claim(), r.outcome()
		more := less.Join(r.claim())
		if d.Archived(less, o) && !d.Archived(more, o) {
			t.Errorf("%+v archives %+v, but %+v does not", less, o, more)
		}
		if d.Flags(less, o).Max() > d.Flags(more, o).Max() {
			t.Errorf("%+v flags %+v deeper than %+v", less, o, more)
		}
		for _, k := range kinds {
			if was, is := effect(d.Child(less, o, k)), effect(d.Child(more, o, k)); !covers(is, was) {
				t.Errorf("outcome %+v: a link of kind %d gets %+v from %+v, but %+v from %+v", o, k, was, less, is, more)
			}
		}
	})
}

func TestValidPagesPassOnMore(t *testing.T) {
	// A verdict that comes later takes nothing back either.
	laws(t, func(t *testing.T, r anything) {
		d, c := r.depths(), r.claim()
		o := crawl.Outcome{Status: 200, Class: crawl.ClassHTML, Judgeable: true}
		judged := o
		judged.Judged, judged.ValidFor = true, uint8(r.IntN(1<<crawl.MaxProfiles))
		if d.Archived(c, o) && !d.Archived(c, judged) {
			t.Errorf("%+v: judging takes the page out of the archive", c)
		}
		if was, is := effect(d.Child(c, o, crawl.LinkNav)), effect(d.Child(c, judged, crawl.LinkNav)); !covers(is, was) {
			t.Errorf("%+v: a link gets %+v, after judging %+v", c, was, is)
		}
	})
}

func TestNothingTwice(t *testing.T) {
	// A URI that was processed with all it is claimed for needs nothing more, and
	// what is archived is never fetched again.
	laws(t, func(t *testing.T, r anything) {
		d, c, o := r.depths(), r.claim(), r.outcome()
		o.Judged = o.Judgeable && c.Analyse
		if !o.Judged {
			o.ValidFor = 0
		}
		o.Archived = d.Archived(c, o)
		if a := d.Again(c, o); a != crawl.AgainNothing {
			t.Errorf("%+v with %+v needs %d again", o, c, a)
		}
		if a := d.Again(c.Join(r.claim()), o); o.Archived && a == crawl.AgainFetch {
			t.Errorf("archived %+v is fetched again", o)
		}
	})
}

// covers reports whether a claim asks for all that another one does.
func covers(c, d crawl.Claim) bool { return c.Join(d) == c }
