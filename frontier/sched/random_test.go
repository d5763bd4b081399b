package sched

import (
	"fmt"
	"testing"
	"time"

	"exclave/frontier/schema"
)

// variants are the configurations of random runs.
func variants() map[string]func(*Config) {
	return map[string]func(*Config){
		"one connection":  nil,
		"connections":     func(c *Config) { c.Connections, c.PauseAfter = 4, 50 },
		"no delays":       func(c *Config) { c.MinDelay, c.Connections = 0, 3 },
		"addresses":       func(c *Config) { c.HostsPerAddress, c.AddressDelay = 1, 2*time.Second },
		"all of it":       func(c *Config) { c.HostsPerAddress, c.Connections, c.AddressDelay = 2, 3, time.Second },
		"quick addresses": func(c *Config) { c.HostsPerAddress, c.Connections, c.MinDelay, c.AddressDelay = 2, 3, 0, 0 },
		"rounds":          func(c *Config) { c.HasRounds, c.RoundURLs = true, 5 },
		"much memory":     func(c *Config) { c.InMemory, c.Connections = 100, 2 },
	}
}

// Whatever commits change, and whenever rows are read and commits published: no rule is broken, the counts are
// right, every URI is offered in the end, no move is made that the table does not have, and every move of the
// table is made.
func TestRandomRuns(t *testing.T) {
	var made [numStates][numStates]int64
	seeds := uint64(120)
	if testing.Short() {
		seeds = 10
	}
	for name, change := range variants() {
		t.Run(name, func(t *testing.T) {
			for seed := range seeds {
				s := randomRun(t, seed, change)
				for from, row := range s.made {
					for to, n := range row {
						made[from][to] += n
					}
				}
			}
		})
	}
	if testing.Short() || t.Failed() {
		return
	}
	for _, from := range States() {
		for _, to := range States() {
			if moves(from).has(to) && made[from][to] == 0 {
				t.Errorf("%v → %v is in the table, and was never made", from, to)
			}
		}
	}
}

func randomRun(t *testing.T, seed uint64, change func(*Config)) *Scheduler {
	d := newDisk(t, seed, change)
	for range 1500 {
		switch d.rnd.IntN(8) {
		case 0, 1, 2:
			d.step(true)
		case 3:
			if len(d.loads) > 0 {
				d.load(d.rnd.IntN(len(d.loads)))
			}
		case 4:
			d.commit(false)
		case 5, 6:
			d.publish()
		case 7:
			if d.chance(3) {
				d.withdraw()
			}
			d.now += []time.Duration{time.Millisecond, time.Second, 10 * time.Second, time.Minute}[d.rnd.IntN(4)]
		}
		d.check()
	}
	d.drain()
	return d.s
}

// drain crawls until nothing is pending.
func (d *disk) drain() {
	d.t.Helper()
	for turn := 0; ; turn++ {
		if turn > 20000 {
			d.t.Fatalf("the crawl does not end: %s", d.tell())
		}
		for len(d.loads) > 0 {
			d.load(0)
		}
		d.publish()
		for d.step(true) {
			for len(d.loads) > 0 {
				d.load(0)
			}
		}
		d.check()
		if len(d.inProcess) > 0 || d.s.Leaving() > 0 {
			d.commit(true)
			continue
		}
		if d.waits < 0 {
			break
		}
		d.now += d.waits
	}
	if p := d.s.Pick(d.now, true); p.Action != Finish {
		d.t.Fatalf("%+v at the end", p)
	}
	for _, q := range d.rows {
		if len(q.uris) > 0 && q.published.Kind != schema.Retired && d.s.round.includes(schema.ClassOf(q.published.At)) && d.s.round.includes(q.row.Class) {
			d.t.Fatalf("%d URIs of queue %d are left: %+v", len(q.uris), q.hash, q.published)
		}
	}
}

func (d *disk) tell() (s string) {
	for _, q := range d.rows {
		l, in := d.s.QueueInfo(q.published, d.now)
		s += fmt.Sprintf("\nqueue %d at %+v, %d URIs, in memory %v: %+v", q.hash, q.published, len(q.uris), in, l)
	}
	return s
}
