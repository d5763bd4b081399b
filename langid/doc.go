// Package langid tells the languages of a text by its words and, where it does not know them, by
// their letters.
//
// A Model holds, for each of the frequent words of each language, how much more probable it is
// there than in a text of no known language, and the same for n-grams of letters, which are asked
// where a word is not known. A text is looked at in passages; each is in the language that is the
// most probable, or Unknown: names have a nearest language, too, but are no text in it. What tells
// is that a passage has some of the language's most frequent words.
//
// Invariants: the same words give the same answer; the time for a text is linear in its words up to
// MaxPassages passages, and then only in passing over the others; no answer allocates more
// than a few KB.
//
// Concurrency: a Model never changes once it is read, so any number of goroutines may ask it; a
// Scorer belongs to one.
//
// Not here: splitting a text into words (dict), what a passage is worth (analyzer), how the model
// is made (tools/langmodel).
package langid
