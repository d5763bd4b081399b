package cookies

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"exclave/internal/clock"
	"exclave/internal/fsx"
)

func openEmpty(t *testing.T, clk clock.Clock) *Jar {
	t.Helper()
	j, err := Open(fsx.NewMem(), "/jar", nil, clk)
	must(t, err)
	t.Cleanup(func() { must(t, j.Close()) })
	return j
}

// RFC 6265 §6.1: at least 50 cookies of a host; browsers have more. All lines of an answer are read, and what a session lives by stays.
func TestManyInOneAnswer(t *testing.T) {
	clk := clock.NewFake(wall())
	u := at(t, "https://a.cz/")
	set := func(j *Jar, lines ...string) {
		t.Helper()
		_, err := j.Set(u, lines)
		must(t, err)
		clk.Advance(time.Second)
	}
	sent := func(j *Jar) []string { return strings.Split(j.For(u), "; ") }
	var lines []string
	for i := range 100 {
		lines = append(lines, fmt.Sprintf("n%d=1; Max-Age=99999", i))
	}
	j := openEmpty(t, clk)
	set(j, "session=1; HttpOnly; Secure")
	set(j, append(lines, "last=1")...)
	if got := sent(j); len(got) != 102 || !slices.Contains(got, "session=1") || !slices.Contains(got, "last=1") || !slices.Contains(got, "n0=1") {
		t.Errorf("%d: %v", len(got), got)
	}
	// A cookie for each page, all of which go with every request: the session's is the oldest.
	for _, of := range []string{"session=1; HttpOnly", "session=1"} {
		j = openEmpty(t, clk)
		set(j, of)
		for i := range 500 {
			set(j, fmt.Sprintf("seen%d=1; Max-Age=99999", i))
		}
		if got := sent(j); !slices.Contains(got, "session=1") || !slices.Contains(got, "seen499=1") {
			t.Errorf("%s: %d: %v", of, len(got), got)
		}
	}
	// What has not been sent for longest goes first.
	j = openEmpty(t, clk)
	set(j, "session=1; Max-Age=99999")
	for i := range 500 {
		set(j, fmt.Sprintf("seen=1; HttpOnly; Path=/p%d", i))
		j.For(u)
	}
	if got := sent(j); !slices.Equal(got, []string{"session=1"}) {
		t.Errorf("%v", got)
	}
}

// RFC 6265bis §5.7, 11: what comes without TLS does not take the place of what is for TLS alone.
func TestSecureIsLeftAlone(t *testing.T) {
	j := openEmpty(t, clock.NewFake(wall()))
	for _, set := range [][2]string{{"https://a.cz/", "sid=good; Secure; Path=/"}, {"http://a.cz/", "sid=bad; Path=/"}, {"http://a.cz/", "sid=; Path=/; Max-Age=0"}, {"http://www.a.cz/", "sid=bad; Domain=a.cz; Path=/in"}, {"http://a.cz/", "other=1"}} {
		_, err := j.Set(at(t, set[0]), []string{set[1]})
		must(t, err)
	}
	if got := j.For(at(t, "https://a.cz/in")); got != "sid=good; other=1" {
		t.Error(got)
	}
	_, err := j.Set(at(t, "https://a.cz/"), []string{"sid=new; Path=/"})
	must(t, err)
	if got := j.For(at(t, "http://a.cz/")); got != "sid=new; other=1" && got != "other=1; sid=new" {
		t.Error(got)
	}
}

// RFC 6265bis §5.4 and §5.7; Encoding of names as browsers have it.
func TestNamesAndDomains(t *testing.T) {
	for _, c := range []struct {
		why, from, set string
		kept           bool
	}{
		{"prefixes in any case", "https://a.cz/", "__host-x=1; Secure; Domain=a.cz; Path=/", false},
		{"and of Secure", "https://a.cz/", "__SECURE-x=1", false},
		{"__Host- needs its path", "https://a.cz/", "__Host-x=1; Secure", false},
		{"__Host-", "https://a.cz/", "__Host-x=1; Secure; Path=/", true},
		{"SameSite", "https://a.cz/", "x=1; SameSite=Strict; Secure", true},
		{"the year 1601", "http://a.cz/", "x=1; Expires=Mon, 01 Jan 1601 00:00:00 GMT", false},
		{"no such day", "http://a.cz/", "x=1; Expires=Sat, 31 Feb 2024 00:00:00 GMT", true},
	} {
		j := openEmpty(t, clock.NewFake(wall()))
		_, err := j.Set(at(t, c.from), []string{c.set})
		must(t, err)
		if kept := j.Len() > 0; kept != c.kept {
			t.Errorf("%s: kept %v", c.why, kept)
		}
	}
	u := at(t, "http://www.žluť.cz/")
	j := openEmpty(t, clock.NewFake(wall()))
	_, err := j.Set(u, []string{"x=1; Domain=.ŽLUŤ.cz"})
	must(t, err)
	if j.For(at(t, "http://žluť.cz/")) != "x=1" {
		t.Error("a domain in letters is not that of its host")
	}
}

// Files of browsers' extensions and curl: cookies that scripts may not see, sessions, and dates behind the end of days.
func TestNetscapeLines(t *testing.T) {
	file := "#HttpOnly_.a.cz\tTRUE\t/\tFALSE\t0\tone\t1\r\n# comment\r\n#HttpOnly_www.a.cz\tFALSE\t/\tFALSE\t1900000000.5\ttwo\t2\r\n.a.cz\tTRUE\t/\tFALSE\t99999999999\tthree\t\r\nwww.a.cz\tFALSE\t/\tFALSE\t253402300799\tfour\t4\r\nwww.a.cz\tFALSE\t/\tFALSE\t-1\tfive\t5\r\n"
	for _, bad := range []string{"NaN", "Inf", "-2", "soon", ""} {
		if ps := Check([]byte("a.cz\tFALSE\t/\tFALSE\t"+bad+"\tn\tv\n"), "c"); len(ps) != 1 {
			t.Errorf("%q: %v", bad, ps)
		}
	}
	if ps := Check([]byte(file), "c"); len(ps) > 0 {
		t.Error(ps)
	}
	j, err := Open(fsx.NewMem(), "/jar", []byte(file), clock.NewFake(wall()))
	must(t, err)
	if got := strings.Split(j.For(at(t, "http://www.a.cz/")), "; "); len(got) != 5 {
		t.Error(got)
	}
	must(t, j.Close())
}
