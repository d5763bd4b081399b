package config

import (
	"encoding"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
)

// decoder puts a decoded TOML tree into structs. Unlike toml.Decode it goes on
// after a wrong value, and knows the path of whatever it complains about.
type decoder struct {
	*report
	root reflect.Type
}

// field is a key that a struct understands.
type field struct {
	key   string
	value reflect.Value
}

// fields lists the keys of a struct in the order of its declaration. A field
// without toml tag is called by its name in snake case; embedded structs belong
// to the table around them.
func fields(v reflect.Value) []field {
	var out []field
	for i := range v.NumField() {
		f := v.Type().Field(i)
		key, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
		switch {
		case key == "-" || !f.IsExported():
		case f.Anonymous && key == "":
			out = append(out, fields(v.Field(i))...)
		case key == "":
			out = append(out, field{snake(f.Name), v.Field(i)})
		default:
			out = append(out, field{key, v.Field(i)})
		}
	}
	return out
}

// snake turns StripWWW into strip_www.
func snake(name string) string {
	var b strings.Builder
	rs := []rune(name)
	for i, r := range rs {
		if unicode.IsUpper(r) && i > 0 &&
			(unicode.IsLower(rs[i-1]) || i+2 < len(rs) && unicode.IsLower(rs[i+1]) && unicode.IsLower(rs[i+2])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

func (d *decoder) table(path string, m map[string]any, v reflect.Value) {
	known := fields(v)
	for _, key := range slices.Sorted(maps.Keys(m)) {
		i := slices.IndexFunc(known, func(f field) bool { return f.key == key })
		if i < 0 {
			d.unknown(path, key, known)
			continue
		}
		d.value(join(path, key), m[key], known[i].value)
	}
}

func (d *decoder) unknown(path, key string, known []field) {
	full := join(path, key)
	names := make([]string, len(known))
	for i, f := range known {
		names[i] = f.key
	}
	fix := "remove it; known here are " + strings.Join(names, ", ")
	if tables := tablesWith(d.root, key); len(tables) > 0 {
		fix = "move it to " + strings.Join(tables, " or ")
	} else if n := nearest(snake(key), names); n != "" {
		fix = fmt.Sprintf("did you mean %s?", n)
	}
	d.add(full, fix, "unknown key")
}

// tablesWith finds the tables of the tree that have the key.
func tablesWith(root reflect.Type, key string) []string {
	var out []string
	for _, f := range fields(reflect.New(root).Elem()) {
		if f.value.Kind() != reflect.Struct {
			continue
		}
		if slices.ContainsFunc(fields(f.value), func(g field) bool { return g.key == key }) {
			out = append(out, "["+f.key+"]")
		}
	}
	return out
}

// nearest returns the name that key was probably meant to be, or "".
func nearest(key string, names []string) string {
	best, least := "", 1+min(2, len(key)/2)
	for _, n := range names {
		if d := distance(key, n); d < least {
			best, least = n, d
		}
	}
	if best != "" {
		return best
	}
	i := slices.IndexFunc(names, func(n string) bool {
		return len(n) > 4 && strings.Contains(key, n) || len(key) > 4 && strings.Contains(n, key)
	})
	if i < 0 {
		return ""
	}
	return names[i]
}

// distance is Levenshtein's.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

func (d *decoder) value(path string, x any, v reflect.Value) {
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		if s, ok := d.text(path, x); ok {
			if err := u.UnmarshalText([]byte(s)); err != nil {
				key := path[len(parent(path)):]
				d.add(path, "", "%s", strings.TrimPrefix(message(err), strings.TrimPrefix(key, ".")+" "))
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
		if s, ok := d.text(path, x); ok {
			v.SetString(s)
		}
	case reflect.Bool:
		if b, ok := x.(bool); ok {
			v.SetBool(b)
		} else {
			d.wrong(path, x, "true or false")
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
		if m, ok := x.(map[string]any); ok {
			d.table(path, m, v)
		} else {
			d.wrong(path, x, "a table")
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

func (d *decoder) text(path string, x any) (string, bool) {
	s, ok := x.(string)
	if !ok {
		d.wrong(path, x, "a string in quotes")
	}
	return s, ok
}

func (d *decoder) duration(path string, x any, v reflect.Value) {
	s, ok := x.(string)
	if !ok {
		d.wrong(path, x, `a duration in quotes, like "30s", "5m" or "1h30m"`)
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
	n, ok := x.(int64)
	if !ok {
		d.wrong(path, x, "a whole number")
		return
	}
	if v.CanUint() {
		if n < 0 || v.OverflowUint(uint64(n)) {
			d.add(path, "write a smaller one", "%d is out of range", n)
			return
		}
		v.SetUint(uint64(n))
		return
	}
	if v.OverflowInt(n) {
		d.add(path, "write a smaller one", "%d is out of range", n)
		return
	}
	v.SetInt(n)
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
		d.wrong(path, x, "a number")
	}
}

func (d *decoder) slice(path string, x any, v reflect.Value) {
	list := reflect.ValueOf(x)
	if list.Kind() != reflect.Slice {
		want := "an array, like [ … ]"
		if v.Type().Elem().Kind() == reflect.Struct {
			want = "[[" + path + "]] tables"
		}
		d.wrong(path, x, want)
		return
	}
	out := reflect.MakeSlice(v.Type(), list.Len(), list.Len())
	for i := range list.Len() {
		d.value(element(path, i), list.Index(i).Interface(), out.Index(i))
	}
	v.Set(out)
}

func (d *decoder) mapping(path string, x any, v reflect.Value) {
	m, ok := x.(map[string]any)
	if !ok {
		d.wrong(path, x, `a table, like { "name" = … }`)
		return
	}
	out := reflect.MakeMap(v.Type())
	for _, key := range slices.Sorted(maps.Keys(m)) {
		e := reflect.New(v.Type().Elem()).Elem()
		d.value(join(path, key), m[key], e)
		out.SetMapIndex(reflect.ValueOf(key).Convert(v.Type().Key()), e)
	}
	v.Set(out)
}

func (d *decoder) wrong(path string, x any, want string) {
	d.add(path, "write "+want, "is %s", kindOf(x))
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
