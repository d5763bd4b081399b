// Package analyzer decides whether a page belongs to a nation, and says why.
//
// A Profile names the searchers that look at a page, the points each valid
// element is worth, and the points a page needs. Searchers count; the Analyzer
// scores: it multiplies, caps and adds, so that every Verdict can be explained
// from the counts and the evidence it carries.
//
// The package works alone: a Page can be filled from a file as well as by a
// crawl. No nation is named in the code, only in profiles.
//
// Invariants: the same Page, profiles and word lists give the same verdicts,
// byte for byte; what a server sends never makes Run fail; memory for one page
// is bounded by Config.MaxText and the caps on evidence.
//
// Concurrency: an Analyzer is opened once and serves any number of goroutines
// until it is closed; Run takes no lock. A Page belongs to the goroutine that
// runs it.
//
// Not here: finding links, text and charset of a document (internal/markup),
// what is archived after a verdict and how deep (crawl, chain), word lists
// (dict).
package analyzer
