package frontier

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"sync"

	"exclave/crawl"
	"exclave/frontier/rules"
	"exclave/frontier/schema"
	"exclave/frontier/store"
)

// maxGroup bounds the requests that are read for together, aheadLinks
// the links of a page with more that are committed together: whoever finishes a page of 20
// beside it should not notice. enoughLinks ends a group, and the gathering of groups for one commit, that
// has as many: there must be something to read while it is committed.
const (
	maxGroup    = 512
	aheadLinks  = 100
	enoughLinks = 4000
)

// ErrClosed is returned for what was handed in too late to be committed.
var ErrClosed = errors.New("frontier: closed")

// request is something the committer is to make durable.
type request struct {
	rules.Request
	files []schema.FileRow
	copy  *copying
	done  chan error
}

// Schedule implements the frontier of package chain.
func (f *Frontier) Schedule(ctx context.Context, cs ...crawl.Candidate) error {
	_, err := f.ScheduleMark(ctx, "", nil, cs...)
	return err
}

// ScheduleMark schedules candidates and sets a mark (a note on how far their
// source was read) in the same commit as the last of them. An empty name sets
// none. known is how many of the candidates the frontier knew before, or twice
// within the call.
func (f *Frontier) ScheduleMark(ctx context.Context, mark string, value []byte, cs ...crawl.Candidate) (known int, err error) {
	for {
		r := &request{Request: rules.Request{Candidates: cs[:min(len(cs), rules.MaxLinks)]}}
		cs = cs[len(r.Candidates):]
		if len(cs) == 0 {
			r.Mark, r.Note = mark, value
		}
		if err := f.submit(ctx, r); err != nil {
			return known, fmt.Errorf("frontier: schedule: %w", err)
		}
		known += r.Known
		if len(cs) == 0 {
			return known, nil
		}
	}
}

// ScheduleLater hands in at most [MostLater] candidates, which are no longer the caller's, and returns a function
// that waits until they are durable and returns how many of them were known, or twice among them. They
// are scheduled in the order of calls; it is for who reads many candidates from one place.
func (f *Frontier) ScheduleLater(ctx context.Context, cs []crawl.Candidate) (durable func() (known int, err error), err error) {
	r := &request{Request: rules.Request{Candidates: cs}}
	if len(cs) > MostLater {
		return nil, fmt.Errorf("frontier: schedule: %d candidates at a time, at most %d", len(cs), MostLater)
	}
	if err := f.handIn(ctx, r); err != nil {
		return nil, fmt.Errorf("frontier: schedule: %w", err)
	}
	return func() (int, error) {
		if err := f.answered(r); err != nil {
			return 0, fmt.Errorf("frontier: schedule: %w", err)
		}
		return r.Known, nil
	}, nil
}

// MostLater is the most candidates of one call of [Frontier.ScheduleLater].
const MostLater = rules.MaxLinks

// Marked returns the value of a mark.
func (f *Frontier) Marked(name string) (value []byte, ok bool, err error) {
	v, err := get(f.db, schema.MarkKey(name))
	if v == nil || err != nil {
		return nil, false, err
	}
	value, err = schema.DecodeMark(v)
	return value, err == nil, err
}

// Finished implements the frontier of package chain. Of a page with very many
// links all but the last are committed ahead of its outcome.
func (f *Frontier) Finished(ctx context.Context, u *crawl.CrawlURI) error {
	ahead := 0
	if u.Disposition == crawl.Done && len(u.Links) > rules.MaxLinks {
		for rest := u.Links; len(rest) > aheadLinks; rest = u.Links[ahead:] {
			n := aheadLinks
			if f.unanswered() == 0 {
				n = min(rules.MaxLinks, len(rest)) // nobody would notice
			}
			if err := f.submit(ctx, &request{Request: rules.Request{Candidates: rest[:n], Page: u}}); err != nil {
				return fmt.Errorf("frontier: links of %s: %w", u.URL, err)
			}
			ahead += n
		}
	}
	if err := f.submit(ctx, &request{Request: rules.Request{URI: u, Ahead: ahead}}); err != nil {
		return fmt.Errorf("frontier: finish %s: %w", u.URL, err)
	}
	return nil
}

// SetFiles stores rows of WARC files that got their final names.
func (f *Frontier) SetFiles(ctx context.Context, rows []schema.FileRow) error {
	if len(rows) == 0 {
		return nil
	}
	return f.submit(ctx, &request{files: rows})
}

func (f *Frontier) submit(ctx context.Context, r *request) error {
	if err := f.handIn(ctx, r); err != nil {
		return err
	}
	return f.answered(r)
}

// handIn gives a request to the reader.
func (f *Frontier) handIn(ctx context.Context, r *request) (err error) {
	r.done = make(chan error, 1)
	f.mu.Lock()
	if err := f.err; err != nil {
		f.mu.Unlock()
		return err
	}
	f.pending++
	f.mu.Unlock()
	select {
	case f.reqs <- r:
		return nil
	case <-f.idle:
		err = ErrClosed
	case <-ctx.Done():
		err = ctx.Err()
	}
	f.withdraw()
	return err
}

// answered waits until a request that was handed in is durable.
func (f *Frontier) answered(r *request) error {
	select {
	case err := <-r.done:
		return err
	case <-f.idle:
	}
	select {
	case err := <-r.done: // answered in the committer's last moments
		return err
	default:
		f.withdraw()
		return ErrClosed
	}
}

// withdraw forgets a request that will not be answered.
func (f *Frontier) withdraw() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pending--
	f.broadcast()
}

// commitLoop is the committer: the only writer of the state.
func (f *Frontier) commitLoop() {
	defer close(f.idle)
	var held []*request // captures whose turn in their file has not come
	for {
		as, ok := f.nextGroups()
		if !ok {
			f.answer(held, ErrClosed)
			return
		}
		if err := f.Err(); err != nil {
			// No capture will ever be committed again: none has a turn to wait for.
			f.answer(append(held, requests(as)...), err)
			held = nil
			continue
		}
		ready, wait := f.inFileOrder(append(held, requests(as)...))
		held = wait
		if len(ready) == 0 && f.working() == 0 && !f.queuesLeave() {
			for _, a := range as {
				f.recent.Ended(a.since)
			}
			continue
		}
		err := f.group(as, ready)
		if err != nil {
			f.fail(err)
		}
		var copies []*request
		ready = slices.DeleteFunc(ready, func(r *request) bool {
			if r.copy != nil && err == nil {
				copies = append(copies, r)
				return true
			}
			return false
		})
		f.answer(ready, err)
		for _, r := range copies {
			f.answer([]*request{r}, f.copyState(r.copy))
		}
		if err != nil {
			f.answer(held, err)
			held = nil
		}
	}
}

func (f *Frontier) working() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return 0
	}
	return f.works
}

// unanswered is how many requests wait for their commit.
func (f *Frontier) unanswered() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.pending
}

// queuesLeave reports whether queues are to leave memory.
func (f *Frontier) queuesLeave() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err == nil && f.sched.Leaving() > 0
}

// inFileOrder holds back the captures that lie behind one not yet handed in.
func (f *Frontier) inFileOrder(rs []*request) (ready, wait []*request) {
	ends := map[uint32]int64{}
	for progress := true; progress; {
		progress, wait = false, nil
		for _, r := range rs {
			if r.URI == nil || r.URI.Span == nil {
				ready = append(ready, r)
				continue
			}
			s := r.URI.Span
			end, ok := ends[s.File]
			if !ok {
				end = f.files[s.File].Committed
			}
			if s.Start != end {
				wait = append(wait, r)
				continue
			}
			ends[s.File] = s.End
			ready, progress = append(ready, r), true
		}
		rs = wait
	}
	return ready, wait
}

func (f *Frontier) answer(rs []*request, err error) {
	f.mu.Lock()
	f.pending -= len(rs)
	f.broadcast()
	f.mu.Unlock()
	for _, r := range rs {
		r.done <- err
	}
}

// fail ends the frontier for good: what is in memory may no longer be what is on
// disk. The next start recovers.
func (f *Frontier) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
	}
	f.broadcast()
}

// group makes requests durable together: logs and WARC files first, then one
// batch.
func (f *Frontier) group(as []*readGroup, rs []*request) (err error) {
	t := f.begin()
	defer func() { err = errors.Join(err, t.rd.close()) }()
	for _, a := range as {
		err = errors.Join(err, f.takeOver(t.Tx, a))
	}
	if err != nil {
		return err
	}
	if err := errors.Join(t.applyAll(rs), t.Leave(t.rulesLeaves())); err != nil {
		return err
	}
	f.storeFiles(&t.batch, rs)
	if err := t.DrainBacklog(); err != nil {
		return err
	}
	rows, err := f.appendLogs(t.Tx)
	if err != nil {
		return err
	}
	var files []uint32
	for n := range t.Lengths {
		files = append(files, n)
	}
	slices.Sort(files)
	f.o.Fail.Hit("frontier.commit.before-sync")
	if err := f.sync(t.Tx, files); err != nil {
		return err
	}
	for l, text := range t.Lines {
		if len(text) > 0 {
			if err := f.checkRotated(crawl.LogID(l), f.logRows[l].Length, rows[l].Length); err != nil {
				return err
			}
		}
	}
	f.o.Fail.Hit("frontier.commit.after-sync")
	rolled, err := f.roll(&rows)
	if err != nil {
		return err
	}
	for l, text := range t.Lines {
		if len(text) > 0 || slices.Contains(rolled, crawl.LogID(l)) {
			setLog(&t.batch, &rows[l], false)
		}
	}
	for _, n := range files {
		row := schema.FileRow{Number: n, Name: f.archive.FileName(n), Committed: t.Lengths[n]}
		t.batch.Set(schema.FileKey(n), row.Encode())
	}
	t.Flush()
	if err := f.write(t); err != nil {
		return err
	}
	made := t.batch // not the whole tx, as long as somebody reads
	f.renew(&made)
	f.recent.Committed(&made)
	f.o.Fail.Hit("frontier.commit.after-batch")
	f.publish(t, rows)
	for _, l := range rolled {
		if err := f.finishRoll(l); err != nil {
			return err
		}
	}
	return f.completed(files)
}

// write commits the batch under the next number, and marks that number at the same time: a
// kill leaves one of them a number behind, more never (ADR 31).
func (f *Frontier) write(t *commitTx) error {
	number := schema.EncodeNumber(f.number + 1)
	t.batch.Set(schema.MetaKey(schema.MetaCommit), number)
	t.batch.Set(schema.CommitKey(f.number+1), number)
	marked := make(chan error, 1)
	go func() { marked <- f.marker.set(mark{Number: f.number + 1}) }()
	err := f.db.Commit(&t.batch, true)
	if err = errors.Join(err, <-marked); err != nil {
		return fmt.Errorf("write batch: %w", err)
	}
	f.number++
	return nil
}

// storeFiles sets the final names of files that requests tell of.
func (f *Frontier) storeFiles(b *store.Batch, rs []*request) {
	for _, r := range rs {
		for _, row := range r.files {
			f.storeFile(b, row)
		}
	}
}

// storeFile sets the final name of a file; what is committed of it is known here.
func (f *Frontier) storeFile(b *store.Batch, row schema.FileRow) {
	f.mu.Lock()
	row.Committed = f.files[row.Number].Committed
	f.files[row.Number] = row
	f.mu.Unlock()
	b.Set(schema.FileKey(row.Number), row.Encode())
}

// sync makes logs and WARC files durable, all at the same time: a disk does several
// syncs in little more than the time of one.
func (f *Frontier) sync(t *rules.Tx, files []uint32) error {
	var tasks []func() error
	for l, text := range t.Lines {
		if len(text) > 0 {
			tasks = append(tasks, func() error {
				if err := f.logs[l].Sync(); err != nil {
					return fmt.Errorf("sync %s: %w", f.logs[l].Name(), err)
				}
				return nil
			})
		}
	}
	for i := range files {
		tasks = append(tasks, func() error { return f.archive.Sync(files[i : i+1]) })
	}
	errs := make([]error, len(tasks))
	var all sync.WaitGroup
	for i, task := range tasks {
		all.Go(func() { errs[i] = task() })
	}
	all.Wait()
	return errors.Join(errs...)
}

// appendLogs appends the group's lines and returns the rows that acknowledge them.
func (f *Frontier) appendLogs(t *rules.Tx) (rows [crawl.NumLogs]schema.LogRow, err error) {
	rows = f.logRows
	for l, text := range t.Lines {
		if len(text) == 0 {
			continue
		}
		f.o.Fail.Hit("frontier.logs.mid")
		if _, err := f.logs[l].Write(text); err != nil {
			return rows, fmt.Errorf("append to %s: %w", f.logs[l].Name(), err)
		}
		rows[l].Length += int64(len(text))
		rows[l].Lines += t.LineCounts[l]
		rows[l].CRC = crc32.Update(rows[l].CRC, castagnoli(), text)
	}
	return rows, nil
}

// completed tells the archive what is committed, and keeps the names of files
// that are complete. A file that could not be completed is taken up by the next
// start; what is committed of it is safe.
func (f *Frontier) completed(files []uint32) error {
	for _, n := range files {
		rows, err := f.archive.Committed(n, f.files[n].Committed)
		if err != nil {
			f.o.Logger.Error("WARC file not completed", "err", err)
		}
		if len(rows) == 0 {
			continue
		}
		b := &store.Batch{}
		for _, row := range rows {
			f.storeFile(b, row)
		}
		// Not synced: recovery finds the final name by itself.
		if err := f.db.Commit(b, false); err != nil {
			return fmt.Errorf("store file names: %w", err)
		}
	}
	return nil
}
