// Package pdf reads what a PDF file says: the text of its pages, title, and the addresses of its links (ISO 32000-2).
//
// A file is read as it is, not as its tables say: every object that stands in it is found, of two with a number the later one counts, so
// cut and damaged files give what they have. Files that are encrypted under the empty password, as most are that only forbid
// printing, are read; others give nothing.
//
// Invariants: work and memory are bounded by [Limits] whatever the bytes; no function panics on them. Not here: fonts' glyphs (a text
// whose font does not say what its codes mean is left out), layout, forms.
package pdf
