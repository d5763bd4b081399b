// Package traps tells addresses of endless webs by their looks: calendars that have a
// page for each month of all time, shops with an address for each combination of
// filters, folders listed in each order, links that grow with each page.
//
// What it says follows from the address and the day alone, in time linear in its
// length, so that a decision can be made again and explained. It is meant to err by
// letting through: what a pattern takes is lost to a harvest, what it misses is stopped
// by caps. docs/howto/traps.md lists the patterns for people.
//
// A Finder is immutable and may be used from any number of goroutines. What is not
// here: repeated folders one behind the other, which the scope's rule pathological-path
// knows, and session ids that the key leaves out (urlx.Rules).
package traps
