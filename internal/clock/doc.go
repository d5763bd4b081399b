// Package clock is the source of time that every part of a crawl is given
// instead of package time.
//
// Wall time (Now) is what is stored: it may jump, in either direction. Monotonic
// time (Mono) and timers are what is waited on: they only go forward, at one
// second per second, and start anew with each process. A duration is measured
// as the difference of two Mono values, never of two stored times.
//
// All types are safe for concurrent use. Not here: tickers, sleeping, contexts
// with deadlines; goroutine-heavy tests use testing/synctest with System.
package clock
