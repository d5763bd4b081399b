// Command recognition measures how well the shipped profiles recognise their nations, beside the
// settings of the original, each searcher alone, the language model alone and lingua, and writes
// docs/recognition.md and the figures in it. From the module's root:
//
//	go run ./tools/recognition -shared ../shared/data
package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"exclave/analyzer"
	"exclave/dict"
	"exclave/langid"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "recognition:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("recognition", flag.ExitOnError)
	shared := flags.String("shared", "", "folder of the shared test data, whose pages are added to the labelled set; empty = none")
	out := flags.String("o", "docs/recognition.md", "page to write")
	data := flags.String("data", "docs/data/recognition.json", "file of the figures to write")
	render := flags.Bool("render", false, "measure nothing: write the page of the figures that are there, after a change of its prose")
	_ = flags.Parse(args) // ExitOnError
	begun := time.Now()
	say := func(format string, args ...any) {
		fmt.Fprintf(os.Stderr, "%4.0f s  %s\n", time.Since(begun).Seconds(), fmt.Sprintf(format, args...))
	}
	if *render {
		figures, err := os.ReadFile(*data)
		if err != nil {
			return err
		}
		var r results
		if err := json.Unmarshal(figures, &r); err != nil {
			return fmt.Errorf("%s: %w", *data, err)
		}
		return os.WriteFile(*out, []byte(r.markdown()), 0o644)
	}
	r, err := measured(ctx, *shared, say)
	if err != nil {
		return err
	}
	r.Command = "go run ./tools/recognition"
	if *shared != "" {
		r.Command += " -shared " + *shared
	}
	r.Date = begun.UTC().Format("2006-01-02")
	figures, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(*data, append(figures, '\n'), 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(*out, []byte(r.markdown()), 0o644); err != nil {
		return err
	}
	say("%s and %s written", *out, *data)
	return nil
}

// asciiLengths are those that the issue asks for.
func asciiLengths() []int { return []int{20, 50, 100, 400} }

// measured measures everything.
func measured(ctx context.Context, shared string, say func(format string, args ...any)) (r results, err error) {
	list, err := nations()
	if err != nil {
		return r, err
	}
	pages, inputs, err := set(shared)
	if err != nil {
		return r, err
	}
	for _, p := range pages {
		if p.Split == "test" {
			r.Test++
		} else {
			r.Train++
		}
		if p.adverse() {
			r.Adverse++
		}
		if len(p.Nations) > 0 {
			r.Owned++
		}
		if !slices.Contains(r.Languages, p.Language) {
			r.Languages = append(r.Languages, p.Language)
		}
	}
	slices.Sort(r.Languages)
	r.ASCII = asciiLengths()
	in := len(pages)
	if pages, err = passages(pages, list, r.ASCII); err != nil {
		return r, err
	}
	say("%d pages of the labelled set, %d passages without diacritics", in, len(pages)-in)
	a, err := open(ctx, list)
	if err != nil {
		return r, err
	}
	defer a.Close()
	if err := judgeAll(ctx, a, pages, say); err != nil {
		return r, err
	}
	lingua, unknown, err := askLingua(ctx, pages, codes(r.Languages), say)
	if err != nil {
		return r, err
	}
	r.NotLingua = unknown
	var test []*page
	for _, p := range pages[:in] {
		if p.Split == "test" {
			test = append(test, p)
		}
	}
	profiles := a.Profiles()
	for i, n := range list {
		p := profiles[i]
		var costs []cost
		if n.Full {
			if costs, err = costsOf(ctx, n, p, test); err != nil {
				return r, fmt.Errorf("%s: costs: %w", n.Name, err)
			}
		}
		one, err := measure(n, p, pages, r.ASCII, costs, lingua)
		if err != nil {
			return r, err
		}
		r.Nations = append(r.Nations, one)
		say("measured %s", n.Name)
	}
	r.Confusion = confusion(list, pages)
	own, err := currentInputs(list)
	if err != nil {
		return r, err
	}
	r.Inputs = append(inputs, own...)
	linguaIs, err := linguaVersion(ctx)
	if err != nil {
		return r, err
	}
	r.Versions = []version{{"Go", runtime.Version()}, {"lingua-go", linguaIs}}
	return r, nil
}

// codes are the languages without what comes after them: sr-Cyrl is sr.
func codes(languages []string) (out []string) {
	for _, l := range languages {
		l, _, _ = strings.Cut(l, "-")
		if !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}

// currentInputs are what verdicts follow from beside the pages: profiles, the language model, word lists.
func currentInputs(list []nation) (out []input, err error) {
	for _, n := range append([]nation{{Name: "original"}}, list...) {
		source, err := analyzer.BuiltinSource(n.Name)
		if err != nil {
			return nil, err
		}
		out = append(out, input{"profile " + n.Name, fmt.Sprintf("%d lines", strings.Count(string(source), "\n")), digest(settings(source))})
	}
	m, err := langid.Open()
	if err != nil {
		return nil, err
	}
	out = append(out, input{"language model", fmt.Sprintf("%d languages", len(m.Languages())), m.Digest()})
	for _, name := range dict.Builtins() {
		l, err := dict.Builtin(name)
		if err != nil {
			return nil, err
		}
		out = append(out, input{"word list " + name, fmt.Sprintf("%d words", l.Len()), digestOf(l)})
	}
	return out, nil
}

// digestOf is of the words and classes of a list, not of how its file has them.
func digestOf(l *dict.List) string {
	h := sha256.New()
	for word, class := range l.Classed() {
		fmt.Fprintf(h, "%s %v\n", word, class) // a hash takes everything
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// settings is a profile without its comments, which change no verdict.
func settings(source []byte) []byte {
	var b strings.Builder
	for line := range strings.Lines(string(source)) {
		if t := strings.TrimSpace(line); t != "" && t[0] != '#' {
			b.WriteString(t + "\n")
		}
	}
	return []byte(b.String())
}
