package analyzer

import (
	"fmt"
	"maps"
	"slices"
)

// reader collects the problems of one profile. It walks the decoded TOML
// itself because the decoder stops at the first wrong type and names unknown
// keys of arrays without their index.
type reader struct {
	problems []Problem
}

// table is one TOML table; keys are taken out of vals as they are read, so
// that what is left is unknown.
type table struct {
	r    *reader
	path string // of the table, with a dot at its end; empty for the root
	vals map[string]any
}

func (t table) problem(key, format string, args ...any) {
	t.r.problems = append(t.r.problems, Problem{Key: t.path + key, Msg: fmt.Sprintf(format, args...)})
}

// take removes key and returns its value as a T; ok is false when it is absent
// or of another type, which is a problem.
func take[T any](t table, key, want string, required bool) (v T, ok bool) {
	raw, present := t.vals[key]
	delete(t.vals, key)
	if !present {
		if required {
			t.problem(key, "missing: %s is wanted", want)
		}
		return v, false
	}
	v, ok = raw.(T)
	if !ok {
		t.problem(key, "%s is wanted, not %s", want, typeName(raw))
	}
	return v, ok
}

func (t table) str(key string, required bool) string {
	s, ok := take[string](t, key, "a string", required)
	if ok && required && s == "" {
		t.problem(key, "is empty")
	}
	return s
}

func (t table) boolean(key string) bool {
	b, _ := take[bool](t, key, "true or false", false)
	return b
}

func (t table) integer(key string, required bool, low, high int64) int64 {
	n, ok := take[int64](t, key, "an integer", required)
	if ok && (n < low || n > high) {
		t.problem(key, "%d: %d to %d is allowed", n, low, high)
		return 0
	}
	return n
}

func (t table) float(key string, low, high float64) float64 {
	if n, ok := t.vals[key].(int64); ok { // 0 and 1 without a point
		t.vals[key] = float64(n)
	}
	f, _ := take[float64](t, key, "a number", false)
	if !(low <= f && f <= high) { // also NaN
		t.problem(key, "%v: %v to %v is allowed", f, low, high)
		return 0
	}
	return f
}

func (t table) strs(key string) []string {
	list, ok := take[[]any](t, key, "an array of strings", false)
	if !ok {
		return nil
	}
	out := make([]string, 0, len(list))
	for i, v := range list {
		s, ok := v.(string)
		if !ok {
			t.problem(fmt.Sprintf("%s[%d]", key, i), "a string is wanted, not %s", typeName(v))
			continue
		}
		out = append(out, s)
	}
	return out
}

// table returns the sub-table of that name, empty when it is missing, which is
// a problem.
func (t table) table(key string) table {
	m, _ := take[map[string]any](t, key, "a table ["+t.path+key+"]", true)
	if m == nil {
		m = map[string]any{}
	}
	return table{r: t.r, path: t.path + key + ".", vals: m}
}

// tables returns the array of tables of that name.
func (t table) tables(key string) []table {
	list, _ := take[[]map[string]any](t, key, "an array of tables [["+t.path+key+"]]", false)
	out := make([]table, len(list))
	for i, m := range list {
		out[i] = table{r: t.r, path: fmt.Sprintf("%s%s[%d].", t.path, key, i), vals: m}
	}
	return out
}

// unknown reports the keys nobody asked for.
func (t table) unknown() {
	for _, key := range sortedKeys(t.vals) {
		t.problem(key, "unknown key")
	}
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}

func typeName(v any) string {
	switch v.(type) {
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case int64:
		return "an integer"
	case float64:
		return "a float"
	case []any, []map[string]any:
		return "an array"
	case map[string]any:
		return "a table"
	}
	return "a date or time"
}
