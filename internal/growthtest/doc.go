// Package growthtest finds work that grows faster than its input: a regular
// expression that starts anew at every byte, a list that is searched for each of its
// elements, an error that is described by reading the document from its beginning.
//
// What is compared is the time that this thread spent on the processor, never the
// time on the wall, and only ratios of it: work on one input may take [MaxRatio] times as
// long as on as many bytes in eight smaller ones. Linear work takes as long, quadratic
// work eight times as long. Of several runs the least counts, and whatever takes less
// than [Floor] passes, so that a loaded machine fails no test.
//
// A test calls [Linear] with a shape of input; a fuzz test calls [Repeated] with what
// the fuzzer made up. One goroutine at a time; not here: memory.
package growthtest
