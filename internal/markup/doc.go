// Package markup reads a document once and tells everything the rest of the
// program wants from it: links with hop letter and context, clean text, title,
// language attributes, charset, robots directives.
//
// One result type, Doc, serves all formats: HTML, XHTML, plain text, CSS,
// JavaScript, SVG, XML, HLS and DASH playlists, web manifests, PDF.
//
// Invariants: no input makes Parse panic or fail, a broken document gives what
// could be read of it; text, title, links, URLs and source are bounded by
// Options and constants, memory by a small multiple of the body; strings of a
// Doc never share memory with the body. Every string is valid UTF-8. URLs are
// as found (entities and escapes decoded, edges trimmed as browsers do), not
// resolved; only http, https, ftp and relative references are given. Links are
// distinct by URL, hop and context, in document order, speculative ones last.
// The body is never modified.
//
// Concurrency: Parse may be called from any number of goroutines; a Doc is
// written by nobody after Parse returned it.
//
// Not here: fetching, resolving and normalising URLs (internal/urlx), MIME
// detection (internal/mime), the HTTP Link header, the text of PDF files, links
// of feeds and sitemaps.
package markup
