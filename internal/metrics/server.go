package metrics

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"exclave/internal/job"
)

// closeBound is how long Close waits for a scrape that is under way.
const closeBound = 3 * time.Second

// Server serves /metrics. Make it with [Serve]; Close it before the job.
type Server struct {
	http   *http.Server
	addr   net.Addr
	served chan struct{}
}

// Serve listens on addr (host:port; port 0 is any free one) and answers scrapes
// with what snapshot returns, which must be safe to call from any goroutine until
// Close. version is the program's.
func Serve(addr string, snapshot func() job.Snapshot, version string, log *slog.Logger) (*Server, error) {
	reg, err := registry(snapshot, version)
	if err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("metrics: listen on %s: %w; name another address in [metrics] of job.toml, or stop what is listening there", addr, err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(reg, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn), MaxRequestsInFlight: 4}))
	s := &Server{addr: l.Addr(), served: make(chan struct{}), http: &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second,
		WriteTimeout: time.Minute, IdleTimeout: 5 * time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn)}}
	go func() {
		defer close(s.served)
		if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			log.Warn("metrics are no longer served", "err", err)
		}
	}()
	return s, nil
}

// Close stops serving and waits for a scrape under way, at most 3 s.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeBound)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(fmt.Errorf("metrics: a scrape does not end: %w", err), s.http.Close())
	}
	<-s.served
	return err
}
