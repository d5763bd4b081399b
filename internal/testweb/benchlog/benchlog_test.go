package benchlog

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"exclave/internal/seedlog"
)

// The log is what it says: recognised as its format, with the share of duplicates
// broken lines and traps asked for, hosts by a power law; and the same again.
func TestWrite(t *testing.T) {
	for _, format := range Formats() {
		p := DefaultParams()
		p.Lines, p.Hosts, p.Format, p.Broken = 50_000, 2_000, format, 0.01
		var log, again bytes.Buffer
		for _, w := range []*bytes.Buffer{&log, &again} {
			if err := p.Write(w); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(log.Bytes(), again.Bytes()) {
			t.Errorf("%s: two logs of the same parameters differ", format)
		}
		tally := seedlog.NewTally()
		s, err := seedlog.Inspect(context.Background(), &log, seedlog.Options{}, tally)
		if err != nil {
			t.Fatal(err)
		}
		sum := tally.Sum(1)
		within := func(what string, got, of int64, low, high float64) {
			if share := float64(got) / float64(of); share < low || share > high {
				t.Errorf("%s: %s: %d of %d", format, what, got, of)
			}
		}
		if string(s.Format) != format || s.Lines != p.Lines {
			t.Errorf("%s: read as %s, %d lines", format, s.Format, s.Lines)
		}
		if traps := s.LeftOut(); format == "list" {
			if traps+int64(len(s.Rules)) > 0 {
				t.Errorf("a list has rules: %v, traps: %v", s.Rules, s.Traps)
			}
		} else {
			within("traps", traps, p.Lines, 0.09, 0.11)
			within("expressions", s.Rules["MatchesListRegexDecideRule"]+s.Rules["regex"], p.Lines, 0.02, 0.04)
		}
		within("broken", s.Broken, p.Lines, 0.004, 0.015)
		within("duplicates", sum.Duplicates, sum.URLs, 0.35, 0.45)
		within("hosts", sum.Hosts.N, int64(p.Hosts), 0.9, 1)
		within("URLs of the first host", sum.TopHosts.Most[0].N, sum.URLs, 0.05, 0.15)
	}
}

// Another seed is another log; parameters that cannot be are refused.
func TestParams(t *testing.T) {
	a, b := DefaultParams(), DefaultParams()
	a.Lines, b.Lines, b.Seed = 10, 10, 2
	var one, two strings.Builder
	if a.Write(&one) != nil || b.Write(&two) != nil || one.String() == two.String() {
		t.Error("seeds 1 and 2 give the same log")
	}
	for _, p := range []Params{{}, {Lines: 1, Hosts: 1, Domains: 1, TLD: "cz", Format: "csv"}, {Lines: 1, Hosts: 1, Domains: 1, TLD: "cz", Format: "list", Broken: 2}} {
		if len(p.Validate()) == 0 {
			t.Errorf("accepted: %+v", p)
		}
	}
	if err := a.Validate().Err("benchlog"); err != nil {
		t.Error(err)
	}
}
