package conf

import (
	"encoding"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Decode puts the values of a TOML table into structs, which hold the defaults: into are
// pointers to structs that share the table, each with its own keys. It goes on after a
// wrong value, which leaves the default, and reports every one by its key within the
// table, unknown and missing keys too.
//
// Types that implement [encoding.TextUnmarshaler] read a string; what their error says is
// the problem, so it names the value and what is wanted, not the key.
func Decode(tree map[string]any, into ...any) Problems {
	var known []Field
	for _, v := range into {
		known = append(known, Fields(reflect.ValueOf(v).Elem())...)
	}
	d := &decoder{root: known}
	d.table("", tree, known)
	return d.problems
}

// Read is [Decode] and what the Validate methods of the structs say of the values.
func Read(tree map[string]any, into ...any) Problems {
	ps := Decode(tree, into...)
	for _, v := range into {
		if v, ok := v.(Validator); ok {
			ps.Merge(v.Validate())
		}
	}
	return ps
}

// Validator is a struct with settings.
type Validator interface {
	// Validate returns every value that cannot be, by its key within the struct.
	Validate() Problems
}

type decoder struct {
	problems Problems
	root     []Field
}

func (d *decoder) add(path, fix, format string, args ...any) {
	d.problems = append(d.problems, Problem{Key: path, Msg: fmt.Sprintf(format, args...), Fix: fix})
}

func (d *decoder) table(path string, m map[string]any, known []Field) {
	for _, f := range known {
		if _, there := m[f.Key]; f.Required && !there {
			key := Join(path, f.Key)
			fix := "write " + wanted(key, f.Value.Type())
			if f.Value.Kind() == reflect.Struct {
				fix = "add [" + key + "]"
			}
			d.add(key, fix, "is missing")
		}
	}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		i := slices.IndexFunc(known, func(f Field) bool { return f.Key == key })
		if i < 0 {
			d.unknown(path, key, known)
			continue
		}
		d.value(Join(path, key), m[key], known[i].Value)
	}
}

func (d *decoder) unknown(path, key string, known []Field) {
	names := make([]string, len(known))
	for i, f := range known {
		names[i] = f.Key
	}
	fix := "remove it; known here are " + strings.Join(names, ", ")
	if len(names) == 0 {
		fix = "remove it; none is known here"
	}
	if tables := tablesWith(d.root, key); len(tables) > 0 {
		fix = "move it to " + strings.Join(tables, " or ")
	} else if n := nearest(snake(key), names); n != "" {
		fix = fmt.Sprintf("did you mean %s?", n)
	}
	d.add(Join(path, key), fix, "unknown key")
}

func (d *decoder) value(path string, x any, v reflect.Value) {
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		if s, ok := is[string](d, path, x, v); ok {
			if err := u.UnmarshalText([]byte(s)); err != nil {
				d.add(path, "", "%v", err)
			}
		}
		return
	}
	if v.Type() == reflect.TypeFor[time.Duration]() {
		d.duration(path, x, v)
		return
	}
	switch v.Kind() {
	case reflect.String:
		if s, ok := is[string](d, path, x, v); ok {
			v.SetString(s)
		}
	case reflect.Bool:
		if b, ok := is[bool](d, path, x, v); ok {
			v.SetBool(b)
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16, reflect.Uint32:
		d.integer(path, x, v)
	case reflect.Float64:
		d.float(path, x, v)
	case reflect.Slice:
		d.slice(path, x, v)
	case reflect.Map:
		d.mapping(path, x, v)
	case reflect.Struct:
		if m, ok := is[map[string]any](d, path, x, v); ok {
			d.table(path, m, Fields(v))
		}
	case reflect.Pointer:
		e := reflect.New(v.Type().Elem())
		d.value(path, x, e.Elem())
		v.Set(e)
	case reflect.Interface:
		v.Set(reflect.ValueOf(x))
	default:
		d.add(path, "", "cannot be set from a file")
	}
}

// is returns x as a T; when it is none, that is a problem.
func is[T any](d *decoder, path string, x any, v reflect.Value) (T, bool) {
	t, ok := x.(T)
	if !ok {
		d.wrong(path, x, v)
	}
	return t, ok
}

func (d *decoder) duration(path string, x any, v reflect.Value) {
	s, ok := is[string](d, path, x, v)
	if !ok {
		return
	}
	t, err := time.ParseDuration(s)
	if err != nil {
		d.add(path, `write it like "30s", "5m" or "1h30m"`, "%q is not a duration", s)
		return
	}
	v.SetInt(int64(t))
}

func (d *decoder) integer(path string, x any, v reflect.Value) {
	n, ok := is[int64](d, path, x, v)
	switch {
	case !ok:
	case v.CanUint() && (n < 0 || v.OverflowUint(uint64(n))), v.CanInt() && v.OverflowInt(n):
		d.add(path, "write a smaller one", "%d is out of range", n)
	case v.CanUint():
		v.SetUint(uint64(n))
	default:
		v.SetInt(n)
	}
}

func (d *decoder) float(path string, x any, v reflect.Value) {
	switch n := x.(type) {
	case int64:
		v.SetFloat(float64(n))
	case float64:
		if math.IsNaN(n) || math.IsInf(n, 0) {
			d.add(path, "write a finite one", "%v is not a number to count with", n)
			return
		}
		v.SetFloat(n)
	default:
		d.wrong(path, x, v)
	}
}

func (d *decoder) slice(path string, x any, v reflect.Value) {
	list := reflect.ValueOf(x)
	if list.Kind() != reflect.Slice {
		d.wrong(path, x, v)
		return
	}
	out := reflect.MakeSlice(v.Type(), list.Len(), list.Len())
	texts, isTexts := out.Interface().([]string)
	for i := range list.Len() {
		if isTexts {
			if text, ok := list.Index(i).Interface().(string); ok {
				texts[i] = text // without a path: there may be very many
				continue
			}
		}
		d.value(Element(path, i), list.Index(i).Interface(), out.Index(i))
	}
	v.Set(out)
}

func (d *decoder) mapping(path string, x any, v reflect.Value) {
	m, ok := is[map[string]any](d, path, x, v)
	if !ok {
		return
	}
	out := reflect.MakeMap(v.Type())
	for _, key := range slices.Sorted(maps.Keys(m)) {
		e := reflect.New(v.Type().Elem()).Elem()
		d.value(Join(path, key), m[key], e)
		out.SetMapIndex(reflect.ValueOf(key).Convert(v.Type().Key()), e)
	}
	v.Set(out)
}

func (d *decoder) wrong(path string, x any, v reflect.Value) {
	d.add(path, "write "+wanted(path, v.Type()), "is %s", kindOf(x))
}

// wanted says what is to be written for the key of a field of that type.
func wanted(path string, t reflect.Type) string {
	if reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return "a string in quotes"
	}
	if t == reflect.TypeFor[time.Duration]() {
		return `a duration in quotes, like "30s", "5m" or "1h30m"`
	}
	switch t.Kind() {
	case reflect.String:
		return "a string in quotes"
	case reflect.Bool:
		return "true or false"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		switch e := t.Elem(); {
		case e.Kind() == reflect.Struct, e.Kind() == reflect.Map:
			return "[[" + path + "]] tables"
		}
		return "an array, like [ … ]"
	case reflect.Map:
		return `a table, like { "name" = … }`
	case reflect.Struct:
		return "a table"
	case reflect.Pointer:
		return wanted(path, t.Elem())
	}
	return "a whole number"
}

func kindOf(x any) string {
	switch x.(type) {
	case string:
		return "a string"
	case int64, float64:
		return "a number"
	case bool:
		return "true or false"
	case time.Time:
		return "a date"
	case map[string]any:
		return "a table"
	}
	return "an array"
}
