package main

import (
	"errors"
	"log/slog"

	"exclave/config"
	"exclave/internal/control"
	"exclave/internal/job"
	"exclave/internal/metrics"
)

// serveJob opens the job to pause, show and their like, and to Prometheus. A crawl
// is worth more than its control socket: without one it runs, with a
// warning. An address for metrics was set by the user: that it is not free is an error.
func serveJob(j *job.Job, cfg *config.Config, log *slog.Logger) (closeIt func(), err error) {
	var closers []func() error
	if addr := cfg.Metrics.Address; addr != "" {
		m, err := metrics.Serve(addr, j.Snapshot, programVersion, log)
		if err != nil {
			return nil, err
		}
		closers = append(closers, m.Close)
	}
	if s, err := control.Serve(j, cfg.Dir, log); err != nil {
		log.Warn("this crawl cannot be paused, shown or fed from outside", "err", err)
	} else {
		closers = append(closers, s.Close)
	}
	return func() {
		var errs []error
		for _, c := range closers {
			errs = append(errs, c())
		}
		if err := errors.Join(errs...); err != nil {
			log.Warn("the crawl's sockets were not closed in order", "err", err)
		}
	}, nil
}
