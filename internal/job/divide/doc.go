// Package divide divides the archive of a job at rest by profile: `exclave divide` (ADR 59). A part holds what its profile
// alone would have archived, which follows from the rules of claims, the verdicts in the state and the links in the
// archive; capture groups are copied byte for byte.
//
// Invariants: the job is not changed; the new folder is there whole or not at all; every capture is in at least one part when
// all are made. One goroutine does it, under the job's lock. Memory: 64 bytes for each archived URI.
//
// Not here: dividing seeds (package collection), states or logs; a part is an archive, no job.
package divide
