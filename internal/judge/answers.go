package judge

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"exclave/chain/fetch"
	"exclave/crawl"
	"exclave/warc"
)

// Answers gives take the document in a file as a server would answer with it, under url and with the header field
// Content-Type, unless that is ""; or, when the file is a WARC, each response record that is
// wanted, of any status, with the URL that it has there. What take gets it must not keep. Damaged records are left out, and
// an error in the end; doubt is as in [File].
func Answers(path, url, contentType string, wanted func(*warc.Entry) bool, doubt func(warc.Defect), take func(*crawl.CrawlURI) error) error {
	f, err := open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 64<<10)
	if isWARC(in) {
		return entries(path, in, doubt, func(e *warc.Entry) error {
			if e.Type() != warc.TypeResponse || !wanted(e) {
				return nil
			}
			return recorded(e.TargetURI(), e.Block, take)
		})
	}
	head := "HTTP/1.1 200 OK\r\n"
	if contentType != "" {
		head += "Content-Type: " + contentType + "\r\n"
	}
	if err := recorded(url, io.MultiReader(strings.NewReader(head+"\r\n"), in), take); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// open opens a file; its name comes first in the error.
func open(path string) (*os.File, error) {
	f, err := os.Open(path)
	if of := (*fs.PathError)(nil); errors.As(err, &of) {
		err = of.Err
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if st, err := f.Stat(); err == nil && st.IsDir() {
		return nil, errors.Join(fmt.Errorf("%s: is a folder; name the documents or WARC files in it", path), f.Close())
	}
	return f, nil
}

func recorded(url string, answer io.Reader, take func(*crawl.CrawlURI) error) (err error) {
	rec, err := load(answer)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rec.Close()) }()
	u := &crawl.CrawlURI{Candidate: crawl.Candidate{URL: url}}
	fetch.Describe(u, rec)
	return take(u)
}
