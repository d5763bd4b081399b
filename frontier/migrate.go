package frontier

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// oldestFormat is the oldest format that is migrated.
const oldestFormat = 3

// migrate brings a state of an older format to the present one. Each row says which
// version it has, so one that was killed goes on.
func (f *Frontier) migrate(version, rules uint64, salt string) error {
	switch {
	case version == FormatVersion:
		return nil
	case version > FormatVersion:
		return fmt.Errorf("the state has format %d, this program reads formats up to %d: a newer exclave wrote it; use that one", version, FormatVersion)
	case version == 4: // the same, but that commits have no numbers, and fields of origins and ways are missing
		if f.o.ReadOnly {
			return nil
		}
		return f.renumber(rules, salt)
	case version < oldestFormat:
		return fmt.Errorf("the state has format %d, this program reads format %d and migrates from %d; use the program that made it", version, FormatVersion, oldestFormat)
	case f.o.ReadOnly:
		return fmt.Errorf("the state has format %d, this program reads format %d; open it once with exclave crawl: that migrates it", version, FormatVersion)
	}
	f.o.Logger.Info("the state is migrated", "from", version, "to", FormatVersion)
	copy(f.salt[:], salt)
	if err := f.migrate3(); err != nil {
		return fmt.Errorf("migrate the state from format %d to %d: %w", version, FormatVersion, err)
	}
	b := f.db.NewBatch()
	return errors.Join(b.Set(nameKey('m', "queues"), []byte(QueueByHost), nil), b.Set(nameKey('m', "limits"), (&LimitsConfig{}).encode(), nil),
		b.Set(nameKey('m', "format"), formatRow(rules, salt), nil), f.commit(b, pebble.Sync))
}

// renumber makes a state of format 4 one of this format: its next commit has number 1.
func (f *Frontier) renumber(rules uint64, salt string) error {
	b := f.db.NewBatch()
	if err := b.Set(nameKey('m', "format"), formatRow(rules, salt), nil); err != nil {
		return errors.Join(err, b.Close())
	}
	return f.commit(b, pebble.Sync)
}

// migrate3 gives hosts their counts and their places in line.
func (f *Frontier) migrate3() error {
	type count struct{ known, valid uint64 }
	counts := map[string]count{}
	if err := f.EachURI(func(r *Record) error {
		c := counts[r.Host]
		c.known++
		if r.Outcome.Valid() {
			c.valid++
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
	return f.placeAgain(&st, func(h *hostRow) {
		c := counts[h.Name]
		h.Known, h.Valid = c.known, c.valid
		if h.Waiting > 0 && h.Ticket.IsZero() {
			h.Ticket = f.wall()
		}
		h.Resting = h.Wake.Sub(f.wall()) > longRest
	})
}

// placeAgain gives all queues their places anew, and counts them. change is called for
// each row before.
func (f *Frontier) placeAgain(st *stored, change func(*hostRow)) error {
	for _, kind := range []byte{placeLine, placeResting, placeRetired} {
		if err := f.db.DeleteRange([]byte{kind}, []byte{kind + 1}, pebble.NoSync); err != nil {
			return err
		}
	}
	st.queues, st.resting, st.retired = 0, 0, 0
	b := f.db.NewBatch()
	n := 0
	if err := scan(f.db, []byte{'h'}, func(k, v []byte) error {
		h, err := decodeHost(v)
		if err != nil {
			return err
		}
		change(h)
		hash := binary.BigEndian.Uint64(k[1:])
		if p := h.stands(f.order, hash); p != (place{}) {
			st.places(place{}, p)
			err = b.Set(p.key(), nil, nil)
		}
		err = errors.Join(err, b.Set(hostKey(hash), h.encode(), nil))
		if n++; n%maxLinks == 0 {
			err = errors.Join(err, f.commit(b, pebble.NoSync))
			b = f.db.NewBatch()
		}
		return err
	}); err != nil {
		return errors.Join(err, b.Close())
	}
	return errors.Join(b.Set(nameKey('m', "stats"), st.encode(), nil), b.Set(nameKey('m', "line"), f.order.key(), nil),
		f.commit(b, pebble.Sync))
}

// checkLine gives all queues their places anew when the order is not that of the last
// run.
func (f *Frontier) checkLine() error {
	was, err := get(f.db, nameKey('m', "line"))
	if err != nil || bytes.Equal(was, f.order.key()) {
		return err
	}
	f.o.Logger.Info("the order of queues has changed: all are put in line anew")
	if err := f.placeAgain(&f.st, func(*hostRow) {}); err != nil {
		return fmt.Errorf("put queues in line anew: %w", err)
	}
	return nil
}

// statistics3 returns the statistics, those of format 3 or those that a
// migration left that was killed at its end.
func (f *Frontier) statistics3() (s stored, err error) {
	v, err := get(f.db, nameKey('m', "stats"))
	if v == nil || err != nil {
		return s, err
	}
	if v[0] == statsVersion {
		return decodeStored(v)
	}
	d := newDecOf(v, statsVersion3)
	for _, p := range s.fields()[:10] {
		*p = d.iv()
	}
	s.seq, s.work = d.uv(), d.uv()
	d.uv() // hosts with URIs waiting
	s.longest, s.length = d.uv(), d.uv()
	return s, d.end()
}
