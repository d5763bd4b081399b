// Package cdx makes the indexes by which replay tools find captures in WARC files: CDXJ as pywb, cdxj-indexer and WACZ have it, and
// the older CDX of 11 and 9 fields (docs/formats/cdx.md).
//
// [Read] tells the captures of one file; an [Index] takes captures of any number of files and writes their lines sorted, without
// duplicates, with memory that does not grow with them. Nothing here knows of crawls. An Index is for one goroutine.
package cdx
