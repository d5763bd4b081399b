// Package heritrixlogs reads crawl.log and the reports of a job as Heritrix 3 writes
// them, strictly. It was written from Heritrix's manual (Operating Heritrix: log
// files, reports), the header lines and the order of print statements in its sources
// (docs/adr/0041-what-peoples-scripts-read.md names them) and the reports that a
// Heritrix 3.3.0 left (testdata), not from what this crawler writes: where the two
// disagree, this crawler is wrong.
//
// Strict means: header lines to the byte, every column there and of its type, values
// in the order of the source, numbers that must agree within a report or between
// reports compared. What a script would overlook is an error here.
//
// Everything is read into memory: it is for tests, on small jobs. Nothing is
// shared; functions may be called concurrently.
//
// Not here: what is ours in the logs and reports.
package heritrixlogs
