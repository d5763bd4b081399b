// Package commit makes requests durable, in groups: one goroutine gathers requests and reads ahead the rows they need,
// another applies the rules to them, appends and syncs logs and WARC files, writes one batch and publishes it, in
// that order ([Group]). Only then are the callers answered.
//
// Invariants. There is one group at a time. Captures of one WARC file are committed in the order of the file,
// so that a committed length never covers a capture that is not committed. After a failure nothing is
// committed any more: all waiting requests are answered with the error.
//
// The methods of [Committer] may be called concurrently. [Env] provides the steps, so that their order can be tested
// without a disk. Not here: what a request does to rows (package rules), how rows are kept (package store).
package commit
