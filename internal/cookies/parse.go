package cookies

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// setCookie is a value of Set-Cookie taken apart (§5.2). net/http's parser refuses values that browsers keep, such as JSON.
type setCookie struct {
	name, value, path, domain string
	secure, httpOnly          bool
	expires                   time.Time // zero: not given
	maxAge                    int64     // seconds, when hasMaxAge
	hasMaxAge                 bool
}

// parse reads a value of Set-Cookie; false: it is none.
func parse(line string) (c setCookie, ok bool) {
	pair, rest, _ := strings.Cut(line, ";")
	name, value, named := strings.Cut(pair, "=")
	if !named || len(line) > 4*maxCookie {
		return c, false
	}
	c.name, c.value = strings.Trim(name, " \t"), strings.Trim(value, " \t")
	for attr := range strings.SplitSeq(rest, ";") {
		key, value, _ := strings.Cut(attr, "=")
		value = strings.Trim(value, " \t")
		switch strings.ToLower(strings.Trim(key, " \t")) { // the last of a name counts
		case "expires":
			if t, ok := date(value); ok {
				c.expires = t
			}
		case "max-age":
			if n, err := strconv.ParseInt(value, 10, 64); err == nil || n != 0 { // out of range is the greatest, or least
				c.maxAge, c.hasMaxAge = n, true
			}
		case "domain":
			c.domain = strings.ToLower(strings.TrimPrefix(value, "."))
		case "path":
			c.path = value
		case "secure":
			c.secure = true
		case "httponly":
			c.httpOnly = true
		}
	}
	return c, c.name != ""
}

// date reads a date of a cookie in whatever order and form its parts are (§5.1.1).
func date(text string) (time.Time, bool) {
	const months = "janfebmaraprmayjunjulaugsepoctnovdec"
	hour, minute, second, day, month, year := -1, 0, 0, 0, 0, -1
	delimiter := func(r rune) bool {
		return r == '\t' || r >= 0x20 && r <= 0x2f || r >= 0x3b && r <= 0x40 || r >= 0x5b && r <= 0x60 || r >= 0x7b && r <= 0x7e
	}
	for _, token := range strings.FieldsFunc(text, delimiter) {
		parts := strings.SplitN(token, ":", 3)
		n := digits(token)
		switch {
		case hour < 0 && len(parts) == 3:
			h, m, s := digits(parts[0]), digits(parts[1]), digits(parts[2])
			if slices.Min([]int{h, m, s}) < 0 {
				return time.Time{}, false
			}
			hour, minute, second = h, m, s
		case day == 0 && n > 0 && n <= 31 && len(token) <= 2:
			day = n
		case month == 0 && len(token) >= 3 && strings.Contains(months, strings.ToLower(token[:3])) && strings.Index(months, strings.ToLower(token[:3]))%3 == 0:
			month = strings.Index(months, strings.ToLower(token[:3]))/3 + 1
		case year < 0 && n >= 0 && (len(token) == 2 || len(token) == 4):
			year = n
		}
	}
	switch {
	case year >= 70 && year <= 99:
		year += 1900
	case year >= 0 && year < 70:
		year += 2000
	}
	if day == 0 || month == 0 || year < 1601 || hour < 0 || hour > 23 || minute > 59 || second > 59 {
		return time.Time{}, false
	}
	t := time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC)
	return t, t.Day() == day // else there is no such day
}

// digits is the number at the beginning of a token of at most four digits, -1 when there is none.
func digits(token string) int {
	end := 0
	for end < len(token) && token[end] >= '0' && token[end] <= '9' {
		end++
	}
	if end == 0 || end > 4 {
		return -1
	}
	n, err := strconv.Atoi(token[:end])
	if err != nil {
		return -1
	}
	return n
}
