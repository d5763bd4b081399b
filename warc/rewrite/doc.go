// Package rewrite copies the records of WARC files into new ones: all of them, those that a rule keeps, or those that
// are whole in a damaged file (docs/adr/0071).
//
// Run reads inputs one after the other and gives rules whole captures: records that stand together and name each other. A Set holds
// the outputs. They have their names when all is written and durable; before, and after an error, there is nothing. An input is
// only read, an output that is there is refused. Of a record header and block are the same bytes in the output; ARC records get the WARC header
// that the Reader gives them.
//
// In memory are a capture, a piece of each block (the rest in temporary files), and of a takedown the IDs of what is left out; which record
// belongs to which it keeps on disk. A Run belongs to one goroutine. Not here: what is wrong with files (package warc), and indexes.
package rewrite
