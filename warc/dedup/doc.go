// Package dedup keeps which content earlier harvests have archived, for crawls that write revisit records of it: a folder of sorted
// files (segments) that are written once and never changed (docs/formats/dedup.md, docs/adr/0073).
//
// A [Builder] adds what [FromWARC] and [FromCDX] tell to a folder: one segment, which is there whole or not at all. An [Index] finds it
// again by digest, or by address and digest, with one read of some 4 KB, and none for most of what is not there. In memory are two
// bytes for each row and 24 for each block of about 40.
//
// Nothing here knows of crawls. A Builder belongs to one goroutine; the methods of an Index may be called by several.
package dedup
