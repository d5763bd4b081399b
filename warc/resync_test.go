package warc

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
	"testing"
)

// source counts what is read of it.
type source struct {
	*bytes.Reader
	read int64
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	s.read += int64(n)
	return n, err
}

// falseStarts are n bytes, about, of what looks like the start of a record and is none.
func falseStarts() map[string]func(n int) []byte {
	repeat := func(s string) func(int) []byte {
		return func(n int) []byte { return bytes.Repeat([]byte(s), n/len(s)) }
	}
	return map[string]func(int) []byte{
		"version lines":                repeat("WARC/1.1\r\n"),
		"headers without fields":       repeat("WARC/1.1\r\n\r\n"),
		"blocks longer than the file":  repeat("WARC/1.1\r\nContent-Length: 99999999999\r\n\r\n"),
		"blocks longer than they are":  repeat("WARC/1.1\r\nContent-Length: 100000\r\n\r\n"),
		"gzip magic":                   repeat("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x03\x00"),
		"gzip magic with extra fields": repeat("\x1f\x8b\x08\x04\x00\x00\x00\x00\x00\xff\xf0\xff"),
		"gzip magic with names":        repeat("\x1f\x8b\x08\x18\x01\x01\x01\x01\x01\xffWARC/1.1"),
		"members within members":       nested,
		"no magic at all":              repeat("abcdefghij"),
	}
}

// nested makes gzip members that each hold the rest of the file in a stored block.
func nested(n int) []byte {
	var out []byte
	inner := "WARC/1.1\r\nX: y\r\n"
	for len(out) < n {
		out = append(out, "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x01"...)
		out = binary.LittleEndian.AppendUint16(out, 60000)
		out = binary.LittleEndian.AppendUint16(out, ^uint16(60000))
		out = append(out, inner...)
	}
	return out
}

func TestResyncIsLinear(t *testing.T) {
	// 3 MB of false starts took 14 s: each was read on from, and the buffer filled anew.
	for why, make := range falseStarts() {
		work := func(n int) int64 {
			s := &source{Reader: bytes.NewReader(append(make(n), wholeRecord("last")...))}
			found := 0
			r := NewTolerantReader(s, func(Defect) {})
			for {
				e, err := r.Next()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatalf("%s: %v", why, err)
				}
				if id := e.ID(); id == "last" {
					found++
				}
			}
			swallowed := strings.Contains(why, "longer") || strings.Contains(why, "within") // and not all is read again
			if found != 1 && !swallowed && why != "version lines" {
				t.Errorf("%s, %d bytes: the record behind them was found %d times", why, n, found)
			}
			return s.read
		}
		for _, n := range []int{1 << 20, 4 << 20} {
			if read := work(n); read > int64(6*n+2*rereadBase) {
				t.Errorf("%s: %d bytes are read of %d", why, read, n)
			}
		}
	}
}

// wholeRecord is one with an ID, in a member of its own.
func wholeRecord(id string) []byte {
	text := fmt.Sprintf("WARC/1.1\r\nWARC-Record-ID: <%s>\r\nContent-Length: 2\r\n\r\nok\r\n\r\n", id)
	b := []byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x01")
	b = binary.LittleEndian.AppendUint16(b, uint16(len(text)))
	b = binary.LittleEndian.AppendUint16(b, ^uint16(len(text)))
	b = append(b, text...)
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE([]byte(text)))
	return binary.LittleEndian.AppendUint32(b, uint32(len(text)))
}

func TestResyncFindsEveryWholeRecord(t *testing.T) {
	// Damage to some records costs no other one, however many are damaged: what a damaged
	// record seems to reach over is looked at again.
	const n = 3000
	var data []byte
	want := map[string]bool{}
	for i := range n {
		id := fmt.Sprintf("urn:%d", i)
		rec := wholeRecord(id)
		switch i % 6 {
		case 1:
			rec[len(rec)-1] ^= 1 // length in the trailer
		case 2:
			binary.LittleEndian.PutUint16(rec[11:], 400) // a block that reaches into the next
			binary.LittleEndian.PutUint16(rec[13:], ^uint16(400))
		case 3:
			rec = rec[:len(rec)/2]
		default:
			want[id] = true
		}
		data = append(data, rec...)
	}
	s := &source{Reader: bytes.NewReader(data)}
	r := NewTolerantReader(s, func(Defect) {})
	for {
		e, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		id := e.ID()
		if n, _ := r.Finish(); n > 0 {
			delete(want, id)
		}
	}
	if len(want) > 0 {
		t.Errorf("%d whole records are not found; %d bytes read of %d", len(want), s.read, len(data))
	}
}

// A record that lost bytes may have the header of the next one in its block, and end where an end must be: what follows is garbage, and the next
// record is there all the same.
func TestResyncWithinBlock(t *testing.T) {
	const next = "WARC/1.1\r\nWARC-Record-ID: <urn:next>\r\nContent-Length: 5\r\n\r\nbl\r\nk\r\n\r\n"
	const arc = "http://a.example/next 192.0.2.1 20050614070145 text/html 7\nblo\nck\n\n"
	for why, data := range map[string]string{
		"WARC": fmt.Sprintf("WARC/1.1\r\nWARC-Record-ID: <urn:first>\r\nContent-Length: %d\r\n\r\nab\r\n\r\n%s", 2+4+strings.Index(next, "\r\n\r\n"), next),
		"ARC":  fmt.Sprintf("http://a.example/ 192.0.2.1 20050614070145 text/html %d\nab\n%s", 3+strings.Index(arc, "\nck"), arc),
	} {
		found := 0
		r := NewTolerantReader(strings.NewReader(data), func(Defect) {})
		for {
			e, err := r.Next()
			if err == io.EOF {
				break
			}
			must(t, err)
			if n, _ := r.Finish(); n > 0 && (e.ID() == "urn:next" || e.TargetURI() == "http://a.example/next") {
				found++
			}
		}
		if found != 1 {
			t.Errorf("%s: the next record was found %d times", why, found)
		}
	}
}
