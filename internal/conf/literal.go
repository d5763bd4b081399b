package conf

import (
	"encoding"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Literal writes a value as TOML.
func Literal(v reflect.Value) string {
	if m, ok := v.Interface().(encoding.TextMarshaler); ok {
		text, err := m.MarshalText()
		if err != nil {
			return `""`
		}
		return quote(string(text))
	}
	if d, ok := v.Interface().(time.Duration); ok {
		return quote(short(d))
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return Literal(v.Elem())
	case reflect.String:
		return quote(v.String())
	case reflect.Slice:
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = Literal(v.Index(i))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case reflect.Struct:
		var parts []string
		for _, f := range Fields(v) {
			if !f.Value.IsZero() {
				parts = append(parts, f.Key+" = "+Literal(f.Value))
			}
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	case reflect.Map:
		m := map[string]string{}
		for _, k := range v.MapKeys() {
			m[k.String()] = Literal(v.MapIndex(k))
		}
		parts := make([]string, 0, len(m))
		for _, k := range slices.Sorted(maps.Keys(m)) {
			parts = append(parts, Join("", k)+" = "+m[k])
		}
		return strings.Join([]string{"{", strings.Join(parts, ", "), "}"}, map[bool]string{true: " ", false: ""}[len(parts) > 0])
	case reflect.Float64:
		s := strconv.FormatFloat(v.Float(), 'f', -1, 64)
		if !strings.Contains(s, ".") {
			s += ".0"
		}
		return s
	}
	return fmt.Sprint(v.Interface())
}

// short writes a duration without its empty units: 6h, not 6h0m0s.
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// quote prefers the literal string when that saves backslashes.
func quote(s string) string {
	q := strconv.Quote(s)
	if strings.Contains(q, `\`) && !strings.ContainsFunc(s, func(r rune) bool { return r == '\'' || r < ' ' || r == 127 }) {
		return "'" + s + "'"
	}
	return q
}
