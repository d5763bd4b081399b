// Package deduptest has a CDX server for tests: [Outback] takes captures and answers questions about them as the documentation of OutbackCDX
// says. It listens on loopback, and may be asked by several goroutines. What a client makes of it is not here.
package deduptest
