// Package crawl is the vocabulary of a crawl: candidates, claims, the URI being
// processed, its outcome, status codes and the facts kept about hosts. Every
// other package speaks it.
//
// Invariants: claims only grow ([Claim.Join] is commutative, associative and
// idempotent), and what is archived follows from the joined claim and the
// outcome alone ([Depths.Archived]), so the order of discovery cannot matter.
//
// Values are plain data. A [CrawlURI] belongs to one ToeThread at a time;
// nothing here locks, starts goroutines or does I/O. What is not here: how URIs
// are queued (package frontier), processed (chain) or stored (warc).
package crawl
