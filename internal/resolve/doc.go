// Package resolve finds the addresses of hosts by asking the configured DNS
// servers itself, so that the answer can be archived as a record, its lifetime
// respected, and a failure told apart as permanent or worth another try.
//
// A lookup asks the server that last answered, over UDP and, when the answer
// did not fit, over TCP, and goes on to the next server when one fails. Aliases
// are followed to their end. Nothing a server sends makes it panic or block
// longer than the timeouts.
//
// A Resolver is safe for concurrent use and starts no goroutine that outlives a
// Lookup. Not here: a cache (host facts live in the frontier's state), hosts
// files and search domains, which would make a crawl depend on the machine it
// runs on, and DNSSEC validation.
package resolve
