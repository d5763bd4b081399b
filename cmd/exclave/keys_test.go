package main

import (
	"testing"
)

// A key of several bytes is no answer, wherever a read cuts it: the letter at its end is none either. An Esc of its own
// does not swallow the key behind it.
func TestKeysCut(t *testing.T) {
	const typed = "y\x1b[Bn\x1bOBs\x1b[1;5Db\x1bq"
	for at := range len(typed) + 1 {
		k := &keys{}
		k.take([]byte(typed[:at]))
		k.take([]byte(typed[at:]))
		if string(k.ahead) != "ynsbq" {
			t.Errorf("cut at %d: %q", at, k.ahead)
		}
	}
	k := &keys{}
	for i := range len(typed) {
		k.take([]byte(typed[i : i+1]))
	}
	if string(k.ahead) != "ynsbq" {
		t.Errorf("byte by byte: %q", k.ahead)
	}
}
