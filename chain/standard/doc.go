// Package standard is the explicit table of built-in processors: which chain a
// kind belongs to, what it does, how it is made, and which steps a new job has.
//
// Invariants: what is not in the table does not exist; every problem of a
// configuration is reported at once, with the key it is about; building does no
// I/O but reading the lists that rules name, so a configuration can be checked
// without a crawl.
//
// Nothing here is concurrent. Not here: the processors, and how TOML is read
// (package config).
package standard
