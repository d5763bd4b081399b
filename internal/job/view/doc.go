// Package view looks at a job at rest: [Open] opens its state read-only, holding the lock of the job, and a [View]
// has configuration, state, archive and logs for whoever has a question. It changes nothing; a job on a read-only
// file system, or of another user, can be looked at.
//
// What is not here: the questions (package question), proving that state, archive and logs agree (package verify),
// and anything that a running crawl alone has.
package view
