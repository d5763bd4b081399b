// Package frontiertest proves a frontier, in two ways.
//
// [Conform] runs random operations, restarts and crashes on a frontier and on a model
// without queues, disks or concurrency, and compares everything that can be seen after
// each: what is known, its state, claim and attempts; what is offered, in which order,
// and never before its time; every count. It is written against [Subject] and [Store],
// so that another frontier can be tested with it.
//
// [Crawl] crawls random small webs to the end by several workers, in whatever order
// they come, and what was archived must be the least fixpoint of the claims
// (architecture decision 1).
//
// A Web is read-only once made; a Crawl is safe for concurrent use. Not here: network,
// chains, WARC files; limits of addresses, domains and rounds. Imported by tests only.
package frontiertest
