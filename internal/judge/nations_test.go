package judge_test

import (
	"fmt"
	"slices"
	"testing"

	"exclave/analyzer"
	"exclave/analyzer/labelled"
	"exclave/internal/judge"
)

// TestNationsMeasured holds what the profiles of the nations beside cz and sk do on the test side of
// the labelled set, whose texts no weight was fitted to: pages of 50 words and more.
func TestNationsMeasured(t *testing.T) {
	wrong := map[string]int{"pl": 1, "si": 2, "hr": 1, "hu": 0, "no": 0, "dk": 0}  // most that are another's
	missed := map[string]int{"pl": 0, "si": 0, "hr": 3, "hu": 0, "no": 0, "dk": 1} // most of the nation's that are not valid
	var profiles []string
	for p := range wrong {
		profiles = append(profiles, p)
	}
	slices.Sort(profiles)
	a, err := analyzer.Open(t.Context(), analyzer.Config{Profiles: profiles})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	pages, err := labelled.Pages()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]map[string][]string{"wrong": {}, "missed": {}, "right": {}}
	for _, p := range pages {
		if p.Split != "test" {
			continue
		}
		r, err := judge.Document(t.Context(), a, judge.Source{URL: p.URL, ContentType: p.Type}, p.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if r.Words < 50 {
			continue
		}
		for _, v := range r.Verdicts {
			how := "right"
			switch own := slices.Contains(p.Nations, v.Profile); {
			case v.Valid && !own:
				how = "wrong"
			case !v.Valid && own:
				how = "missed"
			case !v.Valid:
				continue
			}
			got[how][v.Profile] = append(got[how][v.Profile], fmt.Sprintf("%s (%s, %s)", p.URL, p.Kind, p.Source))
		}
	}
	for _, p := range profiles {
		t.Logf("%s: %d right, %d wrong, %d missed", p, len(got["right"][p]), len(got["wrong"][p]), len(got["missed"][p]))
		if n := len(got["right"][p]); n < 30 {
			t.Errorf("%s: only %d pages right", p, n)
		}
		if list := got["wrong"][p]; len(list) > wrong[p] {
			t.Errorf("%s: %d pages of others are valid, %d were:\n%q", p, len(list), wrong[p], list)
		}
		if list := got["missed"][p]; len(list) > missed[p] {
			t.Errorf("%s: %d pages of the nation's are not valid, %d were not:\n%q", p, len(list), missed[p], list)
		}
	}
}
