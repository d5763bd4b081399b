package frontier

import (
	"exclave/frontier/schema"
)

// QueueOf returns the name of the queue that a URI waits in, or would.
func (f *Frontier) QueueOf(r *schema.Record) string { return f.env.QueueName(r) }
