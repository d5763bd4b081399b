package job

import (
	"exclave/chain"
)

// ChangeSteps lets a test put steps of its own into the chains.
func (o *Options) ChangeSteps(change func(map[chain.Name][]chain.Step)) { o.steps = change }

// Tiny lets a verification hold next to nothing at a time.
func (o *VerifyOptions) Tiny() {
	o.sizes = verifySizes{chunk: 300, unit: 1, lines: 40, cache: 1 << 20}
}
