package webanalyzer_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"exclave/analyzer"
	"exclave/internal/webanalyzer"
)

// parts returns what the verdicts of a profile follow from.
func parts(t *testing.T, text []byte) []analyzer.Part {
	t.Helper()
	file := filepath.Join(t.TempDir(), "p.toml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := analyzer.Open(t.Context(), analyzer.Config{Profiles: []string{file}})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	defer func() { _ = a.Close() }()
	return a.Parts()
}

// TestImportOriginal: the properties that the original came with, and none at all, are
// the built-in profile of that name.
func TestImportOriginal(t *testing.T) {
	builtin, err := analyzer.BuiltinSource("original")
	if err != nil {
		t.Fatal(err)
	}
	want := parts(t, builtin)
	file, err := os.ReadFile("testdata/analyzer.properties")
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range [][]byte{file, nil, []byte(strings.ReplaceAll(string(file), "\n", "\r\n"))} {
		text, notes, err := webanalyzer.Import(in, webanalyzer.Options{})
		if err != nil || len(notes) > 0 {
			t.Fatalf("%v %v", err, notes)
		}
		if got := parts(t, text); !reflect.DeepEqual(got, want) {
			t.Errorf("%v\nwant %v", got, want)
		}
	}
}

func TestImport(t *testing.T) {
	const regex = "webanalyzer.searcher.phone.regex="
	tests := []struct{ why, in, profile, note, err string }{
		{"points, threshold and depth", "WebAnalyzer.searcher.email.point=7\nWebAnalyzer.urlanalyzer.min.valid.points=30\nWebAnalyzer.urlanalyzer.depth.toarchive=3\n", "min_points = 30\ndepth = 3\n", "", ""},
		{"another country", "WebAnalyzer.searcher.geoip.countrycode=pt", `countries = ["PT"]`, "", ""},
		{"a searcher that is off is not in the profile", "WebAnalyzer.searcher.geoip.use=FALSE\nWebAnalyzer.searcher.dictionary.use=false", "depth = 0\n\n[[searcher]]\nkind = \"regexp\"", "", ""},
		{"a doubled backslash is one", regex + `\\+351[0-9]{9}`, `valid = '\+351[0-9]{9}'`, "", ""},
		{"quotes may have a backslash or none", "webanalyzer.searcher.htmlLang.regexp=lang=[\\\"']pt", `valid = "lang=[\"']pt"`, "", ""},
		{"Java's regular expressions know \\u, too", regex + `\\u002b351`, `valid = '\x{002b}351'`, "", ""},
		{"a key with another prefix is none of ours", "log.level=FINE", "min_points = 200", "line 1: log.level = FINE cannot be carried over", ""},
		{"nor is one that no searcher has", "\nWebAnalyzer.manager.geoip.file=/db", "min_points = 200", "line 2: WebAnalyzer.manager.geoip.file", ""},
		{"a dictionary has no regular expression", "WebAnalyzer.searcher.dictionary.regex=a", "min_points = 200", "line 1: WebAnalyzer.searcher.dictionary.regex", ""},
		{"a language without list is told, not guessed", "WebAnalyzer.manager.dictionary.language=xx", "min_points = 200", `line 1: searcher dictionary cannot be carried over: there is no built-in word list "xx"`, ""},
		{"the later of two counts, as in Java", "WebAnalyzer.searcher.email.point=1\nwebanalyzer.searcher.email.point=2", "points = 2\n", "line 2: webanalyzer.searcher.email.point is given in line 1, too", ""},
		{"both spellings are one setting", "webanalyzer.searcher.email.regex=a@b\nwebanalyzer.searcher.email.regexp=b@c", "valid = \"(?i)b@c\"", "line 2: webanalyzer.searcher.email.regexp is given in line 1, too", ""},
		{"a single backslash before a dot is lost", `webanalyzer.searcher.email.regex=@firma\.cz`, "valid = \"(?i)@firma.cz\"", `line 1: searcher.email.regex: a single backslash before '.' is dropped`, ""},
		{"a class of digits without its backslash is a letter", regex + `420\d+`, `valid = "420d+"`, `single backslash before 'd'`, ""},
		{"in print the class of quotes has a bar", `webanalyzer.searcher.htmlLang.regex=lang=["|']cs`, "valid", `["|'] in lang=["|']cs: within brackets | is the character itself`, ""},
		{"an anchor sees the value, not the page", regex + "420$", "valid", "are the ends of the value that was found", ""},
		{"points are a number", "\n\nWebAnalyzer.searcher.email.point=many", "", "", `line 3: searcher.email.point: "many": a whole number, -1000000 to 1000000, is wanted`},
		{"use is true or false", "WebAnalyzer.searcher.email.use=yes", "", "", `line 1: searcher.email.use: "yes": true or false`},
		{"depth has bounds", "WebAnalyzer.urlanalyzer.depth.toarchive=-1", "", "", `line 1: urlanalyzer.depth.toarchive: "-1"`},
		{"a country is a code", "WebAnalyzer.searcher.geoip.countrycode=Czechia", "", "", `line 1: searcher.geoip.countrycode: "Czechia"`},
		{"a pattern that does not compile", regex + "([0-9]", "", "", "line 1: searcher.phone.regex: missing closing )"},
		{"an escaped plus in one backslash repeats nothing", regex + `\+420`, "", "single backslash before '+'", `line 1: searcher.phone.regex: missing argument to repetition operator`},
		{"RE2 does not look ahead", regex + `420(?=[0-9])`, "", "", "look ahead or back cannot be carried over"},
		{"an empty pattern would make all valid", regex, "", "", "line 1: searcher.phone.regex: is empty"},
		{"all that is wrong, at once", "WebAnalyzer.searcher.email.use=yes\nWebAnalyzer.searcher.phone.point=x", "", "", "line 2: searcher.phone.point"},
		{"a broken escape, as in Java", `a=\u12g4`, "", "", `line 1: \u12g4: four hexadecimal digits`},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			text, notes, err := webanalyzer.Import([]byte(tt.in), webanalyzer.Options{})
			var lines []string
			for _, n := range notes {
				lines = append(lines, n.String())
			}
			got := strings.Join(lines, "\n")
			switch {
			case tt.err == "" && err != nil, tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
				t.Errorf("error %v, want %q", err, tt.err)
			case !strings.Contains(string(text), tt.profile):
				t.Errorf("want %q in:\n%s", tt.profile, text)
			case tt.note == "" && got != "" || !strings.Contains(got, tt.note):
				t.Errorf("notes %q, want %q", got, tt.note)
			}
		})
	}
	if _, _, err := webanalyzer.Import([]byte(strings.Join([]string{"", "geoip.use=0", "dictionary.use=0"}, "\nwebanalyzer.searcher.")), webanalyzer.Options{}); err == nil || strings.Count(err.Error(), "line ") != 2 {
		t.Errorf("two values that cannot be: %v", err)
	}
	var off strings.Builder
	for _, k := range []string{"geoip", "dictionary", "email", "phone", "htmlLang"} {
		off.WriteString("webanalyzer.searcher." + k + ".use=false\n")
	}
	if _, _, err := webanalyzer.Import([]byte(off.String()), webanalyzer.Options{}); err == nil || !strings.Contains(err.Error(), "no searcher is in use") {
		t.Errorf("nothing in use: %v", err)
	}
}

// TestReadProperties: the cases are those of the documentation of java.util.Properties.load.
func TestReadProperties(t *testing.T) {
	tests := []struct{ why, in, key, value string }{
		{"three separators", "Truth = Beauty", "Truth", "Beauty"},
		{"blanks before the key", " Truth:Beauty", "Truth", "Beauty"},
		{"a colon after blanks", "Truth                    :Beauty", "Truth", "Beauty"},
		{"a blank separates", "fruit apple banana", "fruit", "apple banana"},
		{"a line that goes on loses its indent", "fruits  apple, \\\n    pear, \\\n  mango", "fruits", "apple, pear, mango"},
		{"a doubled backslash at the end goes nowhere", "a = b\\\\\nc = d", "a", `b\`},
		{"a key alone has an empty value", "cheeses", "cheeses", ""},
		{"separators in a key are escaped", `a\:b\=c = d`, "a:b=c", "d"},
		{"two escapes may be one character", `a=\ud83d\ude00`, "a", "😀"},
		{"bytes that are not UTF-8 are ISO 8859-1", "a=\xe9", "a", "é"},
		{"a separator in the value belongs to it", "a==b", "a", "=b"},
		{"a comment does not go on", "# c \\\na=b", "a", "b"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			got, err := webanalyzer.ReadProperties([]byte(tt.in))
			if err != nil || len(got) == 0 || got[0].Key != tt.key || got[0].Value != tt.value {
				t.Errorf("%+v %v", got, err)
			}
		})
	}
}

func FuzzImport(f *testing.F) {
	file, err := os.ReadFile("testdata/analyzer.properties")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(file)
	for _, s := range []string{`webanalyzer.searcher.email.regex=[a`, "a=\\u00", "WebAnalyzer.searcher.phone.regex=\\\\x{1}\x01'''", "\\"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		text, _, err := webanalyzer.Import(data, webanalyzer.Options{})
		if err != nil {
			return
		}
		if _, problems := analyzer.ParseProfile(text, "x.toml"); len(problems) > 0 {
			t.Errorf("%v\n%s", problems, text)
		}
	})
}
