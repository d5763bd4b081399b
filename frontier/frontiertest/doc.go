// Package frontiertest proves a frontier against a model: random small webs are
// crawled to the end by several workers, in whatever order they come, and what
// was archived must be the least fixpoint of the claims (architecture decision
// 1), computed here without queues, disks or concurrency.
//
// A Web is read-only once made; a Crawl is safe for concurrent use. Not here:
// network, chains, WARC files. Imported by tests only.
package frontiertest
