package conf

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type word string

func (w *word) UnmarshalText(text []byte) error {
	if string(text) == "bad" {
		return errors.New(`"bad": must be "good"`)
	}
	*w = word(text)
	return nil
}

type inner struct {
	Limit int `toml:"limit"`
}

func (i inner) Validate() (ps Problems) {
	ps.Check(i.Limit >= 0, "limit", "%d is negative", i.Limit)
	return ps
}

type list struct {
	Name string `toml:"name,required"`
}

type embedded struct {
	Embedded bool
}

type everything struct {
	Text     string        `toml:"text"`
	Flag     bool          `toml:"flag"`
	Small    int8          `toml:"small"`
	Unsigned uint16        `toml:"unsigned"`
	Share    float64       `toml:"share"`
	Wait     time.Duration `toml:"wait"`
	Word     word          `toml:"word"`
	Many     []string      `toml:"many"`
	Words    []word        `toml:"words"`
	Pairs    map[string]string
	MaybeURL *int           `toml:"maybe"`
	Any      map[string]any `toml:"any"`
	Inner    inner          `toml:"inner"`
	List     []list         `toml:"list"`
	Without  string         `toml:"-"`
	embedded
}

func lines(ps Problems) string {
	var b strings.Builder
	for _, p := range ps {
		fmt.Fprintln(&b, p)
	}
	return b.String()
}

// What a text says is in the struct; what it does not say stays as it was.
func TestDecode(t *testing.T) {
	doc, problems := Parse([]byte(`
text = "a"
flag = true
small = -3
unsigned = 65535
share = 1
wait = "1h30m"
word = "good"
many = ["x", "y"]
words = []
pairs = { b = "c", "d.e" = "f" }
maybe = 0
any = { n = 1, l = [true] }
embedded = true
[[list]]
name = "one"
[[list]]
name = "two"
`), "x.toml")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	got := everything{Inner: inner{Limit: 7}, Without: "w"}
	if problems := doc.Decode(&got); len(problems) > 0 {
		t.Fatal(problems)
	}
	zero := 0
	want := everything{Text: "a", Flag: true, Small: -3, Unsigned: 65535, Share: 1, Wait: 90 * time.Minute, Word: "good", Many: []string{"x", "y"}, Words: []word{},
		Pairs: map[string]string{"b": "c", "d.e": "f"}, MaybeURL: &zero, Any: map[string]any{"n": int64(1), "l": []any{true}},
		Inner: inner{Limit: 7}, List: []list{{"one"}, {"two"}}, Without: "w", embedded: embedded{true}}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(everything{})); d != "" {
		t.Error(d)
	}
}

// Every problem at once, each with its place and its key, in the order of the file; a
// wrong value leaves what was there.
func TestDecodeProblems(t *testing.T) {
	doc, problems := Parse([]byte(`text = 1
flag = "yes"
small = 128
unsigned = -1
share = inf
wait = 5
word = "bad"
many = ["x", 2]
words = ["good", "bad"]
pairs = "p"
inner = 1
limit = 2
without = ""
"a key" = 1979-05-27
[[list]]
nam = "x"
`), "x.toml")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	got := everything{Text: "before"}
	const want = `x.toml:1:1: text: is a number; write a string in quotes
x.toml:2:1: flag: is a string; write true or false
x.toml:3:1: small: 128 is out of range; write a smaller one
x.toml:4:1: unsigned: -1 is out of range; write a smaller one
x.toml:5:1: share: +Inf is not a number to count with; write a finite one
x.toml:6:1: wait: is a number; write a duration in quotes, like "30s", "5m" or "1h30m"
x.toml:7:1: word: "bad": must be "good"
x.toml:8:14: many[1]: is a number; write a string in quotes
x.toml:9:18: words[1]: "bad": must be "good"
x.toml:10:1: pairs: is a string; write a table, like { "name" = … }
x.toml:11:1: inner: is a number; write a table
x.toml:12:1: limit: unknown key; move it to [inner]
x.toml:13:1: without: unknown key; remove it; known here are text, flag, small, unsigned, share, wait, word, many, words, pairs, maybe, any, inner, list, embedded
x.toml:14:1: "a key": unknown key; remove it; known here are text, flag, small, unsigned, share, wait, word, many, words, pairs, maybe, any, inner, list, embedded
x.toml:15:3: list[0].name: is missing; write a string in quotes
x.toml:16:1: list[0].nam: unknown key; did you mean name?
`
	if d := cmp.Diff(want, lines(doc.Locate(doc.Decode(&got)))); d != "" {
		t.Error(d)
	}
	if got.Text != "before" {
		t.Errorf("a wrong value was taken: %q", got.Text)
	}
}

// Two structs share a table, each with its own keys: what one has is not unknown to the
// other. Values are checked, but for those that could not be read.
func TestRead(t *testing.T) {
	for _, c := range []struct {
		why  string
		tree map[string]any
		want string
	}{
		{"both have their own", map[string]any{"name": "n", "limit": int64(1)}, ""},
		{"a value that cannot be", map[string]any{"name": "n", "limit": int64(-1)}, "limit: -1 is negative\n"},
		{"a value that could not be read is not checked", map[string]any{"name": "n", "limit": "x"}, "limit: is a string; write a whole number\n"},
		{"what neither has", map[string]any{"limits": int64(1)}, "name: is missing; write a string in quotes\nlimits: unknown key; did you mean limit?\n"},
	} {
		i := inner{Limit: 0}
		var l list
		if got := lines(Read(c.tree, &l, &i)); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
	if got, want := lines(Read(map[string]any{"x": true}, &struct{}{})), "x: unknown key; remove it; none is known here\n"; got != want {
		t.Errorf("where no key is known: %q", got)
	}
}

func TestParseProblems(t *testing.T) {
	for text, want := range map[string]string{
		"a = 1\n[b\n":                      "x.toml:2:3: not TOML: ",
		"a = " + strings.Repeat("[", 1000): "x.toml: keys or values are nested more than 32 deep",
	} {
		doc, problems := Parse([]byte(text), "x.toml")
		if doc != nil || len(problems) != 1 || !strings.HasPrefix(problems[0].String(), want) {
			t.Errorf("%v, want %s", problems, want)
		}
	}
}

func TestBelow(t *testing.T) {
	ps := Problems{{Key: "a"}, {Key: "[1].b"}, {Key: ""}, {Key: "own", File: "other.toml"}}
	for path, want := range map[string]string{"x.y": "x.y.a x.y[1].b x.y own", "": "a [1].b  own"} {
		var keys []string
		for _, p := range ps.Below(path) {
			keys = append(keys, p.Key)
		}
		if got := strings.Join(keys, " "); got != want {
			t.Errorf("below %q: %q, want %q", path, got, want)
		}
	}
	if ps[0].Key != "a" {
		t.Error("the problems themselves were changed")
	}
}

// What follows from a problem is no problem of its own: of what is in it, around it, or it.
func TestMerge(t *testing.T) {
	ps := Problems{{Key: "a.b"}, {Key: "list[1]"}, {Key: ""}}
	ps.Merge(Problems{{Key: "a.b"}, {Key: "a.b.c"}, {Key: "a"}, {Key: "a.bc"}, {Key: "list"}, {Key: "list[1].x"}, {Key: "list[10]"}, {Key: "a.bc"}, {Key: ""}})
	var keys []string
	for _, p := range ps {
		keys = append(keys, p.Key)
	}
	if got, want := strings.Join(keys, ","), "a.b,list[1],,a.bc,list[10],a.bc,"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestErr(t *testing.T) {
	var ps Problems
	if err := ps.Err("x"); err != nil {
		t.Error(err)
	}
	ps.Add("a", "%d is negative", -1)
	ps = append(ps, Problem{Key: "file", Msg: "is not there", Fix: "make it", Err: fs.ErrNotExist})
	err := ps.Err("pkg: open")
	if want := "pkg: open: a: -1 is negative\npkg: open: file: is not there; make it"; err == nil || err.Error() != want || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v, want %s", err, want)
	}
}
