// Package write holds the processor that archives: it decides by the claims
// whether an answer goes into the archive and writes its capture group.
//
// Invariants: a capture group is either whole in one WARC file or not there at
// all; the host's DNS answer and the origin's robots.txt are in the archive no
// later than the first page that needed them; secrets that we sent are not in
// the archive; an error is a failure of the disk, never of a page.
//
// The processor serves all ToeThreads; it blocks while all files of the pool are
// in use. Not here: what makes the group durable (frontier's committer), files,
// framing and compression (package warc).
package write
