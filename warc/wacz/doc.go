// Package wacz packs WARC files, with an index and a list of pages, into one file that replay tools open: WACZ 1.1.1
// (https://specs.webrecorder.net/wacz/1.1.1/, docs/adr/0070).
//
// Pack reads each file once or, when only hosts are wanted, twice, and writes the package as it reads. Files of gzip members are packed
// byte for byte; others are compressed anew, each record by itself. A package has its name when all of it is written and durable; before,
// and after an error, there is nothing, and one that is there is never replaced. Inputs are only read.
//
// Memory does not grow with what is packed: lines of the index and pages are sorted on disk. Only when hosts are wanted, 16 bytes are
// kept for each revisit record that stands for something of another host. A Pack belongs to one goroutine.
//
// Not here: which files a job has, signatures, opening packages.
package wacz
