package main

import (
	"errors"
	"io"
	"os"
	"regexp"

	"golang.org/x/term"
)

// Keys that a terminal in raw mode makes no signal of.
const (
	ctrlC = 0x03
	ctrlD = 0x04
)

// several matches keys of several bytes (ECMA-48, 5.4: control sequences).
var several = regexp.MustCompile("\x1b(\\[[0-?]*[ -/]*[@-~]|O.)?")

// keys reads single keys from a terminal, which is raw only meanwhile.
type keys struct {
	tty   *os.File
	ahead []byte // typed before they were asked for
}

// next returns the next key. Keys of several bytes (arrows) are left out: their letters are no answers.
func (k *keys) next() (byte, error) {
	for len(k.ahead) == 0 {
		read, err := k.read()
		if err != nil {
			return 0, err
		}
		k.ahead = several.ReplaceAll(read, nil)
	}
	key := k.ahead[0]
	k.ahead = k.ahead[1:]
	return key, nil
}

func (k *keys) read() (read []byte, err error) {
	fd := int(k.tty.Fd())
	saved, err := term.MakeRaw(fd)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, term.Restore(fd, saved)) }()
	b := make([]byte, 64)
	n, err := k.tty.Read(b)
	if n > 0 {
		return b[:n], nil
	}
	if err == nil {
		err = io.EOF
	}
	return nil, err
}
