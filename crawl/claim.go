package crawl

import "exclave/internal/mime"

// MaxProfiles is how many profiles may judge one crawl.
const MaxProfiles = 4

// Claim says why a URI is wanted (design: System 1, flags and depth). The zero
// Claim is "known, but not wanted": the URI is parked until a claim arrives.
type Claim struct {
	Analyse bool // judge it, when it is text
	Bin     bool // archive_bin_link: archive it unless it is HTML
	// Keep archives the URI's own record and passes nothing on: a redirect that
	// led to a valid page.
	Keep bool
	// Link holds, per profile, 1 + the depth of valid_link; 0 means none.
	// Depth is 0 … 1,000,000.
	Link [MaxProfiles]int32
}

// Join returns the smallest claim that covers both. It is commutative,
// associative and idempotent; the zero Claim is its neutral element.
func (c Claim) Join(d Claim) Claim {
	c.Analyse = c.Analyse || d.Analyse
	c.Bin = c.Bin || d.Bin
	c.Keep = c.Keep || d.Keep
	for i, l := range d.Link {
		c.Link[i] = max(c.Link[i], l)
	}
	return c
}

// IsZero reports whether nobody wants the URI yet.
func (c Claim) IsZero() bool { return c == Claim{} }

// Needed reports whether a valid page, or one within the depth of one, needs the URI: it is not only to be judged.
func (c Claim) Needed() bool { return c.Bin || c.Keep || c.Link != [MaxProfiles]int32{} }

// Profiles returns by which profiles it was found: bit i when a page that is valid for profile i led to it, within the depth.
func (c Claim) Profiles() (set uint8) {
	for i, l := range c.Link {
		if l > 0 {
			set |= 1 << i
		}
	}
	return set
}

// TypeClass is what the rules of archiving need to know of a response.
type TypeClass uint8

// The classes of a response.
const (
	ClassUnknown   TypeClass = iota // nothing was fetched
	ClassHTML                       // text/html, application/xhtml+xml
	ClassText                       // text/plain: may be judged, links to nothing
	ClassContainer                  // CSS, SVG, JS, JSON, HLS and DASH playlists
	ClassOther                      // everything else
	ClassRedirect                   // a 3xx answer with a Location, whatever its body
)

// String names the class for logs and reports.
func (t TypeClass) String() string {
	names := [...]string{"unknown", "html", "text", "container", "other", "redirect"}
	if int(t) < len(names) {
		return names[t]
	}
	return "invalid"
}

// Outcome is what is kept of a finished URI beside its claim.
type Outcome struct {
	Status    Status
	Class     TypeClass
	Judgeable bool  // a 2xx answer of a judged type: an Analyse claim applies to it
	Judged    bool  // the analyzer has run on it
	ValidFor  uint8 // bit i: judged valid by profile i
	Archived  bool  // a response or revisit record is in the archive
	// Open are the hints that would add a type to it: nothing but the links that lead to it
	// tells its type.
	Open mime.Hints
	// Embedding: it has links whose scope and kind depend on how it was reached itself.
	Embedding bool
	// Guesses: some of them are speculative.
	Guesses bool
	// Truncated: the answer was cut.
	Truncated bool
}

// Valid reports whether any profile accepted the page.
func (o Outcome) Valid() bool { return o.ValidFor != 0 }

// LinkKind is how a document refers to another.
type LinkKind uint8

// The kinds of links. Values are stored in the state; never renumber.
const (
	LinkNav         LinkKind = iota + 1 // a reader follows it
	LinkEmbed                           // the browser loads it to display the page
	LinkFrame                           // an embed that may hold a document: frame, iframe, object
	LinkSpeculative                     // a string that looks like a URI
	LinkRedirect                        // Location of a 3xx answer
)

// Depths are the depths D of the profiles, each 0 … 1,000,000; -1 for a profile
// that does not exist. It holds the rules that turn claims into archiving.
type Depths struct {
	D [MaxProfiles]int32
	// AnalyseLinked gives Analyse to links of flagged pages too (setting
	// analyse_linked; off is the thesis).
	AnalyseLinked bool
	// UnclaimedEmbeds gives Analyse, and so a request, to embeds of pages that
	// are not flagged (setting fetch_unclaimed_embeds).
	UnclaimedEmbeds bool
}

// Flags is e of the design, per profile: the depth in force on a URI, -1 = none.
type Flags [MaxProfiles]int32

// NoFlags is the state of a page no claim flags.
func NoFlags() Flags { return Flags{-1, -1, -1, -1} }

// Max returns the greatest depth in force, -1 for an unflagged page.
func (f Flags) Max() int32 {
	m := int32(-1)
	for _, e := range f {
		m = max(m, e)
	}
	return m
}

// Flags computes e = max(L, V, 0 if Bin and the type is a container).
func (d Depths) Flags(c Claim, o Outcome) Flags {
	f := NoFlags()
	for i := range f {
		f[i] = c.Link[i] - 1
		if o.Judged && o.ValidFor&(1<<i) != 0 {
			f[i] = max(f[i], d.D[i])
		}
	}
	if c.Bin && o.Class == ClassContainer && f.Max() < 0 {
		f[0] = 0
	}
	return f
}

// Archived reports whether claim and outcome put the URI into the archive.
// Only answers of a server can be archived (status above 0).
func (d Depths) Archived(c Claim, o Outcome) bool {
	if o.Status < 100 {
		return false
	}
	if o.Status == StatusWhois { // who asks for such an answer wants it; nothing is judged in it
		return true
	}
	return d.Flags(c, o).Max() >= 0 || c.Keep || c.Bin && o.Class != ClassHTML
}

// Child returns the claim that a link of the given kind gets from its parent.
func (d Depths) Child(c Claim, o Outcome, kind LinkKind) Claim {
	if o.Class == ClassRedirect || kind == LinkRedirect {
		c.Keep = false
		return c
	}
	f := d.Flags(c, o)
	flagged := f.Max() >= 0
	var k Claim
	for i, e := range f {
		switch {
		case e >= 0 && kind == LinkFrame:
			k.Link[i] = 1 + e // an embed hop uses no depth up
		case e > 0:
			k.Link[i] = e // 1 + (e - 1)
		case e == 0 && kind != LinkSpeculative:
			k.Bin = true
		}
	}
	switch {
	case flagged:
		k.Analyse = d.AnalyseLinked
	case kind == LinkEmbed || kind == LinkSpeculative:
		k.Analyse = d.UnclaimedEmbeds && kind == LinkEmbed
	default:
		k.Analyse = true
	}
	return k
}

// Again says what a finished URI needs because its claim grew.
type Again uint8

// What a grown claim asks for.
const (
	AgainNothing Again = iota
	AgainFetch         // a new request: the bytes are not in the archive
	AgainJudge         // the archived bytes are read again, and judged if they were not, without a request
)

// Again decides whether a URI finished with outcome o, whose claim is now c, is
// covered, must be fetched again, or must be read again from the archive. Links of
// an archived page whose flags grew are the caller's matter.
func (d Depths) Again(c Claim, o Outcome) Again {
	if o.Status == StatusOutOfScope && !c.IsZero() {
		return AgainFetch // the scope looks at claims: the preselector decides anew
	}
	judge := c.Analyse && o.Judgeable && !o.Judged
	switch {
	case !o.Archived && (judge || d.Archived(c, o)):
		return AgainFetch
	case judge:
		return AgainJudge
	}
	return AgainNothing
}
