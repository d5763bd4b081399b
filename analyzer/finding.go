package analyzer

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// Bounds on what a Finding keeps of one page.
const (
	MaxEvidence      = 8      // values of evidence
	MaxEvidenceValue = 120    // bytes of one value
	maxDistinct      = 10_000 // different values told apart; more count as repeats
)

// Detail says how much of the evidence is kept: it holds e-mail addresses and
// telephone numbers of people.
type Detail string

// The values of Detail.
const (
	DetailFull   Detail = "full"   // values as found
	DetailHashed Detail = "hashed" // HMAC-SHA-256 of the value, first 16 hex digits
	DetailCounts Detail = "counts" // no evidence, counts only
)

func (d Detail) known() bool {
	return d == DetailFull || d == DetailHashed || d == DetailCounts
}

// Evidence is one valid value and where it was found.
type Evidence struct {
	Value string `json:"value"` // at most MaxEvidenceValue bytes
	Where string `json:"where"` // text, source, link, or element@attribute
	Count int    `json:"count"` // occurrences on the page
}

// Finding is what a Searcher counted on one page. Distinct ≤ Valid ≤ Found.
type Finding struct {
	Found    int        `json:"found"`              // elements of the searcher's kind
	Valid    int        `json:"valid"`              // those that match its pattern or list
	Distinct int        `json:"distinct"`           // different values among the valid
	Evidence []Evidence `json:"evidence,omitempty"` // at most MaxEvidence, most frequent first

	// Values are named numbers that say more than counts do, such as the share of the text
	// in a language; none is infinite or not a number. The names are the kind's own.
	Values map[string]float64 `json:"values,omitempty"`
}

// tally builds a Finding within the bounds above. The zero tally is ready.
type tally struct {
	found, valid int
	at           map[string]int // index in values
	values       []Evidence
}

// add counts an element; value and where are kept when it is valid.
func (t *tally) add(valid bool, value, where string) {
	t.found++
	if !valid {
		return
	}
	t.valid++
	if i, ok := t.at[value]; ok {
		t.values[i].Count++
		return
	}
	if t.at == nil {
		t.at = make(map[string]int)
	}
	if len(t.values) < maxDistinct {
		t.at[value] = len(t.values)
		t.values = append(t.values, Evidence{Value: value, Where: where, Count: 1})
	}
}

// seen reports whether a valid value was counted before.
func (t *tally) seen(value string) bool {
	_, ok := t.at[value]
	return ok
}

// finding picks the evidence by count, then value, and cuts it. Nothing is added afterwards.
func (t *tally) finding() Finding {
	f := Finding{Found: t.found, Valid: t.valid, Distinct: len(t.values)}
	for range min(len(t.values), MaxEvidence) {
		best := 0
		for i, e := range t.values {
			if cmp.Or(cmp.Compare(t.values[best].Count, e.Count), cmp.Compare(e.Value, t.values[best].Value)) < 0 {
				best = i
			}
		}
		if f.Evidence == nil {
			f.Evidence = make([]Evidence, 0, min(len(t.values), MaxEvidence))
		}
		e := t.values[best]
		e.Value = cut(e.Value, MaxEvidenceValue)
		f.Evidence = append(f.Evidence, e)
		t.values[best].Count = 0 // taken
	}
	return f
}

// hide reduces evidence to what d allows.
func (d Detail) hide(evidence []Evidence, key []byte) []Evidence {
	switch d {
	case DetailCounts:
		return nil
	case DetailHashed:
		for i := range evidence {
			mac := hmac.New(sha256.New, key)
			mac.Write([]byte(evidence[i].Value))
			evidence[i].Value = hex.EncodeToString(mac.Sum(nil)[:8])
		}
	}
	return evidence
}
