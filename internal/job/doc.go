// Package job composes a job and runs it. [Open] builds what a crawl needs in order, from folder and lock to the
// controller (compose.go, archive.go), [Job.Run] crawls and tells how it goes (run.go, statistics.go), [Job.Close] closes
// everything in reverse. While it is open a job can be asked, steered and copied from any goroutine.
//
// A job is a folder with job.toml, seeds, and what the crawl makes: warcs/,
// logs/, reports/ and state/. One process works on a job at a time; a lock in
// state/ sees to that. No state is shared between jobs: several run in one
// process.
//
// What is done with a job, or at one, beside crawling are packages below this one (ADR 45), none of which knows
// it. What is not here: the verbs of the command line.
package job
