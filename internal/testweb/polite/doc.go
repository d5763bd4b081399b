// Package polite judges the log of a [testweb.Server] by the rules of politeness: what
// a crawler promised its servers, seen from their side. [Rules.Check] names every
// rule that was broken, [Rules.Repeats] every URL that was asked for again, with the
// cause that the log shows.
//
// It knows nothing of the crawler but when it was killed. A kill excuses one thing: the
// last request of a host before it may be one that the crawler did not get to note. So
// what only its answer could have told (Retry-After, a Crawl-delay, one more failure in
// a row) is not demanded after it; the delay of the host, and every limit of its address,
// are. That it was the last is what the log shows: with one request to a host at a time, the
// next is proof that the one before was noted.
//
// Everything here is a function of its arguments.
package polite
