// Package simhash tells whether two texts are nearly the same by a number of 64 bits for each: similar texts have numbers that
// differ in few bits (Charikar, Similarity Estimation Techniques from Rounding Algorithms, 2002).
//
// Invariants: the numbers of a text depend on its words alone, are the same on every machine and in every version
// (docs/formats/simhash.md), and are made in one pass without memory of its length.
//
// All functions may be called concurrently. Not here: what a page's text is (internal/markup); finding those that are near among many
// (internal/near).
package simhash
