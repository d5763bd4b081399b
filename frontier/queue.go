package frontier

import (
	"exclave/frontier/rules"
	"exclave/frontier/schema"
)

// QueueOf returns the name of the queue that a URI waits in, or would.
func (f *Frontier) QueueOf(r *schema.Record) string { return f.env.QueueName(r) }

// addressHost is the host whose address a queue's next request goes to.
func (f *Frontier) addressHost(h *host) (string, error) {
	if f.cfg.Key() == rules.QueueByHost {
		return h.row.Name, nil
	}
	r, _, err := f.head(h)
	if r == nil || err != nil {
		return h.row.Name, err
	}
	return r.Host, nil
}
