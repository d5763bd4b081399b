package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"exclave/internal/printable"
	"exclave/warc"
	"exclave/warc/rewrite"

	"github.com/spf13/cobra"
)

const (
	usualDictionary = 110 << 10 // as that of zstd --train
	sampleStart     = 16 << 10  // bytes of a record that are a sample: a dictionary helps at the beginning
	sampleFactor    = 50        // all samples have at most so many times the size of the dictionary
	measuredOf      = 5         // one sample of so many is not trained on, but measured
)

func newWARCDictionary() *cobra.Command {
	var out, size, temp string
	cmd := &cobra.Command{
		Use:   "dictionary FILE… -o NEW",
		Short: "Train a zstd dictionary on the records of WARC files",
		Long: `dictionary takes the beginnings of records, spread evenly over all files, and makes a dictionary of what they have in common: for [warc] zstd_dictionary of a
job, or --dictionary of the verbs that make files. It helps records like those it was made of, above all small ones. On stderr stands what it saves on records that it was
not made of. Longer ones take longer to make, and each WARC file begins with it.

Exit codes: 0 made; 1 something is damaged (nothing was made), the records are too few or have too little in common; 2 wrong flags, a file cannot be read, the output is there;
3 a failure of our own; 130 interrupted, nothing was made.`,
		Example: `  exclave warc dictionary last-year/warcs/*.warc.gz -o sites.dict`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return withCode(exitUsage, errors.New("warc dictionary: name the new file with --output"))
			}
			n := int64(usualDictionary)
			if size != "" {
				var err error
				if n, err = byteSize(size); err != nil || n < 1<<10 || n > 8<<20 {
					return withCode(exitUsage, errors.Join(fmt.Errorf("warc dictionary: --size %q is not between 1K and 8M", size), err))
				}
			}
			s := sampler{most: sampleFactor * int(n)}
			if err := eachRecord(cmd, "dictionary", args, temp, s.take); err != nil {
				return err
			}
			train, rest := s.divided()
			d, err := warc.TrainDictionary(train, int(n))
			if err != nil {
				return withCode(exitNegative, err)
			}
			if err := writeNew(out, func(w io.Writer) error { _, err := w.Write(d.Bytes()); return err }); err != nil {
				return warcEnd(cmd.Context(), "dictionary", err)
			}
			without, err := compressedSize(rest, nil)
			if err != nil {
				return err
			}
			with, err := compressedSize(rest, d)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s of %s; the beginnings of %s that are not among these take %s without it, %s with it\n", out,
				printable.Size(int64(len(d.Bytes()))), count(len(train), "record"), count(len(rest), "other"), printable.Size(without), printable.Size(with))
			return err
		},
	}
	f := cmd.Flags()
	f.StringVarP(&out, "output", "o", "", "new file")
	f.StringVar(&size, "size", "", "of the dictionary, 1K to 8M (default 110K)")
	tempFlag(cmd, &temp)
	return cmd
}

// sampler keeps the beginning of every n-th record, so that they fit.
type sampler struct {
	most, have int // bytes
	kept       [][]byte
	every, at  int
}

func (s *sampler) take(r *rewrite.Record) error {
	s.at++
	if s.every = max(s.every, 1); s.at%s.every != 0 {
		return nil
	}
	b := append(make([]byte, 0, sampleStart), r.Head[:min(len(r.Head), sampleStart)]...)
	n, err := io.ReadFull(r.Block(), b[len(b):min(int64(sampleStart), int64(len(b))+r.Size)])
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	b = b[:len(b)+n]
	s.kept, s.have = append(s.kept, b), s.have+len(b)
	for s.have > s.most && len(s.kept) > 1 {
		s.thin()
	}
	return nil
}

// thin drops every second sample.
func (s *sampler) thin() {
	half := s.kept[:0]
	s.have, s.every = 0, 2*s.every
	for i, b := range s.kept {
		if i%2 == 1 {
			half, s.have = append(half, b), s.have+len(b)
		}
	}
	clear(s.kept[len(half):])
	s.kept = half
}

// divided returns the samples to train on, and those to measure with.
func (s *sampler) divided() (train, rest [][]byte) {
	for i, b := range s.kept {
		if i%measuredOf == measuredOf-1 {
			rest = append(rest, b)
		} else {
			train = append(train, b)
		}
	}
	return train, rest
}

func compressedSize(samples [][]byte, d *warc.Dictionary) (int64, error) {
	z, err := warc.NewZstdWriter(warc.DefaultConfig().ZstdLevel, d)
	var n sizeOnly
	for _, b := range samples {
		if err == nil {
			z.Reset(&n, int64(len(b)))
			_, err = z.Write(b)
		}
		if err == nil {
			err = z.Close()
		}
	}
	return int64(n), err
}

// sizeOnly counts what is written to it.
type sizeOnly int64

func (n *sizeOnly) Write(p []byte) (int, error) {
	*n += sizeOnly(len(p))
	return len(p), nil
}

// readDictionary reads the dictionary that a flag names; nil of an empty name.
func readDictionary(name string) (*warc.Dictionary, error) {
	if name == "" {
		return nil, nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("--dictionary: %w", err)
	}
	d, err := warc.ParseDictionary(data)
	if err != nil {
		return nil, fmt.Errorf("--dictionary %s: %w", name, err)
	}
	return d, nil
}
