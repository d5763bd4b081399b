package frontier

import (
	"exclave/crawl"
	"exclave/frontier/schema"
)

// maySpare reports whether a host some of whose URIs are in process may be asked for
// another: it has one, answers well, and none of those is what the others wait for. What is
// in process counts as asked for when the next general pause is due. f.mu is held.
func (f *Frontier) maySpare(h *host) bool {
	return h.busy < f.cfg.ConnectionsPerHost && uint64(h.busy) < h.row.Waiting && h.alone == (crawl.ID{}) &&
		h.row.Backoff == 0 &&
		(f.cfg.PauseAfter == 0 || h.row.Requests+uint64(h.busy) < uint64(f.cfg.PauseAfter))
}

// further readies a host, a URI of which was offered just now, for being asked for another
// meanwhile: min_delay later, or after its Crawl-delay. f.mu is held.
func (f *Frontier) further(h *host, offered *schema.Record) error {
	if offered.IsPrereq() {
		h.alone = offered.ID
	}
	delay, err := f.env.CrawlDelay(offered)
	if err != nil {
		return err
	}
	h.gap = f.o.Clock.Mono() + max(f.cfg.MinDelay, delay)
	f.settle(h)
	return nil
}
