// Package config is the whole tree of job.toml, composed of the Config structs of
// the packages that use them. It reads a job's configuration strictly, reports
// every problem at once with line, column and what to do, and writes the
// commented template of a new job.
//
// Invariants: what [Template] writes, [Load] reads back; every key
// of the tree has a comment in the template; a key that nobody understands is a
// problem, never ignored. Defaults are code of the packages that own them.
//
// There is no state; all functions may be called concurrently. What is not here:
// what the values do. Only internal/job, the console and cmd know this package.
package config
