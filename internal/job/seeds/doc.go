// Package seeds reads seeds into the frontier of a job: the files that job.toml names, as far as
// no run before took them, and logs that are imported. A mark, committed with each batch, says how
// far a file was read (docs/formats/seeds.md, ADR 18). It also checks such files without a crawl, and
// takes user names and passwords from them (ADR 37). What is not here: formats of logs, which is
// package seedlog, and dividing logs into jobs, which is package collection.
package seeds
