package main

import (
	"context"
	"errors"
	"io"
	"os"
	"regexp"
	"slices"

	"golang.org/x/term"
)

// Keys that a terminal in raw mode makes no signal of.
const (
	ctrlC = 0x03
	ctrlD = 0x04
)

// several matches keys of several bytes (ECMA-48, 5.4: control sequences), unfinished one of which the end is still to come.
var (
	several    = regexp.MustCompile("\x1b(\\[[0-?]*[ -/]*[@-~]|O.)?")
	unfinished = regexp.MustCompile("\x1b(\\[[0-?]*[ -/]*|O)?$")
)

// keys reads single keys from a terminal, which is raw only meanwhile.
type keys struct {
	tty   *os.File
	ahead []byte // typed before they were asked for
	cut   []byte // the beginning of a key of several bytes
}

// next returns the next key; the end of ctx ends the wait. Keys of several bytes (arrows) are left out: their letters are no answers.
func (k *keys) next(ctx context.Context) (byte, error) {
	for len(k.ahead) == 0 {
		read, err := k.read(ctx)
		if err != nil {
			return 0, err
		}
		k.take(read)
	}
	key := k.ahead[0]
	k.ahead = k.ahead[1:]
	return key, nil
}

// take adds what was read, which may end within a key.
func (k *keys) take(read []byte) {
	all := append(k.cut, read...)
	end := len(all)
	if at := unfinished.FindIndex(all); at != nil {
		end = at[0]
	}
	k.ahead = append(k.ahead, several.ReplaceAll(all[:end], nil)...)
	k.cut = slices.Clone(all[end:])
}

// read waits for what is typed. A terminal's read cannot be ended: after ctx it is left waiting, for the end of the process.
func (k *keys) read(ctx context.Context) (_ []byte, err error) {
	fd := int(k.tty.Fd())
	saved, err := term.MakeRaw(fd)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, term.Restore(fd, saved)) }()
	type result struct {
		read []byte
		err  error
	}
	typed := make(chan result, 1)
	go func() {
		b := make([]byte, 64)
		n, err := k.tty.Read(b)
		if n == 0 && err == nil {
			err = io.EOF
		}
		typed <- result{b[:n], err}
	}()
	select {
	case r := <-typed:
		if len(r.read) > 0 {
			return r.read, nil
		}
		return nil, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
