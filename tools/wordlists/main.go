// Command wordlists builds a word list of package dict from frequency lists;
// build.sh calls it for the built-in ones.
//
//	go run ./tools/wordlists -words cs.tsv -exclude known.txt -keep cs.txt -o list.txt sk.tsv pl.tsv …
//
// The arguments are the frequency lists of the languages to be told from it.
package main

import (
	"flag"
	"fmt"
	"os"

	"exclave/dict"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "wordlists:", err)
		os.Exit(1)
	}
}

func run() error {
	var r dict.Recipe
	flag.StringVar(&r.Words, "words", "", "frequency list of the language: word, tab, relative frequency")
	exclude := flag.String("exclude", "", "list of words to leave out")
	flag.StringVar(&r.Keep, "keep", "", "list of the only words that may stay")
	flag.Float64Var(&r.Ratio, "ratio", 0.05, "a word goes if another language uses it more than this many times as often")
	flag.IntVar(&r.Max, "max", 24_000, "most words")
	out := flag.String("o", "", "file to write")
	flag.Parse()
	if *exclude != "" {
		r.Exclude = []string{*exclude}
	}
	r.Others = flag.Args()

	l, err := dict.Build(*out, r)
	if err != nil {
		return err
	}
	f, err := os.Create(*out)
	if err != nil {
		return err
	}
	if _, err := l.WriteTo(f); err != nil {
		f.Close()
		return err
	}
	fmt.Printf("%s: %d words\n", *out, l.Len())
	return f.Close()
}
