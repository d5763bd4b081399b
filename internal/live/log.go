package live

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
)

// keptLines is how many lines are kept for the end of a view, at most; of a crawl
// that warns for weeks the latest are worth most.
const keptLines = 500

// Log is where the program writes what it has to say while a view may have the
// terminal: lines go to the writer it was made with, but while a view runs they are
// kept, shown in the view, and written when it leaves. It may be used by several
// goroutines.
type Log struct {
	out io.Writer

	mu      sync.Mutex
	held    bool
	part    []byte   // of a line without its end
	lines   []string // kept
	dropped int
}

// NewLog returns a Log that writes to out.
func NewLog(out io.Writer) *Log { return &Log{out: out} }

// Write implements [io.Writer].
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.held {
		return l.out.Write(p)
	}
	l.part = append(l.part, p...)
	for {
		line, rest, ok := bytes.Cut(l.part, []byte{'\n'})
		if !ok {
			return len(p), nil
		}
		l.part = rest
		if len(line) > 0 {
			l.lines = append(l.lines, string(line))
		}
		if over := len(l.lines) - keptLines; over > 0 {
			l.lines, l.dropped = append(l.lines[:0:0], l.lines[over:]...), l.dropped+over
		}
	}
}

// hold keeps lines from now on.
func (l *Log) hold() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = true
}

// release writes what was kept; lines are written at once from now on.
func (l *Log) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dropped > 0 {
		fmt.Fprintf(l.out, "(%d earlier lines are left out)\n", l.dropped)
	}
	for _, line := range l.lines {
		fmt.Fprintln(l.out, line)
	}
	_, _ = l.out.Write(l.part)
	l.held, l.part, l.lines, l.dropped = false, nil, nil, 0
}

// tail returns the last lines, at most n, and how many there are in all.
func (l *Log) tail(n int) (last []string, all int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.lines[max(0, len(l.lines)-n):] {
		last = append(last, brief(line))
	}
	return last, l.dropped + len(l.lines)
}

// brief leaves of the date and time in a line of slog what fits a narrow pane.
func brief(line string) string {
	rest, ok := strings.CutPrefix(line, "time=")
	at, rest, ok2 := strings.Cut(rest, " level=")
	level, msg, ok3 := strings.Cut(rest, " msg=")
	_, clock, ok4 := strings.Cut(at, "T")
	if !ok || !ok2 || !ok3 || !ok4 || len(clock) < len("15:04:05") {
		return line
	}
	return clock[:len("15:04:05")] + " " + level + " " + msg
}
