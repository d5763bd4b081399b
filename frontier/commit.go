package frontier

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"runtime"
	"slices"
	"sync"

	"exclave/crawl"
	"exclave/frontier/commit"
	"exclave/frontier/rules"
	"exclave/frontier/schema"
	"exclave/frontier/store"
)

// aheadLinks is how many links of a page with very many are committed together. It is small, so that requests of
// other ToeThreads are not delayed noticeably.
const aheadLinks = 100

// ErrClosed is returned for requests that came too late to be committed.
var ErrClosed = commit.ErrClosed

// Schedule implements the frontier of package chain.
func (f *Frontier) Schedule(ctx context.Context, cs ...crawl.Candidate) error {
	_, err := f.ScheduleMark(ctx, "", nil, cs...)
	return err
}

// ScheduleMark schedules candidates and sets a mark (how far their source was read) in the
// same commit as the last of them. An empty name sets none. known counts the candidates that
// were known before or occur more than once in the call.
func (f *Frontier) ScheduleMark(ctx context.Context, mark string, value []byte, cs ...crawl.Candidate) (known int, err error) {
	for {
		r := &commit.Request{Request: rules.Request{Candidates: cs[:min(len(cs), rules.MaxLinks)]}}
		cs = cs[len(r.Candidates):]
		if len(cs) == 0 {
			r.Mark, r.Note = mark, value
		}
		if err := f.committer.Submit(ctx, r); err != nil {
			return known, fmt.Errorf("frontier: schedule: %w", err)
		}
		known += r.Known
		if len(cs) == 0 {
			return known, nil
		}
	}
}

// ScheduleLater hands in at most [MostLater] candidates, which are no longer the caller's, and returns a function
// that waits until they are durable and returns how many were known before or occur more than once. Candidates
// are scheduled in the order of the calls. It is meant for readers of long lists of candidates.
func (f *Frontier) ScheduleLater(ctx context.Context, cs []crawl.Candidate) (durable func() (known int, err error), err error) {
	r := &commit.Request{Request: rules.Request{Candidates: cs}}
	if len(cs) > MostLater {
		return nil, fmt.Errorf("frontier: schedule: %d candidates at a time, at most %d", len(cs), MostLater)
	}
	if err := f.committer.HandIn(ctx, r); err != nil {
		return nil, fmt.Errorf("frontier: schedule: %w", err)
	}
	return func() (int, error) {
		if err := f.committer.Wait(r); err != nil {
			return 0, fmt.Errorf("frontier: schedule: %w", err)
		}
		return r.Known, nil
	}, nil
}

// MostLater is the maximum number of candidates of one call of [Frontier.ScheduleLater].
const MostLater = rules.MaxLinks

// Marked returns the value of a mark.
func (f *Frontier) Marked(name string) (value []byte, ok bool, err error) {
	v, err := f.db.Get(schema.MarkKey(name))
	if v == nil || err != nil {
		return nil, false, err
	}
	value, err = schema.DecodeMark(v)
	return value, err == nil, err
}

// Finished implements the frontier of package chain. Of a page with very many links, all but the
// last group of links are committed before the outcome.
func (f *Frontier) Finished(ctx context.Context, u *crawl.CrawlURI) error {
	ahead := 0
	if u.Disposition == crawl.Done && len(u.Links) > rules.MaxLinks {
		for rest := u.Links; len(rest) > aheadLinks; rest = u.Links[ahead:] {
			n := aheadLinks
			if f.unanswered() == 0 {
				n = min(rules.MaxLinks, len(rest)) // no other request waits
			}
			if err := f.committer.Submit(ctx, &commit.Request{Request: rules.Request{Candidates: rest[:n], Page: u}}); err != nil {
				return fmt.Errorf("frontier: links of %s: %w", u.URL, err)
			}
			ahead += n
		}
	}
	if err := f.committer.Submit(ctx, &commit.Request{Request: rules.Request{URI: u, Ahead: ahead}}); err != nil {
		return fmt.Errorf("frontier: finish %s: %w", u.URL, err)
	}
	return nil
}

// SetFiles stores rows of WARC files that got their final names.
func (f *Frontier) SetFiles(ctx context.Context, rows []schema.FileRow) error {
	if len(rows) == 0 {
		return nil
	}
	return f.committer.Submit(ctx, &commit.Request{Files: rows})
}

// commitEnv returns the environment of the committer. The store is open.
func (f *Frontier) commitEnv() commit.Env {
	return commit.Env{Accept: f.accept, Answered: f.answered, Err: f.Err, Fail: f.fail, Left: f.leftToCommit, Wake: f.leaving,
		Committed: func(file uint32) int64 { return f.files[file].Committed }, // only the committer changes it
		Begin:     func() commit.Group { return f.begin() },
		Ahead:     &f.ahead}
}

// accept counts a request that was handed in; it refuses it if the frontier has failed.
func (f *Frontier) accept() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.pending++
	}
	return f.err
}

// answered removes n answered requests from the count.
func (f *Frontier) answered(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pending -= n
	f.broadcast()
}

// leftToCommit reports whether work items of earlier commits are left, or queues must be evicted.
func (f *Frontier) leftToCommit() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err == nil && (f.works > 0 || f.sched.Leaving() > 0)
}

// unanswered returns how many requests wait for their commit.
func (f *Frontier) unanswered() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.pending
}

// fail makes the frontier fail for good, because memory and disk may disagree. The next start
// recovers.
func (f *Frontier) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
	}
	f.broadcast()
}

// TakeOver implements commit.Group.
func (t *commitTx) TakeOver(a *commit.Ahead) error { return t.f.ahead.TakeOver(t.Tx, a) }

// Apply implements commit.Group: the rules change rows, first for each request in turn, then for queues that are
// evicted, then for work items of earlier commits.
func (t *commitTx) Apply(rs []*commit.Request) error {
	for _, r := range rs {
		runtime.Gosched()
		if err := t.Tx.Apply(&r.Request); err != nil {
			return err
		}
	}
	if err := t.Leave(t.evictions()); err != nil {
		return err
	}
	for _, r := range rs {
		for _, row := range r.Files {
			t.f.storeFile(&t.batch, row)
		}
	}
	return t.DrainBacklog()
}

// Append implements commit.Group.
func (t *commitTx) Append() (err error) {
	t.logRows, err = t.f.appendLogs(t.Tx)
	return err
}

// Sync implements commit.Group.
func (t *commitTx) Sync() error {
	f := t.f
	for n := range t.Lengths {
		t.files = append(t.files, n)
	}
	slices.Sort(t.files)
	f.o.Fail.Hit("frontier.commit.before-sync")
	if err := f.sync(t.Tx, t.files); err != nil {
		return err
	}
	for l, text := range t.Lines {
		if len(text) > 0 {
			if err := f.checkRotated(crawl.LogID(l), f.logRows[l].Length, t.logRows[l].Length); err != nil {
				return err
			}
		}
	}
	f.o.Fail.Hit("frontier.commit.after-sync")
	return nil
}

// Write implements commit.Group: one batch has the rows that the rules changed, the committed lengths of logs and WARC
// files, and the number of the commit.
func (t *commitTx) Write() (err error) {
	f := t.f
	if t.rolled, err = f.roll(&t.logRows); err != nil {
		return err
	}
	for l, text := range t.Lines {
		if len(text) > 0 || slices.Contains(t.rolled, crawl.LogID(l)) {
			setLog(&t.batch, &t.logRows[l], false)
		}
	}
	for _, n := range t.files {
		row := schema.FileRow{Number: n, Name: f.archive.FileName(n), Committed: t.Lengths[n]}
		t.batch.Set(schema.FileKey(n), row.Encode())
	}
	t.Flush()
	return f.write(t)
}

// Publish implements commit.Group.
func (t *commitTx) Publish() error {
	made := t.batch // a copy, so that readers do not keep the whole commitTx in memory
	t.f.updateCaches(&made)
	t.f.recent.Committed(&made)
	t.f.o.Fail.Hit("frontier.commit.after-batch")
	t.f.publish(t, t.logRows)
	return nil
}

// Complete implements commit.Group.
func (t *commitTx) Complete() error {
	for _, l := range t.rolled {
		if err := t.f.finishRoll(l); err != nil {
			return err
		}
	}
	return t.f.completed(t.files)
}

// Close implements commit.Group.
func (t *commitTx) Close() error { return t.rd.close() }

// write commits the batch under the next number, and writes that number to the mark at the same
// time. After a kill one of them may be behind the other, but only by one (ADR 31).
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

// storeFile sets the final name of a WARC file, and keeps its committed length.
func (f *Frontier) storeFile(b *store.Batch, row schema.FileRow) {
	f.mu.Lock()
	row.Committed = f.files[row.Number].Committed
	f.files[row.Number] = row
	f.mu.Unlock()
	b.Set(schema.FileKey(row.Number), row.Encode())
}

// sync syncs logs and WARC files concurrently: for a disk, several syncs take little more
// time than one.
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

// appendLogs appends the lines of the group to the logs and returns the new rows of the logs.
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

// completed tells the archive the committed lengths, and stores the final names of files that are
// complete. A file that could not be completed is completed by the next start; its committed
// part is safe.
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
