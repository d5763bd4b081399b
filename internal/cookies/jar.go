package cookies

import (
	"bytes"
	"cmp"
	"container/list"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"exclave/internal/clock"
	"exclave/internal/fsx"
	"exclave/internal/urlx"
)

// Bounds of a jar.
const (
	maxPerHost  = 180 // as browsers; RFC 6265 §6.1 wants 50
	maxPerGroup = 2 * maxPerHost
	maxGroups   = 20_000
	// maxSpare is how many lines more than cookies the journal has before it is written anew.
	maxSpare = 10_000
)

// Jar is the cookies of a job. It may be used by several goroutines; Close it.
type Jar struct {
	fsys fsx.FS
	name string // of the journal
	clk  clock.Clock

	mu     sync.Mutex
	groups map[string]*list.Element // of *cookies, the one used last in front
	used   *list.List
	count  int
	file   *fsx.Append // nil until something is written
	lines  int
}

// cookies are those of a registered domain.
type cookies struct {
	group string
	all   []*cookie
}

// Open opens the jar whose journal is the file name; given is the text of a cookies.txt whose cookies are in it where
// the journal has none of that name. What of the journal is no line of one is left out: a killed process leaves half a line.
func Open(fsys fsx.FS, name string, given []byte, clk clock.Clock) (*Jar, error) {
	j := &Jar{fsys: fsys, name: name, clk: clk, groups: map[string]*list.Element{}, used: list.New()}
	for _, c := range netscape(given, clk.Now()) {
		j.put(c)
	}
	text, err := readAll(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("cookies: read %s: %w", name, err)
	}
	for line := range bytes.Lines(text) {
		var c cookie
		if json.Unmarshal(line, &c) == nil && c.valid() {
			j.put(&c)
		}
	}
	if j.count == 0 && len(text) == 0 {
		return j, nil
	}
	if err := j.rewrite(); err != nil {
		return nil, fmt.Errorf("cookies: write %s: %w", name, err)
	}
	return j, nil
}

func readAll(fsys fsx.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(f)
	return text, errors.Join(err, f.Close())
}

// For returns the value of Cookie for a request, "" when there are none: longer paths first, then older ones (§5.4).
func (j *Jar) For(u *urlx.URL) string {
	if j == nil {
		return ""
	}
	now := j.clk.Now()
	j.mu.Lock()
	defer j.mu.Unlock()
	e, ok := j.groups[group(hostOf(u))]
	if !ok {
		return ""
	}
	j.used.MoveToFront(e)
	var send []*cookie
	for _, c := range e.Value.(*cookies).all {
		if c.matches(u, now) {
			c.accessed = now
			send = append(send, c)
		}
	}
	slices.SortStableFunc(send, func(a, b *cookie) int {
		return cmp.Or(len(b.Path)-len(a.Path), a.Created.Compare(b.Created))
	})
	var out strings.Builder
	for _, c := range send {
		if out.Len() > 0 {
			out.WriteString("; ")
		}
		out.WriteString(c.Name + "=" + c.Value)
	}
	return out.String()
}

// Set keeps what an answer for a URL set, and reports whether other cookies go with a request for it from now on. An error is
// that of the journal.
func (j *Jar) Set(u *urlx.URL, lines []string) (changed bool, err error) {
	if j == nil || len(lines) == 0 {
		return false, nil
	}
	now := j.clk.Now()
	before := j.For(u)
	j.mu.Lock()
	var written bytes.Buffer
	journal := json.NewEncoder(&written)
	for _, line := range lines {
		c := read(line, u, now)
		if c == nil || u.Scheme() != "https" && j.guarded(c) {
			continue
		}
		c.accessed = now.Add(-1) // of many the last make room for one another, not what the request was made with
		changed, gone := j.put(c)
		if gone != nil { // else it would come back, in the place of another, when the journal is read
			over := *gone
			over.Expires = over.Created
			err = errors.Join(err, journal.Encode(&over))
			j.lines++
		}
		if changed {
			err = errors.Join(err, journal.Encode(c))
			j.lines++
		}
	}
	if err != nil {
		j.mu.Unlock()
		return false, fmt.Errorf("cookies: %w", err)
	}
	err = j.write(written.Bytes())
	j.mu.Unlock()
	return j.For(u) != before, err
}

// put puts a cookie in, or takes the one of its name out when it is over; false: nothing changed. gone is one that made room for it. mu is
// held.
func (j *Jar) put(c *cookie) (changed bool, gone *cookie) {
	name := group(c.Domain)
	e, ok := j.groups[name]
	if !ok {
		if c.over(j.clk.Now()) {
			return false, nil
		}
		e = j.used.PushFront(&cookies{group: name})
		j.groups[name] = e
		if len(j.groups) > maxGroups {
			j.drop(j.used.Back())
		}
	}
	j.used.MoveToFront(e)
	of := e.Value.(*cookies)
	i := slices.IndexFunc(of.all, c.same)
	switch {
	case c.over(j.clk.Now()):
		if i < 0 {
			return false, nil
		}
		of.all = slices.Delete(of.all, i, i+1)
		j.count--
	case i >= 0:
		old := of.all[i]
		accessed := c.accessed
		if accessed.Before(old.accessed) {
			accessed = old.accessed
		}
		c.Created, c.accessed = old.Created, old.accessed
		if *c == *old {
			old.accessed = accessed
			return false, nil
		}
		c.accessed = accessed
		of.all[i] = c
	default:
		gone = j.makeRoom(of, c.Domain)
		of.all = append(of.all, c)
		j.count++
	}
	return true, gone
}

// guarded reports whether a cookie that comes without TLS would take the place of one that is for TLS alone. mu is held.
func (j *Jar) guarded(c *cookie) bool {
	e, ok := j.groups[group(c.Domain)]
	return ok && slices.ContainsFunc(e.Value.(*cookies).all, func(o *cookie) bool { return o.guards(c) && !o.over(j.clk.Now()) })
}

// makeRoom takes out what is over, and else one of a host, or of a domain, that has as many as it may, which it returns. mu is held.
func (j *Jar) makeRoom(of *cookies, domain string) (gone *cookie) {
	was := len(of.all)
	now := j.clk.Now()
	of.all = slices.DeleteFunc(of.all, func(c *cookie) bool { return c.over(now) })
	n := 0
	for _, c := range of.all {
		if c.Domain == domain {
			n++
		}
	}
	if n >= maxPerHost || len(of.all) >= maxPerGroup {
		first := -1
		for i, c := range of.all {
			if (n < maxPerHost || c.Domain == domain) && (first < 0 || c.before(of.all[first]) < 0) {
				first = i
			}
		}
		gone = of.all[first]
		of.all = slices.Delete(of.all, first, first+1)
	}
	j.count -= was - len(of.all)
	return gone
}

// drop forgets a domain. mu is held.
func (j *Jar) drop(e *list.Element) {
	of := e.Value.(*cookies)
	j.count -= len(of.all)
	delete(j.groups, of.group)
	j.used.Remove(e)
}

// write appends lines to the journal. mu is held.
func (j *Jar) write(lines []byte) error {
	if len(lines) == 0 {
		return nil
	}
	if j.lines > 2*j.count+maxSpare {
		return j.rewrite()
	}
	if j.file == nil {
		f, err := fsx.OpenAppend(j.fsys, j.name)
		if err != nil {
			return fmt.Errorf("cookies: %w", err)
		}
		j.file = f
	}
	if _, err := j.file.Write(lines); err != nil {
		return fmt.Errorf("cookies: %w", err)
	}
	return nil
}

// rewrite writes the journal anew, of what is in the jar: the domain used last comes last. mu is held.
func (j *Jar) rewrite() error {
	var kept bytes.Buffer
	now, lines := j.clk.Now(), 0
	for e := j.used.Back(); e != nil; e = e.Prev() {
		for _, c := range e.Value.(*cookies).all {
			if c.over(now) {
				continue
			}
			line, err := json.Marshal(c)
			if err != nil {
				return err
			}
			kept.Write(append(line, '\n'))
			lines++
		}
	}
	if err := errors.Join(j.close(), fsx.WriteFileAtomic(j.fsys, j.name, kept.Bytes())); err != nil {
		return err
	}
	j.lines = lines
	return nil
}

func (j *Jar) close() error {
	if j.file == nil {
		return nil
	}
	f := j.file
	j.file = nil
	return errors.Join(f.Sync(), f.Close())
}

// Close makes the journal durable.
func (j *Jar) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.close(); err != nil {
		return fmt.Errorf("cookies: close: %w", err)
	}
	return nil
}

// Len returns how many cookies there are.
func (j *Jar) Len() int {
	if j == nil {
		return 0
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.count
}
