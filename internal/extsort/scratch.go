package extsort

import (
	"fmt"
	"os"
	"sync"
)

// Scratch is a temporary folder for sorters, which is made when the first of them needs it.
// Its methods may be called by several goroutines.
type Scratch struct {
	parent string
	bytes  int
	mu     sync.Mutex
	dir    string
}

// NewScratch returns a folder yet to be made in parent; "" is the system's temporary folder
// (TMPDIR). Chunks of its sorters have so many bytes.
func NewScratch(parent string, bytes int) *Scratch { return &Scratch{parent: parent, bytes: bytes} }

// Sorter returns a new sorter, which begins small.
func (s *Scratch) Sorter(name string) *Sorter { return s.SorterOf(s.Pool(), name) }

// Pool returns a pool of chunks that begin small.
func (s *Scratch) Pool() *Pool { return NewPool(s.bytes).Growing() }

// SorterOf returns a new sorter that shares its chunks with others of one goroutine: what one is done with the next one takes.
func (s *Scratch) SorterOf(p *Pool, name string) *Sorter {
	return &Sorter{name: name, scratch: s, pool: p}
}

func (s *Scratch) folder() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir != "" {
		return s.dir, nil
	}
	dir, err := os.MkdirTemp(s.parent, "exclave-")
	if err != nil {
		return "", fmt.Errorf("extsort: temporary folder: %w", err)
	}
	s.dir = dir
	return dir, nil
}

// Close removes the folder with everything in it. No sorter may work any more.
func (s *Scratch) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == "" {
		return nil
	}
	dir := s.dir
	s.dir = ""
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("extsort: temporary folder: %w", err)
	}
	return nil
}
