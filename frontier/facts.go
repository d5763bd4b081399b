package frontier

import (
	"context"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"exclave/crawl"
	"exclave/frontier/rules"
	"exclave/frontier/schema"
)

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

// learnt drops what is no longer so from the caches.
func (f *Frontier) learnt(n rules.ChangedFacts) {
	f.hostFacts.drop(n.Hosts)
	f.originFacts.drop(n.Origins)
	f.written.drop(n.Answers)
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
