package warc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/dict"
	"github.com/klauspost/compress/zstd"
)

// mostDictionary is the longest dictionary that is written: as much as the specification asks of every reader.
const mostDictionary = 8 << 20

// Dictionary is what records are compressed against (RFC 8878 section 5). A file whose records need one begins with it. It never changes.
type Dictionary struct {
	data  []byte
	frame []byte // as it stands in files
}

// ParseDictionary takes a dictionary as [TrainDictionary] and zstd --train make it: at most 8 MiB, with an ID.
func ParseDictionary(data []byte) (*Dictionary, error) {
	if len(data) > mostDictionary {
		return nil, fmt.Errorf("warc: dictionary: %d bytes, at most %d are allowed", len(data), mostDictionary)
	}
	if len(data) < 8 || binary.LittleEndian.Uint32(data) != rawDictionary {
		return nil, errors.New("warc: dictionary: the file is none of zstd; exclave warc dictionary and zstd --train make them")
	}
	if idOf(data) == 0 {
		return nil, errors.New("warc: dictionary: it has no ID, by which records say that they need it; make it with exclave warc dictionary or zstd --train")
	}
	if _, err := zstd.NewWriter(nil, zstd.WithEncoderDict(data)); err != nil {
		return nil, fmt.Errorf("warc: dictionary: %w", err)
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(mostDictionary))
	if err != nil {
		return nil, fmt.Errorf("warc: dictionary: %w", err)
	}
	frame := z.EncodeAll(data, make([]byte, 8))
	binary.LittleEndian.PutUint32(frame, dictionaryMagic)
	binary.LittleEndian.PutUint32(frame[4:], uint32(len(frame)-8))
	return &Dictionary{data: data, frame: frame}, nil
}

func idOf(data []byte) uint32 { return binary.LittleEndian.Uint32(data[4:]) }

// Frame returns the frame that a file of records which need the dictionary begins with: one that is skipped by programs that do not know it,
// with the dictionary compressed in it (IIPC, Zstandard Compression for WARC Files 1.0). It must not be changed.
func (d *Dictionary) Frame() []byte { return d.frame }

// Bytes returns the dictionary as zstd -D takes it. It must not be changed.
func (d *Dictionary) Bytes() []byte { return d.data }

// equal reports whether two dictionaries, each of which may be nil, are the same.
func (d *Dictionary) equal(other *Dictionary) bool {
	if d == nil || other == nil {
		return d == other
	}
	return bytes.Equal(d.data, other.data)
}

// dictionaryAt reads the dictionary that a file begins with; nil when there is none.
func dictionaryAt(f io.ReaderAt) (*Dictionary, error) {
	frame, err := dictionaryFrame(f)
	if err != nil || frame == nil {
		return nil, err
	}
	data, err := unpackDictionary(frame)
	if err != nil {
		return nil, err
	}
	return ParseDictionary(data)
}

// dictionaryFrame returns the frame of the dictionary at the beginning of a file as it stands there; nil when there is none.
func dictionaryFrame(f io.ReaderAt) ([]byte, error) {
	var head [8]byte
	if _, err := f.ReadAt(head[:], 0); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	if binary.LittleEndian.Uint32(head[:]) != dictionaryMagic {
		return nil, nil
	}
	return readDictionary(head[:], io.NewSectionReader(f, 8, 1<<62), int64(binary.LittleEndian.Uint32(head[4:])))
}

// readDictionary reads the frame of a dictionary that has n bytes behind its head.
func readDictionary(head []byte, r io.Reader, n int64) ([]byte, error) {
	if n > maxDictionary {
		return nil, &frameError{fmt.Errorf("a dictionary of %d bytes, more than %d", n, maxDictionary)}
	}
	frame := append(make([]byte, 0, int64(len(head))+n), head...)[:int64(len(head))+n]
	_, err := io.ReadFull(r, frame[len(head):])
	return frame, err
}

// unpackDictionary takes a dictionary out of its frame.
func unpackDictionary(frame []byte) (data []byte, err error) {
	if data = frame[8:]; len(data) >= 4 && binary.LittleEndian.Uint32(data) == frameMagic {
		dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxDictionary))
		if err != nil {
			return nil, err
		}
		defer dec.Close()
		if data, err = dec.DecodeAll(data, nil); err != nil {
			return nil, &frameError{fmt.Errorf("dictionary: %w", err)}
		}
	}
	if len(data) < 8 || binary.LittleEndian.Uint32(data) != rawDictionary {
		return nil, &frameError{errors.New("the frame of the dictionary holds none")}
	}
	return data, nil
}

// TrainDictionary makes a dictionary of at most size bytes of samples, which are beginnings of records like those that are to be compressed. It
// wants samples of ten times the size and more; how long it takes grows with them: some seconds for 10 MB.
func TrainDictionary(samples [][]byte, size int) (*Dictionary, error) {
	data, err := dict.BuildZstdDict(samples, dict.Options{MaxDictSize: size, HashBytes: 6, ZstdDictCompat: true, ZstdLevel: zstd.SpeedDefault})
	if err != nil {
		return nil, fmt.Errorf("warc: dictionary: the samples have too little in common, or are too few: %w", err)
	}
	return ParseDictionary(data)
}
