package main

import (
	"fmt"
	"io"

	"exclave/warc"
)

// mostDoubts is how many objections to the records of a file are said.
const mostDoubts = 10

// doubts says on stderr what the second opinion (gowarc) objects to in WARC files that a
// verb reads. It changes neither result nor exit code.
type doubts struct {
	to   io.Writer
	file string
	n    int // of file
}

// note says an objection, unless enough were said of its file.
func (d *doubts) note(o warc.Defect) {
	if o.File != d.file {
		d.end()
		d.file = o.File
	}
	if d.n++; d.n <= mostDoubts {
		fmt.Fprintf(d.to, "exclave: note: %s at %d: %s\n", o.File, o.Offset, o.Detail)
	}
}

// end says how many objections to the file before were not said.
func (d *doubts) end() {
	if d.n > mostDoubts {
		fmt.Fprintf(d.to, "exclave: note: %s: %d more such objections\n", d.file, d.n-mostDoubts)
	}
	d.n = 0
}
