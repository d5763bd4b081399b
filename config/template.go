package config

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"

	"exclave/chain"
	"exclave/chain/standard"
	"exclave/internal/conf"
)

// Template returns c as a commented job.toml: every key of the tree with its
// value. Read back, it is c again.
func Template(c *Config) []byte {
	w := &templater{}
	w.comment("", "")
	for _, f := range conf.Fields(reflect.ValueOf(c).Elem()) {
		w.table(f.Key, f.Value)
	}
	return w.Bytes()
}

type templater struct{ bytes.Buffer }

// comment writes the comment of a key, when it has one.
func (w *templater) comment(path, indent string) {
	text, ok := comments()[path]
	if !ok {
		return
	}
	for line := range strings.Lines(text) {
		w.WriteString(strings.TrimRight(indent+"# "+line, " \n") + "\n")
	}
}

func (w *templater) table(key string, v reflect.Value) {
	w.WriteString("\n")
	w.comment(key, "")
	switch v.Kind() {
	case reflect.Struct:
		fmt.Fprintf(w, "[%s]\n", key)
		w.keys(key, v)
	case reflect.Slice:
		for i := range v.Len() {
			if i > 0 {
				w.WriteString("\n")
			}
			fmt.Fprintf(w, "[[%s]]\n", key)
			w.row(v.Index(i))
		}
	case reflect.Map:
		w.chains()
		w.steps(v)
	}
}

// steps writes the chains that are not the default ones.
func (w *templater) steps(chains reflect.Value) {
	for _, name := range chain.Names() {
		steps := chains.MapIndex(reflect.ValueOf(name))
		if !steps.IsValid() {
			continue
		}
		for i := range steps.Len() {
			fmt.Fprintf(w, "\n[[chain.%s]]\n", name)
			w.row(steps.Index(i))
		}
	}
}

// chains shows the steps that a job has when it names none. They stay comments,
// so that a job takes part in what a later version adds.
func (w *templater) chains() {
	for _, k := range standard.Kinds() {
		fmt.Fprintf(w, "#\n# [[chain.%s]] # %s\n# kind = %q\n", k.Chain, k.Doc, k.Kind)
	}
}

// keys writes the keys of a table, each with its comment.
func (w *templater) keys(table string, v reflect.Value) {
	for _, f := range conf.Fields(v) {
		w.comment(conf.Join(table, f.Key), "")
		fmt.Fprintf(w, "%s = %s\n", f.Key, conf.Literal(f.Value))
	}
}

// row writes what is set in an element of an array of tables.
func (w *templater) row(v reflect.Value) {
	for _, f := range conf.Fields(v) {
		if !f.Value.IsZero() {
			fmt.Fprintf(w, "%s = %s\n", f.Key, conf.Literal(f.Value))
		}
	}
}
