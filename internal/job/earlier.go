package job

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"

	"exclave/chain/write"
	"exclave/config"
	"exclave/crawl"
	"exclave/warc/dedup"
)

// earlier looks into the index folders of other archives, in their order, and then asks servers.
type earlier struct {
	indexes []*dedup.Index
	servers []*server
	log     *slog.Logger
	once    sync.Once
}

// openEarlier opens the folders of the section dedup, and makes ready to ask the servers; it returns nil when there are none.
func (c *composer) openEarlier() (write.Earlier, error) {
	if len(c.cfg.Dedup.Index) == 0 && len(c.cfg.Dedup.Servers) == 0 {
		return nil, nil
	}
	e := &earlier{log: c.opts.Log}
	c.onClose(func(context.Context) error { return e.close() })
	for _, name := range c.cfg.Dedup.Index {
		x, err := dedup.Open(c.cfg.Path(name))
		if err != nil {
			return nil, fmt.Errorf("job: index of [dedup]: %w", err)
		}
		e.indexes = append(e.indexes, x)
	}
	servers, err := DedupServers(c.cfg)
	if err != nil {
		return nil, err
	}
	for _, s := range servers {
		e.servers = append(e.servers, newServer(s, c.cfg.Dedup.ServerConnections, c.opts.Clock, c.opts.Log))
	}
	c.earlier = e
	return e, nil
}

func (e *earlier) close() error {
	var errs []error
	for _, x := range e.indexes {
		errs = append(errs, x.Close())
	}
	for _, s := range e.servers {
		s.at.Close()
	}
	return errors.Join(errs...)
}

// DedupServers returns the CDX servers that the section dedup of a job names. Close them.
func DedupServers(cfg *config.Config) (servers []*dedup.Server, err error) {
	d := cfg.Dedup
	logins := dedup.Logins{}
	if d.ServerLogins != "" && len(d.Servers) > 0 {
		if logins, err = dedup.ReadLogins(cfg.Path(d.ServerLogins)); err != nil {
			return nil, fmt.Errorf("job: server_logins of [dedup]: %w", err)
		}
	}
	for _, name := range d.Servers {
		s, err := dedup.NewServer(dedup.ServerConfig{URL: name, Login: logins.Of(name), Timeout: d.ServerTimeout, Connections: d.ServerConnections})
		if err != nil {
			return nil, fmt.Errorf("job: servers of [dedup]: %w", err)
		}
		servers = append(servers, s)
	}
	return servers, nil
}

// Earlier implements [write.Earlier]. What cannot be read or asked costs room in the archive, no page.
func (e *earlier) Earlier(ctx context.Context, q write.Content) *crawl.Original {
	if c, ok := dedup.ParseContent(q.Entity, q.Chunked); ok {
		for _, x := range e.indexes {
			o, found, err := x.Find(c, q.URL, q.OnlyURL)
			if err != nil {
				e.once.Do(func() {
					e.log.Warn("an index of [dedup] cannot be read; what it should find is archived whole", "err", err)
				})
				continue
			}
			if found {
				return originalOf(o)
			}
		}
	}
	for _, s := range e.servers {
		if o, found := s.find(ctx, q); found {
			return originalOf(o)
		}
	}
	return nil
}

func originalOf(o dedup.Original) *crawl.Original {
	return &crawl.Original{URL: o.URL, Date: o.Date, Digest: o.Digest}
}

// Report implements [chain.Reporter].
func (e *earlier) Report(w io.Writer) error {
	for _, s := range e.servers {
		n := s.numbers()
		state := ""
		if n.Resting {
			state = ", does not answer now"
		}
		if _, err := fmt.Fprintf(w, "CDX server %s: %d asked, %d found, %d failed, %d not asked while it did not answer, %.1f s%s\n",
			s.at, n.Asked, n.Found, n.Failed, n.Skipped, n.Busy.Seconds(), state); err != nil {
			return err
		}
	}
	return nil
}

// numbers sums up what became of asking all servers.
func (e *earlier) numbers() (sum ServerNumbers) {
	if e == nil {
		return sum
	}
	for _, s := range e.servers {
		n := s.numbers()
		sum.Asked += n.Asked
		sum.Found += n.Found
		sum.Failed += n.Failed
		sum.Skipped += n.Skipped
		sum.Busy += n.Busy
		sum.Resting = sum.Resting || n.Resting
	}
	return sum
}
