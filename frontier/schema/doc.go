// Package schema defines the state of a crawl on disk: each table, once. A table is declared with the letter that its
// keys begin with, what follows it, the version of its values, and the older versions that can be read; the function
// that decodes a row says what an older one lacks. [Tables] lists them: what measures, checks or copies the state goes
// through it.
//
// The package is pure: bytes in, values out. It knows no store, no clock and no rules; its functions may be called
// concurrently. Times have milliseconds, numbers in keys are big-endian, so that rows sort by them.
// docs/formats/state.md describes the same; a test compares both.
//
// Not here: which rows are read and written when (package frontier and its rooms), and what a crawl does with them.
package schema
