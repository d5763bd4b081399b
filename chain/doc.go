// Package chain runs URIs through the five processor chains: pre-fetch, fetch,
// extract, write, post. It defines what a [Processor] is, carries one CrawlURI at
// a time through all chains in a ToeThread, and holds the [Controller] that
// starts and stops a crawl.
//
// Invariants: every URI taken from the frontier passes the post chain and is
// handed back with Finished exactly once, also when a processor fails or
// panics. A jump names a chain that exists: names are resolved when the chains
// are built. Processors do not time, count or log their own progress: the
// runner does.
//
// Concurrency: one Processor instance serves all ToeThreads; a CrawlURI belongs
// to one ToeThread. What is not here: the processors themselves (packages below
// chain) and the frontier.
package chain
