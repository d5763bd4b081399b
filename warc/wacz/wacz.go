package wacz

import (
	"archive/zip"
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"exclave/internal/extsort"
	"exclave/internal/fsx"
	"exclave/warc"
)

// Version of the format.
const Version = "1.1.1"

// ErrNothing is wrapped by the error of a Pack that found no record to pack.
var ErrNothing = errors.New("there is no record to pack")

// Options say what is packed, and what the package says of itself.
type Options struct {
	Hosts    []string // only what is of these hosts and of those below them; none: everything
	Profile  string   // whose verdicts say which pages are listed; empty: any
	Title    string
	About    string    // description
	Software string    // "exclave/1.0"
	Created  time.Time // of the package
	Temp     string    // folder of temporary files; empty: the system's
}

// Result is what was packed.
type Result struct {
	Files    int   `json:"files"`
	Captures int64 `json:"captures"` // lines of the index
	Pages    int64 `json:"pages"`
	Bytes    int64 `json:"bytes"` // of the package
	// Unindexed are records that are packed but in no index, for want of a date or an address.
	Unindexed int64 `json:"unindexed"`
}

// partSuffix is behind the name of a package that is not complete.
const partSuffix = ".part"

// chunkBytes is the memory of a sorter's chunk; each of the two has two.
const chunkBytes = 8 << 20

// Pack packs files into a new package. The error wraps fs.ErrExist when there is one of the name, [ErrNothing] when there is nothing to
// pack, and is a *warc.Defect when a file is damaged.
func Pack(ctx context.Context, fsys fsx.FS, output string, inputs []string, o Options) (_ Result, err error) {
	if err := refuse(fsys, output); err != nil {
		return Result{}, err
	}
	part := output + partSuffix
	if err := fsys.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) { // of one that was killed
		return Result{}, fmt.Errorf("wacz: %w", err)
	}
	dir, err := os.MkdirTemp(o.Temp, "exclave-wacz-")
	if err != nil {
		return Result{}, fmt.Errorf("wacz: temporary folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	scratch := extsort.NewScratch(dir, chunkBytes)
	file, err := fsx.OpenAppendShared(fsys, part)
	if err != nil {
		return Result{}, fmt.Errorf("wacz: %w", err)
	}
	done := false
	defer func() {
		if !done {
			err = errors.Join(err, fsys.Remove(part))
		}
	}()
	buf := bufio.NewWriterSize(file, 1<<18)
	p := &packing{ctx: ctx, o: o, dir: dir, zip: zip.NewWriter(buf), names: map[string]bool{}, pages: newPages(scratch, o, dir), index: newIndex(dir)}
	err = p.all(inputs)
	p.pages.abandon()
	err = errors.Join(err, p.index.Close())
	if err == nil {
		err = errors.Join(p.zip.Close(), buf.Flush(), file.Sync())
	}
	p.result.Bytes = file.Size()
	if err = errors.Join(err, file.Close()); err != nil {
		return Result{}, err
	}
	// What another program made meanwhile is not replaced.
	if err := refuse(fsys, output); err != nil {
		return Result{}, err
	}
	if err := fsys.Rename(part, output); err != nil {
		return Result{}, fmt.Errorf("wacz: %w", err)
	}
	done = true
	if err := fsx.SyncDir(fsys, fsys.PathDir(output)); err != nil {
		return Result{}, fmt.Errorf("wacz: %w", err)
	}
	return p.result, nil
}

// refuse returns an error when a name is taken.
func refuse(fsys fsx.FS, name string) error {
	switch _, err := fsx.Lstat(fsys, name); {
	case err == nil:
		return fmt.Errorf("%s: %w; name another file, or remove it first", name, fs.ErrExist)
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("wacz: %w", err)
	}
	return nil
}

// packing is a package being written.
type packing struct {
	ctx       context.Context
	o         Options
	dir       string // of temporary files
	zip       *zip.Writer
	resources []resource
	names     map[string]bool // of resources, which must differ
	pages     *pages
	index     *index
	result    Result
}

// resource is a row of datapackage.json.
type resource struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Hash  string `json:"hash"`
	Bytes int64  `json:"bytes"`
}

func (p *packing) all(inputs []string) error {
	sel, err := p.selection(inputs)
	if err != nil {
		return err
	}
	for _, name := range inputs {
		if err := p.input(name, sel); err != nil {
			var d *warc.Defect
			if errors.As(err, &d) && d.File == "" {
				d.File = name
			}
			return err
		}
	}
	if p.result.Files == 0 {
		return fmt.Errorf("wacz: %w", ErrNothing)
	}
	if p.result.Captures, err = p.index.write(p); err != nil {
		return err
	}
	if p.result.Pages, err = p.pages.write(p); err != nil {
		return err
	}
	return p.describe()
}

// entry is a file of the package being written, and what its row says.
type entry struct {
	w     io.Writer
	sum   hash.Hash
	bytes int64
}

// Write implements io.Writer.
func (e *entry) Write(b []byte) (int, error) {
	n, err := e.w.Write(b)
	e.sum.Write(b[:n])
	e.bytes += int64(n)
	return n, err
}

// add makes a file of the package; write gives its bytes. Stored files can be read in parts.
func (p *packing) add(path string, method uint16, write func(io.Writer) error) error {
	w, err := p.zip.CreateHeader(&zip.FileHeader{Name: path, Method: method, Modified: p.o.Created.UTC()})
	if err != nil {
		return fmt.Errorf("wacz: %s: %w", path, err)
	}
	e := &entry{w: w, sum: sha256.New()}
	if err := write(e); err != nil {
		return err
	}
	name := strings.ToLower(path[strings.LastIndexByte(path, '/')+1:])
	p.resources = append(p.resources, resource{name, path, digestOf(e.sum), e.bytes})
	return nil
}

func digestOf(h hash.Hash) string { return "sha256:" + hex.EncodeToString(h.Sum(nil)) }

// describe writes datapackage.json and its digest.
func (p *packing) describe() error {
	about := struct {
		Profile     string     `json:"profile"`
		Resources   []resource `json:"resources"`
		Title       string     `json:"title,omitempty"`
		Description string     `json:"description,omitempty"`
		Created     string     `json:"created"`
		Version     string     `json:"wacz_version"`
		Software    string     `json:"software,omitempty"`
	}{"data-package", p.resources, p.o.Title, p.o.About, p.o.Created.UTC().Format(time.RFC3339), Version, p.o.Software}
	data, err := json.MarshalIndent(about, "", "  ")
	if err != nil {
		return fmt.Errorf("wacz: %w", err)
	}
	const path = "datapackage.json"
	sum := sha256.New()
	sum.Write(data)
	digest, err := json.MarshalIndent(struct {
		Path string `json:"path"`
		Hash string `json:"hash"`
	}{path, digestOf(sum)}, "", "  ")
	if err != nil {
		return fmt.Errorf("wacz: %w", err)
	}
	for _, f := range []struct {
		path string
		data []byte
	}{{path, data}, {"datapackage-digest.json", digest}} {
		if err := p.add(f.path, zip.Deflate, func(w io.Writer) error {
			_, err := w.Write(f.data)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}
