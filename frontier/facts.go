package frontier

import (
	"context"
	"fmt"
	"time"

	"github.com/klauspost/compress/zstd"

	"exclave/crawl"
	"exclave/frontier/schema"
	"exclave/internal/robots"
)

// failedFacts is how long a prerequisite that taught nothing counts as failed.
const failedFacts = time.Hour

// learn gives a prerequisite that ended without facts (a chain without a fetcher
// for it, a failure of ours) those of a failure: what waits for it would ask for it
// for ever.
func (t *tx) learn(u *crawl.CrawlURI) error {
	if u.Disposition != crawl.Done {
		return nil
	}
	now := t.f.o.Clock.Now()
	if host, ok := crawl.DNSHost(u.Key); ok && u.HostFacts == nil {
		u.HostFacts = &crawl.HostFacts{Host: host, Status: u.Status, Asked: now, Expires: now.Add(failedFacts)}
	}
	if origin, ok := crawl.RobotsOrigin(u.Key); ok && u.Origin == nil {
		rules, err := robots.FromStatus(0, nil, "").MarshalBinary()
		if err != nil {
			return err
		}
		u.Origin = &crawl.OriginFacts{Origin: origin, Status: u.Status, Robots: rules, Fetched: now, Expires: now.Add(failedFacts)}
	}
	return nil
}

// facts stores what the URI taught about its host, and the answers that wait for
// the host's first archived page.
func (t *tx) facts(u *crawl.CrawlURI) error {
	if err := t.learn(u); err != nil {
		return err
	}
	if h := u.HostFacts; h != nil {
		t.know.hosts = append(t.know.hosts, h.Host)
		if err := t.b.Set(schema.HostFactsKey(h.Host), schema.EncodeHostFacts(h), nil); err != nil {
			return err
		}
	}
	if o := u.Origin; o != nil {
		t.know.origins = append(t.know.origins, o.Origin)
		if err := t.b.Set(schema.OriginFactsKey(o.Origin), schema.EncodeOriginFacts(o), nil); err != nil {
			return err
		}
	}
	if d := u.Deferred; d != nil {
		if err := t.setDeferred(d); err != nil {
			return err
		}
	}
	if u.Disposition != crawl.Done {
		return nil
	}
	for _, key := range u.Carried {
		v, err := t.row(schema.AnswerKey(key))
		if err != nil {
			return err
		}
		d, err := t.f.decodeDeferred(key, v)
		if err != nil {
			return fmt.Errorf("deferred answer %s: %w", key, err)
		}
		d.Written, d.Raw = true, nil
		if err := t.setDeferred(&d); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) setDeferred(d *crawl.Deferred) error {
	a := schema.Answer{Written: d.Written, Time: d.Time, Packed: t.f.zw.EncodeAll(d.Raw, nil)}
	t.know.answers = append(t.know.answers, d.Key)
	return t.setRow(schema.AnswerKey(d.Key), a.Encode())
}

func (f *Frontier) decodeDeferred(key string, v []byte) (crawl.Deferred, error) {
	a, err := schema.DecodeAnswer(v)
	out := crawl.Deferred{Key: key, Written: a.Written, Time: a.Time}
	if err != nil {
		return out, err
	}
	out.Raw, err = f.zr.DecodeAll(a.Packed, nil)
	return out, err
}

// openCodec makes the coder and decoder of deferred answers; both serve
// concurrent calls.
func (f *Frontier) openCodec() (err error) {
	if f.zw, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest)); err != nil {
		return err
	}
	f.zr, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(2<<20)) // twice record.MaxExchange
	return err
}

// news names the facts that a commit changes.
type news struct{ hosts, origins, answers []string }

// learnt drops what is no longer so from the caches.
func (f *Frontier) learnt(n news) {
	f.hostFacts.drop(n.hosts)
	f.originFacts.drop(n.origins)
	f.written.drop(n.answers)
}

// Host implements the host facts of package chain.
func (f *Frontier) Host(_ context.Context, host string) (crawl.HostFacts, error) {
	return f.hostFacts.get(host, f.readHost)
}

func (f *Frontier) readHost(host string) (h crawl.HostFacts, keep bool, err error) {
	h.Host = host
	v, err := get(f.db, schema.HostFactsKey(host))
	if v == nil || err != nil {
		return h, false, err
	}
	if h, err = schema.DecodeHostFacts(host, v); err != nil {
		return h, false, fmt.Errorf("frontier: facts of host %s: %w", host, err)
	}
	return h, true, nil
}

// Origin implements the host facts of package chain.
func (f *Frontier) Origin(_ context.Context, origin string) (crawl.OriginFacts, error) {
	return f.originFacts.get(origin, f.readOrigin)
}

func (f *Frontier) readOrigin(origin string) (o crawl.OriginFacts, keep bool, err error) {
	o.Origin = origin
	v, err := get(f.db, schema.OriginFactsKey(origin))
	if v == nil || err != nil {
		return o, false, err
	}
	if o, err = schema.DecodeOriginFacts(origin, v); err != nil {
		return o, false, fmt.Errorf("frontier: facts of origin %s: %w", origin, err)
	}
	return o, true, nil
}

// Deferred implements the host facts of package chain.
func (f *Frontier) Deferred(_ context.Context, key string) (crawl.Deferred, bool, error) {
	d, err := f.written.get(key, f.readDeferred)
	return d, d.Key != "" && err == nil, err
}

func (f *Frontier) readDeferred(key string) (d crawl.Deferred, keep bool, err error) {
	v, err := get(f.db, schema.AnswerKey(key))
	if v == nil || err != nil {
		return d, false, err
	}
	if d, err = f.decodeDeferred(key, v); err != nil {
		return d, false, fmt.Errorf("frontier: deferred answer %s: %w", key, err)
	}
	return d, d.Written, nil // the others are read once, and are large
}
