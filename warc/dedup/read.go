package dedup

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"exclave/internal/record"
	"exclave/warc"
)

// FromWARC calls each for the answers of a WARC file that later ones may refer to: responses over HTTP that are whole, of any status. The
// digest of the content is computed. What is not whole is told to report and left out; temp is where large blocks lie meanwhile, "" for the
// system's. An error is that of f, of each, or of temp.
func FromWARC(f io.Reader, temp string, report func(warc.Defect), each func(Content, *Original) error) error {
	for r := warc.NewTolerantReader(f, report); ; {
		e, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		var c Content
		var o Original
		ok := e.Type() == warc.TypeResponse && e.Header.Get("WARC-Truncated") == "" && e.Header.Get("WARC-Segment-Number") == "" && overHTTP(e.TargetURI())
		if ok {
			c, o, ok, err = content(e, temp)
		}
		var d *warc.Defect
		if err != nil && !errors.As(err, &d) {
			return err
		}
		n, err := r.Finish()
		if err != nil && err != io.EOF {
			return err
		}
		if !ok || d != nil || n < 0 {
			continue
		}
		if err := each(c, &o); err != nil {
			return err
		}
	}
}

func overHTTP(url string) bool {
	return strings.HasPrefix(url, "http://") || strings.HasPrefix(url, "https://")
}

// content reads the block of a response.
func content(e *warc.Entry, temp string) (c Content, o Original, ok bool, err error) {
	date, err := e.Date()
	if err != nil {
		return c, o, false, nil
	}
	rec, err := record.Load(e.Block, temp, record.DefaultMemory)
	if err != nil {
		return c, o, false, err
	}
	defer func() { err = errors.Join(err, rec.Close()) }()
	at, n := rec.Response()
	digest, err := warc.EntityDigest(io.NewSectionReader(at, 0, n))
	if err != nil || rec.HeaderLen() == 0 {
		return c, o, false, err
	}
	c, ok = ParseContent(digest, rec.Head().Chunked())
	o = Original{URL: e.TargetURI(), Date: date, ID: e.ID(), Digest: e.Header.Get("WARC-Payload-Digest")}
	if o.Digest == "" {
		o.Digest = digest
	}
	return c, o, ok, nil
}

// ErrNoIndex is the error of a file without a line of an index of captures.
var ErrNoIndex = errors.New("dedup: no index of captures")

// mostLine bounds a line of an index; longer ones are left out.
const mostLine = 1 << 20

// CDXRead says what was read from an index of captures.
type CDXRead struct {
	Lines int64 // captures
	Used  int64 // told
	Bad   int64 // lines of no known form
	Other int64 // captures of answers whose digest is not SHA-1
}

// FromCDX calls each for the captures of a CDXJ or CDX that later answers may refer to: answers over HTTP to GET, no revisit records. Of a CDX
// a header line says which fields it has; without one they begin as in CDX 9, 10, 11 and 14. The digest is what the lines state, so content is taken to be stored without chunks; record IDs are
// not known. Lines need not be sorted. An error is that of f or of each, or [ErrNoIndex].
func FromCDX(f io.Reader, each func(Content, *Original) error) (n CDXRead, err error) {
	in := bufio.NewReaderSize(f, 64<<10)
	var p Lines
	for long := false; ; {
		line, err := in.ReadSlice('\n')
		switch {
		case err == bufio.ErrBufferFull:
			line = bytes.Clone(line)
			var more []byte
			for err == bufio.ErrBufferFull && len(line) < mostLine {
				more, err = in.ReadSlice('\n')
				line = append(line, more...)
			}
			for err == bufio.ErrBufferFull {
				long = true
				_, err = in.ReadSlice('\n')
			}
		case err == io.EOF && len(line) == 0:
			if n.Lines > 0 && n.Bad == n.Lines {
				return n, fmt.Errorf("%w: none of %d lines is one of CDXJ or CDX", ErrNoIndex, n.Lines)
			}
			return n, nil
		}
		if err != nil && err != io.EOF {
			return n, err
		}
		if long {
			long = false
			n.Lines++
			n.Bad++
			continue
		}
		if p.header(line) {
			continue
		}
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] == '!' { // metadata of pywb
			continue
		}
		n.Lines++
		c, o, what := p.Parse(line)
		switch what {
		case Usable:
			n.Used++
			if err := each(c, &o); err != nil {
				return n, err
			}
		case BadLine:
			n.Bad++
		case OtherDigest:
			n.Other++
		case NoOriginal:
		}
	}
}

// Lines reads lines of an index of captures. The zero value has met no header line.
type Lines struct {
	fields []string // of a CDX
}

// Use is what a line is good for.
type Use int

// What lines are.
const (
	Usable      Use = iota
	NoOriginal      // a revisit record, no answer to GET over HTTP, or one without content
	OtherDigest     // an answer with a digest that is not SHA-1
	BadLine
)

// header takes the names of fields from a header line, if it is one.
func (p *Lines) header(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte(" CDX "))
	if ok {
		p.fields = strings.Fields(string(rest))
	}
	return ok
}

// capture is what is read of a line.
type capture struct {
	URL    string `json:"url"`
	MIME   string `json:"mime"`
	Status status `json:"status"`
	Digest string `json:"digest"`
	Method string `json:"method"`
	Stamp  string `json:"timestamp"` // of an answer of a server
}

// status is a text or a number.
type status string

func (s *status) UnmarshalJSON(b []byte) error {
	*s = status(bytes.Trim(b, `"`))
	return nil
}

// usual are the fields that every CDX begins with, also one without a header line, and the answers of servers.
const usual = "N b a m s k"

// inCDXJ returns the time and the object of a line of CDXJ; no object of another.
func inCDXJ(line []byte) (stamp, object []byte) {
	if bytes.HasPrefix(line, []byte("{")) {
		return nil, line
	}
	_, rest, _ := bytes.Cut(line, []byte(" "))
	stamp, object, _ = bytes.Cut(rest, []byte(" "))
	if object = bytes.TrimLeft(object, " "); len(object) == 0 || object[0] != '{' {
		return nil, nil
	}
	return stamp, object
}

// Parse reads a line: of a CDX, as its header line has named the fields or, without one, as all have them; else of CDXJ. Without a key in front
// that is an object with a timestamp, as servers answer with output=json.
func (p *Lines) Parse(line []byte) (c Content, o Original, what Use) {
	var x capture
	stamp, object := inCDXJ(line)
	if p.fields != nil || object == nil {
		fields, values := p.fields, strings.Fields(string(line))
		if fields == nil {
			fields = strings.Fields(usual)
			values = values[:min(len(values), len(fields))]
		}
		if len(values) != len(fields) {
			return c, o, BadLine
		}
		for i, f := range fields {
			switch f {
			case "b":
				x.Stamp = values[i]
			case "a":
				x.URL = values[i]
			case "m":
				x.MIME = values[i]
			case "s":
				x.Status = status(values[i])
			case "k":
				x.Digest = values[i]
			}
		}
	} else {
		if json.Unmarshal(object, &x) != nil {
			return c, o, BadLine
		}
		if len(stamp) > 0 {
			x.Stamp = string(stamp)
		}
	}
	date, err := time.Parse("20060102150405", x.Stamp)
	switch {
	case err != nil || x.URL == "":
		return c, o, BadLine
	case x.MIME == "warc/revisit" || x.Method != "" && x.Method != "GET" || len(x.Status) != 3 || !overHTTP(x.URL) || x.Digest == "" || x.Digest == "-":
		return c, o, NoOriginal
	}
	c, ok := ParseContent(x.Digest, false)
	if !ok {
		return c, o, OtherDigest
	}
	return c, Original{URL: x.URL, Date: date, Digest: warc.Label(c.sum[:])}, Usable
}
