// Package fetch holds the processors that speak to servers: [DNS] for dns: URIs,
// [HTTP] for http: and https: ones, and [Archive], which takes the answer from
// the archive when a page is only to be judged again.
//
// The HTTP client is our own: net/http refuses answers that must be archived and
// does not give the bytes as they came. It sends GET over HTTP/1.1, reads
// whatever comes back as long as it can be told where it ends, and records the
// bytes of the final answer and nothing else.
//
// Invariants: whatever a server does ends as a status and annotations, an error
// is our own failure; no address outside the public internet is contacted unless
// the configuration allows it, whichever way it was found; a request is repeated
// only when a kept connection turns out to be dead before the first byte of an
// answer, when the server asks who it is, does not take what it was told unasked, or
// has forgotten a login. Annotations: lenTrunc, timeTrunc, headerTrunc, discTrunc, http09,
// chunked:broken, length:conflict, length:odd (a Content-Length that is none),
// header:odd (lines that are no fields, empty lines before the answer), header:long
// (more fields than are kept), slow (ended by header_timeout or least_rate),
// slow:crowded (ended since slow servers held half of the ToeThreads),
// address:refused, port:refused, dns:truncated, tls:untrusted,
// tls:expired, tls:hostname, tls:invalid, tls:failed, proxy:failed:<why> (unreachable, timeout, broken, the
// status of a proxy's answer, socks:<what it said>), auth:basic, auth:digest,
// auth:refused (the server did not take the password), auth:unanswered (a server with
// an account asks in no way that can be answered), login:ok, login:failed.
//
// All processors serve all ToeThreads. A connection belongs to one exchange at a
// time; idle ones are kept in a bounded pool until [HTTP.Stop]. Not here: when a
// host may be asked (frontier), what an answer is worth, the jar of cookies, HTTP/2.
package fetch
