// Package near counts the pages of an archive that say the same as an earlier one, or nearly the same, by the hashes of their
// texts (package simhash), whatever their addresses.
//
// Two simhashes that differ in at most k bits have one of k+1 blocks of bits in common, so only those in the same bucket of one of k+1 tables
// are compared (Manku, Jain, Das Sarma, Detecting Near-Duplicates for Web Crawling, 2007). Tables are sorted on disk; memory does not
// depend on the number of pages (ADR 81).
//
// A [Finder] belongs to one goroutine. Not here: where the hashes are from; reports.
package near
