// Package sched decides which URI is offered next. It is a state machine in memory over the queues of
// a crawl and the IP addresses that they ask.
//
// A [Scheduler] has no lock, no goroutine and no clock, and reads and writes nothing: who uses it holds a
// lock around each call, passes the time, does what [Scheduler.Pick] asks for and publishes each commit
// with [Scheduler.Apply]. Times are durations on one monotonic clock; a row's wall time is
// translated when the row comes in.
//
// Where a queue stands is its [State]. [Scheduler.move] is the only function that changes one, and
// its comment has the table of moves. What users see counted ([Scheduler.Count], [Scheduler.Changes])
// is derived from the moves that were made.
//
// In memory are the queues up to two horizons: those first in line, and those snoozed ones whose time has
// come. The others are places on disk, which Pick asks for (a [Load]) when there is room or
// time.
package sched
