// Command lingua says what languages texts are in by lingua-go, for docs/recognition.md. It is a
// module of its own, so that its 127 MB of models are in no other program's reach (ADR 60).
//
//	echo '"Dobrý den"' | go run . cs sk en
//
// reads one JSON string a line and writes one {"language":"cs"} a line, in their order: the
// code by ISO 639-1, "" for none. Some, spread evenly, have "ns", the time that the text took alone, of the
// fastest of three. The arguments are the languages that are told apart; those that lingua
// does not know are left out and named.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/pemistahl/lingua-go"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "lingua:", err)
		os.Exit(1)
	}
}

// timed is how many texts are timed.
const timed = 200

// answer is what is said of one text.
type answer struct {
	Language string `json:"language"`
	NS       int64  `json:"ns,omitempty"`
}

func run(codes []string, in io.Reader, out, notes io.Writer) error {
	known := map[string]lingua.Language{}
	for _, l := range lingua.AllLanguages() {
		known[strings.ToLower(l.IsoCode639_1().String())] = l
	}
	var languages []lingua.Language
	for _, c := range codes {
		if l, ok := known[c]; ok {
			languages = append(languages, l)
		} else {
			fmt.Fprintf(notes, "lingua knows no %s\n", c)
		}
	}
	if len(languages) < 2 {
		return fmt.Errorf("%d languages: at least two that lingua knows are wanted", len(languages))
	}
	detector := lingua.NewLanguageDetectorBuilder().FromLanguages(languages...).WithPreloadedLanguageModels().Build()
	texts, err := read(in)
	if err != nil {
		return err
	}
	answers := make([]answer, len(texts))
	next := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for i := range next {
				if l, ok := detector.DetectLanguageOf(texts[i]); ok {
					answers[i].Language = strings.ToLower(l.IsoCode639_1().String())
				}
			}
		}()
	}
	for i := range texts {
		next <- i
		if i%500 == 499 {
			fmt.Fprintf(notes, "lingua: %d of %d texts\n", i+1, len(texts))
		}
	}
	close(next)
	workers.Wait()
	for i := 0; i < len(texts); i += max(1, len(texts)/timed) {
		for round := range 3 {
			start := time.Now()
			detector.DetectLanguageOf(texts[i])
			if took := time.Since(start).Nanoseconds(); round == 0 || took < answers[i].NS {
				answers[i].NS = took
			}
		}
	}
	w := bufio.NewWriter(out)
	e := json.NewEncoder(w)
	for _, a := range answers {
		if err := e.Encode(a); err != nil {
			return err
		}
	}
	return w.Flush()
}

func read(in io.Reader) (texts []string, err error) {
	d := json.NewDecoder(in)
	for {
		var s string
		if err := d.Decode(&s); err == io.EOF {
			return texts, nil
		} else if err != nil {
			return nil, fmt.Errorf("text %d: %w", len(texts)+1, err)
		}
		texts = append(texts, s)
	}
}
