package warc

import (
	"bufio"
	"io"
)

// Stream reports that several records were found in one gzip member or zstd frame, which no standard allows and many
// programs make (`gzip` over a WARC file). From there on offsets and lengths are those of the unpacked file; damage of the
// compression costs everything up to the next member.
func (r *Reader) Stream() bool { return r.stream != nil }

// stream is an unpacked file: all its members, one after the other.
type stream struct {
	in   Reader // of which only the opening and the search of members are used
	open bool
	bad  bool
}

// unstream has everything behind the record e, whose member goes on, read from the unpacked file; size is that of e there.
func (r *Reader) unstream(e *Entry, size int64) error {
	if r.framed {
		r.zstd.whole = false
	}
	s := &stream{open: true, in: Reader{src: r.src, br: r.br, gz: r.gz, base: r.base, inner: r.inner, zipped: true, zstd: r.zstd, framed: r.framed}}
	e.Offset = r.plain - size
	r.stream = s
	r.src = &counted{r: s}
	r.br = bufio.NewReaderSize(r.src, readBuffer)
	r.base, r.far, r.zipped = r.plain, r.plain, false
	return nil
}

// Read unpacks. After an error the next call goes on with the next member that holds a record.
func (s *stream) Read(p []byte) (int, error) {
	if s.bad {
		s.bad, s.open = false, false
		s.in.gz = nil
		// What could not be opened may be where reading is: it is not tried again.
		if _, err := s.in.br.Discard(1); err != nil {
			return 0, err
		}
		if err := s.in.search(); err != nil {
			return 0, err
		}
	}
	for {
		if !s.open {
			if b, err := s.in.br.Peek(1); len(b) == 0 {
				return 0, err
			}
			if err := s.in.openMember(); err != nil {
				s.bad = true
				return 0, err
			}
			s.open = true
		}
		n, err := s.in.inner.Read(p)
		if err == io.EOF {
			if s.in.inner == s.in.br {
				return n, err
			}
			s.open, err = false, nil
		} else if err != nil {
			s.bad = true
		}
		if n > 0 || s.bad {
			return n, err
		}
	}
}

// openMember opens whatever begins at the present position.
func (r *Reader) openMember() error {
	e := &Entry{Offset: r.pos()}
	magic, _ := r.br.Peek(9)
	return r.openAt(e, magic)
}
