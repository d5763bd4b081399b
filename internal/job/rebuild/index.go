package rebuild

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/mime"
	"exclave/warc"
)

// index is what archive and analysis.jsonl hold, in scratch rows, while a state is made anew. A row is removed when a
// line of crawl.log, or another row, is replayed with it; what is left has no such line.
//
//	c file start          a capture group
//	r file offset         where the group of the response at the offset begins
//	d time file start     the groups by the time of their answers
//	j URL NUL file start  groups that hold only a verdict
//	a URL NUL number      lines of analysis.jsonl
//	l key NUL page        contexts of guesses that the page needs, by links.log
//	n key                 pages whose links are not to be followed
//	o ID                  responses that revisit records may refer to
type index struct {
	b *frontier.Builder
	n uint64 // of the last line
}

// analysed is a line of analysis.jsonl.
type analysed struct {
	Time     string          `json:"time"`
	URL      string          `json:"url"`
	Via      string          `json:"via"`
	Seed     bool            `json:"seed"`
	Source   string          `json:"source"`
	Status   int             `json:"status"`
	MIME     string          `json:"mime"`
	Archived bool            `json:"archived"`
	Digest   string          `json:"digest"`
	Verdicts json.RawMessage `json:"verdicts,omitempty"`
	// Judged is what the verdicts say; the index has it in their place.
	Judged crawl.Judgement `json:"judged,omitzero"`
}

func place(kind byte, file uint32, offset int64) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32([]byte{kind}, file), uint64(offset))
}

func timed(date int64, file uint32, start int64) []byte {
	return append(binary.BigEndian.AppendUint64([]byte{'d'}, uint64(max(date, 0))), place('c', file, start)[1:]...)
}

func named(kind byte, url string) []byte { return append(append([]byte{kind}, url...), 0) }

func (x *index) addGroup(g *group) error {
	v, err := json.Marshal(g)
	if err != nil {
		return fmt.Errorf("job: recover: %w", err)
	}
	start := place('c', g.File, g.Start)[1:]
	err = errors.Join(x.b.Put(place('c', g.File, g.Start), v), x.b.Put(timed(g.Date, g.File, g.Start), nil))
	switch {
	case g.Why != "" || err != nil:
		return err
	case !g.Response.IsZero():
		if err := x.addOriginal(g); err != nil {
			return err
		}
		return x.b.Put(place('r', g.File, g.Response.Offset), start[4:])
	}
	return x.b.Put(append(named('j', g.URL), start...), nil)
}

// known is a response that revisit records may refer to.
type known struct {
	crawl.Original
	ContentType string
	MIME        mime.Info
	NoFollow    bool
	Size        int64 // of the payload
}

func (x *index) addOriginal(g *group) error {
	if g.Type != warc.TypeResponse {
		return nil
	}
	v, err := json.Marshal(known{crawl.Original{Ref: g.Response, ID: g.ID, URL: g.URL, Date: time.UnixMilli(g.Date).UTC(), Digest: g.Digest},
		g.ContentType, g.MIME, g.NoFollow, g.Size - g.Header})
	if err != nil {
		return fmt.Errorf("job: recover: %w", err)
	}
	return x.b.Put(append([]byte{'o'}, g.ID...), v)
}

// original finds what a revisit record of an identical payload refers to, and what follows from that payload; whole says that the group has
// its payload.
func (x *index) original(g *group) (whole bool, err error) {
	if g.Refers == "" {
		return true, nil
	}
	v, err := x.b.Get(append([]byte{'o'}, g.Refers...))
	if v == nil || err != nil {
		return false, err
	}
	var o known
	if err := json.Unmarshal(v, &o); err != nil {
		return false, fmt.Errorf("job: recover: %w", err)
	}
	g.Original, g.Size = &o.Original, g.Header+o.Size
	if g.ContentType == o.ContentType {
		g.MIME = o.MIME
	}
	g.NoFollow = o.NoFollow && g.MIME.Class == mime.HTML
	return true, nil
}

// group returns a group, nil when it is not, or no more, there.
func (x *index) group(file uint32, start int64) (*group, error) {
	v, err := x.b.Get(place('c', file, start))
	if v == nil || err != nil {
		return nil, err
	}
	g := &group{}
	return g, json.Unmarshal(v, g)
}

// page returns the group whose response is at the offset.
func (x *index) page(file uint32, offset int64) (*group, error) {
	v, err := x.b.Get(place('r', file, offset))
	if v == nil || err != nil {
		return nil, err
	}
	return x.group(file, int64(binary.BigEndian.Uint64(v)))
}

// verdict returns the first group that holds only a verdict on a URL.
func (x *index) verdict(url string) (g *group, err error) {
	err = x.first(named('j', url), func(k, _ []byte) error {
		k = k[len(k)-12:]
		g, err = x.group(binary.BigEndian.Uint32(k), int64(binary.BigEndian.Uint64(k[4:])))
		return err
	})
	return g, err
}

// used takes a group out.
func (x *index) used(g *group) error {
	return errors.Join(x.b.Drop(place('c', g.File, g.Start)), x.b.Drop(timed(g.Date, g.File, g.Start)),
		x.b.Drop(place('r', g.File, g.Response.Offset)), x.b.Drop(append(named('j', g.URL), place('c', g.File, g.Start)[1:]...)))
}

func (x *index) addLine(a analysed, line []byte) error {
	x.n++
	return x.b.Put(binary.BigEndian.AppendUint64(named('a', a.URL), x.n), line)
}

// seedVia returns where a log found a seed, as the first line of analysis.jsonl about it says.
func (x *index) seedVia(url string) (via string, err error) {
	err = x.first(named('a', url), func(_, v []byte) error {
		var a analysed
		err := json.Unmarshal(v, &a)
		if a.Seed {
			via = a.Via
		}
		return err
	})
	return via, err
}

// line takes the first line of analysis.jsonl about a URL out; it is not ok when there is none.
func (x *index) line(url string) (a analysed, ok bool, err error) {
	var key []byte
	err = x.first(named('a', url), func(k, v []byte) error {
		key, ok = append(key, k...), true
		return json.Unmarshal(v, &a)
	})
	if ok && err == nil {
		err = x.b.Drop(key)
	}
	return a, ok, err
}

// neededAs returns the context of a guess that a page needs, "" of other links and without links.log.
func (x *index) neededAs(key, page string) (string, error) {
	v, err := x.b.Get(append(named('l', key), page...))
	return string(v), err
}

// first calls fn for the first row with the prefix.
func (x *index) first(prefix []byte, fn func(k, v []byte) error) error {
	return x.b.Each(prefix, func(k, v []byte) (bool, error) { return false, fn(k, v) })
}

// left calls fn for the groups that no line of crawl.log was about, by the time of their answers.
func (x *index) left(fn func(*group) error) error {
	return x.b.Each([]byte{'d'}, func(k, _ []byte) (bool, error) {
		g, err := x.group(binary.BigEndian.Uint32(k[9:]), int64(binary.BigEndian.Uint64(k[13:])))
		if err != nil || g == nil {
			return true, err
		}
		return true, fn(g)
	})
}

// lines calls fn for the lines of analysis.jsonl that were not used.
func (x *index) lines(fn func(analysed) error) error {
	return x.b.Each([]byte{'a'}, func(_, v []byte) (bool, error) {
		var a analysed
		if err := json.Unmarshal(v, &a); err != nil {
			return false, err
		}
		return true, fn(a)
	})
}

// indexLines indexes analysis.jsonl.
func (r *replay) indexLines(ctx context.Context) error {
	return r.logs.each(ctx, crawl.LogAnalysis, func(line []byte, good bool) error {
		if !good {
			return nil
		}
		var a analysed
		if err := json.Unmarshal(line, &a); err != nil {
			return err
		}
		j, err := r.judgement(a.Verdicts)
		if err != nil {
			r.note("%s: %s: %v", crawl.LogAnalysis.Name(), a.URL, err)
			j = &crawl.Judgement{}
		}
		a.Verdicts, a.Judged = nil, *j
		a.Judged.JSON = nil
		row, err := json.Marshal(a)
		if err != nil {
			return err
		}
		return r.index.addLine(a, row)
	})
}
