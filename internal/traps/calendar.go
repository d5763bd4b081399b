package traps

import (
	"slices"
	"strings"
)

// date is what an address says of time.
type date struct {
	month int  // counted from the year 0
	named bool // some month is named
	wrong bool // one that is none: month 13
	view  bool // nothing is named beside: a list of what is then, not what happened
	day   bool // a list of a day or week
	year  bool // of a year: there are few
}

// calendar reports whether the address names a month that no list needs: those of a
// calendar are endless, what happened stands on pages with names of their own.
func (f *Finder) calendar(a *address) bool {
	d := a.byPath(f.month)
	if q := a.byQuery(f.month); q.named || q.wrong {
		d = q
	}
	if d.wrong || !d.named {
		return d.wrong
	}
	from := d.month - f.month
	if !a.isCalendar() { // old dates are those of newspapers, which libraries show by the day
		return d.view && from > DateAhead
	}
	back, ahead := CalendarBack, CalendarAhead
	switch {
	case d.day: // what it has the list of the month has as well
		back, ahead = DayBack, DayAhead
	case d.year:
		back = YearBack
	}
	return from > DateAhead || d.view && !a.oneThing() && (from > ahead || from < -back)
}

// oneThing reports whether the address says that it is of one thing, by its number or as a
// detail: an event, not a list of events. Joomla's Itemid is the number of an entry of a menu.
func (a *address) oneThing() bool {
	return strings.Contains(a.u.Path(), "detail") || slices.ContainsFunc(a.params, func(p param) bool {
		return (strings.HasSuffix(p.name, "id") && p.name != "itemid" || p.name == "e") && number(p.value) > 0
	})
}

// byPath reads /2031/05/12/, /2031-05-12/, /05/2031/, and /2031/, /2031/week/5/ or
// /20310512/ of a calendar.
func (a *address) byPath(today int) (d date) {
	calendar := a.isCalendar()
	for i := 0; i < len(a.segments); i++ {
		var next, third string
		if rest := a.segments[i+1:]; len(rest) > 0 {
			if next = rest[0]; len(rest) > 1 {
				third = rest[1]
			}
		}
		s, month, used, day, whole := a.segments[i], -1, 1, false, false
		switch y := year(s); {
		case y >= 0 && monthOf(next) > 0:
			used, day = 2, dayOf(third) > 0
			if day {
				used++
			}
			if calendar || day || len(next) == 2 { // /1984/5/ may be two ids
				month = 12*y + monthOf(next) - 1
			}
		case y >= 0 && calendar && week(next) && upTo(third, 53) > 0:
			month, used, day = 12*y+min((7*upTo(third, 53)-4)*12/366, 11), 3, true
		case calendar && monthOf(s) > 0 && year(next) >= 0:
			month, used = 12*year(next)+monthOf(s)-1, 2
		case firstYear <= y && y <= lastYear && calendar:
			month, whole = nearest(y, today), true
		case y < 0 && (strings.ContainsAny(s, "-.") || calendar):
			month, day = parseDate(s)
		}
		if month >= 12*firstYear && (calendar || month < 12*(lastYear+1)) {
			d = date{month: month, named: true, view: i+used == len(a.segments), day: day, year: whole}
			i += used - 1
		}
	}
	return d
}

// byQuery reads ?year=2031&month=5, ?month=2031-05, ?date=2031-05-12 and their like.
func (a *address) byQuery(today int) (d date) {
	y, m, day := -1, -1, false
	for _, p := range a.params {
		kind := dateName(p.name)
		if kind == noDate {
			continue
		}
		if kind == dayName && dayOf(p.value) > 0 {
			day = true
			continue
		}
		if n, sign := strings.CutPrefix(p.value, "-"); kind == monthName && (sign && number(n) > 0 || number(n) > 12 && len(n) < 6) {
			return date{wrong: true}
		}
		switch when, ofDay := parseDate(p.value); {
		case when >= 0:
			d.month, d.named, day = when, true, ofDay
		case kind == yearName:
			y = year(p.value)
		case kind == monthName:
			m = monthOf(p.value)
		}
	}
	switch {
	case y >= 0 && m > 0:
		d.month, d.named = 12*y+m-1, true
	case y >= 0 && !d.named:
		d.month, d.named, d.year = nearest(y, today), true, true
	}
	d.view, d.day = true, day
	return d
}

// nearest returns the month of a year that is nearest to today's.
func nearest(year, today int) int { return min(max(today, 12*year), 12*year+11) }

// Kinds of names of parameters.
const (
	noDate = iota
	yearName
	monthName
	dayName
)

func dateName(name string) int {
	switch name {
	case "year", "yr", "jahr", "rok", "annee":
		return yearName
	case "month", "mon", "monat", "mesic", "mois":
		return monthName
	case "date", "datum", "day", "week", "from", "to", "start", "end", "m":
		return dayName
	}
	for _, k := range []struct {
		suffix string
		kind   int
	}{{"year", yearName}, {"month", monthName}, {"date", dayName}, {"day", dayName}} {
		if rest, ok := strings.CutSuffix(name, k.suffix); ok && rest != "" && !letter(rest[len(rest)-1]) {
			return k.kind
		}
	}
	return noDate
}

func letter(c byte) bool { return 'a' <= c && c <= 'z' }

// isCalendar reports whether a word of the address says that it is a calendar's.
func (a *address) isCalendar() bool {
	for _, s := range a.segments {
		if calendarWord(strings.ToLower(s)) {
			return true
		}
	}
	for _, p := range a.params {
		if calendarWord(p.name) || !strings.ContainsAny(p.value, "%/:") && calendarWord(p.value) {
			return true
		}
	}
	return false
}

func calendarWord(s string) bool {
	if strings.Contains(s, "calend") || strings.Contains(s, "kalend") {
		return true
	}
	for _, w := range [...]string{"event", "jevent", "agenda", "diary", "schedule"} {
		if at := strings.Index(s, w); at == 0 || at > 0 && !letter(s[at-1]) { // not that of prevention
			return true
		}
	}
	return false
}

func week(s string) bool {
	switch strings.ToLower(s) {
	case "week", "w", "woche", "kw", "tyden", "semaine":
		return true
	}
	return false
}

// year returns a year of four digits, -1 for anything else.
func year(s string) int {
	if n := number(s); len(s) == 4 && n >= 1000 {
		return n
	}
	return -1
}

func monthOf(s string) int { return upTo(s, 12) }
func dayOf(s string) int   { return upTo(s, 31) }

// upTo returns a number of one or two digits from 1 to most, -1 for anything else.
func upTo(s string, most int) int {
	if n := number(s); len(s) <= 2 && 1 <= n && n <= most {
		return n
	}
	return -1
}

// parseDate returns the month of 2031-05-12, 2031-05, 20310512, 203105 and 12.5.2031, and
// whether a day is named; -1 when s is nothing of it.
func parseDate(s string) (month int, day bool) {
	if n := number(s); n >= 0 {
		switch len(s) {
		case 6:
			n *= 100
		case 8:
			if dayOf(s[6:]) < 0 {
				return -1, false
			}
		default:
			return -1, false
		}
		if y, m := n/10000, n/100%100; y >= 1000 && 1 <= m && m <= 12 {
			return 12*y + m - 1, len(s) == 8
		}
		return -1, false
	}
	sep := strings.IndexAny(s, "-.")
	if sep < 0 {
		return -1, false
	}
	parts := strings.Split(s, s[sep:sep+1])
	if len(parts) == 3 && year(parts[2]) >= 0 && dayOf(parts[0]) > 0 {
		parts = []string{parts[2], parts[1], parts[0]}
	}
	if len(parts) < 2 || len(parts) > 3 || year(parts[0]) < 0 || monthOf(parts[1]) < 0 || len(parts) == 3 && dayOf(parts[2]) < 0 {
		return -1, false
	}
	return 12*year(parts[0]) + monthOf(parts[1]) - 1, len(parts) == 3
}
