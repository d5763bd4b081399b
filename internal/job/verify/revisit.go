package verify

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"

	"exclave/internal/extsort"
	"exclave/warc"
)

// refAt is a response, or what a revisit record says of the one it refers to.
type refAt struct {
	revisit      bool
	elsewhere    bool   // the response is in another archive
	id           uint64 // hash of the ID of the response
	date         int64  // of the response, milliseconds
	url, payload uint64 // hashes of its target URI and payload digest
	offset       int64  // of the record itself
	ask          string // digest, a space, and target URI: what a server is asked; of what is elsewhere
}

// refer notes a response or revisit record.
func (w *walk) refer(r *warc.RecordInfo) {
	a := refAt{id: xxhash.Sum64String(r.ID), date: r.Date.UnixMilli(), url: xxhash.Sum64String(r.TargetURI), payload: xxhash.Sum64String(r.Payload), offset: r.Ref.Offset}
	if r.Type == warc.TypeRevisit {
		h := r.Header
		a.revisit, a.id, a.url, a.date = true, xxhash.Sum64String(strings.Trim(h.Get("WARC-Refers-To"), "<>")), xxhash.Sum64String(h.Get("WARC-Refers-To-Target-URI")), 0
		if t, err := time.Parse(time.RFC3339, h.Get("WARC-Refers-To-Date")); err == nil {
			a.date = t.UnixMilli()
		}
		if a.elsewhere = h.Get("WARC-Refers-To") == "" && h.Get("WARC-Profile") == warc.ProfileIdentical; a.elsewhere {
			a.ask = r.Payload + " " + h.Get("WARC-Refers-To-Target-URI")
		}
	}
	w.noted.refs = append(w.noted.refs, a)
}

// Kinds of what is said of an ID: responses first.
const (
	refHave = iota
	refNeed
)

// refer puts together what is said of a response.
func (v *verifier) refer(file uint32, a *refAt) error {
	var b [8 * 4]byte
	for i, n := range []uint64{uint64(a.date), a.url, a.payload, uint64(a.offset)} {
		binary.BigEndian.PutUint64(b[8*i:], n)
	}
	switch {
	case !a.revisit:
		return v.refers.Add(a.id, refHave, b[:24])
	case a.elsewhere:
		v.elsewhere++
		return v.abroad.Add(a.url, refNeed, binary.BigEndian.AppendUint32(b[:], file), []byte(a.ask))
	}
	return v.refers.Add(a.id, refNeed, binary.BigEndian.AppendUint32(b[:], file))
}

// others adds what is known of other archives.
func (v *verifier) others(ctx context.Context) error {
	n := 0
	return v.with.Earlier(func(url string, date time.Time, digest string) error {
		if n++; n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		var b [8 * 3]byte
		for i, n := range []uint64{uint64(date.UnixMilli()), xxhash.Sum64String(url), xxhash.Sum64String(digest)} {
			binary.BigEndian.PutUint64(b[8*i:], n)
		}
		return v.abroad.Add(xxhash.Sum64String(url), refHave, b[:])
	})
}

// revisits checks that each revisit record refers to a response of the archive with that ID, date, target URI and payload digest, in
// whatever file, or to one of another archive that is known.
func (v *verifier) revisits(ctx context.Context) (err error) {
	err = v.resolve(ctx, v.refers, func(n *need) error {
		if n.others || v.away == 0 { // else it may be there
			v.unresolved(n, "is not in the archive")
		}
		return nil
	})
	if err != nil || v.elsewhere == 0 {
		return err
	}
	if v.with.Earlier == nil {
		v.Log.Warn("not checked: revisit records refer to other archives", "records", v.elsewhere)
		return nil
	}
	if err := v.others(ctx); err != nil {
		return err
	}
	a := asking{v: v}
	if err := v.resolve(ctx, v.abroad, func(n *need) error { return a.add(ctx, n) }); err != nil {
		return err
	}
	return a.end(ctx)
}

// need is what a revisit record says of a response that was not found.
type need struct {
	said   [24]byte // date, and hashes of target URI and payload digest
	offset uint64
	file   uint32
	ask    string // as in refAt
	others bool   // there are responses of that ID or address of which something else is said
}

// unresolved tells of the defect.
func (v *verifier) unresolved(n *need, missing string) {
	if n.others {
		missing = "has another date, target URI or payload digest"
	}
	v.bad(fmt.Sprintf("%s at %d", v.file(n.file).name, n.offset), "a revisit record refers to a response that %s", missing)
}

// resolve checks that each revisit record has a response of which the same is said, and calls absent for each that has not.
func (v *verifier) resolve(ctx context.Context, all *extsort.Sorter, absent func(*need) error) (err error) {
	refers, err := all.Sorted()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, refers.Close()) }()
	var have [][24]byte // of the ID in hand: one
	id := uint64(0)
	for i := 0; refers.Next(); i++ {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if refers.A != id {
			id, have = refers.A, have[:0]
		}
		said := [24]byte(refers.Data)
		if refers.B == refHave {
			have = append(have, said)
			continue
		}
		if slices.Contains(have, said) {
			continue
		}
		rest := refers.Data[24:]
		if err := absent(&need{said: said, offset: binary.BigEndian.Uint64(rest), file: binary.BigEndian.Uint32(rest[8:]), ask: string(rest[12:]), others: len(have) > 0}); err != nil {
			return err
		}
	}
	return refers.Err
}

// mostAsked is how many questions are put at the same time; who is asked bounds what is under way.
const mostAsked = 256

// asking asks about what no index has, many questions at the same time.
type asking struct {
	v        *verifier
	needs    []need
	unproven int64
	why      error
}

// add takes the next record; they come sorted by address.
func (a *asking) add(ctx context.Context, n *need) error {
	switch {
	case a.v.with.Offline:
		a.unproven++
		return nil
	case a.v.with.Ask == nil:
		a.v.unresolved(n, "is in another archive, and in no index that [dedup] names")
		return nil
	}
	a.needs = append(a.needs, *n)
	if len(a.needs) < mostAsked {
		return nil
	}
	return a.flush(ctx)
}

// flush asks, once about what several records say.
func (a *asking) flush(ctx context.Context) error {
	type answer struct {
		has bool
		err error
	}
	answers := map[[24]byte]*answer{}
	var all sync.WaitGroup
	for _, n := range a.needs {
		if answers[n.said] != nil {
			continue
		}
		got := &answer{}
		answers[n.said] = got
		digest, url, _ := strings.Cut(n.ask, " ")
		date := time.UnixMilli(int64(binary.BigEndian.Uint64(n.said[:]))).UTC()
		all.Go(func() { got.has, got.err = a.v.with.Ask(ctx, url, digest, date) })
	}
	all.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for i := range a.needs {
		n := &a.needs[i]
		switch got := answers[n.said]; {
		case got.err != nil:
			a.unproven++
			a.why = got.err
		case !got.has:
			n.others = false
			a.v.unresolved(n, "is in another archive, and neither in an index nor on a server that [dedup] names")
		}
	}
	a.needs = a.needs[:0]
	return nil
}

// end asks about the rest, and tells of what could not be proven.
func (a *asking) end(ctx context.Context) error {
	if err := a.flush(ctx); err != nil {
		return err
	}
	if a.unproven > 0 {
		a.v.with.Unproven(a.unproven, a.why)
	}
	return nil
}
