package main

import (
	"fmt"

	"exclave/internal/evaluation"
)

// results are all that the page shows, as it was measured: docs/data/recognition.json.
type results struct {
	Command   string         `json:"command"`
	Date      string         `json:"date"`
	Versions  []version      `json:"versions"`
	Inputs    []input        `json:"inputs"`
	Adverse   int            `json:"adverse"` // pages that are falsely coded, mixed, without words or without diacritics
	Owned     int            `json:"owned"`   // pages of some nation that is measured
	Train     int            `json:"train"`   // pages
	Test      int            `json:"test"`
	Languages []string       `json:"languages"` // of the main text of the pages
	NotLingua []string       `json:"not_lingua,omitempty"`
	ASCII     []int          `json:"ascii"` // lengths, in words, of the passages without diacritics
	Nations   []nationResult `json:"nations"`
	Confusion []confused     `json:"confusion"` // of the test pages
}

// version is what something was measured with.
type version struct {
	Of      string `json:"of"`
	Version string `json:"version"`
}

// input is what verdicts follow from: with another one the page is of the past.
type input struct {
	Name   string `json:"name"`
	Size   string `json:"size"`
	Digest string `json:"digest"` // SHA-256, 16 hex digits
}

// nationResult is what was measured of one profile.
type nationResult struct {
	Name       string         `json:"name"`
	Nation     string         `json:"nation"`
	Full       bool           `json:"full"` // the table of the issue, not only P and R from 50 words on
	Decide     string         `json:"decide"`
	Min        float64        `json:"min"`
	Methods    []methodResult `json:"methods"`
	ByLength   []group        `json:"by_length"`
	ByLanguage []group        `json:"by_language"`
	ByTag      []group        `json:"by_tag"`
	Calibrated []bin          `json:"calibrated,omitempty"`
	Terms      []term         `json:"terms,omitempty"`
	Base       left           `json:"base"` // errors with all terms, fitted as those without one
	Missed     []failure      `json:"missed,omitempty"`
	Wrong      []failure      `json:"wrong,omitempty"`
	Errors     [2]int         `json:"errors"` // missed, wrong, of the test pages; more than are explained
	Costs      []cost         `json:"costs,omitempty"`
}

// byWords are the pages of one kind by their length.
type byWords struct {
	All    tally `json:"all"`
	Short  tally `json:"under_20"`
	Middle tally `json:"20_49"`
	Long   tally `json:"50_up"`
}

func (b *byWords) add(p *page, belongs, valid bool) {
	b.All.Add(belongs, valid)
	switch {
	case p.Words < 20:
		b.Short.Add(belongs, valid)
	case p.Words < 50:
		b.Middle.Add(belongs, valid)
	default:
		b.Long.Add(belongs, valid)
	}
}

// tally are counts that are one line in the file of the figures.
type tally struct{ evaluation.Counts }

const tallyText = "%d right, %d missed, %d wrong, %d neither"

// MarshalText implements [encoding.TextMarshaler].
func (t tally) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, tallyText, t.TruePositive, t.FalseNegative, t.FalsePositive, t.TrueNegative), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (t *tally) UnmarshalText(text []byte) error {
	_, err := fmt.Sscanf(string(text), tallyText, &t.TruePositive, &t.FalseNegative, &t.FalsePositive, &t.TrueNegative)
	return err
}

// MarshalJSON implements [json.Marshaler]: that of Counts, which is embedded, would be taken.
func (t tally) MarshalJSON() ([]byte, error) {
	text, err := t.MarshalText()
	return append(append([]byte{'"'}, text...), '"'), err
}

// methodResult is how one way to judge does.
type methodResult struct {
	Name    string    `json:"name"`
	Note    string    `json:"note,omitempty"` // what was learned: "at least 3"
	Test    byWords   `json:"test"`
	ASCII   []tally   `json:"ascii,omitempty"` // in the order of results.ASCII
	Foreign tally     `json:"foreign"`         // test pages whose text is in another language and that are not the nation's
	Folds   []byWords `json:"folds"`
	NS      float64   `json:"ns,omitempty"` // a page; 0 = not measured
}

// group are pages that have something in common.
type group struct {
	Name   string `json:"name"`
	Counts tally  `json:"counts"`
}

// bin are the test pages of a range of probabilities, from tenth/10 on.
type bin struct {
	Pages   int     `json:"pages"`
	Nations int     `json:"nations"` // of these the nation's
	Sum     float64 `json:"sum"`     // of their probabilities
}

// term is what one term of a probability contributes.
type term struct {
	Name    string  `json:"name"`
	Weight  float64 `json:"weight"`
	Nation  float64 `json:"nation"` // mean of its scaled value on test pages of the nation
	Others  float64 `json:"others"`
	Without *left   `json:"without,omitempty"` // errors when it is left out and the others are fitted again; nil: no pages would be left to tell
}

// left are the errors that are left on test pages.
type left struct {
	Missed int     `json:"missed"`
	Wrong  int     `json:"wrong"`
	Loss   float64 `json:"loss"` // mean of −log(probability of what is so)
}

// failure is a page that was judged wrongly.
type failure struct {
	URL      string `json:"url"`
	Kind     string `json:"kind"`
	Language string `json:"language"`
	Nations  string `json:"nations"`
	Tags     string `json:"tags"`
	Words    int    `json:"words"`
	Text     string `json:"text"` // its beginning
	Explain  string `json:"explain"`
}

// cost is the time that a searcher takes for a page, on the mean.
type cost struct {
	Searcher string  `json:"searcher"`
	NS       float64 `json:"ns"`
}

// confused are the pages of the same nations, and how many of them each profile takes for its own.
type confused struct {
	Nations string `json:"nations"`
	Pages   int    `json:"pages"`
	Valid   []int  `json:"valid"` // in the order of results.Nations
}
