// Command labelled writes the project's labelled set, which eval and calibrate read:
//
//	go run ./tools/labelled -o labelled.jsonl
//	go run ./tools/labelled -shared ../shared/data -split test -o test.jsonl
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"

	"exclave/analyzer/labelled"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "labelled:", err)
		os.Exit(1)
	}
}

func run() error {
	out := flag.String("o", "labelled.jsonl", "file to write")
	shared := flag.String("shared", "", "folder of the shared test data, whose pages are added; empty = none")
	split := flag.String("split", "", "train or test; empty = both")
	flag.Parse()

	pages, err := labelled.Pages()
	if err != nil {
		return err
	}
	if *shared != "" {
		more, err := labelled.Shared(*shared)
		if err != nil {
			return err
		}
		pages = append(pages, more...)
	}
	if *split != "" {
		pages = slices.DeleteFunc(pages, func(p labelled.Page) bool { return p.Split != *split })
	}
	f, err := os.Create(*out)
	if err != nil {
		return err
	}
	if err := labelled.Write(f, pages); err != nil {
		f.Close()
		return err
	}
	fmt.Printf("%s: %d pages\n", *out, len(pages))
	return f.Close()
}
