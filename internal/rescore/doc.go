// Package rescore applies a profile to the findings that a harvest logged, without fetching: which verdicts would be others,
// and why, and what would have been archived.
//
// Invariants: analysis.jsonl is read as a stream, all its parts in order, a line in memory at a time; the log is not
// changed. A profile that needs what the log lacks is an error, never a guess. It may run beside the crawl: then the log ends
// somewhere.
//
// Not here: new findings (package analyzer judges pages), a new crawl.
package rescore
