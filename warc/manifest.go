package warc

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"exclave/internal/fsx"
)

// ManifestName is the file, in a folder of WARC files, that says the SHA-256 of the complete ones. `sha256sum -c` reads it.
const ManifestName = "SHA256SUMS"

// IsManifest reports whether a base name is that of a manifest, or of what a crash left of one.
func IsManifest(name string) bool { return strings.TrimSuffix(name, ".tmp") == ManifestName }

// Manifest is the SHA-256 of files, in hexadecimal, by base name.
type Manifest map[string]string

// ReadManifest reads the manifest of a folder; where there is none it is empty. A line that `sha256sum -c` would not read is an error.
func ReadManifest(fsys fsx.FS, dir string) (_ Manifest, err error) {
	name := fsys.PathJoin(dir, ManifestName)
	m := Manifest{}
	f, err := fsys.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return nil, fmt.Errorf("warc: %w", err)
	}
	text, err := io.ReadAll(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("warc: read %s: %w", name, err)
	}
	n := 0
	for line := range bytes.Lines(text) {
		n++
		sum, file, ok := strings.Cut(strings.TrimRight(string(line), "\r\n"), " ")
		raw, err := hex.DecodeString(sum)
		if !ok || err != nil || len(raw) != sha256.Size || len(file) < 2 || file[0] != ' ' && file[0] != '*' {
			return nil, fmt.Errorf("warc: %s line %d is none of sha256sum: mend or delete it", name, n)
		}
		m[file[1:]] = strings.ToLower(sum)
	}
	return m, nil
}

// Add reads a file of a folder and takes it in. also, if it is not nil, may read the same bytes on the way; what it leaves is read after it, and
// what it returns does not matter to the digest.
func (m Manifest) Add(ctx context.Context, fsys fsx.FS, dir, name string, also func(io.Reader)) error {
	f, err := fsys.Open(fsys.PathJoin(dir, name))
	if err != nil {
		return fmt.Errorf("warc: %w", err)
	}
	h := sha256.New()
	in := &cancelled{ctx, f}
	if also != nil {
		also(io.TeeReader(in, h))
	}
	_, err = io.CopyBuffer(h, in, make([]byte, 256<<10))
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("warc: digest %s: %w", name, err)
	}
	m[name] = hex.EncodeToString(h.Sum(nil))
	return nil
}

// Write replaces the manifest of a folder: whole, or not at all.
func (m Manifest) Write(fsys fsx.FS, dir string) error {
	var b []byte
	for _, name := range slices.Sorted(maps.Keys(m)) {
		b = fmt.Appendf(b, "%s  %s\n", m[name], name)
	}
	return fsx.WriteSharedAtomic(fsys, fsys.PathJoin(dir, ManifestName), b)
}

// cancelled reads until ctx is done.
type cancelled struct {
	ctx context.Context
	in  io.Reader
}

func (c *cancelled) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.in.Read(p)
}
