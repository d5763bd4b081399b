package printable

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Every character that terminals or the bidirectional algorithm (UAX 9) obey, whole and divided between writes.
func TestWriter(t *testing.T) {
	var steering []rune
	for r := rune(0); r < ' '; r++ {
		if r != '\n' && r != '\t' {
			steering = append(steering, r)
		}
	}
	for r := rune(0x7f); r < 0xa0; r++ {
		steering = append(steering, r)
	}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if unicode.Is(unicode.Bidi_Control, r) {
			steering = append(steering, r)
		}
	}
	steering = append(steering, 0x2028, 0x2029)
	for _, r := range steering {
		text, want := "a"+string(r)+"č\t\n", "a\ufffdč\t\n"
		for cut := range len(text) + 1 {
			var b bytes.Buffer
			w := NewWriter(&b)
			for _, part := range []string{text[:cut], text[cut:]} {
				if n, err := io.WriteString(w, part); n != len(part) || err != nil {
					t.Fatal(n, err)
				}
			}
			if b.String() != want {
				t.Errorf("%U divided at %d: %q", r, cut, b.String())
			}
		}
		if got := Text("a" + string(r) + "\n"); got != "a\ufffd\ufffd" {
			t.Errorf("%U: text %q", r, got)
		}
		// JSON loses nothing.
		var b bytes.Buffer
		in := "x" + string(r) + "y"
		if err := json.NewEncoder(NewWriter(&b).JSON()).Encode(in); err != nil {
			t.Fatal(err)
		}
		var out string
		if err := json.Unmarshal(b.Bytes(), &out); err != nil || out != in || strings.ContainsFunc(b.String(), Steers) {
			t.Errorf("%U: JSON %q gives %q, %v", r, b.String(), out, err)
		}
	}
}

// What is no UTF-8, and what has no end, is shown as that.
func TestWriterInvalid(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	_, err := w.Write([]byte("a\x9b31m\xc4"))
	if err != nil || w.Flush() != nil || b.String() != "a\ufffd31m\ufffd" || !utf8.Valid(b.Bytes()) {
		t.Errorf("%q, %v", b.String(), err)
	}
}

// Whether there is a terminal behind it can still be asked.
func TestFile(t *testing.T) {
	if f, ok := File(NewWriter(os.Stderr)); !ok || f != os.Stderr {
		t.Error("the file behind the writer is not found")
	}
	if _, ok := File(NewWriter(io.Discard)); ok {
		t.Error("there is no file")
	}
}
