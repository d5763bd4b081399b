package live

import (
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Lines come at once, but for those of a view's time, which come at its end.
func TestLog(t *testing.T) {
	var out strings.Builder
	l := NewLog(&out)
	fmt.Fprint(l, "before\n")
	l.hold()
	fmt.Fprint(l, "\none\ntw")
	fmt.Fprint(l, "o\nrest")
	if out.String() != "before\n" {
		t.Errorf("written while a view runs: %q", out.String())
	}
	if last, all := l.tail(1); all != 2 || !slices.Equal(last, []string{"two"}) {
		t.Errorf("tail: %q of %d", last, all)
	}
	if last, _ := l.tail(9); !slices.Equal(last, []string{"one", "two"}) {
		t.Errorf("tail: %q", last)
	}
	l.release()
	fmt.Fprint(l, " of it\n")
	if want := "before\none\ntwo\nrest of it\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
	if _, all := l.tail(9); all != 0 {
		t.Errorf("%d lines are kept after the release", all)
	}
}

// A crawl that warns for weeks does not fill the memory; the latest lines stay.
func TestLogDrops(t *testing.T) {
	var out strings.Builder
	l := NewLog(&out)
	l.hold()
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for range 300 {
				fmt.Fprint(l, "old\n")
			}
		})
	}
	writers.Wait()
	for i := range keptLines {
		fmt.Fprintf(l, "%d\n", i)
	}
	if _, all := l.tail(1); all != 1200+keptLines {
		t.Errorf("%d lines counted", all)
	}
	l.release()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != keptLines+1 || lines[0] != "(1200 earlier lines are left out)" || lines[1] != "0" || lines[keptLines] != fmt.Sprint(keptLines-1) {
		t.Errorf("%d lines: %q … %q", len(lines), lines[:2], lines[len(lines)-1])
	}
}

// In the view, lines of slog have the time of day only.
func TestBrief(t *testing.T) {
	l := NewLog(&strings.Builder{})
	l.hold()
	slog.New(slog.NewTextHandler(l, nil)).Warn("disk low", "free", 3)
	for _, odd := range []string{"time=x", "time=1T2 level=3 msg=4", "stopping in order", "time= level= msg="} {
		fmt.Fprintln(l, odd)
	}
	last, _ := l.tail(5)
	if got := last[0]; len(got) < 9 || got[2] != ':' || got[8:] != ` WARN "disk low" free=3` {
		t.Errorf("%q", got)
	}
	if want := []string{"time=x", "time=1T2 level=3 msg=4", "stopping in order", "time= level= msg="}; !slices.Equal(last[1:], want) {
		t.Errorf("%q, want %q", last[1:], want)
	}
}

// What is no terminal gets no view, and an error that says so.
func TestOpenWithoutTerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := Open(f, Options{}); err == nil || !strings.Contains(err.Error(), "no terminal") {
		t.Errorf("a file: %v", err)
	}
	if _, err := Open(&strings.Builder{}, Options{}); err == nil {
		t.Error("a writer without a file gets a view")
	}
}
