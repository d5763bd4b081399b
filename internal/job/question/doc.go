// Package question answers questions about a job, whether it runs or not: what is known of a URL and why it has its
// state, what is pending and in which queues, what robots.txt decides, and the reports. [Questions] is the one interface for
// them. A running crawl implements it, and package control carries it over its socket; for a job at rest [Look]
// opens a View. [Changes] is the like for what changes a job. Both are put to [Answers], which works on the open state,
// archive and logs of a job, and does not care who opened them.
//
// What is not here: whom to ask (the verbs: cmd/exclave/ask.go), how it is carried (package control), and the snapshot of
// a running crawl.
package question
