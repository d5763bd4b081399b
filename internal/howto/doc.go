// Package howto holds the test that follows README.md and every page of docs/howto as a
// reader would: their commands are run as they stand, in order, with the exclave of this
// checkout, and what they should print is compared. It holds nothing else.
//
// A page is ordinary Markdown. What its blocks are is said by the language of their fence:
//
//	sh    run by bash, which stops at the first command that fails; each block in the same
//	      folder. What is behind … in a "text" block directly below is what it prints.
//	toml  settings: "exclave check" must accept a new job with them, or a profile. A "text"
//	      block directly below is what check says of them, and then it must refuse them.
//	go    a recipe; the test of the recipe puts it where the page says and compiles it.
//	text  what the block above prints: … stands for anything in a line, a line of … for any
//	      lines; spaces in a row count as one.
//
// Other languages, and indented blocks, are errors, since nobody would notice that they are
// not looked at. What cannot be run has a comment above it, with the reason:
//
//	<!-- howto: not run: needs Grafana -->
//
// What a page may suppose to be there is made by testdata/setup.sh; what the reader writes
// with $EDITOR, by testdata/editor.sh. The web that is crawled is on loopback. Commands of other
// people's programs run where these are installed (package sharedtest).
package howto
