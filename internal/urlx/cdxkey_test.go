package urlx

import (
	"bufio"
	"os"
	"strings"
	"testing"
)

// TestCDXKey: the keys that the package itself made (the file says how).
func TestCDXKey(t *testing.T) {
	f, err := os.Open("testdata/cdxkeys.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ran := 0
	for sc := bufio.NewScanner(f); sc.Scan(); {
		in, want, ok := strings.Cut(sc.Text(), "\t")
		if !ok || strings.HasPrefix(in, "#") {
			continue
		}
		ran++
		u := mustParse(t, in)
		if u.String() != in {
			t.Errorf("%q is not as it is recorded, that is %q", in, u)
		}
		if got := CDXKey(u); got != want {
			t.Errorf("CDXKey(%q) = %q, want %q", in, got, want)
		}
		if got := CDXKey(mustParse(t, in+"#fragment")); got != want {
			t.Errorf("CDXKey(%q) with a fragment = %q", in, got)
		}
	}
	if ran < 70 {
		t.Errorf("only %d cases ran", ran)
	}
}
