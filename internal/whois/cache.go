package whois

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"time"

	"exclave/internal/fsx"
)

// maxEntries is how many domains are remembered; those that were asked about first are forgotten first.
const maxEntries = 20_000

// entry is what is known of a domain: a line of the file, unless it is an error.
type entry struct {
	Domain string    `json:"domain"`
	At     time.Time `json:"at"`
	Lines  []string  `json:"lines"`
	err    error
}

// cache is what was answered.
type cache struct {
	ttl   time.Duration
	known map[string]entry
	order []string // domains, as they were put in
	fsys  fsx.FS
	name  string
	file  *fsx.Append // nil until something is put in
}

// openCache reads what an earlier run left and still counts. Lines that are none, such as the last one of a run that was
// killed, are left out; the file is then written anew.
func openCache(fsys fsx.FS, name string, ttl time.Duration, now time.Time) (*cache, error) {
	c := &cache{ttl: ttl, known: map[string]entry{}, fsys: fsys, name: name}
	if name == "" {
		return c, nil
	}
	f, err := fsys.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	var kept bytes.Buffer
	for line := range bytes.Lines(text) {
		var e entry
		if json.Unmarshal(line, &e) == nil && e.Domain != "" && now.Sub(e.At) < ttl {
			c.remember(e)
		}
	}
	for _, d := range c.order {
		line, err := json.Marshal(c.known[d])
		if err != nil {
			return nil, err
		}
		kept.Write(append(line, '\n'))
	}
	return c, fsx.WriteFileAtomic(fsys, name, kept.Bytes())
}

// remember keeps an entry in memory.
func (c *cache) remember(e entry) {
	if _, ok := c.known[e.Domain]; !ok {
		c.order = append(c.order, e.Domain)
	}
	c.known[e.Domain] = e
	if len(c.order) > maxEntries {
		delete(c.known, c.order[0])
		c.order = c.order[1:]
	}
}

func (c *cache) get(domain string, now time.Time) (entry, bool) {
	e, ok := c.known[domain]
	life := c.ttl
	if e.err != nil {
		life = maxFailed
	}
	return e, ok && now.Sub(e.At) < life
}

// put keeps an entry, on disk too unless it is an error. That it is durable is not waited for: what is lost is asked again.
func (c *cache) put(e entry) error {
	c.remember(e)
	if e.err != nil || c.name == "" {
		return nil
	}
	if c.file == nil {
		a, err := fsx.OpenAppend(c.fsys, c.name)
		if err != nil {
			return err
		}
		c.file = a
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	_, err = c.file.Write(append(line, '\n'))
	return err
}

func (c *cache) close() error {
	if c.file == nil {
		return nil
	}
	f := c.file
	c.file = nil
	return errors.Join(f.Sync(), f.Close())
}
