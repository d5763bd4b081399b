package write

import (
	"bytes"
	"context"
	"fmt"

	"exclave/crawl"
	"exclave/internal/mime"
	"exclave/internal/record"
	"exclave/internal/urlx"
	"exclave/warc"
)

// deferred returns the answers that the first archived page of a host brings
// into the archive: of the name server, and robots.txt of the origin, found or
// not. Another page that is being written at the same time may bring them too.
func (w *WARC) deferred(ctx context.Context, u *crawl.CrawlURI) ([]crawl.Deferred, error) {
	page := u.Parsed()
	if page == nil {
		return nil, fmt.Errorf("%s has no host", u.URL)
	}
	var keys []string
	if !page.IsIP() {
		keys = append(keys, crawl.DNSKey(page.Hostname()))
	}
	var out []crawl.Deferred
	for _, key := range append(keys, crawl.RobotsKey(page.Origin())) {
		d, ok, err := w.hosts.Deferred(ctx, key)
		if err != nil {
			return nil, fmt.Errorf("look up %s: %w", key, err)
		}
		if ok && !d.Written && len(d.Raw) > 0 {
			out = append(out, d)
		}
	}
	return out, nil
}

// deferred writes one answer with the redirects that led to it. entity: see NewWARC.
func (g *group) deferred(d crawl.Deferred, entity bool) error {
	var e record.Exchange
	if err := e.UnmarshalBinary(d.Raw); err != nil {
		return fmt.Errorf("deferred answer %s: %w", d.Key, err)
	}
	for _, x := range append(e.Before, e) {
		if entity && x.ContentType != warc.ContentDNS {
			var err error
			if x.Digest, err = warc.EntityDigest(bytes.NewReader(x.Response)); err != nil {
				return fmt.Errorf("deferred answer %s: %w", d.Key, err)
			}
		}
		if err := g.answer(&x); err != nil {
			return fmt.Errorf("deferred answer %s: %w", d.Key, err)
		}
	}
	g.carried = append(g.carried, d.Key)
	return nil
}

func (g *group) answer(e *record.Exchange) error {
	date := e.Date
	if date.IsZero() || date.After(g.date) {
		date = g.date // no answer is younger than the page that used it
	}
	at, _ := urlx.Parse(e.URL) // nil of dns:
	uri := targetURI(e.URL, at)
	id := warc.NewID()
	r := &warc.Record{
		Type: warc.TypeResponse, TargetURI: uri, Date: date, ID: id,
		ContentType: e.ContentType, IP: e.IP, Truncated: e.Truncated,
		PayloadDigest: e.Digest, Block: bytes.NewReader(e.Response),
	}
	if e.ContentType == warc.ContentDNS {
		r.Extra = []warc.Field{{Name: "WARC-Protocol", Value: "dns"}}
		r.PayloadDigest = "" // as Heritrix: what is digested is the block, and FastWARC refuses one that says otherwise
	}
	if e.ContentType == warc.ContentHTTPResponse && e.HeaderLen == 0 && len(e.Response) > 0 {
		headless(r, mime.Detect(e.URL, "", e.Response[:min(len(e.Response), mime.HeadSize)], 0).Type)
	}
	if len(e.Request) > 0 {
		record.Redact(e.Request)
		q := &warc.Record{
			Type: warc.TypeRequest, TargetURI: uri, Date: date,
			ContentType: warc.ContentHTTPRequest, ConcurrentTo: []string{id}, IP: e.IP,
			Block: bytes.NewReader(e.Request),
		}
		if _, err := g.f.Write(q); err != nil {
			return err
		}
		r.ConcurrentTo = []string{q.ID}
	}
	_, err := g.f.Write(r)
	return err
}
