package analyzer

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"hash/maphash"
	"math/bits"
	"slices"
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
	values       []Evidence
	index        []uint16 // 1 + index in values, by hash: open addressing, at most half full; nil = values are few
	seed         maphash.Seed
}

// fewValues is how many values are compared one by one.
const fewValues = 8

// add counts an element; value and where are kept when it is valid.
func (t *tally) add(valid bool, value, where string) {
	t.found++
	if !valid {
		return
	}
	t.valid++
	i, slot := t.find(value)
	if i >= 0 {
		t.values[i].Count++
		return
	}
	n := len(t.values)
	if n == maxDistinct {
		return
	}
	if n == cap(t.values) {
		more := make([]Evidence, n, min(max(4*n, 4), maxDistinct))
		copy(more, t.values)
		t.values = more
	}
	t.values = append(t.values, Evidence{Value: value, Where: where, Count: 1})
	switch {
	case n+1 <= fewValues:
	case 2*(n+1) > len(t.index):
		t.grow()
	default:
		t.index[slot] = uint16(n + 1)
	}
}

// find returns the index of a value, or -1 and, when there is an index, the slot that is free for it.
func (t *tally) find(value string) (i, slot int) {
	if t.index == nil {
		for i := range t.values {
			if t.values[i].Value == value {
				return i, 0
			}
		}
		return -1, 0
	}
	mask := len(t.index) - 1
	for slot = int(maphash.String(t.seed, value)) & mask; t.index[slot] != 0; slot = (slot + 1) & mask {
		if i := int(t.index[slot]) - 1; t.values[i].Value == value {
			return i, slot
		}
	}
	return -1, slot
}

// grow makes an index that has room for four times the values.
func (t *tally) grow() {
	if t.index == nil {
		t.seed = maphash.MakeSeed() // a page cannot know which values collide
	}
	t.index = make([]uint16, 8<<bits.Len(uint(len(t.values)-1)))
	for i := range t.values {
		_, slot := t.find(t.values[i].Value)
		t.index[slot] = uint16(i + 1)
	}
}

// seen reports whether a valid value was counted before.
func (t *tally) seen(value string) bool {
	i, _ := t.find(value)
	return i >= 0
}

// finding picks the evidence by count, then value, and cuts it. Nothing is added afterwards.
func (t *tally) finding() Finding {
	f := Finding{Found: t.found, Valid: t.valid, Distinct: len(t.values)}
	for i := range min(len(t.values), MaxEvidence) {
		best := i
		for j := i + 1; j < len(t.values); j++ {
			if a, b := &t.values[best], &t.values[j]; b.Count > a.Count || b.Count == a.Count && b.Value < a.Value {
				best = j
			}
		}
		t.values[i], t.values[best] = t.values[best], t.values[i]
		t.values[i].Value = cut(t.values[i].Value, MaxEvidenceValue)
	}
	switch {
	case len(t.values) > MaxEvidence:
		f.Evidence = slices.Clone(t.values[:MaxEvidence]) // and nothing of the others is kept
	case len(t.values) > 0:
		f.Evidence = t.values
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
