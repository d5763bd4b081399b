package evidence

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"testing"

	"exclave/config"
	"exclave/internal/job/folder"
)

// The secret is read as it was written, by its owner alone; a file of which any byte is another is damaged, not a key.
func TestKey(t *testing.T) {
	f := folder.Of(&config.Config{Dir: t.TempDir()}, folder.Env{})
	if err := os.MkdirAll(f.Path(folder.StateDir), 0o700); err != nil {
		t.Fatal(err)
	}
	if k, err := Read(f); k != nil || !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("no key: %x, %v", k, err)
	}
	k := NewKey()
	if err := k.Write(f); err != nil {
		t.Fatal(err)
	}
	if got, err := Read(f); err != nil || !bytes.Equal(got, k) || len(got) != keyBytes {
		t.Fatalf("%x, want %x: %v", got, k, err)
	}
	name := f.Path(folder.StateDir, folder.EvidenceKeyFile)
	if st, err := os.Stat(name); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
	text := k.Text()
	for i := range text {
		for _, with := range [][]byte{{text[i] ^ 1}, nil, {text[i], text[i]}} {
			if err := os.WriteFile(name, bytes.Join([][]byte{text[:i], text[i+1:]}, with), 0o600); err != nil {
				t.Fatal(err)
			}
			if got, err := Read(f); err == nil || got != nil || errors.Is(err, fs.ErrNotExist) {
				t.Errorf("byte %d became %q: %x, %v", i, with, got, err)
			}
		}
	}
}
