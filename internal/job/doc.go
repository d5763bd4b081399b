// Package job is the composition root: it opens a job folder, wires frontier,
// chains, analyzer and archive together in order, runs the crawl, and closes
// everything in reverse. It also verifies a job: state, archive and logs must
// agree in both directions.
//
// A job is a folder with job.toml, seeds, and what the crawl makes: warcs/,
// logs/, reports/ and state/. One process works on a job at a time; a lock in
// state/ sees to that. No state is shared between jobs: several run in one
// process. What is not here: the verbs of the command line.
package job
