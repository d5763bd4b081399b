package wacz

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"exclave/internal/extsort"
	"exclave/internal/markup"
	"exclave/internal/mime"
	"exclave/internal/record"
	"exclave/warc"
	"exclave/warc/rewrite"
)

// Bounds of what is read of a page.
const (
	mostBody = 8 << 20   // bytes of the document
	mostText = 100 << 10 // bytes of its text in the list
	mostJSON = 1 << 20   // bytes of a metadata record
	headRead = 64 << 10  // bytes in which a header must end
)

// page is a line of pages.jsonl.
type page struct {
	ID    string `json:"id"`
	URL   string `json:"url"`
	Date  string `json:"ts"`
	Title string `json:"title,omitempty"`
	Text  string `json:"text,omitempty"`
	Seed  bool   `json:"seed,omitempty"`
}

// pages finds the pages. What is known of one stands in several records, which may be in several files: its own, a verdict of it, and
// metadata that say that it is a seed. They are brought together by the ID of the record with the page.
type pages struct {
	profile string
	hosts   *selection // nil: any
	temp    string
	known   *extsort.Sorter // by record ID
	sorted  *extsort.Sorter // by seeds first, and date
	judged  bool            // there are verdicts
	head    *bufio.Reader
}

// What is known of a page, in front of the data of a record of the sorter.
const (
	aPage    = 'p' // and its line
	aSeed    = 's'
	aVerdict = 'v' // and its date, and 1 when it is valid
)

func newPages(scratch *extsort.Scratch, o Options, temp string) *pages {
	p := &pages{profile: o.Profile, temp: temp, known: scratch.Sorter("known"), sorted: scratch.Sorter("pages"), head: bufio.NewReaderSize(nil, headRead)}
	if len(o.Hosts) > 0 {
		p.hosts = &selection{filter: rewrite.Filter{Hosts: o.Hosts}}
	}
	return p
}

func (p *pages) abandon() {
	p.known.Abandon()
	p.sorted.Abandon()
}

// record takes what a record says of a page.
func (p *pages) record(e *warc.Entry, file string) error {
	switch e.Type() {
	case warc.TypeResponse, warc.TypeResource:
		return p.page(e, file)
	case warc.TypeMetadata:
		return p.about(e)
	}
	return nil
}

func (p *pages) tell(id string, what byte, data []byte) error {
	s := sum(id)
	return p.known.Add(binary.BigEndian.Uint64(s[:]), binary.BigEndian.Uint64(s[8:]), []byte{what}, data)
}

// about reads verdicts and seeds.
func (p *pages) about(e *warc.Entry) error {
	ids := e.ConcurrentTo()
	if len(ids) == 0 || e.Size > mostJSON {
		return nil
	}
	verdict := strings.HasPrefix(e.TargetURI(), rewrite.VerdictURI)
	if !verdict && !strings.HasPrefix(e.Header.Get("Content-Type"), warc.ContentFields) {
		return nil
	}
	data, err := io.ReadAll(e.Block)
	if err != nil {
		return err
	}
	if !verdict {
		for line := range bytes.Lines(data) {
			if name, _, _ := bytes.Cut(line, []byte(":")); string(name) == "seed" {
				return p.tell(ids[0], aSeed, nil)
			}
		}
		return nil
	}
	verdicts, err := rewrite.Verdicts(data)
	if err != nil {
		return nil // not exclave's
	}
	valid := byte('0')
	for _, v := range verdicts {
		if p.profile == "" || v.Profile == p.profile {
			p.judged = p.judged || v.Judged
			if v.Judged && v.Valid {
				valid = '1'
			}
		}
	}
	return p.tell(ids[0], aVerdict, append([]byte(e.Header.Get("WARC-Date")), valid))
}

// page takes an HTML document that a server gave.
func (p *pages) page(e *warc.Entry, file string) error {
	uri := e.TargetURI()
	date, err := e.Date()
	if err != nil || !strings.HasPrefix(uri, "http://") && !strings.HasPrefix(uri, "https://") || p.hosts != nil && !p.hosts.of(uri) {
		return nil
	}
	kind := e.Header.Get("Content-Type")
	http := strings.HasPrefix(strings.ToLower(kind), "application/http")
	if !http && e.Type() == warc.TypeResponse {
		return nil
	}
	p.head.Reset(e.Block)
	start, err := p.head.Peek(headRead)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	var body []byte
	if http {
		n := record.HeadLenOf(start, true)
		head := record.ParseHead(start[:n])
		kind = head.Get("Content-Type")
		if head.Status < 200 || head.Status > 299 || !isHTML(uri, kind, start[n:]) {
			return nil
		}
		rec, err := record.Load(p.head, p.temp, record.DefaultMemory)
		if err != nil {
			return err
		}
		defer func() { _ = rec.Close() }() // a file without a name
		body, _ = rec.Body(mostBody)       // of a broken coding what could be decoded
	} else {
		if !isHTML(uri, kind, start) {
			return nil
		}
		if body, err = io.ReadAll(io.LimitReader(p.head, mostBody)); err != nil {
			return err
		}
	}
	info := mime.Detect(uri, kind, body[:min(len(body), mime.HeadSize)], 0)
	doc := markup.Parse(markup.HTML, body, markup.Options{DeclaredCharset: info.Charset, MaxText: mostText, MaxLinks: 1})
	id := sum(uri, date.UTC().Format(time.RFC3339Nano), e.ID())
	line, err := json.Marshal(page{ID: hex.EncodeToString(id[:]), URL: uri, Date: date.UTC().Format(time.RFC3339), Title: doc.Title, Text: doc.Text})
	if err != nil {
		return fmt.Errorf("wacz: page: %w", err)
	}
	own := e.ID()
	if own == "" {
		own = fmt.Sprint(file, e.Offset)
	}
	return p.tell(own, aPage, line)
}

// isHTML reports whether a browser shows a document as a page: by what is declared, and only without that by its bytes.
func isHTML(uri, declared string, start []byte) bool {
	if declared == "" {
		return mime.Detect(uri, "", start, 0).Class == mime.HTML
	}
	kind := strings.ToLower(strings.TrimSpace(declared))
	if i := strings.IndexAny(kind, "; \t"); i >= 0 { // some servers forget the semicolon
		kind = kind[:i]
	}
	k := markup.KindOf(kind)
	return k == markup.HTML || k == markup.XHTML
}

// join sorts the pages that are listed: those that are valid, of an archive without verdicts all.
func (p *pages) join() (err error) {
	all, err := p.known.Sorted()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, all.Close()) }()
	var a, b uint64
	var lines [][]byte
	seed, valid := false, !p.judged
	flush := func() error {
		for _, line := range lines {
			if err := p.list(line, seed, valid); err != nil {
				return err
			}
		}
		lines, seed, valid = lines[:0], false, !p.judged
		return nil
	}
	for all.Next() {
		if all.A != a || all.B != b {
			if err := flush(); err != nil {
				return err
			}
			a, b = all.A, all.B
		}
		switch data := all.Data[1:]; all.Data[0] {
		case aPage:
			lines = append(lines, bytes.Clone(data))
		case aSeed:
			seed = true
		case aVerdict: // the last one is the latest
			valid = data[len(data)-1] == '1'
		}
	}
	return errors.Join(all.Err, flush())
}

func (p *pages) list(line []byte, seed, valid bool) error {
	if !valid {
		return nil
	}
	var x page
	if err := json.Unmarshal(line, &x); err != nil {
		return fmt.Errorf("wacz: page: %w", err)
	}
	rank := uint64(1)
	if x.Seed = seed; seed {
		rank = 0
	}
	line, err := json.Marshal(x)
	if err != nil {
		return fmt.Errorf("wacz: page: %w", err)
	}
	return p.sorted.Add(rank, 0, []byte(x.Date+" "+x.URL+"\x00"), line)
}

// write writes the list into the package.
func (p *pages) write(to *packing) (n int64, err error) {
	if err := p.join(); err != nil {
		return 0, err
	}
	all, err := p.sorted.Sorted()
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, all.Close()) }()
	err = to.add("pages/pages.jsonl", zip.Deflate, func(w io.Writer) error {
		_, err := io.WriteString(w, `{"format":"json-pages-1.0","id":"pages","title":"All Pages","hasText":true}`+"\n")
		for err == nil && all.Next() {
			_, line, _ := bytes.Cut(all.Data, []byte{0})
			n++
			_, err = w.Write(line)
			if err == nil {
				_, err = io.WriteString(w, "\n")
			}
			err = errors.Join(err, to.ctx.Err())
		}
		return errors.Join(err, all.Err)
	})
	return n, err
}
