// Package labelled makes the labelled set: pages of which it is known to which nations they
// belong, for measuring profiles and for fitting their weights. Texts that were written for it
// (texts/, one file each) are put into pages as they are found in the wild: by several
// generators, cut to a few words, without diacritics, in legacy charsets that are declared or
// falsely declared, with menus, contacts and comments, and mixed with each other.
//
// Invariants: the same texts make the same bytes. A page's label follows from the rules in
// docs/formats/labelled.md and from how it was made. Texts of one source are on one side of the
// split only. Names, numbers and addresses are invented.
//
// Concurrency: functions share nothing.
//
// Not here: judging pages, measures, fitting.
package labelled
