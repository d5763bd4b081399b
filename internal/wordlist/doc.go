// Package wordlist makes the word lists of package dict: it reads words from hunspell
// dictionaries, frequency lists, plain lists, texts and WARC files ([Source]), and keeps
// those that belong to one language only, to it and one neighbour, or to it alone when
// diacritics are left out ([Build]). [Check] counts the sentences that a list hits.
//
// Invariants: the same sources give the same list, byte for byte; memory is bounded by
// what the list itself takes and [Recipe].Memory, whatever is read, since words are sorted
// on disk (internal/extsort).
//
// A function belongs to one goroutine. Not here: looking words up (package dict), what a
// hit is worth (package analyzer).
package wordlist
