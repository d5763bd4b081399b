// Package collection divides logs of addresses into collections that are crawled
// one after another, and ranks their hosts by the pages of a nation that link to
// them (docs/adr/0024).
//
// A Gatherer reads logs; then it ranks, or splits, once. Memory does not grow with
// the logs: addresses and links go to sorted runs on disk, which are merged. Counts
// are exact: records are told apart by their bytes, hashes only put them in order.
// The same logs in any order give the same collections.
//
// Make does all of it within a folder that gets its name when everything in it is
// complete and on the disk.
//
// Records, in the order of the passes:
//
//	addresses  hash of host, hash of key: key, URL if it differs, via and its rank, source tag
//	links      hash of host, hash of domain: host, domain and page that link to it
//	ranking    most domains first, most pages first: most URLs first, host
//	places     hash of host, collection and rank: host
//	seeds      collection and rank, path: URL, via, source tag
//
// A Gatherer belongs to one goroutine; it reads and sorts in others. Not here: formats of logs
// (internal/seedlog), and what a job is.
package collection
