// Package evaluation measures how well a profile tells pages of its nation from others, on labelled pages:
// precision, recall and F1 of all and by length, language and kind, the curve of precision and recall, what each searcher
// says alone, and the worst errors.
//
// Invariants: the same samples in the same order give the same report; memory grows by a few bytes a sample.
// A share of nothing is not a number, and null in JSON. Not safe for concurrent use.
//
// Not here: reading and judging labelled pages (labels), fitting weights (calibration).
package evaluation
