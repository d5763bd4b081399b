package dict

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// data holds the built-in lists; data/NOTICE says whose words they are and
// tools/wordlists how they are made.
//
//go:embed data/*.txt data/NOTICE
var data embed.FS

// Builtins returns the names of the built-in lists, sorted. A list is named by
// the language it tells, in ISO 639-1: cs, sk.
func Builtins() []string {
	files, err := fs.Glob(data, "data/*.txt")
	if err != nil {
		return nil
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(path.Base(f), ".txt")
	}
	return files
}

// Builtin opens the built-in list of that name. The error is ErrNoList when
// there is none.
func Builtin(name string) (*List, error) {
	text, err := data.ReadFile("data/" + name + ".txt")
	if err != nil {
		return nil, fmt.Errorf("dict: list %q: %w (built in are %s)", name, ErrNoList, strings.Join(Builtins(), ", "))
	}
	return index(name, string(text)), nil
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
