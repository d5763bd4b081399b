package frontier

import (
	"fmt"
	"time"

	"exclave/frontier/schema"
	"exclave/frontier/store"
)

// What a run asked for in its last moments before a kill, servers know and the state
// does not. So after a kill every host rests as if it had just been asked, and every
// address as if a general pause had just begun (ADR 6).

// noteKill finds out whether the run before was killed, and since when hosts must be
// left in peace for that: also when the job was opened in between without crawling.
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

// sinceKill is how long a rest lasts yet that began when the last run was killed, 0 when
// it was not.
func (f *Frontier) sinceKill(rest time.Duration) time.Duration {
	if !f.wasKilled {
		return 0
	}
	return max(f.killed+rest-f.o.Clock.Mono(), 0)
}
