// Package warc writes, reads and verifies WARC 1.1 files, one gzip member per
// record (docs/formats/warc.md).
//
// Writing: a Pool hands a File to one owner at a time. The records between Begin
// and End are a capture; it lies contiguous in one file, and either all of it is
// there or none. Nothing is durable before Sync, nothing is acknowledged before
// Committed, and a file gets its final name only when every byte of it is
// committed. Recover brings the files back to what was committed (docs/adr/0013,
// architecture decision 2).
//
// Reading: Reader streams records of WARC and ARC files, plain or of gzip and zstd, by record
// or as one stream, with their exact places and, when told to, goes on after damage; ReadAt reads one record by its place; Verify checks a
// whole file, with gowarc as second opinion, which a Reader has when told to.
//
// A Pool is safe for concurrent use, a File belongs to who acquired it, a Reader
// to one goroutine. Not here: what to archive, redaction, deduplication, any
// knowledge of a crawl.
package warc
