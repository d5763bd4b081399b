package analyzer

import "testing"

// A profile that is given twice is found by check, at its place, and not only when a crawl begins.
func TestCheckFilesTwice(t *testing.T) {
	ps := Config{Profiles: []string{"cz", "sk", "cz"}}.CheckFiles()
	if len(ps) != 1 || ps[0].Key != "profiles[2]" || ps[0].Msg != "profile cz is given twice" || ps[0].Fix == "" {
		t.Errorf("%+v", ps)
	}
}
