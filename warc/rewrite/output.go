package rewrite

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"exclave/internal/fsx"
	"exclave/warc"

	"github.com/klauspost/compress/gzip"
)

// Form is how records lie in a file.
type Form string

// Forms.
const (
	Gzip  Form = warc.Gzip
	Zstd  Form = warc.Zstd
	Plain Form = "plain"
)

// Forms returns all of them.
func Forms() []Form { return []Form{Gzip, Zstd, Plain} }

// Ending returns how names of files of the form end.
func (f Form) Ending() string {
	switch f {
	case Gzip:
		return ".warc.gz"
	case Zstd:
		return ".warc.zst"
	}
	return ".warc"
}

// FormOf returns the form that a name asks for, gzip when it says nothing.
func FormOf(name string) Form {
	for _, f := range []Form{Gzip, Zstd, Plain} {
		if strings.HasSuffix(name, f.Ending()) {
			return f
		}
	}
	return Gzip
}

// Levels returns the least and the greatest level of a form.
func (f Form) Levels() (least, most int) {
	switch f {
	case Gzip:
		return 1, 9
	case Zstd:
		return 1, 22
	}
	return 0, 0
}

// Output is a new file.
type Output struct {
	Name    string
	Records int64

	fs    fsx.FS
	file  *fsx.Append
	size  int64 // when file is closed
	buf   *bufio.Writer
	info  string // ID of the warcinfo record that was written last
	used  int64  // when, for who closes files
	named bool   // it has its name
}

// partSuffix is behind the name of a file that is not complete.
const partSuffix = ".part"

func (o *Output) part() string { return o.Name + partSuffix }

// refuse returns an error when a name is taken.
func refuse(fsys fsx.FS, name string) error {
	switch _, err := fsx.Lstat(fsys, name); {
	case err == nil:
		return fmt.Errorf("%s: %w; name another file, or remove it first", name, fs.ErrExist)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return nil
}

// Set is the outputs of a Run. Nothing has its name before Commit.
type Set struct {
	fs    fsx.FS
	form  Form
	level int
	dict  *warc.Dictionary
	gz    *gzip.Writer
	zst   *warc.ZstdWriter

	files  []*Output
	log    *Output // nil: none
	open   int
	clock  int64
	single *bufio.Writer // of a stream; nil for files
}

// mostOpen is how many outputs are open at the same time.
const mostOpen = 64

// NewSet makes a Set of files of a form and level (0: the usual one). Files of zstd begin with the dictionary, unless it is nil.
func NewSet(fsys fsx.FS, form Form, level int, dict *warc.Dictionary) (*Set, error) {
	s := &Set{fs: fsys, form: form, level: level, dict: dict}
	least, most := form.Levels()
	if !slices.Contains(Forms(), form) {
		return nil, fmt.Errorf("rewrite: form %q is none of %v", form, Forms())
	}
	if level != 0 && (level < least || level > most) {
		return nil, fmt.Errorf("rewrite: level %d of %s is not %d to %d", level, form, least, most)
	}
	if dict != nil && form != Zstd {
		return nil, fmt.Errorf("rewrite: a dictionary is for zstd, not for %s", form)
	}
	if level == 0 {
		s.level = 6
	}
	var err error
	switch form {
	case Gzip:
		s.gz, err = gzip.NewWriterLevel(io.Discard, s.level)
	case Zstd:
		s.zst, err = warc.NewZstdWriter(s.level, dict)
	}
	if err != nil {
		return nil, fmt.Errorf("rewrite: %w", err)
	}
	return s, nil
}

// NewStream makes a Set that is one stream, for standard output; files has its log.
func NewStream(files fsx.FS, w io.Writer, form Form, level int, dict *warc.Dictionary) (*Set, error) {
	s, err := NewSet(files, form, level, dict)
	if err == nil {
		s.single = bufio.NewWriterSize(w, 1<<16)
	}
	return s, err
}

// File returns the output of a name, which is made when it is new.
func (s *Set) File(name string) (*Output, error) {
	for _, o := range slices.Backward(s.files) { // the last one is wanted most often
		if o.Name == name {
			return o, nil
		}
	}
	o := &Output{Name: name, fs: s.fs}
	if s.single == nil {
		if s.log != nil && s.log.Name == name {
			return nil, fmt.Errorf("%s: %w, as the log; name another file", name, fs.ErrExist)
		}
		if err := s.fresh(o); err != nil {
			return nil, err
		}
	}
	s.files = append(s.files, o)
	return o, nil
}

// fresh refuses a name that is taken, and removes what an earlier Run left that was killed.
func (s *Set) fresh(o *Output) error {
	if err := refuse(s.fs, o.Name); err != nil {
		return err
	}
	if err := s.fs.Remove(o.part()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Log makes a text file that is there when the outputs are, and returns what writes to it. It is called once at most.
func (s *Set) Log(name string) (io.Writer, error) {
	o := &Output{Name: name, fs: s.fs}
	if err := s.fresh(o); err != nil {
		return nil, err
	}
	s.log = o
	if err := s.reopen(o); err != nil {
		return nil, err
	}
	return o.buf, nil // it is never shut for others to be open
}

// onDisk returns the files that get their names from Commit, the log last.
func (s *Set) onDisk() (all []*Output) {
	if s.single == nil {
		all = slices.Clone(s.files)
	}
	if s.log != nil {
		all = append(all, s.log)
	}
	return all
}

// Files returns the outputs, in the order in which they were made.
func (s *Set) Files() []*Output { return s.files }

// Size returns how many bytes were written, but for what is in a buffer.
func (o *Output) Size() int64 {
	if o.file == nil {
		return o.size
	}
	return o.file.Size() + int64(o.buf.Buffered())
}

func (s *Set) reopen(o *Output) error {
	s.clock++
	o.used = s.clock
	if o.file != nil {
		return nil
	}
	if s.open == mostOpen {
		var oldest *Output
		for _, f := range s.files {
			if f.file != nil && (oldest == nil || f.used < oldest.used) {
				oldest = f
			}
		}
		if err := s.shut(oldest); err != nil {
			return err
		}
	}
	f, err := fsx.OpenAppendShared(s.fs, o.part())
	if err != nil {
		return err
	}
	o.file, o.buf = f, bufio.NewWriterSize(f, 1<<16)
	s.open++
	return nil
}

// shut syncs and closes a file.
func (s *Set) shut(o *Output) error {
	if o.file == nil {
		return nil
	}
	err := o.buf.Flush()
	if err == nil {
		err = o.file.Sync()
	}
	o.size = o.file.Size()
	err = errors.Join(err, o.file.Close())
	o.file, o.buf = nil, nil
	s.open--
	return err
}

// Write appends a record.
func (s *Set) Write(o *Output, r *Record) error {
	w := io.Writer(s.single)
	if s.single == nil {
		if err := s.reopen(o); err != nil {
			return err
		}
		w = o.buf
	}
	if o.Records == 0 && s.dict != nil {
		if _, err := w.Write(s.dict.Frame()); err != nil {
			return fmt.Errorf("rewrite: write %s: %w", o.Name, err)
		}
	}
	o.Records++
	var z io.WriteCloser
	switch s.form {
	case Gzip:
		s.gz.Reset(w)
		z, w = s.gz, s.gz
	case Zstd:
		s.zst.Reset(w, int64(len(r.Head))+r.Size+4)
		z, w = s.zst, s.zst
	}
	_, err := io.WriteString(w, r.Head)
	if err == nil {
		_, err = io.Copy(w, r.Block())
	}
	if err == nil {
		_, err = io.WriteString(w, "\r\n\r\n")
	}
	if err == nil && z != nil {
		err = z.Close()
	}
	if err != nil {
		return fmt.Errorf("rewrite: write %s: %w", o.Name, err)
	}
	return nil
}

// Commit makes every output durable and gives it its name.
func (s *Set) Commit() error {
	if s.single != nil {
		if err := s.single.Flush(); err != nil {
			return err
		}
	}
	files := s.onDisk()
	for _, o := range files {
		if err := s.shut(o); err != nil {
			return err
		}
	}
	dirs := map[string]bool{}
	for _, o := range files {
		// What another program made meanwhile is not replaced.
		if err := refuse(s.fs, o.Name); err != nil {
			return err
		}
		if err := s.fs.Rename(o.part(), o.Name); err != nil {
			return fmt.Errorf("rewrite: %w", err)
		}
		o.named = true
		dirs[s.fs.PathDir(o.Name)] = true
	}
	for dir := range dirs {
		if err := fsx.SyncDir(s.fs, dir); err != nil {
			return err
		}
	}
	return nil
}

// Abort removes what was made.
func (s *Set) Abort() error {
	var errs []error
	for _, o := range s.onDisk() {
		if o.file != nil {
			errs = append(errs, o.file.Close())
			o.file = nil
		}
		name := o.part()
		if o.named {
			name = o.Name
		}
		if err := s.fs.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
