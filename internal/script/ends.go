package script

// What ends the reading of a script is not an error that each of a hundred functions hands on, but a panic that job recovers, or the try
// statement: scripts have exceptions, and an interpreter of them is where those belong.

// outOfSteps ends what is read.
type outOfSteps struct{}

// thrown is an exception of a script.
type thrown struct{ val value }

// ends ends what is read. Nobody on the way to job recovers it: each that did and handed it on would look for the next anew.
func (p *Page) ends() {
	p.ending = true
	panic(outOfSteps{})
}

// throw throws a value.
func throw(v value) { panic(thrown{v}) }

// suspend leaves an expression in which a generator yields a value, or that is to return one.
func suspend(v value, d done) { panic(suspended{v, d}) }

// rethrow hands on what is not meant for who recovered it.
func rethrow(r any) { panic(r) }
