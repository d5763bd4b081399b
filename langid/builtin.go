package langid

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
	"weak"

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

// opened is the built-in model when somebody holds it: a process that opens several jobs has it once.
var opened struct {
	sync.Mutex
	model weak.Pointer[Model]
}

// Open returns the built-in model, and unpacks it when nobody holds it: some 20 ms and 8 MB.
func Open() (*Model, error) {
	opened.Lock()
	defer opened.Unlock()
	if m := opened.model.Value(); m != nil {
		return m, nil
	}
	m, err := unpack()
	if err == nil {
		opened.model = weak.Make(m)
	}
	return m, err
}

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
