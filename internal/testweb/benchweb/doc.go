// Package benchweb is the web that crawlers are measured on: hundreds of hosts
// and any number of resources of a realistic mixture of sizes, with every
// construct that a browser follows. A web follows from its [Params] alone and is
// never held in memory: what is at an address, what it refers to and each byte of
// it are computed from (seed, host, index).
//
// [Web] knows the truth ([Web.Resource], [Web.WriteTruth]); [Server] serves it
// cheaply, over HTTP, HTTPS and DNS on loopback, and counts what it is asked for.
//
// A host is a row of blocks of 16 resources. Slot 0 of a block is a page, which
// the page of the block's parent links to; each other slot is referred to by one
// construct of a page, style sheet, script, … of lower slot in the same block, so
// that a crawler that misses a construct misses resources. Besides there are many
// references that lead to what is known already, as in real pages.
//
// A deep web ([Params].Deep) is one of the same parts to measure what a job finds: fewer
// links, seeds in the midst of hosts, an IP address for each host, traps without end.
// [Web.Clicks] tells how far its resources are from a seed.
//
// Invariants: the same request gets the same bytes; every reference leads to a
// resource that exists, or into a trap; every resource can be reached from the seeds,
// except those that robots.txt forbids and some of a deep web.
//
// Concurrency: a Web does not change after New. A Server's methods may be called
// from anywhere.
//
// Not here: politeness, broken servers, exotic encodings: package testweb has them.
package benchweb
