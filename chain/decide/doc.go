// Package decide holds the rules that let URIs into the crawl and processors
// skip URIs. Rules are asked in order; the last that is not silent wins, as in
// Heritrix. The rule that decided goes with every rejected link into the
// out-of-scope log.
//
// Rules are immutable after they are built and safe for concurrent use. What is
// not here: the processors that ask them.
package decide
