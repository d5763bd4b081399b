package cookies

import (
	"errors"
	"fmt"
	"iter"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"exclave/internal/conf"
)

// lastSecond is the end of the year 9999, which many write for never.
const lastSecond = 253402300799

// maxProblems is how many lines of a file are said to be wrong.
const maxProblems = 50

// Check returns what is wrong with the lines of a cookies.txt that are none, without a value of a cookie: the file
// that browsers' extensions and curl write (Netscape's format). file is what it is called.
func Check(text []byte, file string) (ps conf.Problems) {
	n, more := 0, 0
	for line := range linesOf(text) {
		n++
		_, err := netscapeLine(line)
		switch {
		case err == nil:
		case len(ps) == maxProblems:
			more++
		default:
			ps = append(ps, conf.Problem{File: file, Line: n, Col: 1, Msg: err.Error()})
		}
	}
	if more > 0 {
		ps = append(ps, conf.Problem{File: file, Msg: fmt.Sprintf("and %d more lines are no cookies", more)})
	}
	return ps
}

// linesOf are the lines, without the mark that Windows' editors put before the first.
func linesOf(text []byte) iter.Seq[string] {
	return strings.Lines(strings.TrimPrefix(string(text), "\ufeff"))
}

// netscape reads a cookies.txt. Lines that are none are left out.
func netscape(text []byte, now time.Time) (out []*cookie) {
	for line := range linesOf(text) {
		if c, err := netscapeLine(line); err == nil && c != nil && !c.over(now) {
			c.Created = now
			out = append(out, c)
		}
	}
	return out
}

// Expired says which cookies of a cookies.txt are left out because they have expired, "" when none is.
func Expired(text []byte, now time.Time) string {
	all, over, n, first := 0, 0, 0, ""
	for line := range linesOf(text) {
		n++
		c, err := netscapeLine(line)
		if err != nil || c == nil {
			continue
		}
		if all++; c.over(now) {
			if over++; over == 1 {
				first = fmt.Sprintf("line %d, on %s", n, c.Expires.Format(time.DateOnly))
			}
		}
	}
	if over == 0 {
		return ""
	}
	return fmt.Sprintf("%d of its %d cookies expired and are left out, the first in %s", over, all, first)
}

// netscapeLine reads a line: domain, whether hosts below it get it, path, secure, expiry in seconds, name, value, divided by
// tabs. Nil without an error is a comment.
func netscapeLine(line string) (*cookie, error) {
	line = strings.TrimRight(line, "\r\n")
	line, httpOnly := strings.CutPrefix(line, "#HttpOnly_")
	if strings.TrimSpace(line) == "" || line[0] == '#' {
		return nil, nil
	}
	f := strings.Split(line, "\t")
	if len(f) == 6 {
		f = append(f, "") // an empty value at the end of the line
	}
	if len(f) != 7 {
		return nil, fmt.Errorf("%d fields divided by tabs, want 7: domain, TRUE or FALSE, path, TRUE or FALSE, expiry, name, value", len(f))
	}
	seconds, err := strconv.ParseFloat(f[4], 64)
	if err != nil || !(seconds >= -1 && seconds <= 1e18) { // -1 is a session to some
		return nil, fmt.Errorf("the fifth field, the expiry, is no time in seconds")
	}
	c := &cookie{Domain: strings.ToLower(strings.TrimPrefix(f[0], ".")), HostOnly: strings.EqualFold(f[1], "FALSE"), Path: f[2], Secure: strings.EqualFold(f[3], "TRUE"), HTTPOnly: httpOnly, Name: f[5], Value: f[6]}
	if seconds > 0 {
		c.Expires = time.Unix(int64(min(seconds, lastSecond)), 0).UTC()
	}
	if _, err := netip.ParseAddr(c.Domain); err != nil && strings.ContainsAny(c.Domain, ":/ ") {
		return nil, errors.New("the first field is the name of a host, such as www.example.org or .example.org, and no address") // it may be a value: not shown
	}
	if !c.valid() {
		return nil, fmt.Errorf("no cookie that could be sent: a domain, a path that begins with /, and a name are needed")
	}
	return c, nil
}
