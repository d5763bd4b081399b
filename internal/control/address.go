package control

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"exclave/internal/fsx"
)

// maxPath is how long the path of a socket may be, in bytes: sun_path has 108 on
// Linux and 104 on BSD and macOS, its final NUL included.
const maxPath = 100

// Names within the folder of the state.
const (
	addressFile = "control"
	socketFile  = "control.sock"
)

// address is where the socket of a crawl lies.
type address struct {
	file   string // JOB/state/control
	socket string
	temp   string // the private folder made for it, "" when it lies beside file
}

// listen makes the socket. It is bound in a folder nobody else may enter and gets
// its mode there: at no moment can another user connect.
func listen(state string) (_ net.Listener, _ address, err error) {
	a := address{file: filepath.Join(state, addressFile), socket: filepath.Join(state, socketFile)}
	if a.socket, err = filepath.Abs(a.socket); err != nil {
		return nil, a, err
	}
	if old, err := readAddress(state); err == nil {
		if c, err := net.Dial("unix", old); err == nil {
			_ = c.Close()
			return nil, a, fmt.Errorf("another crawl answers on %s", old)
		}
		removeStale(a, old)
	}
	dir, err := os.MkdirTemp(filepath.Dir(a.socket), ".control-")
	if err != nil {
		return nil, a, err
	}
	bound := filepath.Join(dir, "s")
	if len(bound) > maxPath || len(a.socket) > maxPath {
		if err := os.Remove(dir); err != nil {
			return nil, a, err
		}
		if dir, err = shortTemp(); err != nil {
			return nil, a, err
		}
		bound = filepath.Join(dir, socketFile)
		a.socket, a.temp = bound, dir
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(dir)
		}
	}()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: bound, Net: "unix"})
	if err != nil {
		return nil, a, err
	}
	l.SetUnlinkOnClose(false) // it is removed under the name it has then
	err = os.Chmod(bound, 0o600)
	if err == nil && a.temp == "" {
		err = errors.Join(os.Rename(bound, a.socket), os.Remove(dir))
	}
	if err == nil {
		err = fsx.WriteFileAtomic(fsx.Real(), a.file, []byte(a.socket+"\n"))
	}
	if err != nil {
		return nil, a, errors.Join(err, l.Close(), a.remove())
	}
	return l, a, nil
}

// shortTemp makes a private folder whose path leaves room for a socket.
func shortTemp() (string, error) {
	dir, err := os.MkdirTemp("", "exclave-")
	if err != nil || len(filepath.Join(dir, socketFile)) <= maxPath {
		return dir, err
	}
	if err := os.Remove(dir); err != nil {
		return "", err
	}
	return os.MkdirTemp("/tmp", "exclave-") // TMPDIR is deep, too
}

// removeStale removes what a crawl that was killed left behind: its socket, and
// the temporary folder when it is one of ours.
func removeStale(a address, old string) {
	_ = os.Remove(old)
	if dir := filepath.Dir(old); old != a.socket && strings.HasPrefix(filepath.Base(dir), "exclave-") {
		_ = os.Remove(dir)
	}
}

// remove undoes listen.
func (a address) remove() error {
	var errs []error
	for _, name := range []string{a.file, a.socket, a.temp} {
		if name == "" {
			continue
		}
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// readAddress returns the path of the socket. It must belong to whoever wrote
// the address: after a reboot a stranger could make a path in /tmp anew.
func readAddress(state string) (string, error) {
	name := filepath.Join(state, addressFile)
	b, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	socket := strings.TrimSuffix(string(b), "\n")
	mine, err := owner(name)
	if err != nil {
		return "", err
	}
	theirs, err := owner(socket)
	if err != nil {
		return "", err
	}
	if mine != theirs {
		return "", fmt.Errorf("%s belongs to user %d, %s to user %d", name, mine, socket, theirs)
	}
	return socket, nil
}

func owner(name string) (uint32, error) {
	st, err := os.Lstat(name)
	if err != nil {
		return 0, err
	}
	s, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, fmt.Errorf("the owner of %s is not known", name)
	}
	return s.Uid, nil
}
