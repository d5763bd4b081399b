package labels

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"exclave/analyzer"
	"exclave/internal/judge"

	"github.com/klauspost/compress/gzip"
)

// IsFile tells a file of labelled pages from a WARC file, by its name.
func IsFile(path string) bool {
	return strings.HasSuffix(path, ".jsonl") || strings.HasSuffix(path, ".jsonl.gz")
}

// maxLine bounds a line: a document of 10 MB in base64.
const maxLine = 16 << 20

// Read calls fn for every page of a file of labels.
func Read(path string, fn func(p *Page) error) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("labels: %w", err)
	}
	defer f.Close()
	var in io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if in, err = gzip.NewReader(f); err != nil {
			return fmt.Errorf("labels: %s: %w", path, err)
		}
	}
	s := bufio.NewScanner(in)
	s.Buffer(make([]byte, 64<<10), maxLine)
	n := 0
	for s.Scan() {
		n++
		line := bytes.TrimSpace(s.Bytes())
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		p, err := parse(line, filepath.Dir(path))
		if err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
		if err := fn(p); err != nil {
			return err
		}
	}
	if err := s.Err(); err != nil {
		return fmt.Errorf("%s:%d: %w", path, n+1, err)
	}
	return nil
}

// Line returns a page as a line of a file.
func (p *Page) Line() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(p)
	return b.Bytes(), err
}

// Sample is a labelled page that was judged.
type Sample struct {
	*Page
	Title    string
	Words    int                // of title and text; -1 when nobody knows
	Verdicts []analyzer.Verdict // of each profile, in their order
}

// Options say how pages are judged.
type Options struct {
	Analyzer *analyzer.Analyzer
	// Profiles are those of the Analyzer, for verdicts that were logged.
	Profiles []analyzer.Profile
	Split    string // only pages of that split, and those of both; "" = all
}

// Left counts the lines that were not judged.
type Left struct {
	Split   int `json:"split,omitempty"`   // of another split
	Missing int `json:"missing,omitempty"` // neither document nor verdicts
}

// Judge reads labelled pages from files of labels and WARC files and calls each for every one that can be
// judged: those with a document first, then those of the WARC files, then those with verdicts only.
func Judge(ctx context.Context, paths []string, o Options, each func(Sample) error) (left Left, err error) {
	var bare []*Page // without a document, in order
	at := map[string]int{}
	for _, path := range paths {
		if !IsFile(path) {
			continue
		}
		err := Read(path, func(p *Page) error {
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case o.Split != "" && p.Split != "" && p.Split != o.Split:
				left.Split++
				return nil
			case p.hasDocument():
				return o.judge(ctx, p, each)
			}
			if i, ok := at[p.URL]; ok {
				bare[i] = p
				return nil
			}
			at[p.URL] = len(bare)
			bare = append(bare, p)
			return nil
		})
		if err != nil {
			return left, err
		}
	}
	for _, path := range paths {
		if IsFile(path) {
			continue
		}
		err := judge.Pages(ctx, o.Analyzer, path, func(url string) bool { _, ok := at[url]; return ok }, func(r judge.Result) error {
			i := at[r.URL]
			delete(at, r.URL)
			if r.Skipped != "" {
				return nil // it may have been logged
			}
			p := bare[i]
			bare[i] = nil
			return each(Sample{Page: p, Title: r.Title, Words: r.Words, Verdicts: r.Verdicts})
		})
		if err != nil {
			return left, err
		}
	}
	for _, p := range bare {
		if p == nil {
			continue
		}
		s, err := o.logged(p)
		if errors.Is(err, errMissing) {
			left.Missing++
			continue
		}
		if err == nil {
			err = each(s)
		}
		if err != nil {
			return left, err
		}
	}
	return left, nil
}

// judge judges a page by its document.
func (o Options) judge(ctx context.Context, p *Page, each func(Sample) error) error {
	body, contentType, err := p.document()
	if err != nil {
		return fmt.Errorf("labels: %s: %w", p.URL, err)
	}
	r, err := judge.Document(ctx, o.Analyzer, judge.Source{URL: p.URL, Via: p.Via, ContentType: contentType}, body)
	if err != nil {
		return fmt.Errorf("labels: %s: %w", p.URL, err)
	}
	bare := *p
	bare.HTML, bare.Text, bare.Body = nil, nil, nil // each may keep the page, not the document
	s := Sample{Page: &bare, Title: r.Title, Words: r.Words, Verdicts: r.Verdicts}
	if s.Verdicts == nil { // no profile judges its type
		for _, q := range o.Profiles {
			s.Verdicts = append(s.Verdicts, analyzer.Verdict{Profile: q.Name, Min: q.MinPoints})
		}
	}
	return each(s)
}

var errMissing = errors.New("neither document nor verdicts")

// logged judges a page by verdicts that were logged of it.
func (o Options) logged(p *Page) (Sample, error) {
	s := Sample{Page: p, Words: -1}
	if p.Words != nil {
		s.Words = *p.Words
	}
	for _, q := range o.Profiles {
		v, ok := Logged(p.Verdicts, q.Name)
		if !ok {
			return s, errMissing
		}
		r := analyzer.NewRejudge(q)
		if n, known := r.Words(v); known && (v.Words != nil || s.Words < 0) {
			s.Words = n
		}
		v, err := r.Verdict(v, analyzer.Seen{URL: p.URL, Via: p.Via}, s.Words)
		if err != nil {
			return s, fmt.Errorf("labels: %s: profile %s: %w", p.URL, q.Name, err)
		}
		s.Verdicts = append(s.Verdicts, v)
	}
	return s, nil
}

// Logged picks the verdict whose findings a profile can be applied to: that of the profile's name or,
// when only one was logged, that one.
func Logged(vs []analyzer.Verdict, profile string) (analyzer.Verdict, bool) {
	for _, v := range vs {
		if v.Profile == profile {
			return v, true
		}
	}
	if len(vs) == 1 {
		return vs[0], true
	}
	return analyzer.Verdict{}, false
}
