// Package sheet holds settings for a part of the web: Heritrix's sheets (ADR 94). A [Set] is read once from files with
// [[sheet]] tables and is immutable; of the sheets that apply to a URL the one with the longest SURT prefix wins, key by key,
// and those for profiles come last (ADR 112).
//
// To add a key: add a pointer field to [Settings] and a line to its method over, and read it from [Set.Of] where the
// setting is used. The kit of configurations refuses what is not a field, with its line.
//
// Invariants: a set has no lock and no state; a nil set has no sheets. Not here: which folder the files are in, and what
// a setting means.
package sheet
