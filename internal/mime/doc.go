// Package mime decides what a body really is. Servers lie (video sent as
// text/plain, pages sent as application/octet-stream), so the bytes are asked
// first, then the declaration, then the way the link was found, then the name.
//
// Invariants: magic bytes of a binary format beat every declaration; a type
// without reliable magic (CSS, JavaScript, JSON) is never guessed from bytes
// alone; text in any single-byte charset or UTF-16 stays text; the result
// depends on the arguments only. Detect never fails: what cannot be told is
// application/octet-stream or text/plain.
//
// All functions may be called concurrently; the package has no state.
//
// Not here: charset detection and decoding (internal/markup).
package mime
