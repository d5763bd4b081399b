package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"exclave/chain"
	"exclave/internal/job"
)

func TestParseKeys(t *testing.T) {
	for in, want := range map[string][]key{
		"":                                       nil,
		"qp":                                     {'q', 'p'},
		"\x03\x1a":                               {ctrlC, ctrlZ},
		"\x1b[A\x1b[B\x1bOA\x1bOB":               {keyUp, keyDown, keyUp, keyDown},
		"\x1b[5~\x1b[6~":                         {keyPageUp, keyPageDown},
		"\x1b[H\x1b[F\x1b[1~\x1b[4~\x1bOH\x1bOF": {keyHome, keyEnd, keyHome, keyEnd, keyHome, keyEnd},
		"\x1b[1;5Cq":                             {keyOther, 'q'}, // Ctrl-right
		"\x1bOSx":                                {keyOther, 'x'}, // F4 is no S
		"\x1b":                                   {keyOther},
		"\x1b\x1b[A":                             {keyOther, keyUp},
		"\x1b[":                                  {keyOther},
		"\x1b[200~j":                             {keyOther, 'j'}, // a bracketed paste begins
		"\xc4\x8d":                               {0xc4, 0x8d},
		"\x1b[12;34":                             {keyOther}, // cut short
		"k\x1b[<0;1;2M":                          {'k', keyOther},
	} {
		if got := parseKeys([]byte(in)); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", in, got, want)
		}
	}
}

// No input stops the reader, and each key comes from bytes of its own.
func FuzzParseKeys(f *testing.F) {
	f.Add([]byte("\x1b[A\x1bOqQ\x1b[1;5~"))
	f.Fuzz(func(t *testing.T, b []byte) {
		keys := parseKeys(b)
		if len(keys) > len(b) || len(b) > 0 && len(keys) == 0 {
			t.Fatalf("%d keys of %d bytes", len(keys), len(b))
		}
		for _, k := range keys {
			if k < keyOther || k > 0xff || k == escape {
				t.Fatalf("key %d", k)
			}
		}
		if !strings.Contains(string(b), "\x1b") && len(keys) != len(b) {
			t.Fatalf("%d keys of %d characters", len(keys), len(b))
		}
	})
}

// orders notes what a view asks of a crawl.
type orders struct {
	given string
	fail  error
}

func (o *orders) Snapshot(context.Context) (job.Snapshot, error) { return crawling(), o.fail }
func (o *orders) Pause(context.Context) error                    { o.given += "p"; return o.fail }
func (o *orders) Resume(context.Context) error                   { o.given += "r"; return o.fail }
func (o *orders) Stop(context.Context) error                     { o.given += "s"; return o.fail }

// One slip of a finger never stops a crawl.
func TestPress(t *testing.T) {
	for _, c := range []struct {
		keys   string
		remote bool
		given  string // K = ended at once
		left   bool
	}{
		{"p", false, "p", false}, {"pr", false, "pr", false}, {"xyz?", false, "", false},
		{"q", false, "", false}, {"qx", false, "", false}, {"qxq", false, "", false}, {"qp", false, "", false},
		{"qq", false, "s", false}, {"ss", false, "s", false}, {"sq", false, "s", false}, {"SS", false, "s", false},
		{"Q", false, "", false}, {"Qq", false, "", false}, {"qQ", false, "", false}, {"Qxq", false, "", false},
		{"QQ", false, "K", true},
		{"?p", false, "", false}, {"?pp", false, "p", false},
		{"q", true, "", true}, {"\x03", true, "", true}, {"s", true, "", false}, {"ss", true, "", false},
		{"S", true, "", false}, {"SS", true, "s", false}, {"Sx", true, "", false}, {"Sq", true, "", true}, {"QQ", true, "", false},
		{"pr", true, "pr", false},
	} {
		o := &orders{}
		v := View{crawl: o, term: &terminal{}, o: Options{Remote: c.remote, Log: NewLog(&strings.Builder{})}}
		if !c.remote {
			v.o.Kill = func() { o.given += "K" }
		}
		left := false
		for _, k := range parseKeys([]byte(c.keys)) {
			var err error
			if left, err = v.press(t.Context(), k); err != nil {
				t.Fatal(err)
			}
		}
		if o.given != c.given || left != c.left {
			t.Errorf("keys %q, remote %v: orders %q, left %v; want %q, %v", c.keys, c.remote, o.given, left, c.given, c.left)
		}
	}
}

// An order that fails is shown and the view stays; that the crawl has ended, ends
// the view.
func TestOrderFails(t *testing.T) {
	v := View{crawl: &orders{fail: errors.New("busy")}, term: &terminal{}, m: model{snap: crawling(), known: true}}
	if _, err := v.press(t.Context(), 'p'); err != nil || !strings.Contains(v.m.why(), "busy") {
		t.Errorf("error %v, the view says %q", err, v.m.why())
	}
	v.crawl = &orders{fail: fmt.Errorf("x: %w", ErrEnded)}
	if _, err := v.press(t.Context(), 'p'); !errors.Is(err, ErrEnded) {
		t.Errorf("error %v", err)
	}
	if err := v.renew(t.Context()); !errors.Is(err, ErrEnded) {
		t.Errorf("error %v", err)
	}
	v.crawl, v.m.snap.State = &orders{}, chain.Stopping
	if _, err := v.press(t.Context(), 'q'); err != nil || v.m.asking != 0 {
		t.Errorf("a crawl that stops is asked about again: %q", v.m.asking)
	}
}
