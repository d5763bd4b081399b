// Package schema says what the state of a crawl is on disk: every table, once. A table is declared with the letter
// its keys begin with, what follows in them, the type of its rows, the version of their values and those that are
// read beside it; what a row of an older format lacks says the function that reads it. [Tables] is the list of them:
// whoever measures, checks or copies the state goes through it.
//
// The package is pure: bytes in, values out. It knows no store, no clock and no rules; its functions may be called
// concurrently. Times have milliseconds, numbers in keys are big-endian, so that rows sort by them.
// docs/formats/state.md says the same for people; a test compares both.
//
// Not here: which rows are read and written when (package frontier and its rooms), and what a crawl does with them.
package schema
