package checkpoint

import (
	"fmt"
	"io/fs"
	"path/filepath"

	"exclave/internal/fsx"
	"exclave/internal/printable"
)

// linkOrCopy links a file, or copies what counts of it where that cannot be, as long as
// so many bytes stay free.
func linkOrCopy(fsys fsx.FS, from, to string, length, leave int64) (copied int64, err error) {
	if st, err := fsx.Lstat(fsys, from); err == nil && st.Mode()&fs.ModeSymlink != 0 {
		if from, err = filepath.EvalSymlinks(from); err != nil { // link the target, not the symbolic link
			return 0, err
		}
	}
	err = fsys.Link(from, to)
	if err == nil || !fsx.CannotLink(err) {
		return 0, err
	}
	if u, uerr := fsys.GetDiskUsage(filepath.Dir(to)); uerr == nil && int64(u.AvailBytes)-length < leave {
		return 0, fmt.Errorf("%w; to copy it takes %s, %s are free, and min_free_disk asks for %s: make room, or have both on one file system",
			err, printable.Size(length), printable.Size(int64(u.AvailBytes)), printable.Size(leave))
	}
	return length, fsx.CopyStart(fsys, from, to, length)
}
