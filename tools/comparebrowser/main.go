// Command comparebrowser shows pages in Chromium, without scripts and with them, and compares what it asks for with what the extract
// chain finds in them: the page, and transitively in what the browser got.
//
//	go run ./tools/comparebrowser [-chromium PROGRAM] [-constructs FILE] [-misses N] [-tabs N] [-hold] [-only TEXT] [-o FILE] [FOLDER…]
//
// Beside the pages of constructs in pages.txt, or those of another file of that form, it takes every .html file and the pages of every WARC file below the folders, the web of
// `exclave demo` and one of the benchmarks. All is served on 127.0.0.1; the browser reaches nothing else. The report is Markdown. With -hold the exit code is 1 when the report is worse than what is wanted.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"log"
	"os"
	"slices"
	"strings"
	"sync"

	"exclave/internal/reading"
)

func main() {
	log.SetFlags(0)
	chromium := flag.String("chromium", "chromium", "the browser")
	file := flag.String("constructs", "", "a file like pages.txt to take in its place")
	misses := flag.Int("misses", 200, "how many misses are listed")
	tabs := flag.Int("tabs", 2, "how many browsers show pages at a time")
	hold := flag.Bool("hold", false, "exit with 1 when what is wanted does not hold")
	only := flag.String("only", "", "only pages with this in their name or address")
	to := flag.String("o", "", "file that the report is written to (stdout)")
	flag.Parse()
	made := constructs
	if *file != "" {
		text, err := os.ReadFile(*file)
		if err != nil {
			log.Fatal(err)
		}
		made = string(text)
	}
	c, err := collect(made, flag.Args())
	if err != nil {
		log.Fatal(err)
	}
	if *only != "" {
		c.pages = slices.DeleteFunc(c.pages, func(p page) bool { return !strings.Contains(p.name+" "+p.url, *only) })
	}
	r, err := compare(c, *chromium, *tabs)
	if err != nil {
		log.Fatal(err)
	}
	var text bytes.Buffer
	r.print(&text, *misses)
	if *to == "" {
		_, err = os.Stdout.Write(text.Bytes())
	} else {
		err = os.WriteFile(*to, text.Bytes(), 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
	if bad := r.unmet(); *hold && len(bad) > 0 {
		log.Fatal(strings.Join(bad, "\n"))
	}
}

// compare shows all pages, with several browsers at a time, each with a server of its own.
func compare(c corpus, chromium string, browsers int) (*report, error) {
	results := make([]result, len(c.pages))
	errs := make([]error, browsers)
	next := make(chan int)
	var working sync.WaitGroup
	for i := range browsers {
		working.Go(func() {
			b, err := open(c.web, chromium)
			if errs[i] = err; err != nil {
				for range next { // the others go on
				}
				return
			}
			defer b.close()
			f := &finder{client: b.server.Client(), got: map[string]got{}}
			if f.reader, err = reading.New(false, f); err != nil {
				errs[i] = errors.Join(errs[i], err)
			}
			for n := range next {
				results[n], err = b.show(f, c.pages[n])
				errs[i] = errors.Join(errs[i], err)
			}
		})
	}
	for n := range c.pages {
		next <- n
	}
	close(next)
	working.Wait()
	if err := errors.Join(append(errs, c.close())...); err != nil {
		return nil, err
	}
	return newReport(c.pages, results), nil
}

// result is what one page gave.
type result struct {
	failed          error // it did not load
	asked           [measured][]string
	missed          [measured][]string
	embeds          map[string]reading.Link // links that are called embed or frame, by URL
	unasked         []string                // those that no look asked for
	links, guesses  int
	guessed, stated []string // invented
}

// show shows one page and reads it. An error is one of this program.
func (b *browser) show(f *finder, p page) (r result, err error) {
	var all []string
	for i := range measured {
		if r.asked[i], r.failed = b.asked(p.url, looks[i]); r.failed != nil {
			return r, nil // half of a page would only make the totals smaller
		}
		all = append(all, r.asked[i]...)
	}
	found, err := f.find(context.Background(), p.url, all)
	if err != nil {
		return r, err
	}
	for i, urls := range r.asked {
		for _, u := range urls {
			if !has(found, u) {
				r.missed[i] = append(r.missed[i], u)
			}
		}
	}
	r.embeds = map[string]reading.Link{}
	unasked := func() (of []string) {
		for _, u := range found.order {
			if _, is := r.embeds[u]; is && !slices.Contains(all, u) && !slices.Contains(all, strings.Replace(u, "http:", "https:", 1)) {
				of = append(of, u)
			}
		}
		return of
	}
	for u, l := range found.links {
		switch l.Kind {
		case "embed", "frame":
			r.embeds[u] = l
		case "speculative":
			r.guesses++
		}
	}
	r.links = len(found.links)
	for _, how := range looks[measured:] {
		if len(unasked()) == 0 {
			break
		}
		more, err := b.asked(p.url, how)
		if r.failed = err; err != nil {
			return r, nil
		}
		all = append(all, more...)
	}
	r.unasked = unasked()
	r.guessed, r.stated = f.invented(context.Background(), found, all)
	return r, nil
}

// has reports whether an address was found. Of hosts that a browser knows to be https alone it asks for that instead (HSTS).
func has(in *finding, u string) bool {
	if _, is := in.links[u]; is {
		return true
	}
	if _, is := in.links[strings.ReplaceAll(u, "%7C", "|")]; is { // which Chromium encodes, and the URL standard does not
		return true
	}
	rest, upgraded := strings.CutPrefix(u, "https://")
	_, is := in.links["http://"+rest]
	return upgraded && is
}
