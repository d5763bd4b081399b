package frontier

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"exclave/crawl"
	"exclave/frontier/schema"
	"exclave/frontier/store"
)

// maxNamedParts is the maximum number of changed parts that an error names.
const maxNamedParts = 5

// ErrChanged is wrapped by errors about a configuration that does not fit the state.
var ErrChanged = errors.New("configuration changed")

// SameConfig returns an error that wraps [ErrChanged] if the configuration does not fit the state. Open
// calls it unless the Frontier is ReadOnly.
func (f *Frontier) SameConfig() error {
	if f.rules != f.o.RulesHash {
		return fmt.Errorf("%w: the rules in [url], those in the file of host_rules included, are not those the job was started with; keys would not match: put them back (a job that was begun without a line for strip_session_ids had false), or start a new job", ErrChanged)
	}
	if err := f.sameParts(); err != nil {
		return err
	}
	was, err := f.db.Get(schema.MetaKey(schema.MetaQueues))
	if err != nil {
		return err
	}
	if now := f.cfg.Key(); string(was) != string(now) {
		return fmt.Errorf("%w: queue_key is %q, the job was started with %q; what waits stands in those queues: put it back, or start a new job", ErrChanged, now, was)
	}
	return nil
}

// sameParts returns an error that wraps [ErrChanged] and names the changes if parts or depths are not those
// the job was begun with. A job begun by an earlier version may have no parts.
func (f *Frontier) sameParts() error {
	row, err := f.db.Get(schema.MetaKey(schema.MetaParts))
	if err != nil {
		return err
	}
	var changed []string
	if row != nil {
		was, err := schema.DecodeParts(row)
		if err != nil {
			return fmt.Errorf("parts row: %w", err)
		}
		changed = partChanges(was, f.o.Parts)
	}
	row, err = f.db.Get(schema.MetaKey(schema.MetaDepths))
	if err != nil {
		return err
	}
	depths, err := schema.DecodeDepths(row)
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

// depthParts returns depths as parts with readable names.
func depthParts(d crawl.Depths) (parts []Part) {
	for i, n := range d.D {
		if n >= 0 {
			parts = append(parts, Part{Name: fmt.Sprintf("depth of profile %d", i+1), Value: strconv.Itoa(int(n))})
		}
	}
	return append(parts, Part{Name: "analyse_linked", Value: strconv.FormatBool(d.AnalyseLinked)},
		Part{Name: "fetch_unclaimed_embeds", Value: strconv.FormatBool(d.UnclaimedEmbeds)})
}

// partChanges lists the differences: changed values first, then added parts, then missing ones.
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

// keepParts stores the present parts of a job that was begun by an earlier version.
func (f *Frontier) keepParts() error {
	row, err := f.db.Get(schema.MetaKey(schema.MetaParts))
	if row != nil || err != nil || len(f.o.Parts) == 0 {
		return err
	}
	f.o.Logger.Info("an earlier version began the job and did not note its profiles: from now on they stay as they are")
	b := &store.Batch{}
	b.Set(schema.MetaKey(schema.MetaParts), schema.EncodeParts(f.o.Parts))
	return f.db.Commit(b, true)
}
