package record

import (
	"bufio"
	"io"
	"sync"
)

// Buffers of answers are used again: they are most of what a crawl allocates, and
// the runtime clears what it allocates. There are three sizes; what is smaller than
// the least is cheap, what is larger is rare.
const (
	smallBuffer  = 8 << 10
	mediumBuffer = 32 << 10
	largeBuffer  = DefaultMemory
)

// Pools are shared by all recordings, as memory is.
var (
	smallBuffers, mediumBuffers, largeBuffers sync.Pool // of *[]byte
	readers                                   sync.Pool // of *bufio.Reader
	gzips                                     sync.Pool // of *gzip.Reader: 40 KB each
)

// takeReader returns a buffered reader of src.
func takeReader(src io.Reader) *bufio.Reader {
	if in, ok := readers.Get().(*bufio.Reader); ok {
		in.Reset(src)
		return in
	}
	return bufio.NewReader(src)
}

// takeBuffer returns an empty slice with room for n bytes; what is behind its end
// is not cleared.
func takeBuffer(n int) []byte {
	pool, size := poolFor(n)
	if pool == nil {
		return make([]byte, 0, n)
	}
	if b, ok := pool.Get().(*[]byte); ok {
		return *b
	}
	return make([]byte, 0, size)
}

// giveBuffer takes a slice back that nobody uses any more.
func giveBuffer(b []byte) {
	if pool, size := poolFor(cap(b)); pool != nil && size == cap(b) {
		if poison {
			for i := range b {
				b[i] = 0xdb
			}
		}
		b = b[:0]
		pool.Put(&b)
	}
}

func poolFor(n int) (*sync.Pool, int) {
	switch {
	case n < 2<<10 || n > largeBuffer:
		return nil, 0
	case n <= smallBuffer:
		return &smallBuffers, smallBuffer
	case n <= mediumBuffer:
		return &mediumBuffers, mediumBuffer
	}
	return &largeBuffers, largeBuffer
}
