// Package frontier is the crawl's memory, in Pebble: what is known of every URI
// (the seen set), the queues per host, politeness, facts about hosts, and what
// was acknowledged of the archive and the logs.
//
// Invariants. A URI is known once; its claims only grow. It leaves its queue in
// the commit that stores its outcome, so whatever was in process at a crash is
// offered again. Every change goes through one goroutine, the committer: it
// gathers a group, makes logs and WARC files durable, and writes one batch; only
// then are the callers answered (docs/adr/0002). Captures of one WARC file are
// committed in file order, so that a committed length never covers a capture
// that nobody acknowledged. A host has one URI in process at a time. A host that waits
// is in memory if and only if it is in process, about to be put off, or not beyond the
// horizon in the order of waking (docs/adr/0023): memory does not grow with hosts.
//
// All methods may be called concurrently. f.mu guards what Next, Stats and the
// committer share and is never held during I/O other than the reads of Next.
//
// Not here: what happens to a URI between Next and Finished (package chain), and
// the WARC files themselves (package warc, behind [Archive]).
package frontier
