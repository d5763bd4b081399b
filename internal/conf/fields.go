package conf

import (
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// Field is a key that a struct understands.
type Field struct {
	Key   string
	Value reflect.Value
	// Required is set for a key that must be given: `toml:"points,required"`.
	Required bool
}

// Fields lists the keys of a struct in the order of its declaration. A field without
// toml tag is called by its name in snake case, `toml:"-"` is none; embedded structs
// belong to the table around them.
func Fields(v reflect.Value) []Field {
	var out []Field
	for i := range v.NumField() {
		f := v.Type().Field(i)
		key, option, _ := strings.Cut(f.Tag.Get("toml"), ",")
		switch {
		case key == "-":
		case f.Anonymous && key == "" && f.Type.Kind() == reflect.Struct:
			out = append(out, Fields(v.Field(i))...)
		case !f.IsExported():
		case key == "":
			out = append(out, Field{snake(f.Name), v.Field(i), option == "required"})
		default:
			out = append(out, Field{key, v.Field(i), option == "required"})
		}
	}
	return out
}

// Keys lists the keys of structs, or of what pointers to structs point to.
func Keys(structs ...any) []string {
	var out []string
	for _, s := range structs {
		for _, f := range Fields(reflect.Indirect(reflect.ValueOf(s))) {
			out = append(out, f.Key)
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

// tablesWith finds the tables of a struct that have the key.
func tablesWith(known []Field, key string) []string {
	var out []string
	for _, f := range known {
		if f.Value.Kind() == reflect.Struct && slices.ContainsFunc(Fields(f.Value), func(g Field) bool { return g.Key == key }) {
			out = append(out, "["+f.Key+"]")
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
