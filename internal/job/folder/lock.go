package folder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// ErrLocked is wrapped by the error of Lock when another process works on the job.
var ErrLocked = errors.New("another process is working on this job")

// Forbidden says what to do about files that this user may not read.
const Forbidden = "be the user whose job it is, or let the group read it (chmod -R g+rX JOB)"

// Lock takes the job for this process, until what it returns is closed; to says what for. The error wraps
// [ErrLocked] when another process works on the job, and not when the file cannot be opened.
func (f Folder) Lock(to string) (io.Closer, error) {
	lock, err := f.FS.Lock(f.Path(StateDir, LockFile))
	if err == nil {
		return lock, nil
	}
	if errors.Is(err, fs.ErrPermission) && errors.As(err, new(*fs.PathError)) {
		return nil, fmt.Errorf("job: %s %s: %w; %s", to, f.Dir(), err, Forbidden)
	}
	if errors.As(err, new(*fs.PathError)) {
		return nil, fmt.Errorf("job: %s %s: %w", to, f.Dir(), err)
	}
	return nil, fmt.Errorf("job: %s %s: %w (%w); stop it first, or wait for its end", to, f.Dir(), ErrLocked, err)
}
