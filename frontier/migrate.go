package frontier

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"exclave/frontier/rules"
	"exclave/frontier/schema"
	"exclave/frontier/store"
)

// migrate brings a state of an older format to the present one. Each row has its own
// version, so after a kill it continues.
func (f *Frontier) migrate(was schema.Format) error {
	version := was.Version
	switch {
	case version == schema.FormatVersion:
		return nil
	case version > schema.FormatVersion:
		return fmt.Errorf("the state has format %d, this program reads formats up to %d: a newer exclave wrote it; use that one", version, schema.FormatVersion)
	case version == 6, // as now, but nothing is known of how attempts failed
		version == 5, // nor of payloads
		version == 4: // commits have no numbers either, and fields of origins and ways are missing
		if f.o.ReadOnly {
			return nil
		}
		return f.renumber(was)
	case version < schema.OldestFormat:
		return fmt.Errorf("the state has format %d, this program reads format %d and migrates from %d; use the program that made it", version, schema.FormatVersion, schema.OldestFormat)
	case f.o.ReadOnly:
		return fmt.Errorf("the state has format %d, this program reads format %d; open it once with exclave crawl: that migrates it", version, schema.FormatVersion)
	}
	f.o.Logger.Info("the state is migrated", "from", version, "to", schema.FormatVersion)
	f.salt = was.Salt
	if err := f.migrate3(); err != nil {
		return fmt.Errorf("migrate the state from format %d to %d: %w", version, schema.FormatVersion, err)
	}
	b := &store.Batch{}
	b.Set(schema.MetaKey(schema.MetaQueues), []byte(rules.QueueByHost))
	b.Set(schema.MetaKey(schema.MetaLimits), (&rules.LimitsConfig{}).Encode())
	b.Set(schema.MetaKey(schema.MetaFormat), f.formatRow(was.Rules))
	return f.db.Commit(b, true)
}

// renumber brings a state of format 4 or 5 to this format; of one without numbers, the next commit has number 1.
func (f *Frontier) renumber(was schema.Format) error {
	f.salt = was.Salt
	b := &store.Batch{}
	b.Set(schema.MetaKey(schema.MetaFormat), f.formatRow(was.Rules))
	return f.db.Commit(b, true)
}

// migrate3 adds counts to the rows of hosts, and gives queues their places.
func (f *Frontier) migrate3() error {
	counts := map[string]schema.Host{}
	if err := f.EachURI(func(r *schema.Record) error {
		c := counts[r.Host]
		c.Known++
		if r.Outcome.Valid() {
			c.Valid++
		}
		if r.Outcome.Judged {
			c.Judged++
		}
		for i := range c.ValidFor {
			c.ValidFor[i] += uint64(r.Outcome.ValidFor >> i & 1)
		}
		counts[r.Host] = c
		return nil
	}); err != nil {
		return err
	}
	st, err := f.statistics3()
	if err != nil {
		return err
	}
	return f.placeAgain(&st, func(h *schema.Host) {
		c := counts[h.Name]
		h.Known, h.Valid, h.Judged, h.ValidFor = c.Known, c.Valid, c.Judged, c.ValidFor
		if h.Pending > 0 && h.Ticket.IsZero() {
			h.Ticket = f.wall()
		}
		h.Snoozed = h.Wake.Sub(f.wall()) > rules.ResidentSnooze
	})
}

// placeAgain computes the places of all queues anew, and counts them. It calls change for
// each row first.
func (f *Frontier) placeAgain(st *schema.Counters, change func(*schema.Host)) error {
	b := &store.Batch{}
	for _, table := range []schema.Table{schema.Line, schema.Snoozed, schema.Retired} {
		b.DeleteTable(table)
	}
	if err := f.db.Commit(b, false); err != nil {
		return err
	}
	st.InLine, st.Snoozed, st.Retired = 0, 0, 0
	b = &store.Batch{}
	n := 0
	if err := f.db.Scan(schema.Hosts.Prefix(), func(k, v []byte) error {
		h, err := schema.DecodeHost(v)
		if err != nil {
			return err
		}
		change(h)
		hash := binary.BigEndian.Uint64(k[1:])
		if p := f.order.Place(h, hash); p != (schema.Place{}) {
			st.Moved(schema.Place{}, p)
			b.Set(p.Key(), nil)
		}
		b.Set(schema.HostKey(hash), h.Encode())
		if n++; n%rules.MaxLinks == 0 {
			err = f.db.Commit(b, false)
			b = &store.Batch{}
		}
		return err
	}); err != nil {
		return err
	}
	b.Set(schema.MetaKey(schema.MetaStats), st.Encode())
	b.Set(schema.MetaKey(schema.MetaLine), f.order.Key())
	return f.db.Commit(b, true)
}

// checkLine computes the places of all queues anew if the order is not that of the last
// run.
func (f *Frontier) checkLine() error {
	was, err := f.db.Get(schema.MetaKey(schema.MetaLine))
	if err != nil || bytes.Equal(was, f.order.Key()) {
		return err
	}
	f.o.Logger.Info("the order of queues has changed: all are put in line anew")
	if err := f.placeAgain(&f.st, func(*schema.Host) {}); err != nil {
		return fmt.Errorf("put queues in line anew: %w", err)
	}
	return nil
}

// statistics3 returns the statistics: of format 3, or as a migration left them that was
// killed at its end.
func (f *Frontier) statistics3() (s schema.Counters, err error) {
	v, err := f.db.Get(schema.MetaKey(schema.MetaStats))
	if v == nil || err != nil {
		return s, err
	}
	return schema.DecodeOldCounters(v)
}
