package langid

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// data holds the built-in model; data/NOTICE says what it is made of and tools/langmodel how.
//
//go:embed data/model.zst
var data []byte

//go:embed data/NOTICE
var notice string

// Builtins returns the codes of the languages that the built-in model tells, sorted; it does not
// unpack all of it.
func Builtins() []string {
	z, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil
	}
	defer z.Close()
	var m Model
	header := make([]byte, 4096) // more than the names of all classes take
	n, _ := io.ReadFull(z, header)
	if p := (parser{header[:n]}); !m.header(&p) {
		return nil
	}
	return m.languages
}

// Open unpacks the built-in model: some 30 ms and 8 MB.
func Open() (*Model, error) {
	z, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, fmt.Errorf("langid: open: %w", err)
	}
	defer z.Close()
	return Read(z)
}

// Notice returns what the built-in model is made of, and the licences, which ask for that:
// exclave version --notice shows it.
func Notice() string { return notice }
