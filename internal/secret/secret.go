// Package secret reads files with passwords and cookies. They must be their owner's alone; no error shows what is in them.
package secret

import (
	"fmt"
	"io"
	"os"
)

// maxSize is how long a file of secrets may be.
const maxSize = 16 << 20

// Read returns the bytes of a file that only its owner may read; of another one the error says what to do.
func Read(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, fmt.Errorf("%s: is a folder; name a file", name)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return nil, fmt.Errorf("%s: others may read it (mode %04o), and it holds secrets: chmod 600 %s", name, mode, name)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err == nil && len(text) > maxSize {
		err = fmt.Errorf("%s: more than %d MB", name, maxSize>>20)
	}
	return text, err
}
