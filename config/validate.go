package config

import (
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strings"

	"exclave/internal/conf"
)

// report collects the problems of a job.toml.
type report struct {
	doc *conf.Doc // nil = the values come from no file
	conf.Problems
}

// add reports what is wrong with what a key names.
func (r *report) add(key, fix, format string, args ...any) {
	r.Problems = append(r.Problems, conf.Problem{Key: key, Msg: fmt.Sprintf(format, args...), Fix: fix})
}

// section checks the values of one table by its own Validate method.
func (r *report) section(path string, c conf.Validator, def reflect.Value) {
	problems := c.Validate()
	for i, p := range problems {
		if p.Fix == "" {
			problems[i].Fix = defaultFix(def, p.Key)
		}
	}
	r.below(path, problems)
}

// below adds the problems of what stands at path. A key without default that is not in the
// file is called missing.
func (r *report) below(path string, problems conf.Problems) {
	problems = problems.Below(path)
	for i, p := range problems {
		table := conf.Parent(p.Key)
		if r.doc == nil || r.doc.Has(p.Key) || p.File != "" || p.Fix != "" || table == "" {
			continue
		}
		problems[i].Fix = fmt.Sprintf("add %s = … to [%s]", p.Key[len(table)+1:], table)
		problems[i].Msg = "is missing: " + strings.TrimPrefix(p.Msg, `"": `)
	}
	r.Merge(problems)
}

// defaultFix names the default of a key, when there is one worth naming.
func defaultFix(def reflect.Value, key string) string {
	for _, f := range conf.Fields(reflect.Indirect(def)) {
		if f.Key == key && !f.Value.IsZero() {
			return "the default is " + conf.Literal(f.Value)
		}
	}
	return ""
}

// cause is the error of a file without operation and path, which the message has.
func cause(err error) error {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return p.Err
	}
	return err
}
