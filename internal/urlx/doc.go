// Package urlx parses the addresses a crawl follows and derives from them what
// the crawl compares: the key that decides sameness, the SURT form that prefix
// lists match, the registered domain, the host for people to read.
//
// Parsing is that of the WHATWG URL standard, for http, https and ftp only;
// every other scheme is ErrScheme. A URL is immutable, is made of one
// normalised string, and parsing that string again gives the same URL.
// Ordinary addresses take a path of a few allocations; whatever that path does
// not understand goes to nlnwa/whatwg-url, and both give the same bytes.
//
// Everything here is a pure function or an immutable value, so all of it may
// be used from any number of goroutines.
//
// Not here: dns: pseudo-URIs (the frontier makes them), scope rules, and the
// resolution of host names.
package urlx
