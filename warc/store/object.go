package store

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
)

// Object is a file that is stored. It may be read by several goroutines; Close it.
type Object struct {
	io.ReaderAt
	size  int64
	close func() error
}

// Size returns its length in bytes.
func (o *Object) Size() int64 { return o.size }

// Close gives back what it holds.
func (o *Object) Close() error { return o.close() }

// pieces reads an object of a server in pieces, and keeps the last ones.
type pieces struct {
	ctx   context.Context
	size  int64
	piece int64
	fetch func(ctx context.Context, from, n int64) ([]byte, error)

	mu   sync.Mutex
	kept []*piece // the one used last first
}

// keptPieces bounds the memory of an object: readers side by side use one each.
const keptPieces = 8

type piece struct {
	at   int64
	once sync.Once
	data []byte
	err  error
}

// ReadAt implements [io.ReaderAt].
func (p *pieces) ReadAt(b []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, fmt.Errorf("store: read at %d", off)
	}
	for n < len(b) && off < p.size {
		data, err := p.get(off / p.piece * p.piece)
		if err != nil {
			return n, err
		}
		k := copy(b[n:], data[off%p.piece:])
		n, off = n+k, off+int64(k)
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// get returns the piece at a place; who comes while another one fetches it waits.
func (p *pieces) get(at int64) ([]byte, error) {
	x := p.find(at)
	x.once.Do(func() {
		want := min(p.piece, p.size-at)
		x.data, x.err = p.fetch(p.ctx, at, want)
		if x.err == nil && int64(len(x.data)) != want {
			x.err = io.ErrUnexpectedEOF
		}
	})
	if x.err != nil {
		p.mu.Lock()
		p.kept = slices.DeleteFunc(p.kept, func(k *piece) bool { return k == x })
		p.mu.Unlock()
	}
	return x.data, x.err
}

func (p *pieces) find(at int64) *piece {
	p.mu.Lock()
	defer p.mu.Unlock()
	x := &piece{at: at}
	if i := slices.IndexFunc(p.kept, func(k *piece) bool { return k.at == at }); i >= 0 {
		x = p.kept[i]
		p.kept = slices.Delete(p.kept, i, i+1)
	}
	p.kept = slices.Insert(p.kept, 0, x)
	p.kept = p.kept[:min(len(p.kept), keptPieces)]
	return x
}
