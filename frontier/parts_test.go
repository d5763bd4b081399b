package frontier

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"exclave/frontier/schema"
	"exclave/internal/clock"
	"exclave/internal/fsx"
)

// A job that an earlier program began is taken as it is now, which is said once; from then on
// what changes is refused.
func TestPartsOfOlderJob(t *testing.T) {
	var log bytes.Buffer
	o := options(fsx.NewMem(), clock.NewFake(began), quick(), oneProfile(1))
	o.Logger = slog.New(slog.NewTextHandler(&log, nil))
	run := func(parts ...Part) error {
		log.Reset()
		o.Parts = parts
		f, err := Open(t.Context(), o)
		if err != nil {
			return err
		}
		return f.Close(t.Context())
	}
	must(t, run()) // notes none, as an earlier program does
	said := func() bool { return strings.Contains(log.String(), "did not note its profiles") }
	must(t, run(Part{Name: "profile cz, min_points", Value: "100"}))
	if !said() {
		t.Errorf("nothing is said: %s", &log)
	}
	must(t, run(Part{Name: "profile cz, min_points", Value: "100"}))
	if said() {
		t.Errorf("it is said again: %s", &log)
	}
	if err := run(Part{Name: "profile cz, min_points", Value: "99"}); !errors.Is(err, ErrChanged) {
		t.Errorf("another value: %v", err)
	}
}

func TestPartChanges(t *testing.T) {
	was := []Part{{Name: "a", Value: "1"}, {Name: "b", Value: "2"}, {Name: "c", Value: "3"}}
	now := []Part{{Name: "d", Value: "4"}, {Name: "b", Value: "20"}, {Name: "a", Value: "1"}}
	want := "[b: 20, the job was begun with 2 d: 4, the job was begun without c: missing, the job was begun with 3]"
	if got := fmt.Sprint(partChanges(was, now)); got != want {
		t.Errorf("%s", got)
	}
	if got := partChanges(was, []Part{was[2], was[0], was[1]}); got != nil {
		t.Errorf("in another order: %v", got)
	}
	read, err := schema.DecodeParts(schema.EncodeParts(was))
	if err != nil || fmt.Sprint(read) != fmt.Sprint(was) {
		t.Errorf("%v %v", read, err)
	}
}

// Of many parts that changed some are named.
func TestManyPartsChanged(t *testing.T) {
	o := options(fsx.NewMem(), clock.NewFake(began), quick(), oneProfile(1))
	for i := range 9 {
		o.Parts = append(o.Parts, Part{Name: fmt.Sprint("part ", i), Value: "1"})
	}
	f, err := Open(t.Context(), o)
	must(t, err)
	must(t, f.Close(t.Context()))
	for i := range o.Parts {
		o.Parts[i].Value = "2"
	}
	if _, err := Open(t.Context(), o); !errors.Is(err, ErrChanged) || !strings.Contains(err.Error(), "part 4") || strings.Contains(err.Error(), "part 5") || !strings.Contains(err.Error(), "and 4 more") {
		t.Errorf("%v", err)
	}
}
