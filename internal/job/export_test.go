package job

import (
	"exclave/chain"
	"exclave/frontier"
)

// Congestion is that of progress-statistics.log.
func Congestion(q frontier.QueueStates) string { return congestion(q) }

// ChangeSteps lets a test put steps of its own into the chains.
func (o *Options) ChangeSteps(change func(map[chain.Name][]chain.Step)) { o.steps = change }
