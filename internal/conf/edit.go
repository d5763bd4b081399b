package conf

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// SetNumbers returns a TOML text in which the keys of numbers have other values; everything else, comments and
// spaces too, stays as it is. Keys are paths as in problems. A key that is not there is an error.
func SetNumbers(data []byte, values map[string]float64) ([]byte, error) {
	text := string(data)
	s := scanText(text)
	type edit struct {
		from, to int
		value    string
	}
	var edits []edit
	for path, x := range values {
		at, ok := s.at[path]
		if !ok {
			return nil, fmt.Errorf("%s: is missing", path)
		}
		v := &scanner{text: text, i: offset(text, at)}
		v.key()
		v.blank(false)
		if !v.accept('=') {
			return nil, fmt.Errorf("%s: is no number", path)
		}
		v.blank(false)
		end := len(text)
		if i := strings.IndexAny(text[v.i:], ",]}#\r\n \t"); i >= 0 {
			end = v.i + i
		}
		number := strings.ReplaceAll(text[v.i:end], "_", "")
		if _, err := strconv.ParseFloat(number, 64); err != nil {
			if _, err := strconv.ParseInt(number, 0, 64); err != nil {
				return nil, fmt.Errorf("%s: is no number", path)
			}
		}
		edits = append(edits, edit{v.i, end, float(x)})
	}
	slices.SortFunc(edits, func(a, b edit) int { return b.from - a.from })
	for _, e := range edits {
		text = text[:e.from] + e.value + text[e.to:]
	}
	return []byte(text), nil
}

// offset converts a place to bytes.
func offset(text string, at pos) int {
	i := 0
	for line := 1; line < at.Line; line++ {
		i += strings.IndexByte(text[i:], '\n') + 1
	}
	col := 1
	for j := range text[i:] {
		if col == at.Col {
			return i + j
		}
		col++
	}
	return len(text)
}

// float writes a number as TOML, never as an integer.
func float(x float64) string {
	s := strconv.FormatFloat(x, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}
