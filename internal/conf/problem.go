package conf

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Problem is one thing wrong in a configuration.
type Problem struct {
	File      string // as it was named; "" = it was not read from a file, or nobody said from which
	Line, Col int    // from 1; 0 = the file as a whole
	Key       string // path of the key, elements counted from 0: scope[2].rule; "" = all of it
	Msg       string // what is wrong
	Fix       string // what to do; "" when Msg says it
	Err       error  // what errors.Is shall find; nil = the value itself is wrong
}

// String returns "job.toml:12:3: http.contact: what is wrong; what to do", without what
// is not known.
func (p Problem) String() string {
	var b strings.Builder
	if p.File != "" {
		b.WriteString(p.File)
		if p.Line > 0 {
			fmt.Fprintf(&b, ":%d:%d", p.Line, p.Col)
		}
		b.WriteString(": ")
	}
	if p.Key != "" {
		b.WriteString(p.Key + ": ")
	}
	b.WriteString(p.Msg)
	if p.Fix != "" {
		b.WriteString("; " + p.Fix)
	}
	return b.String()
}

// Error returns String.
func (p Problem) Error() string { return p.String() }

// Unwrap returns Err.
func (p Problem) Unwrap() error { return p.Err }

// Problems are all that is wrong, in the order in which it was found. The zero value is
// ready: nothing is wrong.
type Problems []Problem

// Add notes that the value of key is wrong.
func (ps *Problems) Add(key, format string, args ...any) {
	*ps = append(*ps, Problem{Key: key, Msg: fmt.Sprintf(format, args...)})
}

// Check notes that the value of key is wrong unless ok.
func (ps *Problems) Check(ok bool, key, format string, args ...any) {
	if !ok {
		ps.Add(key, format, args...)
	}
}

// Below returns the problems with keys of a larger whole: path is where the struct, or
// the list, stands that they are about. Those of another file keep theirs.
func (ps Problems) Below(path string) Problems {
	out := slices.Clone(ps)
	for i, p := range out {
		switch {
		case p.File != "":
		case p.Key == "":
			out[i].Key = path
		case path != "" && p.Key[0] != '[':
			out[i].Key = path + "." + p.Key
		default:
			out[i].Key = path + p.Key
		}
	}
	return out
}

// Merge adds further problems but for those that follow from one that is there: of a
// value that could not be read there is nothing more to say, nor of what is in it.
func (ps *Problems) Merge(further Problems) {
	known := *ps
	for _, f := range further {
		if !slices.ContainsFunc(known, func(p Problem) bool { return p.Key != "" && (within(f.Key, p.Key) || within(p.Key, f.Key)) }) {
			*ps = append(*ps, f)
		}
	}
}

// Sort puts the problems into the order of the file, those of the whole file first.
func (ps Problems) Sort() {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
}

// Err returns the problems as one error, each after the name of who reports them; nil when
// there are none.
func (ps Problems) Err(name string) error {
	errs := make([]error, len(ps))
	for i, p := range ps {
		errs[i] = fmt.Errorf("%s: %w", name, p)
	}
	return errors.Join(errs...)
}

// within reports that the path is outer, or something in it.
func within(path, outer string) bool {
	rest, ok := strings.CutPrefix(path, outer)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// Join appends a key to a path, in quotes when it needs them in TOML.
func Join(path, key string) string {
	if key == "" || strings.ContainsFunc(key, func(r rune) bool { return r > 127 || !isBare(byte(r)) }) {
		key = strconv.Quote(key)
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

// Element returns the path of an element of a list, counted from 0.
func Element(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// Parent returns the path of what a key stands in, "" when that is all.
func Parent(path string) string {
	quoted := false
	cut := 0
	for i := range len(path) {
		switch path[i] {
		case '"':
			quoted = !quoted
		case '.', '[':
			if !quoted {
				cut = i
			}
		}
	}
	return path[:cut]
}
