// Command langmodel makes the model of package langid and measures it (docs/howto/language-model.md).
//
//	go run ./tools/langmodel -wheel wordfreq-3.1.1-py3-none-any.whl -texts DIR -o langid/data/model.zst
//	go run ./tools/langmodel -eval DIR
package main

import (
	"archive/zip"
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"exclave/langid"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "langmodel:", err)
		os.Exit(1)
	}
}

func run() error {
	wheel := flag.String("wheel", "", "wheel of wordfreq")
	texts := flag.String("texts", "", "folder of texts that texts.py wrote")
	out := flag.String("o", "", "model to write")
	eval := flag.String("eval", "", "folder of texts to measure the built-in model with, or that of -o")
	verbose := flag.Bool("v", false, "with -eval: show the texts that are taken for another language")
	flag.Parse()
	if *wheel != "" {
		if err := build(*wheel, *texts, *out); err != nil {
			return err
		}
	}
	if *eval != "" {
		m, err := model(*out)
		if err != nil {
			return err
		}
		return measure(m, *eval, *verbose)
	}
	return nil
}

func model(file string) (*langid.Model, error) {
	if file == "" {
		return langid.Open()
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	z, err := zstd.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return langid.Read(z)
}

func build(wheelFile, texts, out string) error {
	wheel, err := zip.OpenReader(wheelFile)
	if err != nil {
		return err
	}
	defer func() { _ = wheel.Close() }() // only read
	classes, err := collect(&wheel.Reader, texts)
	if err != nil {
		return err
	}
	names, entries := table(classes)
	var raw bytes.Buffer
	if err := langid.Write(&raw, names, entries); err != nil {
		return err
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	packed := z.EncodeAll(raw.Bytes(), nil)
	fmt.Printf("%d classes, %d entries, %d bytes, %d packed\n", len(names), len(entries), raw.Len(), len(packed))
	m, err := langid.Read(&raw)
	if err != nil {
		return err
	}
	codes := strings.Join(m.Languages(), "\n") + "\n"
	if err := os.WriteFile(filepath.Join(filepath.Dir(out), "languages.txt"), []byte(codes), 0o644); err != nil {
		return err
	}
	return os.WriteFile(out, packed, 0o644)
}
