package config

import (
	"errors"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"exclave/analyzer"
)

// section checks the values of one table by its own Validate method.
func (r *report) section(path string, c, def any) {
	var problems []analyzer.Problem
	switch v := c.(type) {
	case interface{ Validate() []analyzer.Problem }:
		problems = v.Validate()
	case interface{ Validate() []error }:
		for _, err := range v.Validate() {
			problems = append(problems, attribute(err, c))
		}
	case interface{ Validate() error }:
		for _, err := range flatten(v.Validate()) {
			problems = append(problems, attribute(err, c))
		}
	}
	for _, p := range problems {
		key := path
		if p.Key != "" {
			key = strings.TrimPrefix(path+"."+p.Key, ".")
		}
		r.bad(key, defaultFix(def, p.Key), p.Msg)
	}
}

// flatten takes joined errors apart.
func flatten(err error) []error {
	if err == nil {
		return nil
	}
	if j, ok := err.(interface{ Unwrap() []error }); ok {
		var out []error
		for _, e := range j.Unwrap() {
			out = append(out, flatten(e)...)
		}
		return out
	}
	return []error{err}
}

// attribute finds the key that an error of a Validate method is about. Those
// methods begin a message with their package, if at all, and then the key or,
// for one element of a list, its singular: "resolve: server "x": must be …".
func attribute(err error, c any) analyzer.Problem {
	msg := message(err)
	word := strings.TrimRight(firstWord.FindString(msg), ":")
	v := reflect.ValueOf(c)
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return analyzer.Problem{Msg: msg}
	}
	for _, f := range fields(v) {
		if f.key == word || f.key == word+"s" {
			rest := strings.TrimLeft(strings.TrimPrefix(msg, word), ": ")
			return analyzer.Problem{Key: f.key + quoted(f.value, rest), Msg: rest}
		}
	}
	return analyzer.Problem{Msg: msg}
}

// quoted returns the path, within a list or a table of strings, of the entry that
// a message quotes.
func quoted(v reflect.Value, msg string) string {
	switch list := v.Interface().(type) {
	case []string:
		for i, s := range list {
			if s != "" && strings.HasPrefix(msg, strconv.Quote(s)) {
				return element("", i)
			}
		}
	case map[string]string:
		for _, k := range slices.Sorted(maps.Keys(list)) {
			if strings.HasPrefix(msg, strconv.Quote(k)) || strings.HasPrefix(msg, strconv.Quote(list[k])) {
				return "." + join("", k)
			}
		}
	}
	return ""
}

var (
	packagePrefix = regexp.MustCompile(`^[a-z]+: `)
	firstWord     = regexp.MustCompile(`^[a-z0-9_]+`)
)

// message is an error without the name of its package.
func message(err error) string {
	msg := err.Error()
	prefix := packagePrefix.FindString(msg)
	owners := []string{"analyzer: ", "decide: ", "dict: ", "fetch: ", "frontier: ", "geoip: ", "resolve: ", "robots: ", "standard: ", "urlx: ", "warc: "}
	if slices.Contains(owners, prefix) {
		msg = msg[len(prefix):]
	}
	return msg
}

// defaultFix names the default of a key, when there is one worth naming.
func defaultFix(def any, key string) string {
	v := reflect.Indirect(reflect.ValueOf(def))
	if v.Kind() != reflect.Struct {
		return ""
	}
	for _, f := range fields(v) {
		if f.key == key && !f.value.IsZero() {
			return "the default is " + literal(f.value)
		}
	}
	return ""
}

// cause is an *fs.PathError without operation and path, which the message has.
func cause(err error) error {
	var p interface{ Unwrap() error }
	if errors.As(err, &p) {
		if inner := p.Unwrap(); inner != nil {
			return inner
		}
	}
	return err
}
