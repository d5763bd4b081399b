package job

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"exclave/chain/write"
	"exclave/crawl"
	"exclave/warc/dedup"
)

// earlier looks into the index folders of other archives, in their order.
type earlier struct {
	indexes []*dedup.Index
	log     *slog.Logger
	once    sync.Once
}

// openEarlier opens the folders of the section dedup; it returns nil when there are none.
func (c *composer) openEarlier() (write.Earlier, error) {
	if len(c.cfg.Dedup.Index) == 0 {
		return nil, nil
	}
	e := &earlier{log: c.opts.Log}
	c.onClose(func(context.Context) error {
		var errs []error
		for _, x := range e.indexes {
			errs = append(errs, x.Close())
		}
		return errors.Join(errs...)
	})
	for _, name := range c.cfg.Dedup.Index {
		x, err := dedup.Open(c.cfg.Path(name))
		if err != nil {
			return nil, fmt.Errorf("job: index of [dedup]: %w", err)
		}
		e.indexes = append(e.indexes, x)
	}
	return e, nil
}

// Earlier implements [write.Earlier]. An index that cannot be read costs room in the archive, no page: it is said once.
func (e *earlier) Earlier(digest string, chunked bool, url string, only bool) *crawl.Original {
	c, ok := dedup.ParseContent(digest, chunked)
	if !ok {
		return nil
	}
	for _, x := range e.indexes {
		o, found, err := x.Find(c, url, only)
		if err != nil {
			e.once.Do(func() {
				e.log.Warn("an index of [dedup] cannot be read; what it should find is archived whole", "err", err)
			})
			continue
		}
		if found {
			return &crawl.Original{URL: o.URL, Date: o.Date, Digest: o.Digest}
		}
	}
	return nil
}
