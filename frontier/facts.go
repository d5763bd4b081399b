package frontier

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"exclave/crawl"
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

// openCodec makes the encoder and decoder of deferred records. Both may be used
// concurrently.
func (f *Frontier) openCodec() (err error) {
	if f.zw, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest)); err != nil {
		return err
	}
	f.zr, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(2<<20)) // twice record.MaxExchange
	return err
}

// Host implements the host facts of package chain.
func (f *Frontier) Host(_ context.Context, host string) (crawl.HostFacts, error) {
	h, err := f.hostFacts.Read(host, f.readHost)
	if err != nil || h == nil {
		return crawl.HostFacts{Host: host}, err
	}
	return *h, nil
}

// HostVerdicts implements [chain.HostVerdicts]. The row of the host is cached while URIs of it
// are in process.
func (f *Frontier) HostVerdicts(_ context.Context, host string) (crawl.HostVerdicts, error) {
	v, err := f.hostValue(f.hash(host))
	if v == nil || err != nil {
		return crawl.HostVerdicts{}, err
	}
	h, err := schema.DecodeHost(v)
	if err != nil {
		return crawl.HostVerdicts{}, fmt.Errorf("frontier: host %s: %w", host, err)
	}
	return crawl.HostVerdicts{Judged: h.Judged, Valid: h.ValidFor}, nil
}

func (f *Frontier) readHost(host string) (_ *crawl.HostFacts, keep bool, err error) {
	v, err := f.db.Get(schema.HostFactsKey(host))
	if v == nil || err != nil {
		return nil, false, err
	}
	h, err := schema.DecodeHostFacts(host, v)
	if err != nil {
		return nil, false, fmt.Errorf("frontier: facts of host %s: %w", host, err)
	}
	return &h, true, nil
}

// Origin implements the host facts of package chain.
func (f *Frontier) Origin(_ context.Context, origin string) (crawl.OriginFacts, error) {
	o, err := f.originFacts.Read(origin, f.readOrigin)
	if err != nil || o == nil {
		return crawl.OriginFacts{Origin: origin}, err
	}
	return *o, nil
}

func (f *Frontier) readOrigin(origin string) (_ *crawl.OriginFacts, keep bool, err error) {
	v, err := f.db.Get(schema.OriginFactsKey(origin))
	if v == nil || err != nil {
		return nil, false, err
	}
	o, err := schema.DecodeOriginFacts(origin, v)
	if err != nil {
		return nil, false, fmt.Errorf("frontier: facts of origin %s: %w", origin, err)
	}
	return &o, true, nil
}

// Deferred implements the host facts of package chain.
func (f *Frontier) Deferred(_ context.Context, key string) (crawl.Deferred, bool, error) {
	d, err := f.written.Read(key, f.readDeferred)
	if err != nil || d == nil {
		return crawl.Deferred{}, false, err
	}
	return *d, true, nil
}

// Original returns the archived record that has a payload, by what that is known by. It is durable: what the state
// holds was committed after the record was synced, and no later commit survives a loss of that one.
func (f *Frontier) Original(_ context.Context, payload string) (*crawl.Original, error) {
	key := schema.PayloadKey(payload)
	if !f.filter.MayHave(binary.BigEndian.Uint64(key[len(key)-8:])) {
		return nil, nil
	}
	v, err := f.db.Get(key)
	if v == nil || err != nil {
		return nil, err
	}
	o, err := schema.DecodePayload(v)
	if err != nil {
		return nil, fmt.Errorf("frontier: payload %x: %w", key[1:], err)
	}
	return &o, nil
}

func (f *Frontier) readDeferred(key string) (_ *crawl.Deferred, keep bool, err error) {
	v, err := f.db.Get(schema.AnswerKey(key))
	if v == nil || err != nil {
		return nil, false, err
	}
	d, err := f.decodeDeferred(key, v)
	if err != nil {
		return nil, false, fmt.Errorf("frontier: deferred answer %s: %w", key, err)
	}
	return &d, d.Written, nil // those not yet written are large, and read only once
}
