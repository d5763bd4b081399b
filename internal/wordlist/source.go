package wordlist

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"exclave/dict"
	"exclave/internal/markup"
	"exclave/internal/mime"
	"exclave/internal/record"
	"exclave/warc"
)

// The kinds of sources.
const (
	KindHunspell  = "hunspell" // .dic, with the .aff beside it
	KindFrequency = "freq"     // a word, a tab, how often it is: relative, or a count
	KindList      = "list"     // a word a line
	KindCorpus    = "corpus"   // text
	KindWARC      = "warc"     // the answers of an archive with status 200
)

// Source is a file that words are read from.
type Source struct {
	Kind, Path string
}

// ParseSource reads a source as it is written in commands: FILE, or KIND:FILE. Without
// kind the name says it: .dic, .tsv, .warc, .warc.gz and .warc.zst; others are plain lists.
func ParseSource(s string) (Source, error) {
	kinds := []string{KindHunspell, KindFrequency, KindList, KindCorpus, KindWARC}
	if kind, path, ok := strings.Cut(s, ":"); ok && slices.Contains(kinds, kind) && path != "" {
		return Source{kind, path}, nil
	}
	if s == "" {
		return Source{}, fmt.Errorf("wordlist: a source is FILE or KIND:FILE; kinds are %s", strings.Join(kinds, ", "))
	}
	kind := KindList
	for suffix, k := range map[string]string{".dic": KindHunspell, ".tsv": KindFrequency, ".warc": KindWARC, ".warc.gz": KindWARC, ".warc.zst": KindWARC} {
		if strings.HasSuffix(s, suffix) {
			kind = k
		}
	}
	return Source{kind, s}, nil
}

// emit takes a word in normal form, and how often it is; 0 = nobody knows.
type emit func(word string, n float64) error

// readOptions say how a source is read.
type readOptions struct {
	names bool              // words that are written with a capital, too
	forms int               // most forms of one word of a hunspell dictionary
	cut   func(word string) // is told words that have more
}

// words calls emit for every word of a source; a word may come several times, and their
// numbers are to be added.
func (s Source) words(ctx context.Context, o readOptions, to emit) (err error) {
	if s.Kind == KindHunspell {
		return s.hunspell(ctx, o, to)
	}
	f, err := os.Open(s.Path)
	if err != nil {
		return fmt.Errorf("wordlist: %w", err)
	}
	defer f.Close()
	switch s.Kind {
	case KindCorpus:
		c := &counter{to: to}
		err = c.text(ctx, f)
		err = errors.Join(err, c.flush())
	case KindWARC:
		c := &counter{to: to}
		err = c.archive(ctx, f)
		err = errors.Join(err, c.flush())
	default:
		err = s.lines(ctx, f, o, to)
	}
	if err != nil {
		return fmt.Errorf("wordlist: %s: %w", s.Path, err)
	}
	return nil
}

// betweenChecks is how many words are read before ctx is looked at.
const betweenChecks = 10_000

// maxLine bounds a line of a list in bytes.
const maxLine = 64 << 10

// lines reads a list, or a frequency list. What is not one word is passed over in a
// frequency list, which is counted from texts, and in a plain list that is not one of ours.
func (s Source) lines(ctx context.Context, r io.Reader, o readOptions, to emit) error {
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, maxLine), maxLine)
	for n := 1; sc.Scan(); n++ {
		if n%betweenChecks == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		raw, rest, tab := strings.Cut(strings.TrimRight(sc.Text(), "\r"), "\t")
		if raw == "" || raw[0] == '#' {
			continue
		}
		count := 0.0
		if s.Kind == KindFrequency {
			field, _, _ := strings.Cut(rest, "\t")
			var err error
			if count, err = strconv.ParseFloat(field, 64); err != nil || count < 0 || !tab {
				return fmt.Errorf("line %d: %q has no frequency behind a tab", n, raw)
			}
		}
		word := dict.Normalize(strings.TrimSpace(raw))
		if !dict.IsWord(word) || !o.names && s.Kind == KindList && isName(raw) {
			continue
		}
		if err := to(word, count); err != nil {
			return err
		}
	}
	return sc.Err()
}

// isName reports whether a word of a dictionary has a capital.
func isName(raw string) bool { return strings.ToLower(raw) != raw }

// counter counts the words of texts; it hands them on before they take too much memory.
type counter struct {
	to emit
	n  map[string]float64
}

const maxCounted = 500_000

func (c *counter) add(text string) error {
	for w := range dict.Words(text) {
		if c.n == nil {
			c.n = map[string]float64{}
		}
		c.n[string(w)]++
	}
	if len(c.n) >= maxCounted {
		return c.flush()
	}
	return nil
}

func (c *counter) flush() error {
	for w, n := range c.n { // any order: they are sorted anyway
		if err := c.to(w, n); err != nil {
			return err
		}
	}
	c.n = nil
	return nil
}

// chunk is how much text is looked at at once, in bytes.
const chunk = 1 << 20

// text counts the words of a text of any length.
func (c *counter) text(ctx context.Context, r io.Reader) error {
	buf := make([]byte, chunk)
	kept := 0 // of a word that the last chunk ended within
	for ctx.Err() == nil {
		n, err := io.ReadFull(r, buf[kept:])
		have := buf[:kept+n]
		end := len(have)
		if err == nil {
			if i := bytes.LastIndexAny(have, " \n\t"); i > 0 {
				end = i
			}
		}
		if err := c.add(string(have[:end])); err != nil {
			return err
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return err
		}
		kept = copy(buf, have[end:])
	}
	return ctx.Err()
}

// maxDocument bounds what is read of a document in an archive, in bytes.
const maxDocument = 10 << 20

// archive counts the words of the documents of a WARC file: HTML, XHTML and plain text.
func (c *counter) archive(ctx context.Context, r io.Reader) error {
	var defects []error
	in := warc.NewTolerantReader(bufio.NewReaderSize(r, 64<<10), func(d warc.Defect) { defects = append(defects, &d) })
	for ctx.Err() == nil {
		e, err := in.Next()
		if errors.Is(err, io.EOF) {
			return errors.Join(defects...)
		}
		if err != nil {
			return err
		}
		if e.Type() != warc.TypeResponse {
			continue
		}
		err = c.document(e)
		if d := (*warc.Defect)(nil); err != nil && !errors.As(err, &d) { // the reader reports defects, and goes on
			return err
		}
	}
	return ctx.Err()
}

func (c *counter) document(e *warc.Entry) (err error) {
	const most = record.MaxHead + maxDocument
	rec, err := record.Load(io.LimitReader(e.Block, most), os.TempDir(), most)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rec.Close()) }()
	if rec.Head().Status != 200 {
		return nil
	}
	body, _ := rec.Body(maxDocument) // as much as can be decoded
	t := mime.Detect(e.TargetURI(), rec.Head().Get("Content-Type"), body[:min(len(body), mime.HeadSize)], 0)
	if !slices.Contains([]string{"text/html", "application/xhtml+xml", "text/plain"}, t.Type) {
		return nil
	}
	d := markup.Parse(markup.KindOf(t.Type), body, markup.Options{DeclaredCharset: t.Charset})
	return errors.Join(c.add(d.Title), c.add(d.Text))
}
