package live

import (
	"testing"
	"time"
)

// Text of the web is made harmless and fits; wide characters count twice, marks
// not at all and only so many.
func TestCut(t *testing.T) {
	for _, c := range []struct {
		in   string
		most int
		want string
	}{
		{"plain", 5, "plain"},
		{"plain", 4, "pla…"},
		{"plain", 1, "…"},
		{"plain", 0, ""},
		{"", 3, ""},
		{"a\x1b[31mb", 9, "a\ufffd[31mb"},
		{"a\u202eb\r\n\tc\u200b", 9, "a\ufffdb\ufffd\ufffd\ufffdc\ufffd"},
		{"a\xff\x9bb", 9, "a\ufffd\ufffdb"},
		{"漢字", 4, "漢字"},
		{"漢字", 3, "漢…"},
		{"漢字", 2, "…"},
		{"ab漢字", 4, "ab…"},
		{"ab漢字", 5, "ab漢…"},
		{"e\u0301e\u0301", 2, "e\u0301e\u0301"},
		{"e\u0301e\u0301x", 2, "e\u0301…"},
		{"\u0301a", 5, "a"},
		{"a\u0301\u0301\u0301\u0301\u0301\u0301b", 5, "a\u0301\u0301\u0301\u0301b"},
	} {
		if got := cut(c.in, c.most); got != c.want {
			t.Errorf("cut(%q, %d) = %q, want %q", c.in, c.most, got, c.want)
		}
	}
	if got := cell("漢字x", 4); got != "漢… " {
		t.Errorf("a cell of 4 is %q", got)
	}
}

func TestFigures(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -999: "-999", -1000: "-1,000"} {
		if got := Number(n); got != want {
			t.Errorf("Number(%d) = %q", n, got)
		}
	}
	for _, c := range []struct {
		d                  time.Duration
		short, soon, hours string
	}{
		{-time.Second, "0 s", "0 s", "0:00:00"},
		{0, "0.0 s", "0 s", "0:00:00"},
		{time.Millisecond, "0.0 s", "1 s", "0:00:00"},
		{9949 * time.Millisecond, "9.9 s", "10 s", "0:00:09"},
		{119 * time.Second, "119 s", "119 s", "0:01:59"},
		{time.Hour, "60 min", "60 min", "1:00:00"},
		{1000*time.Hour + time.Second, "1000 h", "1000 h", "1000:00:01"},
	} {
		if s, n, h := short(c.d), soon(c.d), hours(c.d); s != c.short || n != c.soon || h != c.hours {
			t.Errorf("%v: %q %q %q, want %q %q %q", c.d, s, n, h, c.short, c.soon, c.hours)
		}
	}
}
