// Package dict holds the word lists by which a language is told from its
// neighbours: opening a list, looking words up, their classes. It also owns the one definition of a word (Words) and of its normal form
// (Normalize), so that what is built and what is looked up always agree.
//
// Invariants: the words of a List are normalised (NFC, lower case), unique and
// sorted bytewise; a List never changes once it is open.
//
// Concurrency: a List is immutable, so any number of goroutines may look words
// up at the same time, without locks and without allocating.
//
// Not here: what a hit is worth (package analyzer), identification of a
// language by n-grams, making lists (package wordlist), fetching the sources of the built-in lists
// (tools/wordlists).
package dict
