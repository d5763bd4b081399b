// Package crawllog reads crawl.log, as Heritrix and this crawler write it: one line
// per URI that is done (docs/formats/crawl-log.md). It was written from the table of
// the format, not from the writer, so that each checks the other.
//
// Invariants. Fields are parted by any number of blanks; the thirteenth, JSON, is
// the rest of the line. A line that does not fit the table is an error with its
// number, and the reader goes on with the next. Memory does not depend on the
// length of the log.
//
// A Reader belongs to one goroutine; Parse may be called concurrently.
//
// Not here: writing the log (package chain/post).
package crawllog
