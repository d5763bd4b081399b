// Package rebuild makes the state of a job anew, from its archive and its logs: `exclave recover` (ADR 32). It reads
// both, tells a [frontier.Builder] of each URI what the committer of the crawl committed, and puts the new state in
// the place of the old one, which is kept. Nothing is deleted: what cannot be used is set aside.
//
// The work has three parts, which share a rebuilding: archive (the WARC files and the capture groups in them), logs (their
// lines, and what is done with those that cannot be used), and replay (what they tell, URI by URI). A job is recovered
// by one process, under the job's lock. What is not here: what every start does after a kill, which is recovery in
// package frontier and in package warc; and any part of a job that runs.
package rebuild
