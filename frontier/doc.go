// Package frontier knows every URI of the crawl, dispatches the next, and is polite. It
// keeps its state in Pebble: known URIs, queues, politeness, facts about hosts, and the
// committed lengths of WARC files and logs.
//
// Invariants. A URI is known once; its claims only grow. It leaves its queue in
// the commit that stores its outcome, so a URI in process at a crash is
// dispatched again. Every change goes through one goroutine, the committer: it
// gathers a group, makes logs and WARC files durable, and writes one batch; only
// then are the callers answered (docs/adr/0002). Captures of one WARC file are
// committed in file order, so that a committed length never covers a capture
// that is not committed. A queue has as many URIs in process as it has connections, one by
// default. A queue is resident only if it has a URI in process, is about to be evicted, or is not
// beyond the horizon of its order (docs/adr/0023): memory does not grow with hosts.
//
// All methods may be called concurrently. f.mu guards what Next, Stats and the
// committer share and is never held during I/O other than the reads of Next.
//
// Not here: what happens to a URI between Next and Finished (package chain), and
// the WARC files themselves (package warc, behind [Archive]).
package frontier
