package warc

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// VersionARC is the Version of an [Entry] that was read from an ARC file, of version 1 or 2
// (http://archive.org/web/researcher/ArcFileFormat.php).
const VersionARC = "ARC"

// arcLine is the line before the block of an ARC record: address, which may hold spaces, IP address, date, type, in version 2
// what arcLine2 says, and the length of the block. What is no date or no length is told later.
var arcLine = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]*:.*?) (\S+) ([0-9]{12,20}) (.*) (\S+)$`)

// arcLine2 is result code, checksum, location, offset and file name behind the type.
var arcLine2 = regexp.MustCompile(`^(.*) (?:[0-9]{1,3}|-) \S+ \S+ [0-9]+ \S+$`)

const versionBlock = "filedesc:"

// schemed reports that b begins as an address does.
func schemed(b []byte) bool {
	for i, c := range b[:min(len(b), 16)] {
		if !isLetter(c) && (i == 0 || (c < '0' || c > '9') && c != '+' && c != '-' && c != '.') {
			return i > 1 && c == ':'
		}
	}
	return false
}

// startsARC reports that b begins with the line of an ARC record; sure is false when b ends before that line does.
func startsARC(b []byte) (is, sure bool) {
	if !schemed(b) {
		return false, true
	}
	line, _, whole := bytes.Cut(b, []byte{'\n'})
	if !whole {
		return true, false
	}
	return arcLine.Match(bytes.TrimSuffix(line, []byte{'\r'})), true
}

// atARC reports that an ARC record begins where in is. No more is read than it takes to know.
func atARC(in *bufio.Reader) bool {
	for n := 16; ; n *= 4 {
		b, err := in.Peek(min(n, in.Size()))
		is, sure := startsARC(b)
		switch {
		case sure:
			return is
		case errors.Is(err, io.EOF):
			return false
		case err != nil || n >= in.Size():
			return is
		}
	}
}

// arcHeader reads the line of an ARC record, and makes the fields of it that correspond in WARC.
func (r *Reader) arcHeader(e *Entry) error {
	r.arc = true
	line := r.lines[:0]
	for {
		piece, err := r.inner.ReadSlice('\n')
		line = append(line, piece...)
		if len(line) > maxRecordHeader {
			return defect(e.Offset, KindHeader, "no end of the line within %d bytes", maxRecordHeader)
		}
		if err == nil {
			break
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return damage(e.Offset, err)
		}
	}
	r.lines = line[:0]
	e.raw, e.Version = string(line), VersionARC
	return e.arcFields(r.inner)
}

// arcFields takes the line apart. Whether the block is an answer of HTTP is told by how it begins.
func (e *Entry) arcFields(block *bufio.Reader) error {
	text := escaped(trimEnd(e.raw))
	m := arcLine.FindStringSubmatch(text)
	if m == nil {
		return defect(e.Offset, KindHeader, "line %q is neither a version of WARC nor of an ARC record", clip(text))
	}
	uri, ip, stamp, kind, length := m[1], m[2], m[3], m[4], m[5]
	if v2 := arcLine2.FindStringSubmatch(kind); v2 != nil {
		kind = v2[1]
	}
	what := Field{"WARC-Target-URI", uri}
	typ := TypeResource
	if name, is := bytes.CutPrefix([]byte(uri), []byte(versionBlock+"//")); is {
		typ, what = TypeWarcinfo, Field{"WARC-Filename", string(name)}
	} else if n, err := strconv.ParseInt(length, 10, 64); err == nil && n >= int64(len("HTTP/")) {
		if start, _ := block.Peek(len("HTTP/")); string(start) == "HTTP/" { // an error comes again
			typ, kind = TypeResponse, "application/http; msgtype=response"
		}
	}
	e.Header = Header{{"WARC-Type", typ}, what, {"WARC-Date", arcDate(stamp)}, {"WARC-Record-ID", arcID(text, block, length)}}
	if typ != TypeWarcinfo && ip != "0.0.0.0" && ip != "-" { // a warcinfo record may have none
		e.Header = append(e.Header, Field{"WARC-IP-Address", ip})
	}
	if kind != "no-type" && kind != "-" {
		e.Header = append(e.Header, Field{"Content-Type", kind})
	}
	e.Header = append(e.Header, Field{"Content-Length", length})
	return nil
}

// escaped has what no header of WARC may hold, bytes that are no UTF-8 and controls, as %XX: addresses stood in ARC as they came.
func escaped(s string) string {
	if utf8.ValidString(s) && !hasControl(s) {
		return s
	}
	var b []byte
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 || hasControl(s[:n]) {
			b = fmt.Appendf(b, "%%%02X", s[0])
		} else {
			b = append(b, s[:n]...)
		}
		s = s[n:]
	}
	return string(b)
}

// arcDate takes 14 digits, or 17 with milliseconds; what is no date it leaves, so that it is told as one of WARC is.
func arcDate(digits string) string {
	layout, in := "20060102150405", digits
	if len(digits) == 17 { // a separator is wanted between seconds and their fraction
		in, layout = digits[:14]+"."+digits[14:], layout+".000"
	}
	t, err := time.Parse(layout, in)
	if err != nil {
		return digits
	}
	return t.Format(time.RFC3339Nano)
}

// identified is how many bytes of a block the ID of an ARC record depends on: every reader of a record has room for as many.
const identified = 4 << 10

// arcID makes the ID of a record, which ARC has none of, of its line and the beginning of its block: the same from every copy of the file
// (RFC 9562 section 5.5, name space URL).
func arcID(line string, block *bufio.Reader, length string) string {
	const space = "\x6b\xa7\xb8\x11\x9d\xad\x11\xd1\x80\xb4\x00\xc0\x4f\xd4\x30\xc8"
	n, _ := strconv.ParseInt(length, 10, 64)                // what is no length is told as a defect
	start, _ := block.Peek(int(min(max(n, 0), identified))) // an error comes again
	s := sha1.Sum(slices.Concat([]byte(space+line+"\n"), start))
	s[6], s[8] = s[6]&0x0f|0x50, s[8]&0x3f|0x80
	return fmt.Sprintf("<urn:uuid:%x-%x-%x-%x-%x>", s[:4], s[4:6], s[6:8], s[8:10], s[10:16])
}

// finishARC reads what is behind the block of an ARC record: the end of its line, and whatever line ends follow.
func (r *Reader) finishARC(e *Entry) error {
	size := int64(len(e.raw)) + e.Size
	ended := false
	for {
		next, err := r.inner.Peek(1)
		switch {
		case len(next) == 0 && err != io.EOF:
			return damage(e.Offset, err)
		case len(next) == 0:
			r.plain += size
			return nil
		case next[0] != '\n' && next[0] != '\r':
			return r.afterARC(e, size, ended, next[0])
		}
		_, _ = r.inner.Discard(1) // it was seen
		size++
		if next[0] == '\n' {
			ended = true
			if r.zipped && r.framed {
				r.zstd.whole = true
			}
		}
	}
}

// afterARC decides about bytes behind the line ends of a record.
func (r *Reader) afterARC(e *Entry, size int64, ended bool, next byte) error {
	switch {
	case !ended:
		return defect(e.Offset, KindLength, "after %d bytes of block comes %q, not the end of a line", e.Size, next)
	case !r.zipped:
		r.plain += size
		return nil
	case !atARC(r.inner):
		return defect(e.Offset, KindLength, "bytes follow the record within its member")
	}
	r.plain += size
	return r.unstream(e, size)
}

// headLine is the field in which a record that is written as WARC keeps the line it had in ARC, as Heritrix's developers proposed
// (https://github.com/internetarchive/heritrix3/wiki/ARC-to-WARC-(to-ARC)).
const headLine = "ARC-Header-Line"

// Head returns the header in WARC's form, with the empty line that ends it: as it stands in the file, or what an ARC record
// gets when it is written as WARC 1.1, with the digests that were made of it.
func (e *Entry) Head(made []Field) string {
	if e.Version != VersionARC {
		return e.raw
	}
	b := []byte("WARC/1.1\r\n")
	fields := slices.Concat(e.Header, made)
	if line := trimEnd(e.raw); utf8.ValidString(line) && !hasControl(line) {
		fields = append(fields, Field{headLine, line})
	}
	for _, f := range fields {
		b = fmt.Appendf(b, "%s: %s\r\n", f.Name, f.Value)
	}
	return string(append(b, "\r\n"...))
}
