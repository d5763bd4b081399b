package fsx

import (
	"errors"
	"fmt"
	"io"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// CannotLink reports whether an error of Link says that the two names cannot have hard
// links, though the file may be copied: they lie on different file systems, theirs has
// none, or the file has as many as it may.
func CannotLink(err error) bool {
	for _, e := range []error{syscall.EXDEV, syscall.EPERM, syscall.EMLINK, syscall.ENOSYS, syscall.EOPNOTSUPP} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// CopyStart copies the first length bytes of oldname to the new file newname and makes
// them durable; the name is after SyncDir. What the group may read of the one it may of
// the other. A file that is shorter is an error.
func CopyStart(fsys FS, oldname, newname string, length int64) error {
	from, err := fsys.Open(oldname, vfs.SequentialReadsOption)
	if err != nil {
		return fmt.Errorf("fsx: copy: %w", err)
	}
	as := vfs.WriteCategoryUnspecified
	if st, err := from.Stat(); err == nil && st.Mode()&SharedMode == SharedMode {
		as = Shared
	}
	to, err := fsys.Create(newname, as)
	if err != nil {
		return errors.Join(fmt.Errorf("fsx: copy %s: %w", oldname, err), from.Close())
	}
	n, err := io.Copy(to, io.LimitReader(from, length))
	if err == nil && n < length {
		err = fmt.Errorf("it has %d bytes, not %d", n, length)
	}
	if err == nil {
		err = to.Sync()
	}
	if err = errors.Join(err, to.Close(), from.Close()); err != nil {
		return fmt.Errorf("fsx: copy %s to %s: %w", oldname, newname, err)
	}
	return nil
}
