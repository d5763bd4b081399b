// Package cookies keeps the cookies of a job (RFC 6265, ADR 96): which a server set, and which go with a request. Make a
// jar with [Open].
//
// Invariants: memory is bounded; a change is written to the journal before Set returns; nothing of a cookie is in an error. Not
// here: when they are sent, and that the archive hides them.
package cookies
