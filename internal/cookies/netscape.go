package cookies

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Check returns what is wrong with the first lines of a cookies.txt that are none, without a value of a cookie: the file
// that browsers' extensions and curl write (Netscape's format).
func Check(text []byte) (problems []string) {
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		if _, err := netscapeLine(line); err != nil && len(problems) < 10 {
			problems = append(problems, fmt.Sprintf("line %d: %v", n, err))
		}
	}
	return problems
}

// netscape reads a cookies.txt. Lines that are none are left out.
func netscape(text []byte, now time.Time) (out []*cookie) {
	for line := range strings.Lines(string(text)) {
		if c, err := netscapeLine(line); err == nil && c != nil && !c.over(now) {
			c.Created = now
			out = append(out, c)
		}
	}
	return out
}

// netscapeLine reads a line: domain, whether hosts below it get it, path, secure, expiry in seconds, name, value, divided by
// tabs. Nil without an error is a comment.
func netscapeLine(line string) (*cookie, error) {
	line = strings.TrimRight(line, "\r\n")
	line = strings.TrimPrefix(line, "#HttpOnly_")
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
	if err != nil || seconds < 0 || seconds > 1e11 {
		return nil, fmt.Errorf("the fifth field, the expiry, is no time in seconds")
	}
	c := &cookie{Domain: strings.ToLower(strings.TrimPrefix(f[0], ".")), HostOnly: strings.EqualFold(f[1], "FALSE"), Path: f[2], Secure: strings.EqualFold(f[3], "TRUE"), Name: f[5], Value: f[6]}
	if seconds > 0 {
		c.Expires = time.Unix(int64(seconds), 0).UTC()
	}
	if !c.valid() {
		return nil, fmt.Errorf("no cookie that could be sent: a domain, a path that begins with /, and a name are needed")
	}
	return c, nil
}
