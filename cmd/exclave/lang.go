package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"exclave/dict"
	"exclave/internal/markup"
	"exclave/internal/mime"
	"exclave/internal/printable"
	"exclave/langid"

	"github.com/spf13/cobra"
)

// maxIdentified is how many bytes of a file are read, as the analysis of a crawl does by default.
const maxIdentified = 1 << 20

// identified is what lang says of a document.
type identified struct {
	Source   string            `json:"source"`
	Words    int               `json:"words"`
	Passages int               `json:"passages"`
	In       []identifiedShare `json:"in"` // most passages first
}

type identifiedShare struct {
	Language string  `json:"language"` // or "unknown"
	Passages int     `json:"passages"`
	Margin   float64 `json:"margin,omitempty"` // nats a letter, over the next language
}

func newLang() *cobra.Command {
	var asJSON, each bool
	cmd := &cobra.Command{
		Use:   "lang FILE...|-",
		Short: "Tell the languages of documents, as searchers of kind language do",
		Long: `lang splits the title and the text of each document, HTML or plain, into passages of
some 16 words and tells in what languages they are; - is the standard input. A
passage is unknown when it is too little, or a list of names, or as near to one
language as to another. The margin says by how many nats a letter the whole text is
nearer to a language than to any other; below 0 another one is nearer.

With --passages it shows each passage. Exit codes: 0 done; 2 a file cannot be read.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := langid.Open()
			if err != nil {
				return err
			}
			var errs []error
			for _, name := range args {
				text, err := readText(cmd.InOrStdin(), name)
				if err == nil {
					err = identify(cmd.OutOrStdout(), m, name, text, asJSON, each)
				}
				errs = append(errs, err)
			}
			if err := errors.Join(errs...); err != nil {
				return withCode(exitUsage, err)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a document instead of text")
	cmd.Flags().BoolVar(&each, "passages", false, "show each passage and its language; not with --json")
	cmd.MarkFlagsMutuallyExclusive("json", "passages")
	return cmd
}

// readText returns the title and the text of a document.
func readText(stdin io.Reader, name string) (string, error) {
	in := stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return "", err
		}
		defer f.Close()
		in = f
	}
	body, err := io.ReadAll(io.LimitReader(in, maxIdentified))
	if err != nil {
		return "", fmt.Errorf("read %s: %w", name, err)
	}
	t := mime.Detect(name, "", body[:min(len(body), mime.HeadSize)], 0)
	d := markup.Parse(markup.KindOf(t.Type), body, markup.Options{})
	return d.Title + "\n" + d.Text, nil
}

func identify(w io.Writer, m *langid.Model, name, text string, asJSON, each bool) error {
	var words [][]byte
	for word := range dict.Words(text) {
		words = append(words, bytes.Clone(word))
	}
	t := m.Identify(dict.BagOf(slices.Values(words)))
	out := identified{Source: name, Words: len(words), Passages: t.Passages, In: []identifiedShare{}}
	for _, s := range t.Shares {
		share := identifiedShare{Language: s.Language, Passages: s.Passages}
		if s.Language != langid.Unknown {
			share.Margin = t.Margin(s.Language)
		}
		out.In = append(out.In, share)
	}
	if asJSON {
		return json.NewEncoder(forPrograms(w)).Encode(out)
	}
	p := &printer{w: w}
	p.printf("%s: %s in %s\n", printable.Text(name), count(out.Words, "word"), count(out.Passages, "passage"))
	for _, s := range out.In {
		p.printf("  %-8s %4d", s.Language, s.Passages)
		if s.Language != langid.Unknown {
			p.printf("  margin %+.2f", s.Margin)
		}
		p.printf("\n")
	}
	if each {
		for passage := range slices.Chunk(words, langid.PassageWords) {
			language := langid.Unknown
			for _, s := range m.Identify(dict.BagOf(slices.Values(passage))).Shares {
				language = s.Language
			}
			var line strings.Builder
			for _, word := range passage {
				line.Write(word)
				line.WriteByte(' ')
			}
			p.printf("  %-8s %s\n", language, printable.Text(strings.TrimSpace(line.String())))
		}
	}
	return p.err
}

// printer keeps the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}
