// Package sched decides which URI is offered next. It is a state machine in memory over the queues of
// a crawl and the IP addresses that they send requests to.
//
// A [Scheduler] has no lock, no goroutine and no clock, and reads and writes nothing: the caller holds a
// lock around each call, passes the time, does what [Scheduler.Pick] decides and publishes each commit
// with [Scheduler.Apply]. Times are durations on one monotonic clock; a row's wall time is
// translated when the row comes in.
//
// A queue has one [State]. [Scheduler.move] is the only function that changes it, and its comment has the
// table of moves. The counts that users see ([Scheduler.Count], [Scheduler.Changes]) are derived from the
// moves made.
//
// Queues are resident up to two horizons: the first in line, and the snoozed ones whose wake time has come.
// Of the others only their places on disk are kept, which Pick asks to load (a [Load]) when there is room
// or their wake time has come.
package sched
