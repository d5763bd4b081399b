package main

import (
	"slices"
	"strings"
	"testing"

	"exclave/internal/reading"
	"exclave/internal/sharedtest"
)

// What is wanted of all pages holds for some of each made web, in a real browser: every tenth of the constructs.
func TestCompare(t *testing.T) {
	chromium := sharedtest.Chromium(t)
	c, err := collect(constructs, nil)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	c.pages = slices.DeleteFunc(c.pages, func(p page) bool {
		n++
		return n%10 != 0
	})
	r, err := compare(c, chromium, 1)
	if err != nil {
		t.Fatal(err)
	}
	if bad := r.unmet(); len(bad) > 0 {
		var text strings.Builder
		r.print(&text, 50)
		t.Errorf("%s\n%s", strings.Join(bad, "\n"), text.String())
	}
	for _, group := range []int{ofConstructs, ofDemo, ofBench} {
		if s := r.sum(group); s.pages == 0 || s.found[withScripts].of == 0 || s.embeds.of == 0 || s.guessed.of+s.stated.of == 0 {
			t.Errorf("of %s nothing was measured: %+v", groups[group], s)
		}
	}
}

// A report that is worse than what is wanted says in what.
func TestUnmet(t *testing.T) {
	embeds := func(urls ...string) map[string]reading.Link {
		out := map[string]reading.Link{}
		for _, u := range urls {
			out[u] = reading.Link{URL: u, Kind: "embed", Context: "img/@src"}
		}
		return out
	}
	good := result{asked: [measured][]string{{"a"}, {"a", "b"}}, embeds: embeds("a"), links: 2, guesses: 1}
	for _, c := range []struct {
		name  string
		group int
		spoil func(*result)
		want  string // "" = nothing
	}{
		{name: "good", spoil: func(*result) {}},
		{name: "missed", spoil: func(r *result) { r.missed[withoutScripts] = []string{"a"} }, want: "without scripts: found 0 of 1"},
		{name: "missed with scripts", spoil: func(r *result) { r.missed[withScripts] = []string{"a"} }, want: "with scripts: found 1 of 2"},
		{name: "guessed", spoil: func(r *result) { r.guessed = []string{"x"} }, want: "invented 1 of 2"},
		{name: "stated", spoil: func(r *result) { r.stated = []string{"x"} }, want: "invented without guessing 1 of 1"},
		{name: "stated where the site is not whole", group: ofWARC, spoil: func(r *result) { r.stated = []string{"x"} }},
		{name: "an embed like none", spoil: func(r *result) { r.unasked = []string{"a"} }, want: "could ask for 0 of 1"},
		{name: "a decoy", spoil: func(r *result) { r.embeds, r.unasked = embeds("a", "decoy-a"), []string{"decoy-a"} }, want: "could ask for 1 of 2"},
		{name: "an embed like another", spoil: func(r *result) { r.embeds, r.unasked = embeds("a", "b"), []string{"b"} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			of := good
			c.spoil(&of)
			bad := strings.Join(newReport([]page{{group: c.group, name: "p"}}, []result{of}).unmet(), "\n")
			if (bad == "") != (c.want == "") || !strings.Contains(bad, c.want) {
				t.Errorf("unmet says %q, want %q", bad, c.want)
			}
		})
	}
}
