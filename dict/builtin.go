package dict

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"
)

// data holds the built-in lists; data/NOTICE says whose words they are and
// tools/wordlists how they are made.
//
//go:embed data/*.txt.gz data/NOTICE
var data embed.FS

// extension is what the files of built-in lists end with.
const extension = ".txt.gz"

// Builtins returns the names of the built-in lists, sorted. A list is named by
// the language it tells, in ISO 639-1: cs, sk.
func Builtins() []string {
	files, err := fs.Glob(data, "data/*"+extension)
	if err != nil {
		return nil
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(path.Base(f), extension)
	}
	return files
}

// Builtin opens the built-in list of that name. The error is ErrNoList when
// there is none. The first to ask unpacks it; it stays, as all of them are some
// MB and a process opens many Analyzers, of profiles, sheets, jobs of a folder.
func Builtin(name string) (*List, error) {
	open, ok := unpacked()[name]
	if !ok {
		return nil, fmt.Errorf("dict: list %q: %w (built in are %s)", name, ErrNoList, strings.Join(Builtins(), ", "))
	}
	l, err := open()
	if err != nil {
		return nil, err
	}
	own := *l // who annotates a list annotates no other's
	own.notes = l.Notes()
	return &own, nil
}

// unpacked holds every built-in list, from when it is asked for.
var unpacked = sync.OnceValue(func() map[string]func() (*List, error) {
	lists := map[string]func() (*List, error){}
	for _, name := range Builtins() {
		lists[name] = sync.OnceValues(func() (*List, error) { return unpack(name) })
	}
	return lists
})

func unpack(name string) (*List, error) {
	packed, err := data.ReadFile("data/" + name + extension)
	if err != nil {
		return nil, fmt.Errorf("dict: list %s: %w", name, err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("dict: list %s: %w", name, err)
	}
	var text strings.Builder
	text.Grow(int(binary.LittleEndian.Uint32(packed[len(packed)-4:]))) // its length ends a gzip file
	if _, err := io.Copy(&text, z); err != nil {
		return nil, fmt.Errorf("dict: list %s: %w", name, err)
	}
	return written(name, text.String()), nil
}

// written makes a list of what WriteTo wrote: its words are in normal form and in order.
func written(name, text string) *List {
	var blob strings.Builder
	blob.Grow(len(text))
	var notes []string
	n := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if note, ok := strings.CutPrefix(line, "# "); ok {
			notes = append(notes, note)
			continue
		}
		word, class, _ := strings.Cut(line, "\t")
		c, _ := ParseClass(class)
		blob.WriteString(word)
		blob.WriteByte(c.mark())
		n++
	}
	l := index(name, blob.String(), n)
	l.notes = notes
	return l
}

// Notice returns whose the built-in lists are, and their licence, which asks for that:
// exclave version --notice shows it.
func Notice() string {
	text, err := data.ReadFile("data/NOTICE")
	if err != nil {
		return ""
	}
	return string(text)
}

// IsFile tells the path of a list from the name of a built-in one: a path holds
// a separator or a dot.
func IsFile(name string) bool { return strings.ContainsAny(name, `/\.`) }

// Load opens the list called name: the file at that path if it IsFile, else the
// built-in list.
func Load(name string) (*List, error) {
	if IsFile(name) {
		return Open(name)
	}
	return Builtin(name)
}
