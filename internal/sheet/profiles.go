package sheet

import (
	"slices"
	"strconv"
	"strings"

	"exclave/internal/conf"
)

// ofProfiles is a sheet that applies to what a profile found (ADR 112).
type ofProfiles struct {
	*Sheet
	profiles uint8 // bit i: profile i of the job
}

// hasAny reports whether the sheet is for one of the profiles.
func (o ofProfiles) hasAny(profiles uint8) bool { return o.profiles&profiles != 0 }

// forProfiles returns which of the job's profiles the sheet names: bit i for profile i.
func (s *Sheet) forProfiles(names []string) (profiles uint8, problems conf.Problems) {
	if len(s.Profiles) == 0 {
		return 0, nil
	}
	for i, name := range s.Profiles {
		at := slices.Index(names, name)
		problems.Check(at >= 0, conf.Element("profiles", i), "%q is no profile of this job, whose [analysis] profiles are %s", name, quoted(names))
		if at >= 0 {
			profiles |= 1 << at
		}
	}
	for _, key := range s.hostOnly() {
		problems.Add(key, "it is about whole hosts, which have URIs of several profiles; make it a sheet of its own, without profiles")
	}
	return profiles, problems
}

func quoted(names []string) string {
	var out []string
	for _, n := range names {
		out = append(out, strconv.Quote(n))
	}
	return strings.Join(out, ", ")
}

// addProfiles lays the sheets over each other for every set of the profiles that they name.
func (s *Set) addProfiles(all []ofProfiles, names []string) {
	s.byProfile, s.names = all, names
	for _, of := range all {
		s.named |= of.profiles
	}
	s.layers = map[uint8]*Settings{}
	for set := s.named; set > 0; set = (set - 1) & s.named {
		layer := &Settings{}
		for _, of := range all {
			if of.hasAny(set) {
				layer = layer.over(&of.Settings)
			}
		}
		s.layers[set] = layer
	}
}

// layer returns what sheets set for a URI of these profiles, nil when it is of none that a sheet names.
func (s *Set) layer(profiles uint8) *Settings {
	if s == nil || profiles&s.named == 0 {
		return nil
	}
	return s.layers[profiles&s.named]
}

// ByProfile returns how many of the sheets are for profiles.
func (s *Set) ByProfile() int {
	if s == nil {
		return 0
	}
	return len(s.byProfile)
}
