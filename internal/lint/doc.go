// Package lint checks the code of the module itself: the import table of the
// architecture, package comments, and what the style forbids. Its test runs the
// checks over the module, and over small trees that break each of them.
//
// The checks read syntax only, so they need no build and know no types. There is
// no state. What is not here: what golangci-lint finds (.golangci.yml).
package lint
