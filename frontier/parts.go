package frontier

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"exclave/crawl"

	"github.com/cockroachdb/pebble/v2"
)

// Part is a setting that verdicts follow from. While the job lasts it stays what it was.
type Part struct {
	Name  string // for people
	Value string // for people, short; differs when the setting does
}

// maxNamedParts is how many parts that changed are named.
const maxNamedParts = 5

func encodeParts(parts []Part) []byte {
	e := newEnc()
	e.uv(uint64(len(parts)))
	for _, p := range parts {
		e.str(p.Name)
		e.str(p.Value)
	}
	return e.b
}

func decodeParts(b []byte) (parts []Part, err error) {
	d := newDec(b)
	for range min(d.uv(), uint64(len(d.b))) {
		parts = append(parts, Part{d.str(), d.str()})
	}
	return parts, d.end()
}

// ErrChanged is wrapped by errors of a configuration that the state does not go with.
var ErrChanged = errors.New("configuration changed")

// SameConfig refuses, with [ErrChanged], a configuration that the state does not go with. A Frontier
// that is not ReadOnly was asked when it was opened.
func (f *Frontier) SameConfig() error {
	if f.rules != f.o.RulesHash {
		return fmt.Errorf("%w: the rules in [url], those in the file of host_rules included, are not those the job was started with; keys would not match: put them back (a job that was begun without a line for strip_session_ids had false), or start a new job", ErrChanged)
	}
	if err := f.sameParts(); err != nil {
		return err
	}
	was, err := get(f.db, nameKey('m', "queues"))
	if err != nil {
		return err
	}
	if now := f.cfg.queueKey(); string(was) != string(now) {
		return fmt.Errorf("%w: queue_key is %q, the job was started with %q; what waits stands in those queues: put it back, or start a new job", ErrChanged, now, was)
	}
	return nil
}

// sameParts refuses, with [ErrChanged], parts and depths that are not those the job was begun with, and
// names them. A job that an earlier program began may have no parts.
func (f *Frontier) sameParts() error {
	row, err := get(f.db, nameKey('m', "parts"))
	if err != nil {
		return err
	}
	var changed []string
	if row != nil {
		was, err := decodeParts(row)
		if err != nil {
			return fmt.Errorf("parts row: %w", err)
		}
		changed = partChanges(was, f.o.Parts)
	}
	row, err = get(f.db, nameKey('m', "depths"))
	if err != nil {
		return err
	}
	depths, err := decodeDepths(row)
	if err != nil {
		return fmt.Errorf("depths row: %w", err)
	}
	changed = append(changed, partChanges(depthParts(depths), depthParts(f.o.Depths))...)
	if len(changed) == 0 {
		return nil
	}
	more := ""
	if n := len(changed) - maxNamedParts; n > 0 {
		changed, more = changed[:maxNamedParts], fmt.Sprintf("; and %d more", n)
	}
	return fmt.Errorf("%w: %s%s; what is judged or archived already would not match: put it back, or start a new job",
		ErrChanged, strings.Join(changed, "; "), more)
}

func encodeDepths(d crawl.Depths) []byte {
	e := newEnc()
	for _, n := range d.D {
		e.iv(int64(n))
	}
	e.flags(d.AnalyseLinked, d.UnclaimedEmbeds)
	return e.b
}

func decodeDepths(b []byte) (c crawl.Depths, err error) {
	d := newDec(b)
	for i := range c.D {
		c.D[i] = int32(d.iv())
	}
	d.flags(&c.AnalyseLinked, &c.UnclaimedEmbeds)
	return c, d.end()
}

// depthParts are depths for people.
func depthParts(d crawl.Depths) (parts []Part) {
	for i, n := range d.D {
		if n >= 0 {
			parts = append(parts, Part{fmt.Sprintf("depth of profile %d", i+1), strconv.Itoa(int(n))})
		}
	}
	return append(parts, Part{"analyse_linked", strconv.FormatBool(d.AnalyseLinked)},
		Part{"fetch_unclaimed_embeds", strconv.FormatBool(d.UnclaimedEmbeds)})
}

// partChanges says what differs: first what has another value, then what came and went.
func partChanges(was, now []Part) (changed []string) {
	before, gone := map[string]string{}, map[string]bool{}
	for _, p := range was {
		before[p.Name], gone[p.Name] = p.Value, true
	}
	var added []string
	for _, p := range now {
		old, ok := before[p.Name]
		delete(gone, p.Name)
		switch {
		case !ok:
			added = append(added, fmt.Sprintf("%s: %s, the job was begun without", p.Name, p.Value))
		case old != p.Value:
			changed = append(changed, fmt.Sprintf("%s: %s, the job was begun with %s", p.Name, p.Value, old))
		}
	}
	changed = append(changed, added...)
	for _, p := range was {
		if gone[p.Name] {
			changed = append(changed, fmt.Sprintf("%s: missing, the job was begun with %s", p.Name, p.Value))
		}
	}
	return changed
}

// keepParts notes the parts of a job that an earlier program began, as they are now.
func (f *Frontier) keepParts() error {
	row, err := get(f.db, nameKey('m', "parts"))
	if row != nil || err != nil || len(f.o.Parts) == 0 {
		return err
	}
	f.o.Logger.Info("an earlier version began the job and did not note its profiles: from now on they stay as they are")
	b := f.db.NewBatch()
	if err := b.Set(nameKey('m', "parts"), encodeParts(f.o.Parts), nil); err != nil {
		return err
	}
	return f.commit(b, pebble.Sync)
}
