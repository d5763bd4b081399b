package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"

	"exclave/dict"
	"exclave/internal/fsx"
	"exclave/internal/live"
	"exclave/internal/wordlist"

	"github.com/spf13/cobra"
)

func newDict() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "dict",
		Short: "Make and check the word lists that tell a language",
		Long:  `docs/howto/word-lists.md says how a list is made for a language that has none.`,
	}
	cmd.AddCommand(newDictBuild(), newDictInfo(), newDictCheck())
	return cmd
}

// sources parses sources of a flag.
func sources(names []string) (out []wordlist.Source, err error) {
	for _, n := range names {
		s, err := wordlist.ParseSource(n)
		if err != nil {
			return nil, withCode(exitUsage, err)
		}
		out = append(out, s)
	}
	return out, nil
}

func newDictBuild() *cobra.Command {
	var (
		out                       string
		keep, minus, shared, note []string
		r                         = wordlist.DefaultRecipe()
	)
	cmd := &cobra.Command{
		Use:   "build -o LIST SOURCE…",
		Short: "Make a list of the words that only one language has",
		Long: `build reads words of a language and leaves out those of others. A SOURCE is a file, or
KIND:FILE where its name does not say what it is: hunspell (.dic, with the .aff beside
it; every form that its affixes make), freq (.tsv: word, tab, how often), list (a word a
line), corpus (text), warc (.warc, .warc.gz, .warc.zst).

A word goes when a source of --minus has it: with frequencies, when it is there more than
--ratio times as frequent. Words of one neighbour (--shared-with) stay as a class of their
own; so do, with --ascii, words without diacritics that no other source has in any form.
Exit codes: 0 the list was made; 2 a source cannot be used, or no word is left; nothing
was written.`,
		Example: `  exclave dict build -o pt.txt pt.tsv --keep pt_PT.dic --minus es.tsv,fr.tsv --shared-with gl=gl.tsv --ascii --max 24000
  exclave dict build -o hsb.txt warc:crawl.warc.gz --minus cs.tsv,de.tsv`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return withCode(exitUsage, errors.New("dict build: -o names the file to write"))
			}
			var name string
			for i, s := range shared {
				n, source, ok := strings.Cut(s, "=")
				if !ok || name != "" && n != name {
					return withCode(exitUsage, fmt.Errorf("dict build: --shared-with %q: NAME=SOURCE of one neighbour is wanted, like sk=sk.tsv", s))
				}
				name, shared[i] = n, source
			}
			var err error
			for _, of := range []struct {
				names []string
				into  *[]wordlist.Source
			}{{args, &r.Words}, {keep, &r.Keep}, {minus, &r.Minus}, {shared, &r.Shared}} {
				if *of.into, err = sources(of.names); err != nil {
					return err
				}
			}
			l, st, err := wordlist.Build(cmd.Context(), out, r)
			if err != nil {
				return withCode(exitUsage, err)
			}
			if st.Cut > 0 {
				fmt.Fprintf(cmd.ErrOrStderr(), "exclave: note: %s of hunspell dictionaries had more than %d forms, such as %q; --forms allows more\n", count(int(st.Cut), "word"), r.Forms, st.Name)
			}
			if st.Read == 0 {
				return withCode(exitUsage, errors.New("dict build: no word was read: a file whose name does not say what it is has one word a line; a text is corpus:FILE"))
			}
			if l.Len() == 0 {
				return withCode(exitUsage, fmt.Errorf("dict build: no word is left of %s; --keep, --minus and --least decide which stay", live.Number(st.Read)))
			}
			l.Annotate(note...)
			var text bytes.Buffer
			if _, err := l.WriteTo(&text); err != nil {
				return err
			}
			if err := fsx.WriteSharedAtomic(fsx.Real(), out, text.Bytes()); err != nil {
				return withCode(exitFailure, fmt.Errorf("dict: write %s: %w", out, err))
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s of %s read\n", out, classCounts(l), live.Number(st.Read))
			return err
		},
	}
	f := cmd.Flags()
	f.StringVarP(&out, "out", "o", "", "file to write; an older one is replaced when the new one is complete")
	f.StringSliceVar(&keep, "keep", nil, "sources of the only words that may stay, such as a spelling dictionary")
	f.StringSliceVar(&minus, "minus", nil, "sources of other languages, whose words go")
	f.StringSliceVar(&shared, "shared-with", nil, "NAME=SOURCE of one neighbour, whose words become the class shared")
	f.StringArrayVar(&note, "note", nil, "line for the head of the list: where the words are from, and their licence")
	f.BoolVar(&r.ASCII, "ascii", false, "also words without diacritics that no other source has: the class ascii")
	f.IntVar(&r.LeastASCII, "least-ascii", r.LeastASCII, "least letters of a word of the class ascii")
	f.Float64Var(&r.Ratio, "ratio", r.Ratio, "a word goes when another language uses it more than this many times as often")
	f.Float64Var(&r.Least, "least", 0, "least relative frequency of a word")
	f.IntVar(&r.Max, "max", 0, "most words of each class, the most frequent first; 0 = all")
	f.IntVar(&r.Forms, "forms", r.Forms, "most forms of one word of a hunspell dictionary")
	f.StringVar(&r.Temp, "temp", "", "folder for what is sorted on disk (the system's temporary folder)")
	return cmd
}

// classCounts says how many words of each class a list has.
func classCounts(l *dict.List) string {
	var parts []string
	for c, name := range dict.Classes() {
		if n := l.LenOf(dict.Class(c)); n > 0 || c == 0 {
			parts = append(parts, live.Number(int64(n))+" "+name)
		}
	}
	return fmt.Sprintf("%s words (%s)", live.Number(int64(l.Len())), strings.Join(parts, ", "))
}

func newDictInfo() *cobra.Command {
	return &cobra.Command{
		Use:   "info LIST…",
		Short: "Say how many words of which classes a list has, and what its head says",
		Long:  `info reads lists: files, or the names of built-in ones. Their licence is in exclave version --notice.`,
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, name := range args {
				l, err := dict.Load(name)
				if err != nil {
					return withCode(exitUsage, err)
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, %s bytes in memory\n", name, classCounts(l), live.Number(int64(l.Bytes())))
				for _, n := range l.Notes() {
					fmt.Fprintf(cmd.OutOrStdout(), "  %s\n", n)
				}
				if !dict.IsFile(name) {
					fmt.Fprintln(cmd.OutOrStdout(), "  licence: CC BY-SA 4.0 (exclave version --notice)")
				}
			}
			return nil
		},
	}
}

func newDictCheck() *cobra.Command {
	var (
		least int
		most  float64
	)
	cmd := &cobra.Command{
		Use:   "check LIST FILE…",
		Short: "Count the sentences of other languages that a list hits",
		Long: `check reads files of sentences, one a line, in languages that the list is to be told
from, and counts those with --hits different words of a class. For each file: sentences;
those hit by words of the class exclusive, of ascii, of shared; and how many of all words
are on the list, in the same order. Exit codes: 0 none of the files has more than --most
of its sentences hit by words of the class exclusive; 1 one has; 2 a file cannot be read.`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := dict.Load(args[0])
			if err != nil {
				return withCode(exitUsage, err)
			}
			bad := false
			for _, name := range args[1:] {
				h, err := checkFile(cmd, l, name, least)
				if err != nil {
					return withCode(exitUsage, err)
				}
				bad = bad || h.Share(dict.Exclusive) > most
				fmt.Fprintf(cmd.OutOrStdout(), "%s: %s", name, count(h.Sentences, "sentence"))
				for c, class := range dict.Classes() {
					fmt.Fprintf(cmd.OutOrStdout(), "; %s %d (%.1f %%), %.1f %% of words", class, h.Hit[c], 100*h.Share(dict.Class(c)), 100*float64(h.Listed[c])/float64(max(1, h.Words)))
				}
				fmt.Fprintln(cmd.OutOrStdout())
			}
			if bad {
				return withCode(exitNegative, errSaid)
			}
			return nil
		},
	}
	cmd.Flags().IntVar(&least, "hits", 2, "different words that hit a sentence")
	cmd.Flags().Float64Var(&most, "most", 0.005, "largest share of sentences that may be hit")
	return cmd
}

func checkFile(cmd *cobra.Command, l *dict.List, name string, least int) (h wordlist.Hits, err error) {
	f, err := os.Open(name)
	if err != nil {
		return h, fmt.Errorf("dict check: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	h, err = wordlist.Check(cmd.Context(), l, f, least)
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return h, err
}
