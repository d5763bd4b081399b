package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
)

const (
	// lookAhead is how many bytes tell whether something is the start of a record: enough
	// for a gzip header and the tables of DEFLATE behind it.
	lookAhead = 1 << 10
	// rereadBase and rereadFactor bound the bytes that are read again behind what turned
	// out to be no record, by what lies before: else a file of false starts, each of which
	// reaches to its end, would be read as often as it has starts.
	rereadBase   = 8 << 20
	rereadFactor = 4
)

// counted counts what the bufio.Reader took, so that the position of the next
// byte is known exactly: inflate reads a bufio.Reader byte by byte, no further.
type counted struct {
	r     io.Reader
	n     int64 // since the last seek
	total int64
	ahead int // bytes of the next read, 0 = as many as fit
}

func (c *counted) Read(p []byte) (int, error) {
	if c.ahead > 0 && c.ahead < len(p) {
		p = p[:c.ahead]
		c.ahead *= 2
	}
	n, err := c.r.Read(p)
	c.n += int64(n)
	c.total += int64(n)
	return n, err
}

// ErrNoSeek is what Seek of a source returns that has found out that it cannot: the Reader goes on without.
var ErrNoSeek = errors.New("warc: the source cannot seek")

// resync moves to the next thing that looks like a record, from the given offset on; or
// from where reading has come to, when the source cannot seek or too much has been read
// again already.
func (r *Reader) resync(from int64) error {
	at := r.base + r.src.n
	r.far = max(r.far, at)
	s, ok := r.src.r.(io.Seeker)
	if ok = ok && r.src.total-r.far <= rereadBase+rereadFactor*r.far; ok {
		if _, err := s.Seek(from, io.SeekStart); errors.Is(err, ErrNoSeek) {
			ok = false
		} else if err != nil {
			return fmt.Errorf("warc: read: seek %d: %w", from, err)
		}
	}
	if ok {
		// Little is read at first: the next false start may be near.
		r.base, r.src.n, r.src.ahead = from, 0, lookAhead
		r.br.Reset(r.src)
	} else if n := from - r.pos(); n > 0 && (r.stream == nil || !r.stream.bad) { // else a member that begins at from is next
		if _, err := r.br.Discard(int(n)); err != nil && err != io.EOF {
			return fmt.Errorf("warc: read: offset %d: %w", r.pos(), err)
		}
	}
	r.gz = nil
	return r.search()
}

// search looks for the start of a record.
func (r *Reader) search() error {
	before := byte(0)
	for want := 2 * lookAhead; ; want = min(2*want, readBuffer) {
		b, err := r.br.Peek(want)
		if len(b) == 0 {
			if err == io.EOF {
				return io.EOF
			}
			if r.stream != nil && r.stream.bad {
				continue // with the next member
			}
			return fmt.Errorf("warc: read: offset %d: %w", r.pos(), err)
		}
		seen := len(b)
		if err == nil { // what begins behind is seen whole the next time
			seen -= lookAhead - 1
		}
		for i := range seen {
			if c := b[i:min(len(b), i+lookAhead)]; bytes.HasPrefix(c, []byte("WARC/1.")) || c[0] == 0x1f && r.startsMember(c) || c[0] == 0x28 && startsFrame(c) {
				_, err := r.br.Discard(i)
				return err
			}
			if r.mayBeARC() && before == '\n' {
				switch is, sure := startsARC(b[i:]); {
				case is && (sure || i == 0 && len(b) == readBuffer):
					_, err := r.br.Discard(i)
					return err
				case is && err == nil: // the rest of the line is looked at
					seen, want = i, readBuffer
				}
				if seen == i {
					break
				}
			}
			before = b[i]
		}
		if _, err := r.br.Discard(seen); err != nil {
			return fmt.Errorf("warc: read: offset %d: %w", r.pos(), err)
		}
	}
}

// startsMember tells a gzip member that holds a record from three bytes that
// happen to look like one.
func (r *Reader) startsMember(b []byte) bool {
	const extra = 1 << 2
	if len(b) < 12 || b[1] != 0x8b || b[2] != 8 || b[3]&0xe0 != 0 || b[3]&extra != 0 && int(b[10])|int(b[11])<<8 > lookAhead/2 {
		return false
	}
	if r.probe == nil {
		r.probe = new(gzip.Reader)
	}
	if r.probe.Reset(bytes.NewReader(b)) != nil {
		return false
	}
	var head [512]byte
	n, _ := io.ReadFull(r.probe, head[:16]) // of which the beginning is enough
	if bytes.HasPrefix(head[:n], []byte("WARC/")) || !r.mayBeARC() || !schemed(head[:n]) {
		return bytes.HasPrefix(head[:n], []byte("WARC/"))
	}
	more, _ := io.ReadFull(r.probe, head[n:])
	is, _ := startsARC(head[:n+more])
	return is
}

// mayBeARC reports whether ARC records are looked for: when there was one, and when nothing is known yet of a file that is damaged at its beginning.
func (r *Reader) mayBeARC() bool { return r.arc || !r.warc }
