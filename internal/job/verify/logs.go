package verify

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"slices"

	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/crawllog"
	"exclave/internal/extsort"
	"exclave/internal/job/folder"
	"exclave/internal/job/lines"
	"exclave/internal/logparts"
	"exclave/internal/urlx"
)

// readLog is a log of the job, and what was read of it.
type readLog struct {
	log     crawl.LogID
	files   []frontier.LogPart // the parts, then the file that is written to
	lines   int64
	counted bool // all was read
	away    bool // parts of it are registered as moved, and are
	bad     bool // something is wrong with it
}

// filesOf returns what is acknowledged of the files of a log.
func filesOf(row frontier.LogRow) []frontier.LogPart {
	return append(slices.Clone(row.Parts), frontier.LogPart{Name: row.Log.Name(), Length: row.Length, Lines: row.Lines, CRC: row.CRC})
}

// readLogs checks the logs against what is acknowledged of them, and takes down which URIs their lines
// are about.
func (v *verifier) readLogs(ctx context.Context) error {
	v.effort.begin("logs")
	v.recounted = newRecounted(v.State.Types())
	for _, row := range v.State.Logs() {
		l := &readLog{log: row.Log, files: filesOf(row), counted: true}
		v.logs = append(v.logs, l)
		before := v.found.Load()
		if err := v.strangeParts(l); err != nil {
			return err
		}
		for i := range l.files {
			if err := v.readLogFile(ctx, l, i); err != nil {
				return err
			}
		}
		l.bad = v.found.Load() > before
	}
	return nil
}

// strangeParts tells of parts that the state does not know.
func (v *verifier) strangeParts(l *readLog) error {
	names, err := logparts.List(v.FS, v.Path(folder.LogDir), l.log.Name())
	if err != nil {
		return fmt.Errorf("job: verify: %w", err)
	}
	for _, name := range names {
		if !slices.ContainsFunc(l.files, func(p frontier.LogPart) bool { return p.Name == name }) {
			v.bad(name, "the state does not know this part of %s%s", l.log.Name(), v.unlessClean())
		}
	}
	return nil
}

// batch is some whole lines of a log; of the last one of a file the end may be missing.
type batch struct {
	data  []byte
	first int64 // number of the first line
	long  bool  // the line is longer than any that a crawl writes: data is its beginning
}

// longestLine is how much of a line is looked at: a file that was cut and written to has a hole of zeros.
const longestLine = 16 << 20

// batchSeen is the result of a batch.
type batchSeen struct {
	batch
	lines     []lineSeen
	defects   []Defect
	recounted recounted
}

type lineSeen struct {
	number int64
	id     crawl.ID
}

func (v *verifier) readLogFile(ctx context.Context, l *readLog, i int) error {
	p := l.files[i]
	in, err := logparts.OpenPart(v.FS, v.Path(folder.LogDir), p.Name)
	switch {
	case err == nil:
	case logparts.Damaged(err):
		v.bad(p.Name, "is damaged: %v", err)
		l.counted = false
		return nil
	case p.Name != l.log.Name() && v.moved.Has(p.Name):
		v.Log.Warn("not checked: registered as moved away", "file", p.Name)
		l.counted, l.away = false, true
		return nil
	case p.Length > 0:
		v.bad(p.Name, "is missing; %d bytes are acknowledged", p.Length)
		l.counted = false
		return nil
	default:
		return nil
	}
	r := lineReader{in: in, size: v.with.Sizes.Lines, most: longestLine, free: make(chan []byte, 4*v.with.Workers)}
	number := [4]byte{}
	binary.BigEndian.PutUint32(number[:], uint32(i))
	err = inOrder(ctx, v.with.Workers, r.all, func() func(context.Context, batch) (*batchSeen, error) {
		return func(_ context.Context, b batch) (*batchSeen, error) { return v.readLines(l.log, p.Name, b), nil }
	}, func(b *batchSeen) error {
		v.effort.add(int64(len(b.data)))
		for _, d := range b.defects {
			v.bad(d.Where, "%s", d.What)
		}
		v.recounted.add(&b.recounted)
		for _, s := range b.lines {
			var line [8]byte
			binary.BigEndian.PutUint64(line[:], uint64(s.number))
			if err := v.logged.Add(s.id.Host, s.id.URI, []byte{byte(l.log)}, number[:], line[:]); err != nil {
				return err
			}
		}
		r.done(b.data)
		return nil
	})
	if err := errors.Join(err, in.Close()); logparts.Damaged(err) {
		v.bad(p.Name, "is damaged behind byte %d: %v", r.n, err)
		l.counted = false
		return nil
	} else if err != nil {
		return fmt.Errorf("job: verify %s: %w", p.Name, err)
	}
	switch {
	case r.n != p.Length:
		v.bad(p.Name, "has %d bytes, %d are acknowledged%s", r.n, p.Length, v.unlessClean())
	case r.crc != p.CRC:
		v.bad(p.Name, "its contents are not those acknowledged (checksum differs)")
	}
	if r.lines != p.Lines {
		v.bad(p.Name, "has %d lines, %d are acknowledged", r.lines, p.Lines)
	}
	l.lines += r.lines
	return nil
}

// lineReader cuts a file into batches of whole lines.
type lineReader struct {
	in    io.Reader
	size  int
	most  int         // bytes of a line; of a longer one the rest is skipped
	free  chan []byte // unused buffers
	n     int64       // bytes read
	lines int64
	crc   uint32
}

// done gives a buffer back.
func (r *lineReader) done(b []byte) {
	select {
	case r.free <- b[:0]:
	default:
	}
}

func (r *lineReader) all(emit func(batch) error) error {
	table := crc32.MakeTable(crc32.Castagnoli)
	var rest []byte // the beginning of a line
	skip := false   // to the end of a line
	for {
		var b []byte
		select {
		case b = <-r.free:
		default:
		}
		b = append(slices.Grow(b, r.size+len(rest)), rest...)
		n, err := io.ReadFull(r.in, b[len(b):len(b)+r.size])
		read := b[len(b) : len(b)+n]
		r.n, r.crc = r.n+int64(n), crc32.Update(r.crc, table, read)
		if skip {
			i := bytes.IndexByte(read, '\n')
			skip = i < 0
			n = copy(read, read[i+1:])
			if skip {
				n = 0
			}
			read = read[:n]
		}
		end := bytes.LastIndexByte(read, '\n')
		last := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !last {
			return err
		}
		whole := len(b) + end + 1
		b = b[:len(b)+n]
		if last {
			whole = len(b)
		} else if end < 0 {
			whole = 0 // a line longer than all that was read
		}
		rest = append(rest[:0], b[whole:]...)
		if b = b[:whole]; len(b) > 0 {
			first := r.lines + 1
			r.lines += int64(bytes.Count(b, []byte{'\n'}))
			if b[len(b)-1] != '\n' {
				r.lines++
			}
			if err := emit(batch{b, first, false}); err != nil {
				return err
			}
		} else {
			r.done(b)
		}
		if len(rest) > r.most {
			r.lines++
			if err := emit(batch{slices.Clone(rest[:min(len(rest), 100)]), r.lines, true}); err != nil {
				return err
			}
			rest, skip = nil, true
		}
		if last {
			return nil
		}
	}
}

// readLines looks at each line of a batch; of a quick look at the job at none.
func (v *verifier) readLines(log crawl.LogID, name string, b batch) *batchSeen {
	out := &batchSeen{batch: b, recounted: v.recounted.empty()}
	if v.with.Fast {
		return out
	}
	if b.long {
		out.defects = append(out.defects, Defect{logparts.Place{File: name, Line: b.first}.String(), "is longer than any line that a crawl writes"})
		return out
	}
	number := b.first
	for line := range bytes.Lines(b.data) {
		where := logparts.Place{File: name, Line: number}.String
		if line[len(line)-1] != '\n' {
			out.defects = append(out.defects, Defect{where(), "is cut off"})
		}
		var url string
		var err error
		if log == crawl.LogCrawl {
			var e crawllog.Entry
			if e, err = crawllog.Parse(string(line)); err == nil {
				out.recounted.count(e)
			}
			url = e.URL
		} else {
			url, err = lines.URL(log, line)
		}
		switch {
		case err != nil:
			out.defects = append(out.defects, Defect{where(), err.Error()})
		case log != crawl.LogScope:
			out.lines = append(out.lines, lineSeen{number, v.State.ID(v.knownKey(url))})
		}
		number++
	}
	return out
}

// knownKey is the key of a logged URL, that of the robots.txt which the crawler needs where that may be meant.
func (v *verifier) knownKey(url string) string {
	if key, ok := crawl.PrereqKey(url); ok {
		return key
	}
	return v.key(url)
}

// key returns what decides sameness of a logged URL. The robots.txt that the
// crawler needs and one that a page links to have lines of the same URL.
func (v *verifier) key(url string) string {
	if u, err := urlx.Parse(url); err == nil {
		return v.Config.URL.Key(u)
	}
	return url
}

// unknownLine notes a line whose URI was not found finished, by what logged has of it.
func (v *verifier) unknownLine(data []byte) error {
	return v.unknown.Add(uint64(data[0])<<32|uint64(binary.BigEndian.Uint32(data[1:])), binary.BigEndian.Uint64(data[5:]))
}

// compareLogs compares the logs with the state, line by line.
func (v *verifier) compareLogs(ctx context.Context) (err error) {
	unknown, err := v.unknown.Sorted()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unknown.Close()) }()
	more := unknown.Next()
	for i, l := range v.logs {
		before := v.found.Load()
		for n := range l.files {
			file := uint64(l.log)<<32 | uint64(n)
			if !more || unknown.A != file {
				continue
			}
			if err := v.eachLine(ctx, l.files[n].Name, func(number int64, line []byte) error {
				if !more || unknown.A != file || unknown.B != uint64(number) {
					return nil
				}
				more = unknown.Next()
				url, err := lines.URL(l.log, line)
				if err != nil {
					return nil // told already
				}
				return v.known(logparts.Place{File: l.files[n].Name, Line: number}.String(), url)
			}); err != nil {
				return err
			}
		}
		want := map[crawl.LogID]int64{crawl.LogCrawl: v.finishes, crawl.LogAnalysis: v.judgings}
		if w, ok := want[l.log]; ok && l.counted && l.lines != w {
			v.bad(l.log.Name(), "has %d lines, the state counts %d", l.lines, w)
		}
		v.logs[i].bad = l.bad || v.found.Load() > before
		if !l.bad || v.with.Fast {
			continue
		}
		if err := v.recount(ctx, l); err != nil {
			return err
		}
	}
	if err := unknown.Err; err != nil || v.with.Fast || v.logs[crawl.LogCrawl].away {
		return err
	}
	return v.statistics()
}

// eachLine calls fn for every line of a file of a log, as far as it can be read.
func (v *verifier) eachLine(ctx context.Context, name string, fn func(number int64, line []byte) error) error {
	in, err := logparts.OpenPart(v.FS, v.Path(folder.LogDir), name)
	if errors.Is(err, fs.ErrNotExist) || logparts.Damaged(err) {
		return nil // told already
	}
	if err != nil {
		return fmt.Errorf("job: verify %s: %w", name, err)
	}
	err = logparts.Lines(in, func(n int64, line []byte) error {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		return fn(n, line)
	})
	if err := errors.Join(err, in.Close()); err != nil && !logparts.Damaged(err) {
		return fmt.Errorf("job: verify %s: %w", name, err)
	}
	return nil
}

// known checks that a URL of a log is one the state has finished.
func (v *verifier) known(where, url string) error {
	if key, ok := crawl.PrereqKey(url); ok {
		if r, err := v.State.Lookup(key); err != nil || r != nil && r.Finishes > 0 {
			return err
		}
	}
	r, err := v.State.Lookup(v.key(url))
	if err != nil {
		return err
	}
	if r == nil || r.Finishes == 0 {
		v.bad(where, "%s is logged, but the state has not finished it", url)
	}
	return nil
}

// maxRecounted bounds how many URIs of one log recount names.
const maxRecounted = 100

// Kinds of what recount sorts by key.
const (
	recountLine = iota
	recountWant
)

// recountTrailer is what follows a key: its end, a kind, the number of a file, of a line or of lines, and a
// number that makes it unique.
const recountTrailer = 1 + 1 + 4 + 8 + 8

// recount names the URIs that a damaged log has too many or too few lines of. A whole log need not be
// sorted for it.
func (v *verifier) recount(ctx context.Context, l *readLog) (err error) {
	if l.log == crawl.LogScope || !l.counted { // what cannot be read would be named
		return nil
	}
	keys := v.scratch.Sorter("recount-" + l.log.Name())
	defer keys.Abandon()
	parts := uint64(0)
	add := func(key string, kind byte, file int, n int64) error {
		parts++
		b := [recountTrailer]byte{1: kind}
		binary.BigEndian.PutUint32(b[2:], uint32(file))
		binary.BigEndian.PutUint64(b[6:], uint64(n))
		binary.BigEndian.PutUint64(b[14:], parts)
		return keys.Add(0, 0, []byte(key), b[:])
	}
	for i, f := range l.files {
		if err := v.eachLine(ctx, f.Name, func(n int64, line []byte) error {
			url, err := lines.URL(l.log, line)
			if err != nil {
				return nil // told already
			}
			return add(v.key(url), recountLine, i, n)
		}); err != nil {
			return err
		}
	}
	if err := v.State.EachURI(func(r *frontier.Record) error {
		want := r.Finishes
		if l.log == crawl.LogAnalysis {
			want = r.Judgings
		}
		if want == 0 {
			return ctx.Err()
		}
		return add(v.key(r.URL), recountWant, 0, int64(want))
	}); err != nil {
		return err
	}
	sorted, err := keys.Sorted()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sorted.Close()) }()
	return v.nameRecounted(l, sorted)
}

// nameRecounted names what recount sorted.
func (v *verifier) nameRecounted(l *readLog, sorted *extsort.Merge) error {
	named := 0
	for more := sorted.Next(); more && named <= maxRecounted; {
		key := string(sorted.Data[:len(sorted.Data)-recountTrailer])
		have, want := int64(0), int64(0)
		var last logparts.Place
		for ; more && string(sorted.Data[:len(sorted.Data)-recountTrailer]) == key; more = sorted.Next() {
			b := sorted.Data[len(key):]
			n := int64(binary.BigEndian.Uint64(b[6:]))
			if b[1] == recountWant {
				want += n
				continue
			}
			have++
			last = logparts.Place{File: l.files[binary.BigEndian.Uint32(b[2:])].Name, Line: n}
		}
		if have == want || want == 0 { // URIs that the state does not know were named
			continue
		}
		where := l.log.Name()
		if named++; named > maxRecounted {
			v.bad(where, "more URIs than these have another number of lines than the state counts")
			break
		}
		if have > want {
			where = last.String()
		}
		v.bad(where, "%s is logged %d times, the state counts %d", key, have, want)
	}
	return sorted.Err
}
