// Package store keeps the state of a crawl in Pebble: it opens it, reads rows, writes batches, copies it
// at an instant, and stops using it when Pebble or the disk fails. It also has what makes reading fast: caches
// of rows, a filter of the known keys, rows read ahead while others are committed.
//
// It knows tables (package schema) and no rules: it does not know what a row means. All methods of [Store] may
// be called at the same time; an [Iter], a [Batch] and a [Snapshot] are for one goroutine.
//
// No other package opens Pebble, but the benchmark that compares the frontier with a bare one
// (frontier/frontierbench). Its interface of a file system is that of package fsx, so others see that.
package store
