// Package demoweb is the small web of `exclave demo`: some sixty pages on
// fifteen hosts, written for it, around the question which of them are Czech.
//
// The files are below web/, one folder per host, in UTF-8; what they are served
// as (status, type, charset, coding) and what a crawl must make of them stands
// in one table, pages.go, beside the reason. The truth ([Expected]) was written
// by hand: it says what a reader of Czech says, not what the analyzer does.
//
// It holds for profile cz with link depth 0 or 1, links of valid pages
// analysed, the seeds of [Seeds], and everything on .cz out of scope except what
// archived pages embed.
//
// All functions may be called concurrently; nothing is kept between calls.
// Not here: serving (package testweb) and crawling.
package demoweb
