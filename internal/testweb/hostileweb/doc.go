// Package hostileweb is a web half of which means harm, for measuring what that costs
// a crawler: documents that are slow to read or unpack to a thousand times their size,
// answers that break HTTP, servers that never end, robots.txt without an end, name
// servers and TLS that fail, traps. Each kind has a name ([Cases]); beside them there
// are healthy hosts, whose pages a crawl must find all the same.
//
// [Start] serves the web on loopback: every host has a name and an address of its own.
// [Server.Stats] says what was asked for, and how soon the healthy pages were.
//
// A hostile host has index pages that are healthy themselves and lead to its items,
// which are not; where its robots.txt, its name or its TLS is what is wrong, the items
// are ordinary pages.
//
// Invariants: the same request gets the same answer; what exists follows from [Params]
// alone; nothing listens beyond 127.0.0.0/8.
//
// Concurrency: Stats may be called from anywhere.
//
// Not here: crawling, and judging what came of it (exclave bench hostile).
package hostileweb
