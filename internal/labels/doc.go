// Package labels reads and writes pages of which a person knows which nations they belong to
// (docs/formats/labelled.md), and judges them: by their document, by the answer to their URL in a
// WARC file, or by the verdicts that were logged of them.
//
// Invariants: lines are read as a stream, and a document is in memory only while it is judged;
// lines without a document are kept until the end. The same files give the same pages in the same
// order. Every problem of a line names file and line.
//
// Not here: what is measured (evaluation), how weights are fitted (calibration).
package labels
