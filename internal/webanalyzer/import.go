package webanalyzer

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"exclave/analyzer"
	"exclave/dict"
	"exclave/internal/conf"
)

// Options say what a properties file does not.
type Options struct {
	Name string // of the profile; default "original"
	List string // word list, instead of the built-in one of manager.dictionary.language
}

// Note is something about the import that a user should know.
type Note struct {
	Line int // in the properties; 0 = of the whole
	Text string
}

func (n Note) String() string {
	if n.Line == 0 {
		return n.Text
	}
	return fmt.Sprintf("line %d: %s", n.Line, n.Text)
}

// The regular expressions by which the original finds elements, valid or not.
const (
	findEmail = `(?i)([a-z0-9._-]+@[a-z0-9.-]+\.[a-z]{2,4})`
	findPhone = `\+[0-9]{3} ?[0-9]{3} ?[0-9]{3} ?[0-9]{3}`
	findLang  = `[\W]lang ?= ?["']? ?([a-z]){2} ?["']?`
)

// settings are those of the original; defaults are its own.
type settings struct {
	use, points       map[string]value // by searcher
	valid             map[string]value // by searcher
	country, language value
	min, depth        value
	notes             []Note
	problems          []error
	given             map[string]Property // by key without prefix
}

type value struct {
	text string
	line int
}

// searchers of the original in the order of its configuration.
func searchers() []string { return []string{"geoip", "dictionary", "email", "phone", "htmlLang"} }

func defaults() *settings {
	s := &settings{
		use: map[string]value{}, points: map[string]value{}, given: map[string]Property{},
		valid: map[string]value{
			"email":    {text: `([a-z0-9._-]+@[a-z0-9.-]+\.cz)`},
			"phone":    {text: `\+420 [0-9]{3} ?[0-9]{3} ?[0-9]{3}`},
			"htmlLang": {text: `lang ?= ?["']? ?cs ?["']?`},
		},
		country: value{text: "cz"}, language: value{text: "cs"}, min: value{text: "200"}, depth: value{text: "0"},
	}
	for _, k := range searchers() {
		s.use[k], s.points[k] = value{text: "true"}, value{text: "1"}
	}
	return s
}

// Import makes the TOML text of a profile of the properties; settings that are not given
// are those of the original. The notes tell what cannot be carried over and which
// patterns mean something else than they seem to. The error has every value that cannot
// be, with its line.
func Import(data []byte, o Options) ([]byte, []Note, error) {
	props, err := ReadProperties(data)
	if err != nil {
		return nil, nil, err
	}
	s := defaults()
	for _, p := range props {
		s.set(p)
	}
	text := s.profile(o)
	if err := errors.Join(s.problems...); err != nil {
		return nil, s.notes, err
	}
	if _, problems := analyzer.ParseProfile(text, "profile"); len(problems) > 0 {
		return nil, s.notes, problems.Err("webanalyzer: import")
	}
	slices.SortStableFunc(s.notes, func(a, b Note) int { return cmp.Compare(a.Line, b.Line) })
	return text, s.notes, nil
}

func (s *settings) note(line int, format string, args ...any) {
	s.notes = append(s.notes, Note{line, fmt.Sprintf(format, args...)})
}

func (s *settings) refuse(line int, format string, args ...any) {
	s.problems = append(s.problems, fmt.Errorf("line %d: %s", line, fmt.Sprintf(format, args...)))
}

// set takes over one property.
func (s *settings) set(p Property) {
	key, ok := strings.CutPrefix(p.Key, "WebAnalyzer.")
	if !ok {
		key, ok = strings.CutPrefix(p.Key, "webanalyzer.")
	}
	into := s.place(key)
	if !ok || into == nil {
		s.note(p.Line, "%s = %s cannot be carried over: a profile has no such setting", p.Key, p.Value)
		return
	}
	if strings.HasSuffix(key, ".regexp") { // two spellings of one setting
		key = strings.TrimSuffix(key, "p")
	}
	if before, twice := s.given[key]; twice && before.Value != p.Value {
		s.note(p.Line, "%s is given in line %d, too; the later one counts", p.Key, before.Line)
	}
	s.given[key] = p
	into(value{strings.TrimSpace(p.Value), p.Line})
}

// place returns where the value of a key goes, nil when there is no such key.
func (s *settings) place(key string) func(value) {
	to := func(v *value) func(value) { return func(new value) { *v = new } }
	switch key {
	case "searcher.geoip.countrycode":
		return to(&s.country)
	case "manager.dictionary.language":
		return to(&s.language)
	case "urlanalyzer.min.valid.points":
		return to(&s.min)
	case "urlanalyzer.depth.toarchive":
		return to(&s.depth)
	}
	parts := strings.Split(key, ".")
	if len(parts) != 3 || parts[0] != "searcher" || !slices.Contains(searchers(), parts[1]) {
		return nil
	}
	m := map[string]map[string]value{"use": s.use, "point": s.points, "regex": s.valid, "regexp": s.valid}[parts[2]]
	if m == nil {
		return nil
	}
	if _, has := m[parts[1]]; !has {
		return nil // a regular expression of a searcher that has none
	}
	return func(v value) { m[parts[1]] = v }
}

// number checks a whole number; what says what it is of.
func (s *settings) number(v value, what string, least, most int64) {
	if n, err := strconv.ParseInt(v.text, 10, 64); err != nil || n < least || n > most {
		s.refuse(v.line, "%s: %q: a whole number, %d to %d, is wanted", what, v.text, least, most)
	}
}

// profile checks the settings and writes them as a profile.
func (s *settings) profile(o Options) []byte {
	var b strings.Builder
	name := cmp.Or(o.Name, "original")
	s.number(s.min, "urlanalyzer.min.valid.points", -analyzer.MaxPoints, analyzer.MaxPoints)
	s.number(s.depth, "urlanalyzer.depth.toarchive", 0, analyzer.MaxDepth)
	fmt.Fprintf(&b, "# Imported from the properties of the original WebAnalyzer: its regular expressions on the\n# document as found, its points for every occurrence, its threshold.\n\n")
	fmt.Fprintf(&b, "[profile]\nname = %s\nmin_points = %s\ndepth = %s\n", quote(name), s.min.text, s.depth.text)
	written := 0
	for _, k := range searchers() {
		use, points := s.use[k], s.points[k]
		s.number(points, "searcher."+k+".point", -analyzer.MaxPoints, analyzer.MaxPoints)
		switch strings.ToLower(use.text) {
		case "true":
		case "false":
			continue
		default:
			s.refuse(use.line, "searcher.%s.use: %q: true or false is wanted", k, use.text)
			continue
		}
		own := s.searcher(k, o)
		if own == "" {
			continue
		}
		fmt.Fprintf(&b, "\n[[searcher]]\n%spoints = %s\n", own, points.text)
		written++
	}
	if written == 0 && len(s.problems) == 0 {
		s.problems = append(s.problems, errors.New("no searcher is in use: nothing could ever be valid"))
	}
	return []byte(b.String())
}

// searcher writes the keys of one searcher; "" = it cannot be carried over.
func (s *settings) searcher(k string, o Options) string {
	switch k {
	case "geoip":
		c := strings.ToUpper(s.country.text)
		if !regexp.MustCompile(`^[A-Z]{2}$`).MatchString(c) {
			s.refuse(s.country.line, "searcher.geoip.countrycode: %q: a country code of two letters is wanted", s.country.text)
		}
		return fmt.Sprintf("kind = \"geoip\"\ncountries = [%s]\n", quote(c))
	case "dictionary":
		list := o.List
		if list == "" {
			list = strings.ToLower(s.language.text)
			if !slices.Contains(dict.Builtins(), list) {
				s.note(s.language.line, "searcher dictionary cannot be carried over: there is no built-in word list %q, only %s; --list names one of your own (docs/howto/word-lists.md)",
					s.language.text, strings.Join(dict.Builtins(), ", "))
				return ""
			}
		}
		return fmt.Sprintf("kind = \"dictionary\"\nlist = %s\n", quote(list))
	}
	find := map[string]string{"email": findEmail, "phone": findPhone, "htmlLang": findLang}[k]
	name := map[string]string{"htmlLang": "html_lang"}[k]
	in := map[string]string{"phone": "text"}[k]
	v := s.valid[k]
	valid := s.pattern(k, v)
	if k == "email" {
		valid = "(?i)" + valid
	}
	return fmt.Sprintf("kind = \"regexp\"\nname = %s\nin = %s\npattern = %s\nvalid = %s\n",
		quote(cmp.Or(name, k)), quote(cmp.Or(in, "source")), quote(find), quote(valid))
}

// pattern checks a regular expression of Java's and returns it as RE2 has it.
func (s *settings) pattern(k string, v value) string {
	if v.line == 0 {
		return v.text // of the original
	}
	key := "searcher." + k + ".regex"
	p := s.given[key]
	// Among letters only those that Java's regular expressions give a meaning matter.
	if i := slices.IndexFunc(p.Dropped, func(r rune) bool { return strings.ContainsRune(`.+*?()[]{}|^$-/@wWdDsSbBAzZGQEpPxhHvVR0123456789`, r) }); i >= 0 {
		s.note(v.line, `%s: a single backslash before %q is dropped in properties files, so the pattern is %s; write \\%c where a regular expression is to have the backslash`, key, p.Dropped[i], v.text, p.Dropped[i])
	}
	re := unicodeEscape.ReplaceAllString(v.text, `\x{$1}`)
	if v.text == "" {
		s.refuse(v.line, "%s: is empty: every element would be valid", key)
		return ""
	}
	if _, err := regexp.Compile(re); err != nil {
		s.refuse(v.line, "%s: %s%s", key, strings.TrimPrefix(err.Error(), "error parsing regexp: "), hint(re))
		return re
	}
	for _, d := range slices.Sorted(maps.Keys(differences())) {
		if m := differences()[d].FindString(re); m != "" {
			s.note(v.line, "%s: %s in %s: %s", key, m, re, d)
		}
	}
	return re
}

var unicodeEscape = regexp.MustCompile(`\\u([0-9a-fA-F]{4})`)

// hint says what is behind patterns that Java takes and RE2 does not.
func hint(re string) string {
	switch {
	case strings.Contains(re, "(?=") || strings.Contains(re, "(?!") || strings.Contains(re, "(?<"):
		return "; expressions that look ahead or back cannot be carried over"
	case strings.HasPrefix(re, "+") || strings.HasPrefix(re, "(+"):
		return `; write \\+ for a plus sign`
	}
	return ""
}

// differences are forms that mean something else than who wrote them may think, or than
// they do in Java.
func differences() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"within brackets | is the character itself, not \"or\"":              regexp.MustCompile(`\[[^\]\\]*\|[^\]]*\]`),
		"the dot is any character; for a dot write \\\\.":                    regexp.MustCompile(`[a-z0-9+*\])]\.[a-z]{2,}`),
		"&& within brackets is an intersection in Java, here two characters": regexp.MustCompile(`\[[^\]]*&&[^\]]*\]`),
		"brackets within brackets are a union in Java, here characters":      regexp.MustCompile(`\[[^\]\\]*\[[^\]:]*\]`),
		"\\b knows only ASCII letters here":                                  regexp.MustCompile(`\\b`),
		"^ and $ are the ends of the value that was found":                   regexp.MustCompile(`^\^|\$$`),
	}
}

func quote(s string) string { return conf.Literal(reflect.ValueOf(s)) }
