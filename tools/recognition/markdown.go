package main

import (
	"fmt"
	"math"
	"strings"

	"exclave/internal/evaluation"
)

// markdown writes the page. All in it is prose of this file or a figure of r.
func (r results) markdown() string {
	var b strings.Builder
	w := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	w("# How well the profiles recognise their nations\n")
	w("<!-- Written by %s; the figures are in data/recognition.json. Do not edit. -->\n", r.Command)
	w("    %s\n", r.Command)
	w("wrote this page on %s, of %d pages of the [labelled set](formats/labelled.md#the-projects-own-set), in %d languages: %d for training, %d for tests, which", r.Date, r.Train+r.Test, len(r.Languages), r.Train, r.Test)
	w("share no text. Weights and thresholds were fitted to pages for training only; without other words, figures are of the pages for tests. Which terms")
	w("a profile has was decided by people who had seen errors on both, so that pages that nobody here has seen are the better test.")
	w("No page has an address, so searchers of kind `geoip` are off. How to measure a profile of one's own: [recognition](howto/recognition.md).\n")
	w("The set was written for this purpose, and it is adverse: %d of its pages are falsely coded, mixed, without words or without diacritics.", r.Adverse)
	w("Pages of the web will give other figures. %d of the pages are of a nation that is measured here; in a harvest it may be one in a thousand,", r.Owned)
	w("and then more of the valid pages are wrong.\n")
	w("| what is compared | how a page is valid |")
	w("| --- | --- |")
	w("| the original's settings | profile [`original`](formats/profile.md), for other nations than cz what `exclave profile import` makes of its properties with the nation's domain, number and language: 200 occurrences |")
	w("| the same, with a threshold that was learned | the threshold has the best F1 on the pages for training |")
	w("| searcher … alone | it counts at least so many, which is learned likewise |")
	w("| language model alone | no other language has more passages |")
	w("| lingua | lingua-go, a language detector made for short texts, says the nation's language; of the languages of the set only, which makes it easier%s. It names one language for every page, lists of names and pages in two languages among them |", unlessNone("; it does not know ", r.NotLingua))
	w("| all, by points | the profile's points reach `min_points` |")
	w("| **all** | the profile as it is shipped |\n")
	w("Recall is by the number of words on the page. *Without diacritics*: recall on passages of so many words of the test texts, as plain text and HTML")
	w("without any declaration. *Wrong*: pages that are valid, of those in other languages that are not the nation's. *µs*: time a page, parsing apart, on the")
	w("machine that wrote this page: ratios tell, not the figures. Searchers share the splitting of words, so that together they take less than their sum.\n")
	for _, n := range r.Nations {
		if n.Full {
			r.full(w, n)
		}
	}
	r.others(w)
	r.confusionTable(w)
	for _, n := range r.Nations {
		if n.Full {
			n.probabilityTables(w)
			n.groupTables(w)
			n.failureLists(w)
			n.costTable(w)
		}
	}
	w("## What was measured\n")
	w("| | | SHA-256 |")
	w("| --- | --- | --- |")
	for _, i := range r.Inputs {
		w("| %s | %s | %s |", i.Name, i.Size, i.Digest)
	}
	for _, v := range r.Versions {
		w("| %s | %s | |", v.Of, v.Version)
	}
	w("\nThe digests are the first 16 digits; of profiles without comments. A test fails when one is another now than here.")
	w("When only the prose was changed, in `tools/recognition`, `-render` writes the page anew of the same figures.")
	return b.String()
}

type writer func(format string, args ...any)

func unlessNone(text string, list []string) string {
	if len(list) == 0 {
		return ""
	}
	return text + strings.Join(list, ", ")
}

// header is a line of a table and the one below it.
func header(w writer, columns ...string) {
	w("| %s |", strings.Join(columns, " | "))
	w("|%s", strings.Repeat(" --- |", len(columns)))
}

func (r results) full(w writer, n nationResult) {
	w("## %s (%s)\n", n.Nation, n.Name)
	columns := []string{"", "precision", "recall, all", "< 20 words", "20–49", "≥ 50"}
	for _, words := range r.ASCII {
		columns = append(columns, fmt.Sprintf("without diacritics, %d", words))
	}
	header(w, append(columns, "wrong", "µs")...)
	for _, m := range n.Methods {
		name := m.Name
		if m.Note != "" {
			name += ", " + m.Note
		}
		row := []string{name, m.Test.All.Precision().String(), m.Test.All.Recall().String(), m.Test.Short.Recall().String(), m.Test.Middle.Recall().String(), m.Test.Long.Recall().String()}
		for _, c := range m.ASCII {
			row = append(row, c.Recall().String())
		}
		row = append(row, fmt.Sprintf("%d of %d", m.Foreign.FalsePositive, m.Foreign.Pages()), micro(m.NS))
		w("| %s |", strings.Join(row, " | "))
	}
	w("| %s |", strings.Join(wanted(), " | "))
	all := n.Methods[len(n.Methods)-1].Test
	w("\nPages of the nation among the test pages: %d; %d of < 20 words, %d of 20–49, %d of ≥ 50. Passages without diacritics: %s.\n", nationsOf(all.All.Counts), nationsOf(all.Short.Counts), nationsOf(all.Middle.Counts), nationsOf(all.Long.Counts), passagesOf(n, r.ASCII))
	w("In five folds of the whole set, divided by source: mean (least–most). %s\n", foldsAre(n.Decide))
	header(w, "", "precision", "recall, all", "< 20 words", "20–49", "≥ 50")
	for _, m := range n.Methods {
		w("| %s | %v | %v | %v | %v | %v |", m.Name, spread(m.Folds, all1, precision), spread(m.Folds, all1, recall), spread(m.Folds, short, recall), spread(m.Folds, middle, recall), spread(m.Folds, long, recall))
	}
	w("")
}

// wanted is what the profile is to reach, in the columns of its table.
func wanted() []string {
	return []string{"*wanted*", "≥ 99.5 %", "", "≥ 90 %", "≥ 97 %", "≥ 99.5 %", "90 %", "98 %", "99.5 %", "100 %", "≤ 2 of 15,000", ""}
}

func foldsAre(decide string) string {
	if decide == "probability" {
		return "The weights of **all** were fitted to the other four folds as `exclave calibrate --fresh` would, with the `min` of the profile; so were learned thresholds."
	}
	return "The profile decides by " + decide + ": nothing of it is fitted. Learned thresholds are of the other four folds."
}

func nationsOf(c evaluation.Counts) int { return c.TruePositive + c.FalseNegative }

func passagesOf(n nationResult, lengths []int) string {
	var parts []string
	for i, c := range n.Methods[0].ASCII {
		parts = append(parts, fmt.Sprintf("%d of %d words", c.Pages(), lengths[i]))
	}
	return strings.Join(parts, ", ")
}

func micro(ns float64) string {
	switch {
	case ns == 0:
		return ""
	case ns < 10_000:
		return fmt.Sprintf("%.1f", ns/1000)
	}
	return fmt.Sprintf("%.0f", ns/1000)
}

// What of the folds a spread is of.
func all1(b byWords) evaluation.Counts   { return b.All.Counts }
func short(b byWords) evaluation.Counts  { return b.Short.Counts }
func middle(b byWords) evaluation.Counts { return b.Middle.Counts }
func long(b byWords) evaluation.Counts   { return b.Long.Counts }

func precision(c evaluation.Counts) evaluation.Share { return c.Precision() }
func recall(c evaluation.Counts) evaluation.Share    { return c.Recall() }

func spread(folds []byWords, of func(byWords) evaluation.Counts, share func(evaluation.Counts) evaluation.Share) evaluation.Spread {
	var shares []evaluation.Share
	for _, f := range folds {
		shares = append(shares, share(of(f)))
	}
	return evaluation.SpreadOf(shares)
}

// others writes precision and recall from 50 words on.
func (r results) others(w writer) {
	w("## All nations, pages of 50 words or more\n")
	w("Test pages, and five folds of the whole set: mean (least–most). In the folds the weights of profiles that decide by a probability were fitted to the other four; a profile that decides by an expression is as it is shipped: its weights have seen pages of every fold.\n")
	header(w, "", "decides", "precision", "recall", "precision, five folds", "recall, five folds", "lingua: precision", "recall", "the original's: precision", "recall")
	for _, n := range r.Nations {
		m := n.Methods[len(n.Methods)-1]
		l, o := n.method("lingua").Test.Long, n.Methods[0].Test.Long
		w("| %s (%s) | %s | %v | %v | %v | %v | %v | %v | %v | %v |", n.Nation, n.Name, n.Decide, m.Test.Long.Precision(), m.Test.Long.Recall(),
			spread(m.Folds, long, precision), spread(m.Folds, long, recall), l.Precision(), l.Recall(), o.Precision(), o.Recall())
	}
	w("\nBy length, all pages for tests:\n")
	header(w, "", "precision", "recall, < 20 words", "20–49", "≥ 50", "wrong, other languages", "lingua: precision", "recall, < 20 words", "20–49", "≥ 50", "wrong")
	for _, n := range r.Nations {
		m, l := n.Methods[len(n.Methods)-1], n.method("lingua")
		w("| %s | %v | %v | %v | %v | %d of %d | %v | %v | %v | %v | %d |", n.Name, m.Test.All.Precision(), m.Test.Short.Recall(), m.Test.Middle.Recall(), m.Test.Long.Recall(), m.Foreign.FalsePositive, m.Foreign.Pages(),
			l.Test.All.Precision(), l.Test.Short.Recall(), l.Test.Middle.Recall(), l.Test.Long.Recall(), l.Foreign.FalsePositive)
	}
	w("")
}

func (n nationResult) method(name string) methodResult {
	for _, m := range n.Methods {
		if m.Name == name {
			return m
		}
	}
	return methodResult{}
}

func (r results) confusionTable(w writer) {
	w("## Neighbours\n")
	w("How many of the test pages of which nations each profile takes for its own. Of pages of no nation only languages with an error are shown.\n")
	columns := []string{"pages of", "pages"}
	for _, n := range r.Nations {
		columns = append(columns, n.Name)
	}
	header(w, columns...)
	for _, c := range r.Confusion {
		row := []string{c.Nations, fmt.Sprint(c.Pages)}
		for _, v := range c.Valid {
			if v == 0 {
				row = append(row, "·")
			} else {
				row = append(row, fmt.Sprint(v))
			}
		}
		w("| %s |", strings.Join(row, " | "))
	}
	w("")
}

func (n nationResult) probabilityTables(w writer) {
	if n.Calibrated == nil {
		w("## The probability of %s\n", n.Name)
		w("Profile `%s` decides by %s; there is no probability to be true or false.\n", n.Name, n.Decide)
		return
	}
	w("## The probability of %s\n", n.Name)
	w("Of test pages with a probability in a range, how many are the nation's; valid from %v on.\n", n.Min)
	header(w, "probability", "pages", "the nation's", "share", "mean probability")
	for i, b := range n.Calibrated {
		share, mean := evaluation.Share(math.NaN()), evaluation.Share(math.NaN())
		if b.Pages > 0 {
			share, mean = evaluation.Share(float64(b.Nations)/float64(b.Pages)), evaluation.Share(b.Sum/float64(b.Pages))
		}
		w("| %d–%d %% | %d | %d | %v | %v |", 100*i/len(n.Calibrated), 100*(i+1)/len(n.Calibrated), b.Pages, b.Nations, share, mean)
	}
	w("\nWhat each term contributes: weight × the mean of its (scaled) value are the log odds that it adds. *Without*: errors on test pages, and the mean loss")
	w("(−log of the probability of what is so), when the term is left out and all others are fitted again to the pages for training; with all terms, fitted so, %d are missed,", n.Base.Missed)
	w("%d wrong, and the loss is %.4f.\n", n.Base.Wrong, n.Base.Loss)
	header(w, "term", "weight", "mean, the nation's", "others", "adds, the nation's", "others", "without: missed", "wrong", "loss")
	for _, t := range n.Terms {
		row := fmt.Sprintf("| %s | %+.3f | %.3f | %.3f | %+.2f | %+.2f |", t.Name, t.Weight, t.Nation, t.Others, t.Weight*t.Nation+0, t.Weight*t.Others+0)
		if t.Without != nil {
			row += fmt.Sprintf(" %d | %d | %.4f |", t.Without.Missed, t.Without.Wrong, t.Without.Loss)
		} else {
			row += " | | |"
		}
		w("%s", row)
	}
	w("")
}

func (n nationResult) groupTables(w writer) {
	w("## Profile %s by length, language and what is remarkable\n", n.Name)
	for _, t := range []struct {
		name string
		list []group
	}{{"words", n.ByLength}, {"language of the main text", n.ByLanguage}, {"tag ([what they mean](formats/labelled.md#the-projects-own-set))", n.ByTag}} {
		header(w, t.name, "pages", "the nation's", "right", "missed", "wrong", "precision", "recall", "F1")
		rest, names := evaluation.Counts{}, 0
		for _, g := range t.list {
			c := g.Counts.Counts
			if nationsOf(c)+c.FalsePositive == 0 && len(t.list) > 12 {
				rest.TrueNegative, names = rest.TrueNegative+c.TrueNegative, names+1
				continue
			}
			w("| %s | %d | %d | %d | %d | %d | %v | %v | %v |", g.Name, c.Pages(), nationsOf(c), c.TruePositive, c.FalseNegative, c.FalsePositive, c.Precision(), c.Recall(), c.F1())
		}
		if names > 0 {
			w("| %d others | %d | 0 | 0 | 0 | 0 | – | – | – |", names, rest.Pages())
		}
		w("")
	}
}

func (n nationResult) failureLists(w writer) {
	w("## The worst errors of %s\n", n.Name)
	w("Of the test pages %d are missed and %d are wrong.\n", n.Errors[0], n.Errors[1])
	for _, l := range []struct {
		name string
		list []failure
	}{{"Missed", n.Missed}, {"Wrong", n.Wrong}} {
		for _, f := range l.list {
			of := f.Nations
			if of == "" {
				of = "none"
			}
			w("%s: `%s`, %s, in %s, of %s, %d words; %s\n", l.name, f.URL, f.Kind, f.Language, of, f.Words, f.Tags)
			w("```text\n%s\n%s```\n", strings.ReplaceAll(f.Text, "```", "'''"), f.Explain)
		}
	}
}

func (n nationResult) costTable(w writer) {
	w("## What the searchers of %s take\n", n.Name)
	w("Mean time for a test page, of the fastest of %d rounds; each searcher opened alone.\n", costRounds)
	header(w, "", "µs a page", "× the splitting of words")
	for _, c := range n.Costs {
		if c.Searcher != modelAlone {
			w("| %s | %s | %.2f |", c.Searcher, micro(c.NS), c.NS/max(1, n.Costs[0].NS))
		}
	}
	w("")
}
