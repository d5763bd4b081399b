// Package record keeps the exact bytes of one exchange with a server: the
// request as sent and the final answer as received, in memory up to a threshold
// and beyond it in a scratch file.
//
// What is stored is what came over the wire, transfer and content codings
// included; [Recording.Body] takes the codings off, as far as they can be taken
// off, and never gives more than it was asked for. Interim answers and bytes
// after the end of the body are not part of a recording: who reads the wire
// leaves them out. The scratch file loses its name as soon as it is open, so a
// crash leaves nothing behind.
//
// [HeadEnd] says where a header ends, for everybody who must know. [ParseHead] and
// [Chunks] read answers as servers write them, not as RFC 9112
// has them: lines may end with LF alone, may lack a colon, lengths may
// contradict each other. Nothing a server sends makes them fail or panic.
// [Exchange] is the small serialised form of an answer that waits for its place
// in the archive.
//
// A Recording belongs to one goroutine. Not here: connections, what to do about
// a status, and WARC records.
package record
