package job

import (
	"exclave/chain"
)

// ChangeSteps lets a test put steps of its own into the chains.
func (o *Options) ChangeSteps(change func(map[chain.Name][]chain.Step)) { o.steps = change }
