// Package extsort sorts more records than fit in memory.
//
// A Sorter takes records in any order, sorts chunks of them, writes these to compressed files
// (runs), and gives back a Merge of all, in order, without duplicates. What fits in one chunk
// never touches the disk. Memory is bounded by the size of a chunk, whatever is sorted.
//
// A Sorter and its Merge belong to one goroutine; chunks are written in another. Not here: what
// records mean.
package extsort
