package pause

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"exclave/config"
	"exclave/internal/clock"
	"exclave/internal/fsx"
	"exclave/internal/job/folder"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A crawl is paused as long as any reason holds, whichever came first and whichever goes first.
func TestReasons(t *testing.T) {
	at := time.Unix(1, 0)
	for order := range 27 { // which reason is changed at each of three steps, from each state
		for held := range 8 {
			var paused bool
			r := New(func(p bool) { paused = p })
			state := [3]bool{}
			put := func(i int, on bool) {
				state[i] = on
				switch i {
				case 0:
					r.SetUser(on)
				case 1:
					r.setFull(on)
				default:
					since := time.Time{}
					if on {
						since = at
					}
					r.setUnanswered(since)
				}
				if want := state[0] || state[1] || state[2]; paused != want {
					t.Fatalf("%v: paused %t", state, paused)
				}
			}
			for i := range 3 {
				put(i, held>>i&1 == 1)
			}
			for k, o := 0, order; k < 3; k, o = k+1, o/3 {
				put(o%3, !state[o%3])
			}
			if r.DiskFull() != state[1] || r.UnansweredSince().IsZero() == state[2] {
				t.Fatalf("%v: %t %v", state, r.DiskFull(), r.UnansweredSince())
			}
		}
	}
}

// disk has as much free as a test says; a negative number: nobody knows.
type disk struct {
	fsx.FS
	free *int64
}

func (d disk) GetDiskUsage(string) (vfs.DiskUsage, error) {
	if *d.free < 0 {
		return vfs.DiskUsage{}, errors.New("unknown")
	}
	return vfs.DiskUsage{AvailBytes: uint64(*d.free)}, nil
}

// The crawl goes on when a little more is free than it paused for; what nobody knows changes nothing.
func TestDisk(t *testing.T) {
	free := int64(0)
	cfg := &config.Config{Dir: "/job"}
	cfg.Crawl.MinFreeDisk = 1600
	d := Disk{folder.Of(cfg, folder.Env{FS: disk{fsx.Real(), &free}})}
	var paused bool
	r := New(func(p bool) { paused = p })
	for _, c := range []struct {
		free    int64
		paused  bool
		refused bool
	}{{1600, false, false}, {-1, false, false}, {1599, true, true}, {1600, true, false}, {1699, true, false}, {-1, true, false}, {1700, false, false}, {1600, false, false}, {0, true, true}} {
		free = c.free
		d.look(r)
		if err := d.Check(); paused != c.paused || (err != nil) != c.refused {
			t.Errorf("%d free: paused %t, %v", c.free, paused, err)
		}
	}
	cfg.Crawl.MinFreeDisk = 0
	if free = 0; d.Check() != nil {
		t.Error("nothing is asked for, and 0 is too little")
	}
}

// An archive that is large enough ends the crawl.
func TestMaxStorage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		cfg := &config.Config{Dir: "/job"}
		cfg.Crawl.MaxStorage = 10
		stored, stopped := int64(8), 0
		Disk{folder.Of(cfg, folder.Env{})}.Watch(ctx, New(func(bool) {}), func() int64 { stored++; return stored }, func() { stopped++; end() })
		if stored != 10 || stopped != 1 {
			t.Errorf("stopped %d times, at %d", stopped, stored)
		}
	})
}

// One pause is told once, however many lookups find it out, and ends when a name server answers.
func TestNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		var told []string
		var paused bool
		r := New(func(p bool) { paused = p })
		n := NewNames(r, clock.System(), slog.New(slog.DiscardHandler), func(what, _ string) { told = append(told, what) })
		for range 3 {
			n.None(errors.New("timeout"))
		}
		if !paused || len(told) != 1 {
			t.Fatalf("paused %t, told %q", paused, told)
		}
		asked, began := 0, time.Now()
		n.Watch(ctx, func(context.Context) error {
			if asked++; asked < 4 {
				return errors.New("timeout")
			}
			end()
			return nil
		})
		if paused || len(told) != 2 || told[1] != "NAME SERVER" || time.Since(began) != 4*checkEvery {
			t.Errorf("paused %t, told %q after %v", paused, told, time.Since(began))
		}
	})
}
