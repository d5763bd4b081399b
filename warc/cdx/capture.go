package cdx

import (
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"exclave/internal/record"
	"exclave/internal/urlx"
	"exclave/warc"
)

// Capture is what an index says of a record. Texts that the record does not have are empty.
type Capture struct {
	Key       string // by which it is sorted and looked up: [urlx.CDXKey]
	Timestamp string // 14 digits, UTC
	URL       string
	MIME      string // of the answer's header, else of the record's; "warc/revisit" of a revisit
	Status    string // of the answer
	Digest    string // of the payload, labelled ("sha1:" and base32); what the record states, or the entity's digest
	Offset    int64  // in the file, in bytes
	Length    int64  // there, compressed
	File      string // the name of the file, without folders
	Method    string // of the request, when it was POST or PUT and [Options].Post is set
	Body      string // what such a request sent, as a query; part of the key
}

// Options say what Read tells.
type Options struct {
	// Types of records; none are response, revisit, and resource and metadata unless their block is of type
	// application/warc-fields, which is what cdxj-indexer takes.
	Types []string
	// Post joins what POST and PUT requests sent to the key of the answer that stands beside the request.
	Post bool
	// Temp is where large blocks without a digest lie while it is computed; "" is the system's.
	Temp string
}

// mostHead is how much of a block is read for the header of an answer.
const mostHead = record.MaxHead

// ErrStream is the error of a file that is compressed over several records: no index can say where they are.
var ErrStream = errors.New("cdx: the file is compressed over several records, so nothing can jump to one; make one with a member per record of it with exclave warc recompress")

// Read calls each for the captures of a file, in its order. What is not whole is told to report and left out. name is what the captures
// say. An error is that of f, of each or of Temp, or [ErrStream]; what was told before it is to be forgotten.
func Read(f io.Reader, name string, o Options, report func(warc.Defect), each func(*Capture) error) error {
	in := &reader{r: warc.NewTolerantReader(f, report), o: o, name: name, report: report, each: each}
	for {
		e, err := in.r.Next()
		switch {
		case err == io.EOF:
			return in.flush(nil)
		case err != nil:
			return err
		}
		if err := in.entry(e); err != nil {
			return err
		}
	}
}

// reader reads the captures of one file. Those of an answer wait for the next record: it may be the request.
type reader struct {
	r      *warc.Reader
	o      Options
	name   string
	report func(warc.Defect)
	each   func(*Capture) error
	last   *seen
}

// seen is a record that was read.
type seen struct {
	kind, id, uri, to string
	capture           *Capture // nil: not one that is told
	request           *request
}

func (in *reader) wanted(e *warc.Entry) bool {
	kind := e.Type()
	if len(in.o.Types) > 0 {
		return slices.Contains(in.o.Types, kind)
	}
	switch kind {
	case warc.TypeResponse, warc.TypeRevisit:
		return true
	case warc.TypeResource, warc.TypeMetadata:
		return e.Header.Get("Content-Type") != warc.ContentFields
	}
	return false
}

func (in *reader) entry(e *warc.Entry) error {
	s := &seen{kind: e.Type(), id: e.ID(), uri: strings.ReplaceAll(e.TargetURI(), " ", "%20")}
	if to := e.ConcurrentTo(); len(to) > 0 {
		s.to = to[0]
	}
	var c *Capture
	var err error
	if in.wanted(e) {
		c, err = in.capture(e, s.uri)
	}
	if in.o.Post && s.kind == warc.TypeRequest && err == nil {
		s.request, err = readRequest(e.Block, in.o.Temp)
	}
	var d *warc.Defect
	if err != nil && !errors.As(err, &d) {
		return err
	}
	n, err := in.r.Finish()
	if err != nil && err != io.EOF {
		return err
	}
	if n < 0 || d != nil {
		return nil // it is not whole, and was told
	}
	if in.r.Stream() {
		return ErrStream
	}
	if c != nil {
		if !in.r.Compressed() {
			n = e.HeadLen() + e.Size // as pywb has it: without the empty lines behind the block
		}
		c.Offset, c.Length, c.File = e.Offset, n, in.name
		s.capture = c
	}
	return in.flush(s)
}

// flush tells the record that waits, after joining it with its request where s and it are one exchange.
func (in *reader) flush(s *seen) error {
	was := in.last
	in.last = s
	if was == nil {
		return nil
	}
	if s != nil && s.uri == was.uri && s.to != "" && s.to == was.id {
		for _, pair := range [2][2]*seen{{was, s}, {s, was}} {
			if q, a := pair[0].request, pair[1].capture; q != nil && a != nil && pair[1].kind == warc.TypeResponse {
				q.join(a)
				if pair[0].capture != nil {
					pair[0].capture.Key = a.Key
				}
			}
		}
	}
	if was.capture == nil {
		return nil
	}
	return in.each(was.capture)
}

// capture reads what is told of a record but for its place; nil when it has no date or no address.
func (in *reader) capture(e *warc.Entry, uri string) (c *Capture, err error) {
	stamp, ok := timestamp(e.Header.Get("WARC-Date"))
	if !ok || uri == "" {
		if e.Type() != warc.TypeWarcinfo {
			in.report(warc.Defect{Offset: e.Offset, Kind: warc.KindHeader, Detail: "no index entry: the record has no date or no target URI"})
		}
		return nil, nil
	}
	c = &Capture{Key: urlx.CDXKeyOf(uri), Timestamp: stamp, URL: uri, Digest: e.Header.Get("WARC-Payload-Digest")}
	block := e.Block
	if c.Digest == "" {
		rec, err := record.Load(block, in.o.Temp, record.DefaultMemory)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, rec.Close()) }()
		at, n := rec.Response()
		if c.Digest, err = warc.EntityDigest(io.NewSectionReader(at, 0, n)); err != nil {
			return nil, err
		}
		block = io.NewSectionReader(at, 0, n)
	}
	kind := e.Type()
	var head *record.Head
	if kind == warc.TypeResponse || kind == warc.TypeRequest || kind == warc.TypeRevisit {
		if head, err = readHead(block, uri, kind == warc.TypeRequest); err != nil {
			return nil, err
		}
	}
	switch {
	case kind == warc.TypeRevisit:
		c.MIME = "warc/revisit"
	case kind == warc.TypeResponse || kind == warc.TypeRequest:
		if head != nil {
			c.MIME = plainMIME(head.Get("Content-Type"))
		}
	default:
		c.MIME = plainMIME(e.Header.Get("Content-Type"))
	}
	if head != nil && head.Status != 0 && kind != warc.TypeRequest {
		c.Status = strconv.Itoa(head.Status)
	}
	return c, nil
}

// readHead reads the header of an answer or a request over HTTP; nil when the block is none.
func readHead(block io.Reader, uri string, request bool) (*record.Head, error) {
	scheme, _, _ := strings.Cut(uri, ":")
	if s := strings.ToLower(scheme); s != "http" && s != "https" {
		return nil, nil
	}
	var b []byte
	for piece := 4 << 10; ; piece *= 2 {
		more := make([]byte, piece)
		n, err := io.ReadFull(block, more)
		b = append(b, more[:n]...)
		at := record.HeadLenOf(b, !request)
		switch ended := err == io.EOF || err == io.ErrUnexpectedEOF; {
		case at == 0 && len(b) >= 16, len(b) == 0:
			return nil, nil
		case ended || at < int64(len(b)) || len(b) >= mostHead:
			head := record.ParseHead(b[:at])
			return &head, nil
		case err != nil:
			return nil, err
		}
	}
}

// plainMIME is a media type without parameters, as far as the first space or semicolon.
func plainMIME(s string) string {
	if i := strings.IndexAny(s, "; \t\r\n"); i >= 0 {
		s = s[:i]
	}
	return s
}

// timestamp makes 14 digits of a date of any precision, down to the day.
func timestamp(date string) (string, bool) {
	var n [6]int
	at := 0
	for part := range strings.FieldsFuncSeq(date, func(c rune) bool { return c < '0' || c > '9' }) {
		if at == len(n) {
			break
		}
		v, err := strconv.Atoi(part)
		if err != nil {
			return "", false
		}
		n[at] = v
		at++
	}
	t := time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], n[5], 0, time.UTC)
	if at < 3 || t.Year() != n[0] || t.Month() != time.Month(n[1]) || t.Day() != n[2] || t.Hour() != n[3] || t.Minute() != n[4] || t.Second() != n[5] {
		return "", false
	}
	return t.Format("20060102150405"), true
}
