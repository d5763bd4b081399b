// Package seedlog reads the logs that other harvests leave of the links they did
// not follow, and every other list of addresses a library owns: bare lists,
// Heritrix 1 and 3, Browsertrix, Veidemann, CDX and CDXJ, SURT prefixes, and this
// program's own out-of-scope log (docs/formats/seeds.md). Compression is told by
// magic bytes, the format from the first lines together.
//
// A Reader streams: it needs the same memory for a line and for a terabyte. What
// is broken is counted and sampled, never fatal, and so is the damage of a
// compressed file; only a source that cannot be read ends with an error. Inspect
// tells what a log holds, in bounded memory.
//
// A Reader belongs to one goroutine at a time. Not here: whether an address is
// wanted (the scope of a job), and where a job goes on reading (internal/job).
package seedlog
