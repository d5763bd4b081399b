// Package checkpoint keeps a job as it is at one instant, and makes jobs from what was kept (ADR 27). A [Maker] makes
// checkpoints of a job that is open, running or not: it asks the state for a copy and links, or copies, what that copy
// counts of WARC files and logs. [List] and [Restore] need no open job.
//
// A checkpoint is whole or it is none: it gets its name when everything is durable. Nothing in it is ever written again;
// files that a job writes to are copied, not linked, when a job is made from it. What is not here: what the state
// does to copy itself between two commits (package frontier).
package checkpoint
