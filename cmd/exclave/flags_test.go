package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"exclave/internal/sharedtest"

	"github.com/spf13/pflag"
)

// documented are the exit codes that each verb may end with (docs/howto/exit-codes.md).
func documented(t *testing.T) map[string][]int {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(sharedtest.ModuleRoot(t), "docs", "howto", "exit-codes.md"))
	if err != nil {
		t.Fatal(err)
	}
	columns := []int{0, 1, 2, 3, 4, 130}
	codes := map[string][]int{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z]+)` \\|(.*)\\|$").FindAllStringSubmatch(string(page), -1) {
		cells := strings.Split(row[2], " | ")
		if len(cells) != len(columns) {
			t.Fatalf("exit-codes.md: the row of %s has %d cells", row[1], len(cells))
		}
		for i, cell := range cells {
			if strings.TrimSpace(cell) != "–" {
				codes[row[1]] = append(codes[row[1]], columns[i])
			}
		}
	}
	return codes
}

// absurd are values of a flag that nobody means, by its type; those of out are always refused.
func absurd(f *pflag.Flag, dir string) (out, others []string) {
	words := []string{"", "x", "NaN", "1e", "0x", "--", "١"}
	switch f.Value.Type() {
	case "int", "int64", "uint64":
		out = append(words, "-1", "-9223372036854775808", "99999999999999999999")
		others = []string{"0", "1"}
		if f.Name != "seed" {
			out = append(out, "9223372036854775807")
		}
	case "intSlice":
		out, others = append(words, "-9223372036854775808", "9223372036854775807", "1,x"), []string{"0", "-1", "0,1"}
	case "float64":
		out, others = append(words, "-1", "-Inf", "+Inf", "Inf", "1e308"), []string{"0", "1", "-0", "1.5"}
		if f.Name != "l2" { // the others are shares
			out, others = append(out, "1.5"), others[:3]
		}
	case "duration":
		out, others = append(words, "-1s", "-1ns", "2562047h", "99999999999h", "5"), []string{"0", "1s"}
	case "bool":
		out, others = []string{"", "x", "2", "-1", "NaN"}, []string{"true", "false"}
	case "string", "stringSlice":
		others = []string{"", "x", "-1", "..", dir, "missing/x", "a\x00b", "%s%n", strings.Repeat("a", 100_000), "\xff", "NaN", "9223372036854775807", ",", "\""}
	}
	return out, others
}

// Every flag of every verb, with values that nobody means (issue 16: frontier --top -1 panicked): no panic, an exit
// code that is documented for the verb, and what is refused by its value names flag and value.
func TestFlags(t *testing.T) {
	codes := documented(t)
	t.Chdir(t.TempDir())
	newJob(t, "job", `{"url":"http://b.example/x","source":"s"}`+"\n")
	newJob(t, "fresh", "")
	write(t, "list.txt", "http://h.example/\n")
	write(t, "page.html", "<title>x</title>")
	write(t, "ranges.txt", "10.0.0.0/8,cz\n")
	write(t, "empty.properties", "# nothing\n")
	write(t, "folder/x", "x")
	write(t, "words.txt", "hello\nworld\n")
	write(t, "one.cdxj", `example,a)/ 20240102030405 {"url": "http://a.example/", "status": "200", "digest": "2222222222222222222222222222222A"}`+"\n")
	if code, out, err := inside("", "dedup", "build", "index", "one.cdxj"); code != 0 {
		t.Fatal(out, err)
	}
	if code, out, err := inside("", "geoip", "build", "--out", "db.mmdb", "ranges.txt"); code != 0 {
		t.Fatal(out, err)
	}
	if code, out, err := inside("", "checkpoint", "job", "--name", "one"); code != 0 {
		t.Fatal(out, err)
	}
	// Arguments with which a verb does what it is for. The others get one too many: they would crawl, or serve,
	// or measure for a minute.
	args := map[string][]string{
		"analyze": {"page.html"}, "extract": {"page.html"}, "bench seeds-log": {"--lines=3"}, "check": {"job"}, "checkpoint": {"fresh"}, "checkpoint list": {"job"},
		"checkpoint restore": {"job/checkpoints/one", "restored"}, "dedup": {}, "dedup build": {"made", "one.cdxj"}, "dedup info": {"index"}, "dedup lookup": {"index", "2222222222222222222222222222222A"}, "dict": {}, "dict build": {"-o=made", "words.txt"}, "dict check": {"cs", "words.txt"}, "dict info": {"cs"}, "frontier": {"job"}, "frontier delete": {"job"}, "frontier export": {"job"}, "frontier list": {"job"},
		"frontier show": {"job", "b.example"}, "geoip build": {"--out=other.mmdb", "ranges.txt"}, "geoip export": {"db.mmdb"}, "geoip lookup": {"db.mmdb", "10.1.1.1"},
		"init": {"made"}, "moved": {"job"}, "pause": {"job"}, "profile": {}, "pywb": {"-o=made", "job"}, "wacz": {"-o=made", "job"}, "profile import": {"empty.properties"}, "profile new": {"ee"}, "profile show": {"cz"}, "recover": {"fresh"}, "report": {"job"}, "retry": {"job"}, "robots": {"ranges.txt", "/x"}, "resume": {"job"}, "seeds": {}, "seeds import": {"job", "list.txt"}, "seeds inspect": {"list.txt"},
		"seeds rank": {"--tld=cz", "list.txt"}, "seeds split": {"--into=split", "--parts=1", "--profile=cz", "list.txt"}, "show": {"job", "http://b.example/x"},
		"stop": {"job"}, "store": {"job", "--to=stored"}, "url": {"http://b.example/"}, "verify": {"job"}, "version": {}, "watch": {"job"}, "why": {"job", "http://b.example/x"},
	}
	rows := flagLimits()
	used := map[string]bool{}
	runs := 0
	for name, cmd := range verbs() {
		words := strings.Fields(name)
		allowed := codes[words[0]]
		given, ok := args[name]
		if !ok {
			given = []string{"surplus", "surplus", "surplus"}
		}
		try := func(what string, refused bool, more ...string) (int, string) {
			t.Helper()
			_ = os.RemoveAll("made")
			_ = os.RemoveAll("split")
			_ = os.RemoveAll("restored")
			runs++
			all := append(append(slices.Clone(words), given...), more...)
			code, stdout, stderr := inside("", all...)
			if !slices.Contains(allowed, code) {
				t.Errorf("%.200q: exit code %d is not among %v\n%.500s%.500s", all, code, allowed, stdout, stderr)
			}
			if !refused {
				return code, stdout + stderr
			}
			flag, value, _ := strings.Cut(what, "=")
			if code != int(exitUsage) || !strings.Contains(stderr, flag) || !strings.Contains(stderr, value) && !strings.Contains(stderr, strings.Trim(strconv.Quote(value), `"`)) {
				t.Errorf("%.200q: exit code %d, and %.500q: want a refusal that names flag and value", all, code, stderr)
			}
			return code, stdout + stderr
		}
		plain, _ := try("", false)
		try("", false, "--there-is-no-such-flag")
		try("", false, "", "\x00", "..", "..", "..")
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "help" {
				return
			}
			if numeric(f) && f.Name != "seed" {
				row := name + " " + f.Name
				if _, ok := rows[row]; !ok {
					row = f.Name
				}
				if _, ok := rows[row]; !ok {
					t.Errorf("%s: --%s has no row in flagLimits", name, f.Name)
				}
				used[row] = true
				if v := f.DefValue; f.Value.Type() != "intSlice" && f.Value.Set(v) != nil {
					t.Errorf("%s: --%s: its default %s is out of its limits", name, f.Name, v)
				}
			}
			out, others := absurd(f, "folder")
			for _, v := range out {
				try("--"+f.Name+"="+v, true, "--"+f.Name+"="+v)
			}
			for _, v := range others {
				code, text := try("", false, "--"+f.Name+"="+v)
				if v != "" && v != ".." && v != "," && len(v) < 50 && utf8.ValidString(v) && !strings.Contains(v, "\x00") && code == int(exitUsage) && plain != code && !strings.Contains(text, v) && !strings.Contains(text, "--"+f.Name) && !strings.Contains(text, strings.Trim(strconv.Quote(v), `"`)) {
					t.Errorf("%s --%s=%q: neither is named: %s", name, f.Name, v, text)
				}
			}
		})
	}
	for row := range rows {
		if !used[row] {
			t.Errorf("flagLimits has a row %q that no flag uses", row)
		}
	}
	if runs < 2000 {
		t.Errorf("only %d runs", runs)
	}
}
