// Package logparts knows the files of a log that rolls (ADR 39): its parts, in the order of their names, and
// the file that is written to. A part has the log's name, a dot and 14 digits of a time in UTC, and ".gz" behind that
// when it is compressed: crawl.log.20261123101946.gz. When both are there, the plain one counts.
//
// Invariants. A part never changes, but for being compressed. Readers hold one file open beside the log's own. A
// log may be read while it is written: a roll or a compression in between neither hides nor doubles a line.
//
// Readers belong to one goroutine; functions may be called concurrently.
//
// Not here: when a log is rolled, and what is acknowledged of it (package frontier).
package logparts
