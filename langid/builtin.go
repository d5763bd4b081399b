package langid

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// data holds the built-in model; data/NOTICE says what it is made of and tools/langmodel how.
//
//go:embed data/model.zst
var data []byte

//go:embed data/NOTICE
var notice string

// languages are those of the model, a line each: profiles are checked without unpacking it.
//
//go:embed data/languages.txt
var languages string

// Builtins returns the codes of the languages that the built-in model tells, sorted.
func Builtins() []string { return strings.Fields(languages) }

// Open returns the built-in model. The first to ask unpacks it, in some 20 ms, to 8 MB, which stay:
// a process opens many Analyzers, of profiles, sheets, jobs of a folder.
func Open() (*Model, error) { return unpacked() }

var unpacked = sync.OnceValues(unpack)

func unpack() (*Model, error) {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, fmt.Errorf("langid: open: %w", err)
	}
	defer z.Close()
	raw, err := z.DecodeAll(data, nil)
	if err != nil {
		return nil, fmt.Errorf("langid: open: %w", err)
	}
	return parse(raw)
}

// Notice returns what the built-in model is made of, and the licences, which ask for that:
// exclave version --notice shows it.
func Notice() string { return notice }
