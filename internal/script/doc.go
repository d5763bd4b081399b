// Package script interprets the scripts of a page, as far as their values are
// known, to learn which addresses they put together. Nothing of it reaches
// outside: there is no network, no clock and no chance, all that a browser has
// is either the page's own document or not known, and what is not known goes
// on as such through everything that is done with it. A condition that is not
// known has both of its branches read. Work and memory are bounded by the
// length of the scripts (ADR 113).
package script
