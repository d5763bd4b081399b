package growthtest

import (
	"bytes"
	"testing"
)

// TestGrows: work that reads each byte once passes; work that reads on to the end at
// each byte is found, whether the bytes make it or what stands between them.
func TestGrows(t *testing.T) {
	sum := 0
	linear := func(b []byte) {
		for range 20 {
			for _, c := range b {
				sum += int(c)
			}
		}
	}
	quadratic := func(b []byte) {
		for i, c := range b {
			if c == 'x' {
				sum += bytes.Count(b[i:], []byte("ab"))
			}
		}
	}
	for name, c := range map[string]struct {
		run   func([]byte)
		unit  string
		grows bool
	}{
		"each byte once":       {linear, "x", false},
		"the rest, at each x":  {quadratic, "x", true},
		"the rest, at no byte": {quadratic, "y", false},
	} {
		t.Run(name, func(t *testing.T) {
			if err := grows(last, Repeat("", c.unit, ""), c.run); (err != nil) != c.grows {
				t.Errorf("grows: %v, %v was expected", err, c.grows)
			}
		})
	}
	if sum == 0 {
		t.Error("nothing was summed")
	}
}

// TestRepeat: the shapes have the length that is asked for, and their ends.
func TestRepeat(t *testing.T) {
	if got := string(Repeat("<", "ab", ">")(8)); got != "<ababab>" {
		t.Errorf("got %q", got)
	}
	if got := string(Repeat("<<<", "ab", ">")(1)); got != "<<<ab>" {
		t.Errorf("got %q", got)
	}
}
