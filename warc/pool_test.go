package warc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"exclave/internal/aside"
	"exclave/internal/clock"
	"exclave/internal/fsx"
)

var day = time.Date(2026, 11, 21, 5, 6, 7, 89e6, time.UTC)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// keep is where recovery keeps what it takes away.
func keep(fs fsx.FS) *aside.Folder { return aside.New(fs, ".", clock.NewFake(day)) }

func testConfig() Config {
	c := DefaultConfig()
	c.Dir, c.Prefix, c.Host, c.MaxSize = "warcs", "TEST", "host", 4500
	return c
}

var testInfo = Info{
	Software: "exclave/0.1 https://example.org/", Hostname: "host", IP: "192.0.2.1", Operator: "Op",
	IsPartOf: "job", Robots: "Obey", UserAgent: "Mozilla/5.0 (compatible; exclave/0.1 +https://example.org/)",
}

func openTestPool(t testing.TB, fs fsx.FS, next uint32, open ...FileState) *Pool {
	t.Helper()
	if _, err := fs.Stat("warcs"); err != nil {
		must(t, fsx.MkdirAll(fs, "warcs"))
	}
	p, err := OpenPool(fs, testConfig(), testInfo, clock.NewFake(day), next, open, nil)
	must(t, err)
	return p
}

// page makes the records of a capture that differ with n.
func page(n int) []*Record {
	uri := fmt.Sprintf("http://example.com/%d", n)
	body := strings.Repeat(fmt.Sprintf("<p>page %d</p>\n", n), 1+n%50)
	response := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	request := fmt.Sprintf("GET /%d HTTP/1.1\r\nHost: example.com\r\n\r\n", n)
	digest, err := PayloadDigest(strings.NewReader(response))
	if err != nil {
		panic(err)
	}
	id := NewID()
	return []*Record{
		{Type: TypeResponse, TargetURI: uri, Date: day, ID: id, ContentType: ContentHTTPResponse,
			IP: netip.MustParseAddr("192.0.2.7"), PayloadDigest: digest, Block: strings.NewReader(response)},
		{Type: TypeRequest, TargetURI: uri, Date: day, ContentType: ContentHTTPRequest,
			ConcurrentTo: []string{id}, Block: strings.NewReader(request)},
		{Type: TypeMetadata, TargetURI: uri, Date: day, ContentType: ContentFields,
			ConcurrentTo: []string{id}, Block: bytes.NewReader(Fields([]Field{{"via", "http://example.com/"}, {"hopsFromSeed", "L"}}))},
	}
}

func capture(f *File, records []*Record) (Span, []Ref, error) {
	if err := f.Begin(); err != nil {
		return Span{}, nil, err
	}
	var refs []Ref
	for _, r := range records {
		ref, err := f.Write(r)
		if err != nil {
			return Span{}, nil, err
		}
		refs = append(refs, ref)
	}
	s, err := f.End()
	return s, refs, err
}

// clean verifies a file and wants nothing wrong.
func clean(t testing.TB, fs fsx.FS, name string) (uris []string) {
	t.Helper()
	defects, err := verifyFile(fs, name, func(i RecordInfo) error {
		uris = append(uris, i.Type+" "+i.TargetURI)
		return nil
	})
	must(t, err)
	for _, d := range defects {
		t.Errorf("%v", &d)
	}
	return uris
}

func TestCaptureIsReadBack(t *testing.T) {
	// Spans are what the state refers to: contiguous, in one file, warcinfo in the
	// first; refs are what CDX refers to.
	fs := fsx.NewMem()
	p := openTestPool(t, fs, 7)
	f, err := p.Acquire(t.Context())
	must(t, err)
	first, _, err := capture(f, page(1))
	must(t, err)
	second, refs, err := capture(f, page(2))
	must(t, err)
	if first.Start != 0 || first.File != 7 || second.Start != first.End || refs[0].Offset != second.Start {
		t.Fatalf("spans %v %v, refs %v", first, second, refs)
	}
	for i := 1; i < len(refs); i++ {
		if refs[i].Offset != refs[i-1].Offset+refs[i-1].Length {
			t.Errorf("refs %v are not contiguous", refs)
		}
	}
	p.Release(f)
	state, ok := p.File(7)
	if !ok || state.Final {
		t.Fatalf("state %v %v", state, ok)
	}
	must(t, p.Sync([]uint32{7}))
	if _, err := p.Committed(7, second.End); err != nil {
		t.Fatal(err)
	}
	events, err := p.Close()
	must(t, err)
	want := "TEST-20261121050607089-00007-"
	if len(events) != 1 || events[0].File != 7 || events[0].Name != state.Name || !strings.HasPrefix(state.Name, want) ||
		!strings.HasSuffix(state.Name, "-host.warc.gz") {
		t.Fatalf("events %v, state %v", events, state)
	}
	name := "warcs/" + state.Name
	wantURIs := []string{"warcinfo ", "response http://example.com/1", "request http://example.com/1", "metadata http://example.com/1",
		"response http://example.com/2", "request http://example.com/2", "metadata http://example.com/2"}
	if diff := cmp.Diff(wantURIs, clean(t, fs, name)); diff != "" {
		t.Error(diff)
	}
	e, done, err := ReadAt(fs, name, refs[2])
	must(t, err)
	b, err := io.ReadAll(e.Block)
	must(t, errors.Join(err, done()))
	if e.Type() != TypeMetadata || string(b) != "via: http://example.com/\r\nhopsFromSeed: L\r\n" {
		t.Errorf("read %s %q", e.Type(), b)
	}
}

func TestRotation(t *testing.T) {
	// Decision 2: a file changes only between captures, and gets its final name
	// only when all of it is committed.
	fs := fsx.NewMem()
	p := openTestPool(t, fs, 1)
	var spans []Span
	for i := range 40 {
		f, err := p.Acquire(t.Context())
		must(t, err)
		s, _, err := capture(f, page(i))
		must(t, err)
		p.Release(f)
		spans = append(spans, s)
	}
	names, err := fs.List("warcs")
	must(t, err)
	for _, n := range names {
		if !strings.HasSuffix(n, ".open") {
			t.Errorf("%s is final before a commit", n)
		}
	}
	var events []Event
	for _, s := range spans {
		must(t, p.Sync([]uint32{s.File}))
		e, err := p.Committed(s.File, s.End)
		must(t, err)
		events = append(events, e...)
	}
	e, err := p.Close()
	must(t, err)
	events = append(events, e...)
	if len(events) != len(names) || len(events) < 3 {
		t.Fatalf("%d events for %d files", len(events), len(names))
	}
	records := 0
	for _, e := range events {
		records += len(clean(t, fs, "warcs/"+e.Name))
	}
	if records != 40*3+len(events) {
		t.Errorf("%d records", records)
	}
}

func TestRefusedRecords(t *testing.T) {
	// Each would make a file that other tools misread; gowarc lets some through.
	cases := []struct {
		why    string
		change func(*Record)
	}{
		{"CR LF in a target URI is a header injection (libraries.md)", func(r *Record) { r.TargetURI += "\r\nWARC-Type: x" }},
		{"a space ends the URI for CDX tools", func(r *Record) { r.TargetURI += " x" }},
		{"WARC 1.1 section 5.7: URI per RFC 3986, so ASCII", func(r *Record) { r.TargetURI += "é" }},
		{"a relative URI", func(r *Record) { r.TargetURI = "/x" }},
		{"WARC 1.1 section 5.4: the date is mandatory", func(r *Record) { r.Date = time.Time{} }},
		{"CR LF in an extra field", func(r *Record) { r.Extra = []Field{{"X", "a\r\nb"}} }},
		{"a field name with a colon", func(r *Record) { r.Extra = []Field{{"X:", "a"}} }},
		{"WARC 1.1 section 5.13: known reasons only", func(r *Record) { r.Truncated = "size" }},
		{"an unknown type", func(r *Record) { r.Type = "page" }},
		{"a revisit needs to say of what (formats.md)", func(r *Record) { r.Type = TypeRevisit }},
		{"an id in brackets would get two pairs", func(r *Record) { r.ID = "<urn:uuid:x>" }},
		{"a block without a type", func(r *Record) { r.ContentType = "" }},
		{"a digest without algorithm", func(r *Record) { r.PayloadDigest = "ABC" }},
	}
	p := openTestPool(t, fsx.NewMem(), 0)
	f, err := p.Acquire(t.Context())
	must(t, err)
	_, _, err = capture(f, page(0))
	must(t, err)
	for _, c := range cases {
		t.Run(c.why, func(t *testing.T) {
			r := page(1)[0]
			c.change(r)
			if _, _, err := capture(f, []*Record{r}); err == nil {
				t.Error("it was written")
			}
			if s, _, err := capture(f, page(2)); err != nil || s.Start != f.written-(s.End-s.Start) {
				t.Errorf("the next capture: %v %v", s, err)
			}
		})
	}
	p.Release(f)
	must(t, p.Sync([]uint32{0}))
	state, _ := p.File(0)
	clean(t, p.fs, "warcs/"+state.DiskName())
}

// broken is a block whose bytes cannot be read, as a lost spill file.
type broken struct{ strings.Reader }

func (*broken) ReadAt([]byte, int64) (int, error) { return 0, syscall.EIO }

func TestFailedBlockLeavesNothing(t *testing.T) {
	// A recording that cannot be read must not leave half a capture behind.
	p := openTestPool(t, fsx.NewMem(), 0)
	f, err := p.Acquire(t.Context())
	must(t, err)
	records := page(1)
	records[2].Block = &broken{*strings.NewReader("x")}
	if _, _, err := capture(f, records); !errors.Is(err, syscall.EIO) {
		t.Fatalf("error %v", err)
	}
	if _, err := f.End(); !errors.Is(err, syscall.EIO) {
		t.Fatalf("End after a failure: %v", err)
	}
	if s, _, err := capture(f, page(2)); err != nil || s.Start != 0 {
		t.Fatalf("next capture %v %v", s, err)
	}
	p.Release(f)
	state, _ := p.File(0)
	clean(t, p.fs, "warcs/"+state.DiskName())
}

func TestAcquireWaitsAndEnds(t *testing.T) {
	// PoolSize owners at a time; a worker that waits must be stoppable.
	p := openTestPool(t, fsx.NewMem(), 0)
	a, err := p.Acquire(t.Context())
	must(t, err)
	b, err := p.Acquire(t.Context())
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	got := make(chan error)
	go func() {
		_, err := p.Acquire(ctx)
		got <- err
	}()
	cancel()
	if err := <-got; !errors.Is(err, context.Canceled) {
		t.Fatalf("Acquire: %v", err)
	}
	p.Release(a)
	p.Release(b)
	_, err = p.Close()
	must(t, err)
	if names, err := p.fs.List("warcs"); err != nil || len(names) != 0 {
		t.Errorf("files without a capture stay: %v %v", names, err)
	}
	if _, err := p.Acquire(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("Acquire after Close: %v", err)
	}
}

func TestManyWorkers(t *testing.T) {
	// Workers write while the committer syncs; run with -race.
	fs := fsx.NewMem()
	p := openTestPool(t, fs, 0)
	spans := make(chan Span, 200)
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 10 {
				f, err := p.Acquire(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				s, _, err := capture(f, page(w*10+i))
				if err != nil {
					t.Error(err)
				}
				spans <- s
				p.Release(f)
			}
		})
	}
	go func() { wg.Wait(); close(spans) }()
	ends := make(map[uint32]int64)
	for s := range spans {
		ends[s.File] = max(ends[s.File], s.End)
		must(t, p.Sync([]uint32{s.File}))
		if s.End < ends[s.File] {
			continue
		}
		_, err := p.Committed(s.File, s.End)
		must(t, err)
	}
	_, err := p.Close()
	must(t, err)
	names, err := fs.List("warcs")
	must(t, err)
	pages := 0
	for _, n := range names {
		for _, u := range clean(t, fs, "warcs/"+n) {
			if strings.HasPrefix(u, "response") {
				pages++
			}
		}
	}
	if pages != 80 {
		t.Errorf("%d pages", pages)
	}
}
