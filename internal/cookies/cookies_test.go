package cookies

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"exclave/internal/clock"
	"exclave/internal/fsx"
	"exclave/internal/urlx"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func at(t testing.TB, url string) *urlx.URL {
	t.Helper()
	u, err := urlx.Parse(url)
	must(t, err)
	return u
}

func wall() time.Time { return time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC) }

// RFC 6265 §5: which cookies of an answer go with which requests.
func TestMatching(t *testing.T) {
	for _, c := range []struct {
		why, from, set string
		sent, not      []string
	}{
		{"a host alone", "http://a.cz/", "x=1", []string{"http://a.cz/", "https://a.cz:8443/deep/er"}, []string{"http://www.a.cz/", "http://b.cz/"}},
		{"a domain", "http://www.a.cz/", "x=1; Domain=a.cz", []string{"http://a.cz/", "http://deep.www.a.cz/"}, []string{"http://ba.cz/"}},
		{"a dot before the domain", "http://www.a.cz/", "x=1; domain=.A.cz", []string{"http://a.cz/"}, nil},
		{"the domain of another", "http://a.cz/", "x=1; Domain=b.cz", nil, []string{"http://a.cz/", "http://b.cz/"}},
		{"a domain below", "http://a.cz/", "x=1; Domain=www.a.cz", nil, []string{"http://a.cz/", "http://www.a.cz/"}},
		{"a public suffix", "http://a.co.uk/", "x=1; Domain=co.uk", nil, []string{"http://a.co.uk/", "http://b.co.uk/"}},
		{"a host that is a public suffix", "http://github.io/", "x=1; Domain=github.io", []string{"http://github.io/"}, []string{"http://a.github.io/"}},
		{"an address", "http://127.0.0.1/", "x=1", []string{"http://127.0.0.1:8080/"}, []string{"http://127.0.0.2/"}},
		{"the folder of the path", "http://a.cz/d/page", "x=1", []string{"http://a.cz/d", "http://a.cz/d/e/f"}, []string{"http://a.cz/", "http://a.cz/dd"}},
		{"a path", "http://a.cz/", "x=1; Path=/d", []string{"http://a.cz/d", "http://a.cz/d/e?q"}, []string{"http://a.cz/", "http://a.cz/de"}},
		{"no path", "http://a.cz/d/", "x=1; Path=d", []string{"http://a.cz/d/x"}, []string{"http://a.cz/"}},
		{"secure", "https://a.cz/", "x=1; Secure", []string{"https://a.cz/"}, []string{"http://a.cz/"}},
		{"secure, over a connection that is not", "http://a.cz/", "x=1; Secure", nil, []string{"https://a.cz/"}},
		{"__Host-", "https://a.cz/", "__Host-x=1; Secure; Path=/; Domain=a.cz", nil, []string{"https://a.cz/"}},
		{"__Secure-", "https://a.cz/", "__Secure-x=1", nil, []string{"https://a.cz/"}},
		{"over", "http://a.cz/", "x=1; Max-Age=0", nil, []string{"http://a.cz/"}},
		{"Max-Age before Expires", "http://a.cz/", "x=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=60", []string{"http://a.cz/"}, nil},
		{"an old date", "http://a.cz/", "x=1; Expires=Thu, 01-Jan-70 00:00:00 GMT", nil, []string{"http://a.cz/"}},
		{"a date that is none", "http://a.cz/", "x=1; Expires=soon", []string{"http://a.cz/"}, nil},
		{"JSON", "http://a.cz/", `x={"a": [1, 2]}`, []string{"http://a.cz/"}, nil},
		{"no name", "http://a.cz/", "=1", nil, []string{"http://a.cz/"}},
		{"no sign", "http://a.cz/", "x", nil, []string{"http://a.cz/"}},
		{"a control character", "http://a.cz/", "x=a\x01b", nil, []string{"http://a.cz/"}},
		{"too long", "http://a.cz/", "x=" + strings.Repeat("v", maxCookie), nil, []string{"http://a.cz/"}},
	} {
		j, err := Open(fsx.NewMem(), "/jar", nil, clock.NewFake(wall()))
		must(t, err)
		_, err = j.Set(at(t, c.from), []string{c.set})
		must(t, err)
		for _, url := range c.sent {
			if j.For(at(t, url)) == "" {
				t.Errorf("%s: nothing goes with %s", c.why, url)
			}
		}
		for _, url := range c.not {
			if got := j.For(at(t, url)); got != "" {
				t.Errorf("%s: %s goes with %s", c.why, got, url)
			}
		}
		if len(c.sent) == 0 && j.Len() > 0 {
			t.Errorf("%s: it is kept", c.why)
		}
		must(t, j.Close())
	}
}

func TestDates(t *testing.T) {
	want := time.Date(2027, 11, 6, 8, 49, 37, 0, time.UTC)
	for _, text := range []string{"Sat, 06 Nov 2027 08:49:37 GMT", "Saturday, 06-Nov-27 08:49:37 GMT", "Sat Nov  6 08:49:37 2027", "6 november 2027 8:49:37", "08:49:37 2027 6 Nov"} {
		if got, ok := date(text); !ok || !got.Equal(want) {
			t.Errorf("%s: %v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "Sat, 06 Nov 2027", "06 Nov 2027 24:00:00", "Nov 2027 08:49:37", "06 Foo 2027 08:49:37", "06 Nov 1600 08:49:37"} {
		if got, ok := date(text); ok {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// Longer paths go first, then older cookies; a change is told, and what changes nothing is not.
func TestOrderAndChanges(t *testing.T) {
	clk := clock.NewFake(wall())
	j, err := Open(fsx.NewMem(), "/jar", nil, clk)
	must(t, err)
	u := at(t, "http://a.cz/d/x")
	for _, step := range []struct {
		set     string
		changed bool
		want    string
	}{
		{"b=1; Path=/", true, "b=1"}, {"a=1; Path=/", true, "b=1; a=1"}, {"c=1; Path=/d", true, "c=1; b=1; a=1"}, {"b=1; Path=/", false, "c=1; b=1; a=1"},
		{"b=2; Path=/", true, "c=1; b=2; a=1"}, {"z=1; Path=/elsewhere", false, "c=1; b=2; a=1"}, {"c=; Path=/d; Max-Age=-1", true, "b=2; a=1"},
	} {
		clk.Advance(time.Second)
		changed, err := j.Set(u, []string{step.set})
		must(t, err)
		if got := j.For(u); got != step.want || changed != step.changed {
			t.Errorf("after %s: %q, changed %v", step.set, got, changed)
		}
	}
	if _, err := j.Set(u, []string{"t=1; Max-Age=10; Path=/"}); err != nil || !strings.HasSuffix(j.For(u), "; t=1") {
		t.Error(j.For(u), err)
	}
	if clk.Advance(11 * time.Second); strings.Contains(j.For(u), "t=1") {
		t.Error(j.For(u))
	}
	must(t, j.Close())
}

// The journal has the jar, wherever it is cut.
func TestJournal(t *testing.T) {
	fs := fsx.NewMem()
	clk := clock.NewFake(wall())
	given := []byte("# Netscape HTTP Cookie File\n.b.cz\tTRUE\t/\tFALSE\t0\tfile\tf\n#HttpOnly_a.cz\tFALSE\t/\tFALSE\t1900000000\tx\tfile\nbroken\n")
	j, err := Open(fs, "/jar", given, clk)
	must(t, err)
	a := at(t, "http://a.cz/")
	for i := range 30 {
		_, err := j.Set(a, []string{fmt.Sprintf("x=%d", i), "y=1"})
		must(t, err)
	}
	// It is not closed: the process was killed.
	whole, err := readAll(fs, "/jar")
	must(t, err)
	for cut := range len(whole) + 1 {
		other := fsx.NewMem()
		must(t, fsx.WriteFileAtomic(other, "/jar", whole[:cut]))
		k, err := Open(other, "/jar", given, clk)
		must(t, err)
		got := k.For(a)
		if lines := strings.Count(string(whole[:cut]), "\n"); lines > 33 && !strings.Contains(got, "y=1") || !strings.Contains(got, "x=") || k.For(at(t, "http://www.b.cz/")) != "file=f" {
			t.Fatalf("cut at %d: %q", cut, got)
		}
		if cut == len(whole) && got != "x=29; y=1" && got != "y=1; x=29" {
			t.Errorf("the whole journal gives %q", got)
		}
		must(t, k.Close())
	}
	must(t, j.Close())
	if problems := Check(given, "cookies.txt"); len(problems) != 1 || !strings.HasPrefix(problems[0].String(), "cookies.txt:4:1: ") {
		t.Errorf("%q", problems)
	}
}

// Every line that is none is said, and no more than a reader wants; the mark at the beginning of Windows' files is none.
func TestExpired(t *testing.T) {
	const line, later, session = "a.org\tFALSE\t/\tFALSE\t1704067200\tn\tsecretvalue\n", "a.org\tFALSE\t/\tFALSE\t1900000000\tn\tv\n", "a.org\tFALSE\t/\tFALSE\t0\tn\tv\n"
	for text, want := range map[string]string{
		"": "", later + session: "", "\ufeff# x\n" + later + "none\n" + line + session + line: "2 of its 4 cookies expired and are left out, the first in line 4, on 2024-01-01",
	} {
		if got := Expired([]byte(text), wall()); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestCheck(t *testing.T) {
	const line = "www.b.cz\tFALSE\t/\tFALSE\t0\tfile\tf\n"
	for text, want := range map[string]string{
		"\ufeff" + line:             "",
		"\ufeff# Netscape\n" + line: "",
		line + "http://e.com\tFALSE\t/\tFALSE\t0\ta\tb\nx\n" + line + "e.com/a\tFALSE\t/\tFALSE\t0\ta\tb\n": "2 3 5",
		"::1\tFALSE\t/\tFALSE\t0\ta\tb\n": "",
	} {
		var lines []string
		for _, p := range Check([]byte(text), "cookies.txt") {
			lines = append(lines, fmt.Sprint(p.Line))
		}
		if got := strings.Join(lines, " "); got != want {
			t.Errorf("%q: lines %s, want %s", text, got, want)
		}
	}
	if ps := Check([]byte(strings.Repeat("x\n", maxProblems+7)), "c"); len(ps) != maxProblems+1 || !strings.Contains(ps[maxProblems].Msg, "7 more") {
		t.Errorf("%d problems: %v", len(ps), ps[len(ps)-1])
	}
	j, err := Open(fsx.NewMem(), "/jar", []byte("\ufeff"+line), clock.NewFake(wall()))
	must(t, err)
	if got := j.For(at(t, "http://www.b.cz/")); got != "file=f" {
		t.Errorf("sent: %q", got)
	}
	must(t, j.Close())
}

// Where tabs are misplaced any field may be a cookie's value.
func TestCheckShowsNoValue(t *testing.T) {
	good := []string{"www.b.cz", "FALSE", "/", "FALSE", "0", "sid", "se/cretvalue=="}
	for i := range good {
		f := slices.Clone(good)
		f[i], f[6] = f[6], f[i]
		for _, line := range []string{strings.Join(f, "\t"), strings.Join(f[:5], "\t"), "#HttpOnly_" + strings.Join(f, "\t")} {
			if ps := Check([]byte(line+"\n"), "cookies.txt"); strings.Contains(fmt.Sprint(ps), "cretvalue") {
				t.Errorf("%q: %v", line, ps)
			}
		}
	}
}

// A server that sets many, and many servers, keep within the bounds, in memory and in the journal.
func TestBounds(t *testing.T) {
	fs := fsx.NewMem()
	clk := clock.NewFake(wall())
	j, err := Open(fs, "/jar", nil, clk)
	must(t, err)
	u := at(t, "http://a.cz/")
	for i := range 500 {
		clk.Advance(time.Millisecond)
		_, err := j.Set(u, []string{fmt.Sprintf("n%d=1", i)})
		must(t, err)
	}
	if sent := strings.Split(j.For(u), "; "); len(sent) != maxPerHost || !slices.Contains(sent, "n499=1") {
		t.Errorf("%d cookies of a host", len(sent))
	}
	for i := range maxGroups + 1000 {
		_, err := j.Set(at(t, fmt.Sprintf("http://h%d.cz/", i)), []string{"x=1"})
		must(t, err)
	}
	if j.Len() > maxGroups+maxPerHost || j.For(u) != "" || j.For(at(t, fmt.Sprintf("http://h%d.cz/", maxGroups))) == "" {
		t.Errorf("%d cookies, %q", j.Len(), j.For(u))
	}
	for i := range 5 * maxSpare {
		_, err := j.Set(at(t, "http://h5000.cz/"), []string{fmt.Sprintf("x=%d", i)})
		must(t, err)
	}
	text, err := readAll(fs, "/jar")
	must(t, err)
	if n := strings.Count(string(text), "\n"); n > 2*j.Len()+maxSpare+10 {
		t.Errorf("%d lines for %d cookies", n, j.Len())
	}
	must(t, j.Close())
}

// What servers and files say is never sent in another form than a list of pairs.
func FuzzSet(f *testing.F) {
	f.Add("x=1; Domain=a.cz; Path=/d; Secure; Expires=Thu, 01-Jan-70 00:00:00 GMT; Max-Age=9", "a.cz\tTRUE\t/\tFALSE\t0\tn\tv")
	u := at(f, "https://www.a.cz/d/e")
	f.Fuzz(func(t *testing.T, line, file string) {
		j, err := Open(fsx.NewMem(), "/jar", []byte(file), clock.NewFake(wall()))
		must(t, err)
		_, err = j.Set(u, []string{line})
		must(t, err)
		if got := j.For(u); strings.ContainsAny(got, "\r\n\x00") {
			t.Errorf("%q", got)
		}
		Check([]byte(file), "cookies.txt")
		must(t, j.Close())
	})
}
