// Package testweb serves small webs on loopback under their own names: for
// tests, for the demonstration and for benchmarks.
//
// A [Web] says which hosts exist and what answers for them. [Start] puts a web
// behind one plain HTTP port, one TLS port and one DNS server on loopback; a
// crawler that asks that DNS server and honours [Server.ConnectTo] sees the web
// as if it were the internet. The server keeps a log of what it was asked
// ([Server.Log]), so that politeness can be judged from the other side.
//
// Webs made here: [Tiny] (a map of URL to [Page]), [Synthetic] (any number of
// sites generated from a seed, with the truth about them), [FromWARC] (the
// sites of a recorded collection, byte for byte). Package demoweb below holds
// the web of the demonstration.
//
// Invariants: the same request gets the same bytes, whatever came before it
// (no Date header, no state); a [Page] with Raw bytes reaches the wire exactly
// as given; nothing listens beyond 127.0.0.0/8; after [Server.Close] no
// goroutine and no connection is left.
//
// Concurrency: a Web is asked by many goroutines at the same time and must
// allow that; all webs here do. A Server's methods may be called from anywhere.
//
// Not here: HTTP/2, IPv6, and anything a crawl itself needs.
package testweb
