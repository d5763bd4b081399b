package frontier

import (
	"fmt"
	"time"

	"exclave/frontier/schema"
	"exclave/frontier/store"
)

// Requests made just before a kill are not in the state. So after a kill every queue is
// snoozed as if one of its URIs had just been requested, and every address as if a pause had
// just begun (ADR 6).

// noteKill finds out whether the last run was killed, and from when queues must be snoozed
// because of it. The time is stored, so that it stays known if this run ends in order
// before the snooze is over.
func (f *Frontier) noteKill() error {
	key := schema.MetaKey(schema.MetaKilled)
	at := f.openedAt
	if f.clean {
		v, err := f.db.Get(key)
		if v == nil || err != nil {
			return err
		}
		if at, err = schema.DecodeTime(v); err != nil {
			return fmt.Errorf("row of the last kill: %w", err)
		}
	}
	f.wasKilled, f.killed = true, f.opened-max(f.openedAt.Sub(at), 0)
	if f.clean {
		return nil
	}
	b := &store.Batch{}
	b.Set(key, schema.EncodeTime(schema.CeilMillis(at)))
	return f.db.Commit(b, true)
}

// sinceKill is what is left of a delay that began when the last run was killed, 0 when
// it was not killed.
func (f *Frontier) sinceKill(delay time.Duration) time.Duration {
	if !f.wasKilled {
		return 0
	}
	return max(f.killed+delay-f.o.Clock.Mono(), 0)
}
