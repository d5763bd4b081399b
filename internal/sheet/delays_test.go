package sheet

import (
	"slices"
	"testing"
	"time"
)

// A delay that would not hold is said, with its line: one above the longest wait, and a most below the least in force.
func TestDelays(t *testing.T) {
	const a, cz = "[[sheet]]\nname = \"a\"\nhosts = [\"a.cz\", \"b.cz\"]\n", "[[sheet]]\nname = \"cz\"\ndomains = [\"cz\"]\n"
	const longer = " is longer than the longest wait of [frontier], 4h0m0s, which would hold in its place; raise max_retry_delay there"
	for text, want := range map[string][]string{
		a + "frontier.min_delay = \"4h\"":  nil,
		a + "frontier.min_delay = \"40s\"": nil, // above the job's most: it holds
		a + "frontier.min_delay = \"5h\"":  {"a.toml:4:10: sheet[0].frontier.min_delay: 5h0m0s" + longer},
		a + "[sheet.frontier]\nmin_delay = \"5h\"\nmax_delay = \"6h\"\nmax_crawl_delay = \"7h\"": {"a.toml:5:1: sheet[0].frontier.min_delay: 5h0m0s" + longer,
			"a.toml:6:1: sheet[0].frontier.max_delay: 6h0m0s" + longer, "a.toml:7:1: sheet[0].frontier.max_crawl_delay: 7h0m0s" + longer},
		a + "frontier.max_delay = \"3s\"":                                         nil,
		a + "frontier.max_delay = \"2s\"":                                         {"a.toml:4:10: sheet[0].frontier.max_delay: 2s is less than the min_delay in force below (cz,a,), 3s, which holds; give the sheet a min_delay, too"},
		cz + "frontier.min_delay = \"0s\"\n" + a + "frontier.max_delay = \"2s\"":  nil,
		cz + "frontier.min_delay = \"10s\"\n" + a + "frontier.max_delay = \"9s\"": {"a.toml:8:10: sheet[1].frontier.max_delay: 9s is less than the min_delay in force below (cz,a,), 10s, which holds; give the sheet a min_delay, too"},
		cz + "frontier.max_delay = \"9s\"\n" + a + "frontier.min_delay = \"10s\"": nil,
	} {
		s, ps := Read([]Text{{"a.toml", []byte(text)}}, nil)
		if len(ps) > 0 {
			t.Fatal(ps)
		}
		var got []string
		for _, p := range s.Delays(3*time.Second, 4*time.Hour) {
			got = append(got, p.String())
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%q:\n%q, want\n%q", text, got, want)
		}
	}
	var none *Set
	if ps := none.Delays(time.Hour, 0); len(ps) > 0 {
		t.Error(ps)
	}
}
