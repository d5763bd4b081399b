// Package aside keeps what recovery takes out of a job's way: bytes of WARC files and of
// logs that the state does not acknowledge, states that are made anew. Nothing of it is
// deleted; a register says what each file is and where it was (docs/formats/recovered.md).
package aside

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"exclave/internal/clock"
	"exclave/internal/fsx"
)

// Dir is the folder within a job's, Register the name of the register in it.
const (
	Dir      = "recovered"
	Register = "register.jsonl"
)

// Entry is one line of the register.
type Entry struct {
	Time   time.Time `json:"time"`
	File   string    `json:"file"`   // what it was taken from, relative to the job's folder, with slashes
	Offset int64     `json:"offset"` // in that file; 0 of what was taken as a whole
	Length int64     `json:"length"` // bytes; of a folder 0
	// Whole is how many whole records or lines it holds.
	Whole int64  `json:"whole"`
	Kept  string `json:"kept"`             // where it is now, relative to the job's folder
	Sum   string `json:"sha256,omitempty"` // of the bytes, in hexadecimal; of a folder none
	Why   string `json:"why"`
}

// Folder is the folder of a job. Its methods are for one goroutine at a time.
type Folder struct {
	fs    fsx.FS
	job   string
	clock clock.Clock
}

// New returns the folder of the job in dir. Nothing is made before something is kept.
func New(fsys fsx.FS, dir string, clk clock.Clock) *Folder {
	return &Folder{fs: fsys, job: dir, clock: clk}
}

func (f *Folder) path(rel string) string { return f.fs.PathJoin(f.job, filepath.FromSlash(rel)) }

// rel is a name relative to the job's folder.
func (f *Folder) rel(name string) string {
	if r, err := filepath.Rel(f.job, name); err == nil {
		return filepath.ToSlash(r)
	}
	return filepath.ToSlash(name)
}

// Tail keeps what the file name holds from an offset on, behind head, which may be nil: a copy, durable and registered
// when Tail returns. Length and sum are those of the copy. The caller may cut the file then. Of the same bytes of the same place
// one copy is kept, however often it is asked for (a recovery may be killed and begin again).
func (f *Folder) Tail(name string, head []byte, offset, whole int64, why string) (e Entry, err error) {
	e = Entry{File: f.rel(name), Offset: offset, Whole: whole, Why: why}
	in, err := f.fs.Open(name)
	if err != nil {
		return e, fmt.Errorf("aside: keep the end of %s: %w", name, err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	sum := sha256.New()
	if e.Length, err = io.Copy(sum, tail(in, head, offset)); err != nil {
		return e, fmt.Errorf("aside: keep the end of %s: %w", name, err)
	}
	e.Sum = sumOf(sum)
	e.Kept = Dir + "/" + keptName(f.fs.PathBase(name), offset, e.Sum)
	if err := f.copy(in, head, offset, e); err != nil {
		return e, fmt.Errorf("aside: keep the end of %s in %s: %w", name, e.Kept, err)
	}
	return f.register(e)
}

func tail(in io.ReaderAt, head []byte, offset int64) io.Reader {
	return io.MultiReader(bytes.NewReader(head), io.NewSectionReader(in, offset, 1<<62-offset))
}

func sumOf(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

// keptName begins with the name of the file, and ends as it does without ".open", so that
// other tools can read it: crawl.log from 120 becomes crawl-from-120-3f2a9c01.log.
func keptName(base string, offset int64, sum string) string {
	base = strings.TrimSuffix(base, ".open")
	stem, ext := base, ""
	if i := strings.IndexByte(base, '.'); i > 0 {
		stem, ext = base[:i], base[i:]
	}
	for _, end := range []string{".warc.gz", ".warc.zst"} { // the stem may hold dots
		if s, ok := strings.CutSuffix(base, end); ok {
			stem, ext = s, end
		}
	}
	return fmt.Sprintf("%s-from-%d-%s%s", stem, offset, sum[:8], ext)
}

// copy writes the file to its kept name.
func (f *Folder) copy(in io.ReaderAt, head []byte, offset int64, e Entry) error {
	if err := fsx.MkdirAll(f.fs, f.path(Dir)); err != nil {
		return err
	}
	to := f.path(e.Kept)
	if st, err := f.fs.Stat(to); err == nil && st.Size() == e.Length {
		return fsx.SyncDir(f.fs, f.path(Dir)) // its name holds the sum of its bytes; whoever gave it may have been killed then
	}
	if err := f.write(in, head, offset, to); err != nil {
		return err
	}
	return fsx.SyncDir(f.fs, f.path(Dir))
}

// write writes a file, durable but for its name, by way of a temporary one.
func (f *Folder) write(in io.ReaderAt, head []byte, offset int64, to string) error {
	out, err := f.fs.Create(to+".tmp", vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, tail(in, head, offset))
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		return err
	}
	return f.fs.Rename(to+".tmp", to)
}

// Move keeps a whole file, or a folder, by giving it another name, or, from another disk, by a copy; it is
// registered first, so that nothing lies there that nobody can explain.
func (f *Folder) Move(name string, whole int64, why string) (Entry, error) {
	e := Entry{File: f.rel(name), Whole: whole, Why: why}
	st, err := f.fs.Stat(name)
	if err != nil {
		return e, fmt.Errorf("aside: keep %s: %w", name, err)
	}
	if !st.IsDir() {
		e.Length = st.Size()
	}
	base := strings.TrimSuffix(f.fs.PathBase(name), ".open")
	e.Kept = Dir + "/" + base
	for n := 1; ; n++ {
		if _, err := f.fs.Stat(f.path(e.Kept)); errors.Is(err, fs.ErrNotExist) {
			break
		} else if err != nil {
			return e, fmt.Errorf("aside: keep %s: %w", name, err)
		}
		e.Kept = fmt.Sprintf("%s/%d-%s", Dir, n, base)
	}
	if err := fsx.MkdirAll(f.fs, f.path(Dir)); err != nil {
		return e, fmt.Errorf("aside: keep %s: %w", name, err)
	}
	if e, err = f.register(e); err != nil {
		return e, err
	}
	err = f.fs.Rename(name, f.path(e.Kept))
	if errors.Is(err, syscall.EXDEV) {
		if err = f.copyAll(name, f.path(e.Kept)); err == nil {
			err = errors.Join(fsx.SyncDir(f.fs, f.path(Dir)), f.fs.RemoveAll(name))
		}
	}
	if err == nil {
		err = errors.Join(fsx.SyncDir(f.fs, f.path(Dir)), fsx.SyncDir(f.fs, f.fs.PathDir(name)))
	}
	if err != nil {
		return e, fmt.Errorf("aside: keep %s in %s: %w", name, e.Kept, err)
	}
	return e, nil
}

// copyAll copies a file, or a folder with all that is in it, durable but for its name.
func (f *Folder) copyAll(from, to string) (err error) {
	st, err := f.fs.Stat(from)
	if err != nil {
		return err
	}
	if !st.IsDir() {
		in, err := f.fs.Open(from)
		if err != nil {
			return err
		}
		return errors.Join(f.write(in, nil, 0, to), in.Close())
	}
	names, err := f.fs.List(from)
	if err != nil {
		return err
	}
	// A copy that was killed lies there under a name that tells that it is none.
	part := to + ".tmp"
	if err := errors.Join(f.fs.RemoveAll(part), fsx.MkdirAll(f.fs, part)); err != nil {
		return err
	}
	for _, n := range names {
		if err := f.copyAll(f.fs.PathJoin(from, n), f.fs.PathJoin(part, n)); err != nil {
			return err
		}
	}
	if err := fsx.SyncDir(f.fs, part); err != nil {
		return err
	}
	return f.fs.Rename(part, to)
}

// register appends a line, unless one that says the same is there.
func (f *Folder) register(e Entry) (Entry, error) {
	e.Time = f.clock.Now().UTC().Truncate(time.Millisecond)
	old, err := f.Entries()
	if err != nil {
		return e, err
	}
	for _, o := range old {
		was := o
		was.Time = e.Time
		if was == e {
			return o, nil
		}
	}
	line, err := json.Marshal(e)
	if err != nil {
		return e, fmt.Errorf("aside: register: %w", err)
	}
	a, err := fsx.OpenAppend(f.fs, f.path(Dir+"/"+Register))
	if err != nil {
		return e, fmt.Errorf("aside: register: %w", err)
	}
	var b []byte
	if torn, err := endsTorn(a); err != nil {
		return e, errors.Join(fmt.Errorf("aside: register: %w", err), a.Close())
	} else if torn {
		b = append(b, '\n')
	}
	_, err = a.Write(append(append(b, line...), '\n'))
	if err = errors.Join(err, a.Sync(), a.Close()); err != nil {
		return e, fmt.Errorf("aside: register: %w", err)
	}
	return e, nil
}

// endsTorn reports whether the last line has no end: its writer was killed.
func endsTorn(a *fsx.Append) (bool, error) {
	if a.Size() == 0 {
		return false, nil
	}
	var last [1]byte
	_, err := a.ReadAt(last[:], a.Size()-1)
	return last[0] != '\n', err
}

// Entries returns the register, oldest first; none when nothing was ever kept. A line that
// cannot be read, as a kill may leave one, is passed over: what it told of is there still.
func (f *Folder) Entries() (_ []Entry, err error) {
	in, err := f.fs.Open(f.path(Dir + "/" + Register))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("aside: read the register: %w", err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	text, err := io.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("aside: read the register: %w", err)
	}
	var out []Entry
	for line := range bytes.Lines(text) {
		var e Entry
		if json.Unmarshal(line, &e) == nil {
			out = append(out, e)
		}
	}
	return out, nil
}
