// Package rules says what a candidate or an outcome does to the rows of the state: which claims grow and what
// follows, which URIs may become known at a cap, which budgets are spent, what is counted, how long a queue is snoozed,
// and its place in line.
//
// A [Tx] is one commit: it reads the rows as the last commit left them, through [Rows], changes copies in memory,
// and hands the rows that changed to a [Writer] in [Tx.Flush]. Rules keep no state between commits: they follow the
// configuration ([Env]) and the rows. Each says what it reads, what it may change and
// what holds afterwards. The model in frontier/frontiertest has the same rules for a crawl in memory.
//
// A Tx belongs to one goroutine. Not here: when commits are made and what of them is durable (the committer of package
// frontier), which URI is offered next, and how rows are read and written.
package rules
