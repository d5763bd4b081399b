// Package store puts complete files into a bucket of S3-compatible storage, or into another folder, proves that what is there is what
// was here, and reads it from there (ADR 77).
//
// Invariants: an object that has another content is never overwritten; nothing is deleted, here or there; no message holds a secret.
// An upload that broke off is continued with the parts that the server has.
//
// A [Store] and an [Object] may be used by several goroutines; two that put the same name get in each other's way, and one of
// them an error. Not here: what the files are, where they are registered, when they may be deleted.
package store
