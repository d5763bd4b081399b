package crawl

import "exclave/internal/mime"

// Ways are in which ways a URI was reached, as far as its scope, the kind of its links and its
// type depend on it. Like a claim they only grow: every way that scope accepts is joined. The
// zero Ways are not known.
type Ways struct {
	// Nav: by navigation, from a seed or over links that a reader follows.
	Nav bool
	// Embeds has for each number of guesses, from 0 on, a byte: 1 + the fewest embed hops since the
	// last navigation, at least one, of a way with so many guesses among them; 0 for none,
	// or when a way with fewer guesses has no more hops.
	Embeds string
	// Loose: by no way that counts, but on pages that nobody archives.
	Loose bool
	// Hints are what links to it, or to redirects that lead here, let expect of its type.
	Hints mime.Hints
}

// mostHops and mostGuesses bound what is told apart: no rule has greater limits.
const mostHops, mostGuesses = 250, 199

// hopBytes are the bytes of Ways.Embeds, so that one way takes no memory of its own.
const hopBytes = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09"

// embeds is a single way over n embed hops, n > 0.
func embeds(n, guesses int) string {
	n, guesses = min(n, mostHops)+1, min(guesses, mostGuesses)
	if guesses == 0 && n < len(hopBytes) {
		return hopBytes[n : n+1]
	}
	b := make([]byte, guesses+1)
	b[guesses] = byte(n)
	return string(b)
}

// EmbedHops counts the embed hops at the end of a hop path, back to the last
// navigation, and how many of them were guesses. Redirects and prerequisites are
// passed over: they bring nothing onto a page.
func EmbedHops(hops string) (n, guesses int) {
	for i := len(hops) - 1; i >= 0; i-- {
		switch hops[i] {
		case HopLink, HopManifest:
			return n, guesses
		case HopRedirect, HopPrereq:
		case HopSpeculative:
			n++
			guesses++
		default:
			n++
		}
	}
	return n, guesses
}

// WaysOf returns the way of one hop path and link context.
func WaysOf(hops, context string) Ways {
	w := Ways{Hints: mime.HintsOf(context)}
	if n, guesses := EmbedHops(hops); n > 0 {
		w.Embeds = embeds(n, guesses)
	} else {
		w.Nav = true
	}
	return w
}

// Join returns the ways of both. It is commutative, associative and idempotent; the zero Ways
// are its neutral element.
func (w Ways) Join(v Ways) Ways {
	w.Nav, w.Hints = w.Nav || v.Nav, w.Hints|v.Hints
	w.Embeds = joinEmbeds(w.Embeds, v.Embeds)
	w.Loose = (w.Loose || v.Loose) && !w.Nav && w.Embeds == ""
	return w
}

func joinEmbeds(a, b string) string {
	switch {
	case b == "" || b == a:
		return a
	case a == "":
		return b
	}
	joined := make([]byte, max(len(a), len(b)))
	for i := range joined {
		joined[i] = fewer(hopsAt(a, i), hopsAt(b, i))
	}
	return normal(joined)
}

func hopsAt(s string, i int) byte {
	if i < len(s) {
		return s[i]
	}
	return 0
}

// fewer is the lesser of two bytes of Embeds, where 0 is none.
func fewer(a, b byte) byte {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// normal leaves out the ways that another with no more guesses and no more hops covers.
func normal(b []byte) string {
	var best byte
	end := 0
	for i, n := range b {
		if n == 0 || best != 0 && n >= best {
			b[i] = 0
			continue
		}
		best, end = n, i+1
	}
	return string(b[:end])
}

// Over returns the ways in which a link with a hop letter is reached from a URI reached so. A
// redirect, which is none of the URI's own contents, hands its hints on.
func (w Ways) Over(hop byte, redirect bool) Ways {
	switch hop {
	case HopLink, HopManifest:
		return Ways{Nav: true}
	case HopRedirect, HopPrereq:
		if !redirect {
			w.Hints = 0
		}
		return w
	}
	guesses := 0
	if hop == HopSpeculative {
		guesses = 1
	}
	if w.Nav { // no way is shorter
		return Ways{Embeds: embeds(1, guesses)}
	}
	b := make([]byte, min(len(w.Embeds)+guesses, mostGuesses+1))
	for i, n := range []byte(w.Embeds) {
		if n == 0 {
			continue
		}
		to := min(i+guesses, mostGuesses)
		b[to] = fewer(b[to], min(n, mostHops)+1)
	}
	return Ways{Embeds: normal(b)}
}

// Reach returns the ways in which a link is reached from a URI with claim c, outcome o and ways w;
// hints are those of the link itself. Embed hops count from the last navigation or valid page,
// and only on pages that are flagged: how the others are reached may change when they are not
// read again. What nobody asks for because of a link gets no hints of it.
func (d Depths) Reach(w Ways, c Claim, o Outcome, hop byte, kind LinkKind, hints mime.Hints) (to Ways) {
	flagged := d.Flags(c, o).Max() >= 0
	switch {
	case kind == LinkRedirect:
		return w.Over(hop, true)
	case IsNavigation(hop), o.Valid():
		to = Ways{Nav: true}.Over(hop, false)
	case flagged:
		to = w.Over(hop, false)
	}
	if flagged || !d.Child(c, o, kind).IsZero() {
		to.Hints |= hints
	}
	to.Loose = !to.Nav && to.Embeds == ""
	return to
}

// Within reports whether a way leads here over embed hops, at most so many, of them so many
// guesses at most.
func (w Ways) Within(hops, guesses int) bool {
	for i := range min(len(w.Embeds), guesses+1) {
		if n := int(w.Embeds[i]); n > 0 && n <= hops+1 {
			return true
		}
	}
	return false
}

// Reached returns the ways of a candidate, or those of its hops and context when it has none.
func (c *Candidate) Reached() Ways {
	if c.Ways == (Ways{}) {
		return WaysOf(c.Hops, c.Context)
	}
	return c.Ways
}

// AgainBy decides whether a URI that was finished with outcome o must be fetched or read again
// because its claim or its ways are more than those, c and w, that it was processed with.
func (d Depths) AgainBy(o Outcome, c, claim Claim, w, ways Ways) Again {
	if claim.IsZero() {
		return AgainNothing
	}
	if o.Open&ways.Hints != 0 { // it is a container too
		if o.Archived {
			return AgainJudge
		}
		// Embeds of what nobody archives are not asked for.
		o.Class = ClassContainer
		if d.UnclaimedEmbeds || d.Archived(claim, o) {
			return AgainFetch
		}
		return AgainNothing
	}
	nearer := !o.Valid() && w.Over(HopEmbed, false) != ways.Over(HopEmbed, false)
	before, flags := d.Flags(c, o).Max(), d.Flags(claim, o).Max()
	switch {
	case o.Status == StatusOutOfScope && w != ways: // the preselector decides anew
		return AgainFetch
	case o.Archived && o.Class == ClassRedirect && w != ways,
		o.Archived && o.Embedding && flags >= 0 && (nearer || before < 0),
		o.Archived && o.Guesses && flags > 0 && before <= 0: // scope lets more of what is claimed in
		return AgainJudge
	}
	return AgainNothing
}
