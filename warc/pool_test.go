package warc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
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

// committer is the smallest honest caller: rows survive a crash as a database's
// would, changed only after Sync.
type committer struct {
	rows map[uint32]FileState
	next uint32
}

func (c *committer) open() []FileState {
	var out []FileState
	for _, r := range c.rows {
		out = append(out, r)
	}
	return out
}

// run writes captures until an error, and returns it.
func (c *committer) run(p *Pool, captures int, after func()) error {
	for i := range captures {
		f, err := p.Acquire(context.Background())
		if err != nil {
			return err
		}
		span, _, err := capture(f, page(i))
		p.Release(f)
		if err != nil {
			return err
		}
		if err := p.Sync([]uint32{span.File}); err != nil {
			return err
		}
		row, ok := p.File(span.File)
		if !ok {
			return fmt.Errorf("no file %d", span.File)
		}
		row.Committed = span.End
		c.rows[span.File] = row
		c.next = p.NextFile()
		events, err := p.Committed(span.File, span.End)
		c.store(events)
		if err != nil {
			return err
		}
		after()
	}
	events, err := p.Close()
	c.store(events)
	return err
}

func (c *committer) store(events []Event) {
	for _, e := range events {
		r := c.rows[e.File]
		r.Final = true
		c.rows[e.File] = r
	}
}

// recovered recovers and verifies every file to be clean and exactly as long as
// committed.
func (c *committer) recovered(t *testing.T, fs fsx.FS) []FileState {
	t.Helper()
	rows, _, err := Recover(fs, "warcs", c.open(), keep(fs), nobody, nil)
	must(t, err)
	for _, r := range rows {
		st, err := fs.Stat("warcs/" + r.DiskName())
		must(t, err)
		if st.Size() != r.Committed {
			t.Errorf("%s has %d bytes, %d are committed", r.DiskName(), st.Size(), r.Committed)
		}
		clean(t, fs, "warcs/"+r.DiskName())
	}
	names, err := fs.List("warcs")
	must(t, err)
	if len(names) != len(rows) {
		t.Errorf("%d files, %d rows: %v", len(names), len(rows), names)
	}
	return rows
}

func TestCrashAtAnyInstant(t *testing.T) {
	// Decision 2: whatever a crash leaves, recovery finds all that was committed
	// and nothing torn, and writing goes on.
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(3, seed))
		fs := fsx.NewMem()
		c := &committer{rows: make(map[uint32]FileState)}
		p := openTestPool(t, fs, 0)
		left := r.IntN(25)
		var crashed *fsx.Mem
		var rows map[uint32]FileState
		err := c.run(p, 25, func() {
			if left--; left == 0 {
				f, err := p.Acquire(context.Background())
				must(t, err)
				must(t, f.Begin())
				_, err = f.Write(page(99)[0])
				must(t, errors.Join(err, f.flush()))
				crashed = fs.CrashClone(fsx.Crash{KeepPercent: r.IntN(101), Rand: r})
				rows = make(map[uint32]FileState)
				for k, v := range c.rows {
					rows[k] = v
				}
				p.Release(f)
			}
		})
		must(t, err)
		if crashed == nil {
			continue
		}
		again := &committer{rows: rows}
		for _, row := range rows {
			again.next = max(again.next, row.Number+1)
		}
		open := again.recovered(t, crashed)
		for _, row := range open {
			again.rows[row.Number] = row
		}
		p = openTestPool(t, crashed, again.next, open...)
		must(t, again.run(p, 10, func() {}))
		again.recovered(t, crashed)
	}
}

func TestFaultAtEveryOperation(t *testing.T) {
	// libraries.md, gowarc: "a failed write leaves a partial gzip member and later
	// offsets are wrong". Fail each operation in turn, for once and for good.
	for _, stay := range []bool{false, true} {
		for at := int64(0); ; at++ {
			fs := fsx.NewMem()
			must(t, fsx.MkdirAll(fs, "warcs"))
			f := fsx.NewFaulty(fs, fsx.Fault{At: at, Stay: stay, Err: syscall.ENOSPC})
			c := &committer{rows: make(map[uint32]FileState)}
			err := c.run(openTestPool(t, f, 0), 12, func() {})
			_, failed := f.Counts()
			if failed > 0 && err == nil {
				t.Fatalf("operation %d failed unnoticed", at)
			}
			c.recovered(t, fs.CrashClone(fsx.Crash{}))
			c.recovered(t, fs)
			if failed == 0 {
				must(t, err)
				break
			}
		}
	}
}

func TestFaultInOneCaptureOnly(t *testing.T) {
	// A full disk that has room again: the failed captures are gone, the others
	// have right offsets, in the same process.
	for at := int64(0); ; at++ {
		fs := fsx.NewMem()
		must(t, fsx.MkdirAll(fs, "warcs"))
		f := fsx.NewFaulty(fs, fsx.Fault{At: -1})
		p := openTestPool(t, f, 0)
		f.Set(fsx.Fault{At: at, Err: syscall.ENOSPC, Match: func(o fsx.Op) bool { return o.Kind == "writeat" || o.Kind == "truncate" }})
		var ok []Span
		for i := range 12 {
			file, err := p.Acquire(t.Context())
			must(t, err)
			s, _, err := capture(file, page(i))
			if err == nil {
				ok = append(ok, s)
			}
			p.Release(file)
		}
		_, failed := f.Counts()
		if want := 12 - int(failed); len(ok) != want {
			t.Fatalf("write %d: %d captures, want %d", at, len(ok), want)
		}
		for _, s := range ok {
			must(t, p.Sync([]uint32{s.File}))
			_, err := p.Committed(s.File, s.End)
			must(t, err)
		}
		_, err := p.Close()
		must(t, err)
		names, err := fs.List("warcs")
		must(t, err)
		for _, n := range names {
			clean(t, fs, "warcs/"+n)
		}
		if failed == 0 {
			break
		}
	}
}

func TestRecoverStates(t *testing.T) {
	// Every state a crash around rename can leave, and every loss that must be said.
	const name = "TEST-20261121050607089-00000-1~host~8443.warc.gz"
	cases := []struct {
		why   string
		files map[string]int
		row   FileState
		final bool
		fails string
	}{
		{"as committed", map[string]int{name + ".open": 10}, FileState{Name: name, Committed: 10}, false, ""},
		{"longer: cut", map[string]int{name + ".open": 15}, FileState{Name: name, Committed: 10}, false, ""},
		{"renamed, event not stored", map[string]int{name: 10}, FileState{Name: name, Committed: 10}, true, ""},
		{"both names: directory not synced", map[string]int{name: 10, name + ".open": 10}, FileState{Name: name, Committed: 10}, true, ""},
		{"a final file may have been moved away", nil, FileState{Name: name, Committed: 10, Final: true}, true, ""},
		{"shorter than acknowledged", map[string]int{name + ".open": 9}, FileState{Name: name, Committed: 10}, false, "10 bytes were committed, the file has 9"},
		{"gone", nil, FileState{Name: name, Committed: 10}, false, "the file has 0"},
		{"final but shorter", map[string]int{name: 9}, FileState{Name: name, Committed: 10}, false, "the file has 9"},
		{"final but longer", map[string]int{name: 11}, FileState{Name: name, Committed: 10}, false, "the state is older than the archive"},
	}
	for _, c := range cases {
		t.Run(c.why, func(t *testing.T) {
			fs := fsx.NewMem()
			must(t, fsx.MkdirAll(fs, "warcs"))
			for n, size := range c.files {
				must(t, fsx.WriteFileAtomic(fs, "warcs/"+n, make([]byte, size)))
			}
			stray := strings.Replace(name, "-00000-", "-00001-", 1) + ".open"
			for _, n := range []string{stray, "notes.txt.open"} {
				must(t, fsx.WriteFileAtomic(fs, "warcs/"+n, []byte("x")))
			}
			for range 2 { // idempotent
				rows, _, err := Recover(fs, "warcs", []FileState{c.row}, keep(fs), nobody, nil)
				if c.fails != "" {
					if err == nil || !strings.Contains(err.Error(), c.fails) || !strings.Contains(err.Error(), name) {
						t.Fatalf("error %v", err)
					}
					if _, err := fs.Stat("warcs/" + stray); err != nil {
						t.Fatal("something was changed in spite of the loss")
					}
					continue
				}
				must(t, err)
				if rows[0].Final != c.final {
					t.Fatalf("row %v", rows[0])
				}
				names, err := fs.List("warcs")
				must(t, err)
				if want := min(1, len(c.files)) + 1; len(names) != want {
					t.Fatalf("files %v", names)
				}
			}
		})
	}
}

// Every record names the warcinfo record of its file, also in a file that is gone on with after a restart, and after the first capture was rolled back.
func TestWarcinfoID(t *testing.T) {
	t.Parallel()
	fs := fsx.NewMem()
	c := testConfig()
	c.Dir, c.PoolSize = "warcs", 1
	must(t, fs.MkdirAll(c.Dir, 0o700))
	record := func() *Record {
		return &Record{Type: TypeResource, TargetURI: "http://a.com/", Date: clock.System().Now(), ContentType: "text/plain", Block: strings.NewReader("text")}
	}
	var rows []FileState
	for range 2 {
		p, err := OpenPool(fs, c, testInfo, clock.System(), 1+uint32(len(rows)), rows, nil)
		must(t, err)
		f, err := p.Acquire(t.Context())
		must(t, err)
		must(t, f.Begin())
		_, err = f.Write(record())
		must(t, err)
		must(t, f.Rollback())
		must(t, f.Begin())
		for range 2 {
			_, err = f.Write(record())
			must(t, err)
		}
		span, err := f.End()
		must(t, err)
		p.Release(f)
		must(t, p.Sync([]uint32{span.File}))
		_, err = p.Committed(span.File, span.End)
		must(t, err)
		s, ok := p.File(span.File)
		if !ok {
			t.Fatal("the file is not there")
		}
		rows = []FileState{s}
		must(t, p.closeAll())
	}
	in, err := fs.Open("warcs/" + rows[0].DiskName())
	must(t, err)
	info, n := "", 0
	for r := NewReader(io.NewSectionReader(in, 0, rows[0].Committed)); ; n++ {
		e, err := r.Next()
		if err == io.EOF {
			break
		}
		must(t, err)
		got := strings.Trim(e.Header.Get("WARC-Warcinfo-ID"), "<>")
		if e.Type() == TypeWarcinfo {
			if info != "" || got != "" {
				t.Errorf("a second warcinfo record, or one that names %q", got)
			}
			info = e.ID()
		} else if got != info {
			t.Errorf("a %s record names %q, not %q", e.Type(), got, info)
		}
	}
	must(t, in.Close())
	if info == "" || n != 5 {
		t.Errorf("%d records behind %q", n, info)
	}
}

// A file that was renamed before its row could say so, stored elsewhere and deleted here, is complete: a state that lost its last commit misses nothing.
func TestMovedBeforeItsRow(t *testing.T) {
	t.Parallel()
	fs := fsx.NewMem()
	must(t, fsx.MkdirAll(fs, "warcs"))
	row := FileState{Number: 1, Name: "EXCLAVE-20261123101946123-00001-1-h.warc.gz", Committed: 10}
	moved := func(name string) bool { return name == row.Name }
	last := func(uint32) (Span, bool, error) { return Span{}, false, nil }
	must(t, Check(fs, "warcs", []FileState{row}, last, moved, true))
	rows, _, err := Recover(fs, "warcs", []FileState{row}, keep(fs), moved, nil)
	must(t, err)
	if !rows[0].Final {
		t.Errorf("%+v", rows[0])
	}
	if err := Check(fs, "warcs", []FileState{row}, last, nobody, true); err == nil {
		t.Error("missing, and no fault")
	}
	if _, _, err := Recover(fs, "warcs", []FileState{row}, keep(fs), nobody, nil); err == nil {
		t.Error("missing, and recovered")
	}
}

// nobody moved a file away.
func nobody(string) bool { return false }
