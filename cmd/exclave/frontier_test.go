package main

import (
	"bytes"
	"strings"
	"testing"
)

// The URLs of a list are as many as asked for, and whether there are more is known.
func TestURLsOnly(t *testing.T) {
	const lines = `{"url":"http://a.test/1"}` + "\n" + `{"url":"http://a.test/2"}` + "\n"
	for _, c := range []struct {
		most, n int
		more    bool
	}{{0, 2, false}, {1, 1, true}, {2, 2, false}, {3, 2, false}} {
		var out bytes.Buffer
		u := urlsOnly{out: &out, most: c.most}
		for _, piece := range []string{lines[:7], lines[7:]} {
			if _, err := u.Write([]byte(piece)); err != nil {
				t.Fatal(err)
			}
		}
		if n := strings.Count(out.String(), "http://a.test/"); n != c.n || u.more != c.more {
			t.Errorf("at most %d: %d, more %v:\n%s", c.most, n, u.more, out.String())
		}
	}
}
