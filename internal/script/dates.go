package script

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// date is a time that is known, in milliseconds since 1970; NaN is none. Where the browser is stays unknown: its zone is UTC, which is what
// addresses that are made of constant dates mean in all but a few places. A time of now is no date, but an object that is not known.
type date struct{ ms float64 }

const (
	msPerDay = 24 * 60 * 60 * 1000
	maxDate  = 8.64e15
)

// clipped is a time that a date may have.
func clipped(ms float64) float64 {
	if !(math.Abs(ms) <= maxDate) {
		return math.NaN()
	}
	return math.Trunc(ms) + 0
}

// fields are year, month from 0, day, hours, minutes, seconds and milliseconds of a time.
type fields [7]float64

// days counts days since 1970 of a day in a year and a month, which may be more than twelve.
func days(year, month, day float64) float64 {
	year += math.Floor(month / 12)
	month = math.Mod(math.Mod(month, 12)+12, 12)
	if month < 2 {
		year--
	}
	era := math.Floor(year / 400)
	ofEra := year - era*400
	ofYear := math.Floor((153*math.Mod(month+10, 12) + 2) / 5)
	return era*146097 + ofEra*365 + math.Floor(ofEra/4) - math.Floor(ofEra/100) + ofYear + day - 1 - 719468
}

// time is what fields are together.
func (f fields) time() float64 {
	for i := range f {
		f[i] = math.Trunc(f[i])
	}
	return clipped(days(f[0], f[1], f[2])*msPerDay + f[3]*3600e3 + f[4]*60e3 + f[5]*1e3 + f[6])
}

// fieldsOf is the fields of a time, and its day of the week.
func fieldsOf(ms float64) (f fields, weekday int) {
	day := math.Floor(ms / msPerDay)
	rest := ms - day*msPerDay
	z := day + 719468
	era := math.Floor(z / 146097)
	ofEra := z - era*146097
	year := math.Floor((ofEra - math.Floor(ofEra/1460) + math.Floor(ofEra/36524) - math.Floor(ofEra/146096)) / 365)
	ofYear := ofEra - (365*year + math.Floor(year/4) - math.Floor(year/100))
	month := math.Floor((5*ofYear + 2) / 153)
	f = fields{year + era*400, math.Mod(month+2, 12), ofYear - math.Floor((153*month+2)/5) + 1,
		math.Floor(rest / 3600e3), math.Mod(math.Floor(rest/60e3), 60), math.Mod(math.Floor(rest/1e3), 60), math.Mod(rest, 1e3)}
	if f[1] < 2 {
		f[0]++
	}
	return f, int(math.Mod(math.Mod(day+4, 7)+7, 7))
}

func isoDate(ms float64) string {
	f, _ := fieldsOf(ms)
	year := fmt.Sprintf("%04d", int(f[0]))
	if f[0] < 0 || f[0] > 9999 {
		year = fmt.Sprintf("%+07d", int(f[0]))
	}
	return fmt.Sprintf("%s-%02d-%02dT%02d:%02d:%02d.%03dZ", year, int(f[1])+1, int(f[2]), int(f[3]), int(f[4]), int(f[5]), int(f[6]))
}

func monthName(i int) string {
	return [...]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}[i]
}

func weekdayName(i int) string {
	return [...]string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}[i]
}

// dateText is a date as a text, of a form that its methods are called by.
func dateText(ms float64, form string) string {
	if ms != ms {
		return "Invalid Date"
	}
	f, weekday := fieldsOf(ms)
	day, month, year := weekdayName(weekday)[:3], monthName(int(f[1]))[:3], fmt.Sprintf("%04d", int(f[0]))
	date := fmt.Sprintf("%s %s %02d %s", day, month, int(f[2]), year)
	clock := fmt.Sprintf("%02d:%02d:%02d GMT", int(f[3]), int(f[4]), int(f[5]))
	const zone = "+0000 (Coordinated Universal Time)"
	switch form {
	case "toDateString":
		return date
	case "toTimeString":
		return clock + zone
	case "toUTCString":
		return fmt.Sprintf("%s, %02d %s %s %s", day, int(f[2]), month, year, clock)
	}
	return date + " " + clock + zone
}

// parseDate reads a date; known is false for a text that may be one, but nobody knows which.
func parseDate(s string) (ms float64, known bool) {
	s = strings.TrimSpace(s)
	if len(s) > 64 || !strings.ContainsAny(s, "0123456789") {
		return math.NaN(), true
	}
	if ms, is := parseISO(s); is {
		return ms, true
	}
	return parseWords(s)
}

// dateDigits reads a number of so many digits.
func dateDigits(s string, least, most int) (n float64, rest string, is bool) {
	i := 0
	for i < len(s) && i < most && s[i] >= '0' && s[i] <= '9' {
		n = n*10 + float64(s[i]-'0')
		i++
	}
	return n, s[i:], i >= least
}

// parseISO reads 2024-03-05T10:20:30.5Z and parts of it.
func parseISO(s string) (float64, bool) {
	f := fields{0, 0, 1}
	var is bool
	if f[0], s, is = dateDigits(s, 4, 4); !is {
		return 0, false
	}
	for i := 1; i < 3 && strings.HasPrefix(s, "-"); i++ {
		if f[i], s, is = dateDigits(s[1:], 2, 2); !is {
			return 0, false
		}
		if i == 1 {
			f[1]--
		}
	}
	if s != "" && (s[0] == 'T' || s[0] == 't' || s[0] == ' ') {
		if f, s, is = clock(f, s[1:]); !is {
			return 0, false
		}
	}
	off, is := offset(s)
	if !is {
		return 0, false
	}
	if f[1] < 0 || f[1] > 11 || f[2] < 1 || f[2] > 31 {
		return math.NaN(), true
	}
	return f.time() - off, true
}

// clock reads 10:20:30.5 into fields.
func clock(f fields, s string) (fields, string, bool) {
	var is bool
	for i := 3; i < 6; i++ {
		if i > 3 && !strings.HasPrefix(s, ":") {
			return f, s, i > 4
		}
		if i > 3 {
			s = s[1:]
		}
		if f[i], s, is = dateDigits(s, 1, 2); !is || f[i] > 59 || f[3] > 24 {
			return f, s, false
		}
	}
	if strings.HasPrefix(s, ".") {
		rest := strings.TrimLeft(s[1:], "0123456789")
		part, err := strconv.ParseFloat("0"+s[:len(s)-len(rest)], 64)
		if err != nil {
			return f, s, false
		}
		f[6], s = math.Trunc(part*1000), rest
	}
	return f, s, true
}

// offset reads a zone: Z, GMT, +02:00 or GMT+0200.
func offset(s string) (ms float64, is bool) {
	for _, name := range [...]string{"Z", "UTC", "GMT"} {
		if len(s) >= len(name) && strings.EqualFold(s[:len(name)], name) {
			s = s[len(name):]
			break
		}
	}
	if s == "" {
		return 0, true
	}
	sign := 1.0
	if s[0] == '-' {
		sign = -1
	} else if s[0] != '+' {
		return 0, false
	}
	h, rest, is := dateDigits(s[1:], 2, 2)
	m, rest, too := dateDigits(strings.TrimPrefix(rest, ":"), 0, 2)
	return sign * (h*3600e3 + m*60e3), is && too && rest == ""
}

// parseWords reads Mar 5, 2012 10:00, 5 March 2012, 3/5/2012 and 2012/3/5.
func parseWords(s string) (float64, bool) {
	f := fields{-1, -1, -1}
	zone := 0.0
	if i := strings.IndexByte(s, '('); i > 0 {
		s = strings.TrimSpace(s[:i])
	}
	if strings.Count(s, "/") == 2 {
		date, rest, _ := strings.Cut(s, " ")
		var n [3]float64
		for i, part := range strings.Split(date, "/") {
			v, left, is := dateDigits(part, 1, 4)
			if !is || left != "" {
				return 0, false
			}
			n[i] = v
		}
		if n[0] > 31 {
			f = fields{n[0], n[1] - 1, n[2]}
		} else {
			f = fields{n[2], n[0] - 1, n[1]}
		}
		s = rest
	}
	for _, word := range strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == ',' }) {
		n, rest, is := dateDigits(word, 1, 4)
		low := strings.ToLower(word)
		switch {
		case is && strings.HasPrefix(rest, ":"):
			if f, rest, is = clock(f, word); !is || rest != "" {
				return 0, false
			}
		case is && rest == "" && f[2] < 0 && n <= 31:
			f[2] = n
		case is && rest == "" && f[0] < 0:
			f[0] = n
		case low == "pm" && f[3] < 12:
			f[3] += 12
		case low == "am" && f[3] == 12:
			f[3] = 0
		case low == "pm", low == "am":
		default:
			if off, is := offset(word); is {
				zone = off
				continue
			}
			if !f.word(low) {
				return 0, false
			}
		}
	}
	if f[0] >= 0 && f[1] >= 0 && f[2] < 0 {
		f[2] = 1
	}
	if f[0] < 0 || f[1] < 0 || f[1] > 11 || f[2] > 31 {
		return 0, false
	}
	f[0] = century(f[0])
	return f.time() - zone, true
}

// word reads the name of a month, or of a day, which says nothing.
func (f *fields) word(low string) bool {
	low = strings.TrimSuffix(low, ".")
	if len(low) < 3 {
		return false
	}
	for i := range 12 {
		if strings.HasPrefix(strings.ToLower(monthName(i)), low) {
			f[1] = float64(i)
			return true
		}
	}
	for i := range 7 {
		if strings.HasPrefix(strings.ToLower(weekdayName(i)), low) {
			return true
		}
	}
	return false
}

// century is a year of two digits in full.
func century(year float64) float64 {
	if year >= 0 && year <= 99 {
		return year + 1900
	}
	return year
}

// dateOf is the time of a date that is known.
func dateOf(v value) (*date, bool) {
	o, is := v.(*object)
	if !is {
		return nil, false
	}
	d, is := o.host.(*date)
	return d, is && o.class == classDate
}

func newDate(p *Page, _ value, args []value) value {
	some := &object{class: classPhantom, host: "Date"}
	made := func(ms float64) value {
		o := p.newObject(classDate)
		o.weak, o.host = int32(p.weak), &date{clipped(ms)}
		return o
	}
	switch len(args) {
	case 0:
		return some
	case 1:
		return p.lift(args[0], func(v value) value {
			if t, is := v.(*text); is && t.known() && !t.page {
				t.consumed, t.looked = true, true
				if ms, known := parseDate(t.s); known {
					return made(ms)
				}
				return some
			}
			if ms, known := p.number(v); known {
				return made(ms)
			}
			return some
		})
	}
	f, known := p.dateFields(fields{0, 0, 1}, args, 0)
	if !known {
		return some
	}
	f[0] = century(f[0])
	return made(f.time())
}

// dateFields sets fields, from one of them on.
func (p *Page) dateFields(f fields, args []value, from int) (fields, bool) {
	for i, arg := range args[:min(len(args), len(f)-from)] {
		n, known := p.number(arg)
		if !known {
			return f, false
		}
		f[from+i] = n
	}
	return f, true
}

func dateStatics() map[string]method {
	return map[string]method{
		"now": nothing,
		"parse": func(p *Page, _ value, args []value) value {
			t, is := one(argument(args, 0)).(*text)
			if !is || !t.known() || t.page {
				return unknown{}
			}
			t.consumed, t.looked = true, true
			if ms, known := parseDate(t.s); known {
				return ms
			}
			return unknown{}
		},
		"UTC": func(p *Page, _ value, args []value) value {
			f, known := p.dateFields(fields{0, 0, 1}, args, 0)
			if !known || len(args) == 0 {
				return unknown{}
			}
			f[0] = century(f[0])
			return f.time()
		},
	}
}

// newDateMethods makes the methods of dates.
func newDateMethods() map[string]method {
	of := func(do func(p *Page, d *date, args []value) value) method {
		return func(p *Page, this value, args []value) value {
			d, is := dateOf(one(this))
			if !is {
				return unknown{}
			}
			return do(p, d, args)
		}
	}
	get := func(of1 func(ms float64) float64) method {
		return of(func(_ *Page, d *date, _ []value) value {
			if d.ms != d.ms {
				return d.ms
			}
			return of1(d.ms)
		})
	}
	whole := get(func(ms float64) float64 { return ms })
	iso := of(func(p *Page, d *date, _ []value) value {
		if d.ms != d.ms {
			return p.fault("RangeError", "no date")
		}
		return plain(isoDate(d.ms))
	})
	made := map[string]method{
		"getTime": whole, "valueOf": whole, "toISOString": iso, "toJSON": iso,
		"getTimezoneOffset": get(func(float64) float64 { return 0 }),
		"getYear":           get(func(ms float64) float64 { f, _ := fieldsOf(ms); return f[0] - 1900 }),
		"setTime": of(func(p *Page, d *date, args []value) value {
			ms, known := p.number(argument(args, 0))
			if !known {
				ms = math.NaN()
			}
			d.ms = clipped(ms)
			return d.ms
		}),
	}
	for _, form := range [...]string{"toString", "toDateString", "toTimeString", "toUTCString"} {
		made[form] = of(func(_ *Page, d *date, _ []value) value { return plain(dateText(d.ms, form)) })
	}
	made["toGMTString"] = made["toUTCString"]
	for _, form := range [...]string{"toLocaleDateString", "toLocaleTimeString", "toLocaleString"} {
		made[form] = of(func(p *Page, d *date, args []value) value { return p.localDate(d.ms, form, args) })
	}
	for _, zone := range [...]string{"", "UTC"} {
		made["get"+zone+"Day"] = get(func(ms float64) float64 { _, day := fieldsOf(ms); return float64(day) })
		for i, name := range [...]string{"FullYear", "Month", "Date", "Hours", "Minutes", "Seconds", "Milliseconds"} {
			made["get"+zone+name] = get(func(ms float64) float64 { f, _ := fieldsOf(ms); return f[i] })
			made["set"+zone+name] = of(func(p *Page, d *date, args []value) value {
				ms := d.ms
				if ms != ms && i == 0 {
					ms = 0
				}
				f, _ := fieldsOf(ms)
				f, known := p.dateFields(f, args, i)
				if !known {
					f[0] = math.NaN()
				}
				d.ms = f.time()
				return d.ms
			})
		}
	}
	return made
}

// localDate is a date as people write it, where that is known.
func (p *Page) localDate(ms float64, form string, args []value) value {
	lang, is := one(argument(args, 0)).(*text)
	if !is || ms != ms {
		return unknown{}
	}
	lang.consumed, lang.looked = true, true
	o, _ := argument(args, 1).(*object)
	option := func(name string) string {
		if o == nil {
			return ""
		}
		t, is := one(o.get(name)).(*text)
		if !is {
			return ""
		}
		t.consumed, t.looked = true, true
		return t.s
	}
	f, weekday := fieldsOf(ms)
	if zone := option("timeZone"); zone != "" && zone != "UTC" || o != nil && len(o.keys) > 0 && lang.s != "en-US" {
		return unknown{}
	}
	if o != nil && len(o.keys) > 0 {
		return englishDate(o, f, weekday, option)
	}
	day := ""
	switch y, m, d := int(f[0]), int(f[1])+1, int(f[2]); lang.s {
	case "en-US", "en":
		day = fmt.Sprintf("%d/%d/%d", m, d, y)
	case "cs-CZ", "cs", "sk-SK", "sk":
		day = fmt.Sprintf("%d. %d. %d", d, m, y)
	case "de-DE", "de", "de-AT":
		day = fmt.Sprintf("%d.%d.%d", d, m, y)
	case "en-GB", "fr-FR", "fr":
		day = fmt.Sprintf("%02d/%02d/%d", d, m, y)
	case "en-CA", "sv-SE", "sv":
		day = fmt.Sprintf("%d-%02d-%02d", y, m, d)
	}
	if day == "" || form != "toLocaleDateString" {
		return unknown{}
	}
	return plain(day)
}

// englishDate is a date as Americans write it, of the parts that options say.
func englishDate(o *object, f fields, weekday int, option func(string) string) value {
	number := func(n float64, style string) string {
		switch style {
		case "numeric":
			return strconv.Itoa(int(n))
		case "2-digit":
			return fmt.Sprintf("%02d", int(n)%100)
		}
		return ""
	}
	name := func(s, style string) string {
		switch style {
		case "long":
			return s
		case "short":
			return s[:3]
		}
		return ""
	}
	for _, key := range o.keys {
		switch key {
		case "weekday", "year", "month", "day", "timeZone":
		default:
			return unknown{}
		}
	}
	year, day := number(f[0], option("year")), number(f[2], option("day"))
	of := name(weekdayName(weekday), option("weekday"))
	month := name(monthName(int(f[1])), option("month"))
	if month == "" {
		var parts []string
		for _, part := range [...]string{number(f[1]+1, option("month")), day, year} {
			if part != "" {
				parts = append(parts, part)
			}
		}
		day, year = strings.Join(parts, "/"), ""
		if of != "" && day != "" {
			of += ", "
		}
		if of+day == "" {
			return unknown{}
		}
		return plain(of + day)
	}
	s := month
	if day != "" {
		s += " " + day
		if year != "" {
			s += ","
		}
	}
	if year != "" {
		s += " " + year
	}
	if of != "" {
		s = of + ", " + s
	}
	return plain(s)
}
