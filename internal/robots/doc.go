// Package robots reads robots.txt files as RFC 9309 says and answers whether a
// path may be fetched, and after what delay.
//
// A Rules is what one file means for one crawler: the rules of the groups that
// name its product token, or of the groups for '*' when none does. Nothing a
// server sends is an error: lines that mean nothing are skipped, bytes beyond
// MaxSize are not read, and matching takes time linear in path and pattern.
// A Rules never changes after it was made and may be used from any number of
// goroutines. Its binary form is small and versioned, for the host facts.
//
// Not here: fetching, following redirects of robots.txt, how long an answer
// stays valid, robots meta elements and X-Robots-Tag.
package robots
