package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one thing wrong in a configuration.
type Problem struct {
	File      string // as it was named
	Line, Col int    // from 1; 0 = the file as a whole
	Key       string // path of the key, elements counted from 0: scope[2].rule
	Msg       string // what is wrong
	Fix       string // what to do
}

// String returns "job.toml:12:3: http.contact: what is wrong; what to do".
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", p.Line, p.Col)
	}
	if p.Key != "" {
		b.WriteString(": " + p.Key)
	}
	b.WriteString(": " + p.Msg)
	if p.Fix != "" {
		b.WriteString("; " + p.Fix)
	}
	return b.String()
}

// report collects the problems of one file.
type report struct {
	file     string
	at       positions
	problems []Problem
}

func (r *report) add(key, fix, format string, args ...any) {
	at := r.at.find(key)
	r.problems = append(r.problems, Problem{File: r.file, Line: at.Line, Col: at.Col, Key: key,
		Msg: fmt.Sprintf(format, args...), Fix: fix})
}

// bad reports a value that cannot be. A key without default that is not in
// the file is called missing; what follows from a value that could not be read is left out.
func (r *report) bad(key, fix, msg string) {
	for _, p := range r.problems {
		if p.Key == key || strings.HasPrefix(p.Key, key+"[") || strings.HasPrefix(p.Key, key+".") {
			return
		}
	}
	if _, there := r.at[key]; r.at != nil && !there && fix == "" && parent(key) != "" {
		table := parent(key)
		fix = fmt.Sprintf("add %s = … to [%s]", key[len(table)+1:], table)
		msg = "is missing: " + strings.TrimPrefix(msg, `"": `)
	}
	r.add(key, fix, "%s", msg)
}

// sorted returns the problems in the order of the file, those of the whole file
// first.
func (r *report) sorted() []Problem {
	slices.SortStableFunc(r.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	return r.problems
}
