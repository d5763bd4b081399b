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

// maxEntries is how many answers are remembered, and how many failures; the first ones are forgotten first. The file has up to
// twice as many lines, and is written anew then.
const maxEntries = 20_000

// entry is what is known of a domain: a line of the file, unless it is an error.
type entry struct {
	Domain string    `json:"domain"`
	At     time.Time `json:"at"`
	Lines  []string  `json:"lines"`
	err    error
}

// entries are the last ones, by domain.
type entries struct {
	known map[string]entry
	order []string // domains, as they were put in
}

// cache is what was answered, and what could not be asked. A crawl of many domains has far more of the latter, which must
// not displace answers.
type cache struct {
	ttl               time.Duration
	answered, failing entries
	fsys              fsx.FS
	name              string      // "" = in memory only
	file              *fsx.Append // nil until something is put in
	lines             int         // of the file
}

// openCache reads what an earlier run left and still counts. Lines that are none, such as the last one of a run that was
// killed, are left out; the file is then written anew.
func openCache(fsys fsx.FS, name string, ttl time.Duration, now time.Time) (*cache, error) {
	c := &cache{ttl: ttl, answered: entries{known: map[string]entry{}}, failing: entries{known: map[string]entry{}}, fsys: fsys, name: name}
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
	for line := range bytes.Lines(text) {
		var e entry
		if json.Unmarshal(line, &e) == nil && e.Domain != "" && now.Sub(e.At) < ttl {
			c.answered.remember(e)
		}
	}
	return c, c.rewrite()
}

// rewrite writes the file anew, of what is remembered.
func (c *cache) rewrite() error {
	var kept bytes.Buffer
	for _, d := range c.answered.order {
		line, err := json.Marshal(c.answered.known[d])
		if err != nil {
			return err
		}
		kept.Write(append(line, '\n'))
	}
	if err := errors.Join(c.close(), fsx.WriteFileAtomic(c.fsys, c.name, kept.Bytes())); err != nil {
		return err
	}
	c.lines = len(c.answered.order)
	return nil
}

// remember keeps an entry in memory.
func (s *entries) remember(e entry) {
	if _, ok := s.known[e.Domain]; !ok {
		s.order = append(s.order, e.Domain)
	}
	s.known[e.Domain] = e
	if len(s.order) > maxEntries {
		delete(s.known, s.order[0])
		s.order = s.order[1:]
	}
}

func (c *cache) get(domain string, now time.Time) (entry, bool) {
	if e, ok := c.answered.known[domain]; ok && now.Sub(e.At) < c.ttl {
		return e, true
	}
	e, ok := c.failing.known[domain]
	return e, ok && now.Sub(e.At) < maxFailed
}

// put keeps an entry, on disk too unless it is an error. That it is durable is not waited for: what is lost is asked again.
func (c *cache) put(e entry) error {
	if e.err != nil {
		c.failing.remember(e)
		return nil
	}
	c.answered.remember(e)
	if c.name == "" {
		return nil
	}
	if c.lines >= 2*maxEntries {
		return c.rewrite()
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
	c.lines++
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
