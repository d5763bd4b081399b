package control

import (
	"net/http"

	"exclave/chain"
)

// routes is the table of what can be asked.
func (s *Server) routes() map[string]handler {
	return map[string]handler{
		"GET /snapshot": s.snapshot,
		"GET /show":     s.show,
		"POST /pause":   s.steer(s.job.Pause),
		"POST /resume":  s.steer(s.job.Resume),
		"POST /stop":    s.steer(s.job.Stop),

		"POST /reload": s.reload,
		"GET /sheet":   s.sheet,

		"GET /why":              s.why,
		"GET /robots":           s.robots,
		"GET /frontier":         s.frontier,
		"GET /frontier/queue":   s.queue,
		"GET /frontier/uris":    s.waiting,
		"POST /frontier/delete": s.delete,
		"POST /retry":           s.retry,

		"GET /files":         s.files,
		"GET /report/{name}": s.report,
		"POST /seeds":        s.importSeeds,
		"POST /checkpoint":   s.checkpoint,
	}
}

func (s *Server) snapshot(w http.ResponseWriter, _ *http.Request) error {
	return reply(w, s.job.Snapshot())
}

// Steered is the answer to pause, resume and stop: what the run is about to do.
type Steered struct {
	State chain.State `json:"state"`
}

// steer makes the handler of an order. It answers at once: the order was given,
// which says nothing of URIs in process.
func (s *Server) steer(order func()) handler {
	return func(w http.ResponseWriter, _ *http.Request) error {
		order()
		return reply(w, Steered{s.job.Snapshot().State})
	}
}
