package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"exclave/internal/job"
	"exclave/internal/job/folder"
)

// How long Close waits: for requests to end by themselves, and then for handlers
// whose context it has ended.
const (
	closeGrace = 3 * time.Second
	closeBound = 10 * time.Second
)

// Server answers questions about one job. Make it with [Serve]; Close it before
// the job.
type Server struct {
	job    *job.Job
	log    *slog.Logger
	addr   address
	http   *http.Server
	cancel context.CancelFunc // of all handlers
	served chan struct{}
}

// Serve makes the control socket of the job in the folder dir and answers on it
// until Close. The job must be open and locked by this process. An error leaves
// nothing behind.
func Serve(j *job.Job, dir string, log *slog.Logger) (*Server, error) {
	l, addr, err := listen(filepath.Join(dir, folder.StateDir))
	if err != nil {
		return nil, fmt.Errorf("control: socket for %s: %w", dir, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &Server{job: j, log: log, addr: addr, cancel: cancel, served: make(chan struct{})}
	mux := http.NewServeMux()
	for pattern, h := range s.routes() {
		mux.Handle(pattern, s.handle(h))
	}
	mux.Handle("/", s.handle(func(_ http.ResponseWriter, r *http.Request) error {
		return notFound(fmt.Errorf("there is no %s %s", r.Method, r.URL.Path))
	}))
	s.http = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx },
		ErrorLog:    slog.NewLogLogger(log.Handler(), slog.LevelWarn)}
	go func() {
		defer close(s.served)
		if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			log.Warn("control socket failed", "err", err)
		}
	}()
	return s, nil
}

// Close takes the socket away and waits for requests in work: 3 s for their end,
// then, their contexts ended, 10 s more. An error means that something was left.
func (s *Server) Close() error {
	errs := []error{s.addr.remove()}
	err := s.shutdown(closeGrace)
	s.cancel()
	if err != nil {
		if err := s.shutdown(closeBound); err != nil {
			errs = append(errs, fmt.Errorf("a request does not end: %w", err), s.http.Close())
		}
	}
	<-s.served
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("control: close: %w", err)
	}
	return nil
}

func (s *Server) shutdown(bound time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), bound)
	defer cancel()
	return s.http.Shutdown(ctx)
}

// handler answers a request. An error becomes the answer unless one was begun.
type handler func(w http.ResponseWriter, r *http.Request) error

// codedError is an error with the HTTP status it asks for.
type codedError struct {
	code int
	err  error
}

func (e codedError) Error() string { return e.err.Error() }
func (e codedError) Unwrap() error { return e.err }

// badRequest marks an error as the asker's: status 400.
func badRequest(err error) error { return codedError{http.StatusBadRequest, err} }

// notFound marks what does not exist: status 404.
func notFound(err error) error { return codedError{http.StatusNotFound, err} }

// handle answers the errors of h. One without a status is ours, 500.
func (s *Server) handle(h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := h(w, r)
		if err == nil {
			return
		}
		var c codedError
		if !errors.As(err, &c) {
			c = codedError{http.StatusInternalServerError, err}
			s.log.Warn("control request failed", "path", r.URL.Path, "err", err)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(c.code)
		_ = json.NewEncoder(w).Encode(failure{c.Error()}) // the asker is gone
	})
}

// failure is the body of an answer that says no.
type failure struct {
	Error string `json:"error"`
}

// reply answers with v as JSON.
func reply(w http.ResponseWriter, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("control: encode the answer: %w", err)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(body, '\n')) // fails when the asker is gone
	return nil
}
