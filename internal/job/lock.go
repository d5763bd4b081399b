package job

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// Forbidden says what to do about files that this user may not read.
const Forbidden = "be the user whose job it is, or let the group read it (chmod -R g+rX JOB)"

// lock takes the job for this process; to says what for. The error wraps [ErrLocked] when another
// process works on it, and not when the file cannot be opened.
func (j *Job) lock(to string) (io.Closer, error) {
	lock, err := j.opts.FS.Lock(j.path(StateDir, LockFile))
	if err == nil {
		return lock, nil
	}
	if errors.Is(err, fs.ErrPermission) && errors.As(err, new(*fs.PathError)) {
		return nil, fmt.Errorf("job: %s %s: %w; %s", to, j.dir, err, Forbidden)
	}
	if errors.As(err, new(*fs.PathError)) {
		return nil, fmt.Errorf("job: %s %s: %w", to, j.dir, err)
	}
	return nil, fmt.Errorf("job: %s %s: %w (%w); stop it first, or wait for its end", to, j.dir, ErrLocked, err)
}
