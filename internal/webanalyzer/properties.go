package webanalyzer

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Property is one key of a file of Java properties, and its value without escapes.
type Property struct {
	Key, Value string
	Line       int // where it begins, from 1
	// Dropped are the characters that a single backslash stood before without need: in a
	// regular expression it was meant to be doubled.
	Dropped []rune
}

// ReadProperties reads Java properties (java.util.Properties.load): comments, the three
// separators, lines that go on, escapes. Text that is not UTF-8 is ISO 8859-1, as Java
// reads it. A broken \u escape is an error with its line, as in Java.
func ReadProperties(data []byte) ([]Property, error) {
	text := string(data)
	if !utf8.ValidString(text) {
		runes := make([]rune, len(data))
		for i, b := range data {
			runes[i] = rune(b)
		}
		text = string(runes)
	}
	text = strings.TrimPrefix(text, "\ufeff")
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n")
	var out []Property
	for i := 0; i < len(lines); i++ {
		line := strings.TrimLeft(lines[i], blanks)
		if line == "" || line[0] == '#' || line[0] == '!' {
			continue
		}
		begins := i + 1
		for goesOn(line) && i+1 < len(lines) {
			i++
			line = line[:len(line)-1] + strings.TrimLeft(lines[i], blanks)
		}
		if goesOn(line) {
			line = line[:len(line)-1]
		}
		key, value := separate(line)
		p := Property{Line: begins}
		var err error
		if p.Key, _, err = unescape(key); err == nil {
			p.Value, p.Dropped, err = unescape(value)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", begins, err)
		}
		out = append(out, p)
	}
	return out, nil
}

const blanks = " \t\f"

// goesOn reports whether a line ends in an odd number of backslashes.
func goesOn(line string) bool {
	return (len(line)-len(strings.TrimRight(line, `\`)))%2 == 1
}

// separate cuts a line at the first separator that is not escaped: blanks, with at most
// one = or : among them.
func separate(line string) (key, value string) {
	end := len(line)
	for i := 0; i < len(line); i++ {
		if line[i] == '\\' {
			i++
		} else if strings.IndexByte(blanks+"=:", line[i]) >= 0 {
			end = i
			break
		}
	}
	value = strings.TrimLeft(line[end:], blanks)
	if value != "" && (value[0] == '=' || value[0] == ':') {
		value = strings.TrimLeft(value[1:], blanks)
	}
	return line[:end], value
}

// unescape replaces escapes. A backslash before a character that needs none is dropped,
// and the character is told.
func unescape(s string) (string, []rune, error) {
	var units []uint16 // a character beyond the first 65,536 may be two escapes
	var dropped []rune
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		s = s[n:]
		if r != '\\' || s == "" {
			units = utf16.AppendRune(units, r)
			continue
		}
		r, n = utf8.DecodeRuneInString(s)
		s = s[n:]
		switch r {
		case 'u':
			code, err := strconv.ParseUint(s[:min(4, len(s))], 16, 16)
			if err != nil || len(s) < 4 {
				return "", nil, fmt.Errorf(`\u%s: four hexadecimal digits are wanted after \u`, s[:min(4, len(s))])
			}
			units, s = append(units, uint16(code)), s[4:]
			continue
		case 't':
			r = '\t'
		case 'n':
			r = '\n'
		case 'r':
			r = '\r'
		case 'f':
			r = '\f'
		case '\\', '"', '\'', ' ', ':', '=', '#', '!':
		default:
			dropped = append(dropped, r)
		}
		units = utf16.AppendRune(units, r)
	}
	return string(utf16.Decode(units)), dropped, nil
}
