// Package extract holds the processors of the extract chain: the links of HTTP
// header fields and of documents, and the judgement of pages by the analyzer,
// which comes last, when the links are known.
//
// Invariants: a body is parsed once; links come from 2xx answers, and from
// redirects their target only; memory of a page is bounded by the limits of
// [Markup]; nothing a server sends is an error.
//
// Every processor serves all ToeThreads. Not here: what becomes of the links
// (package post) and of the verdict (packages crawl, write).
package extract
