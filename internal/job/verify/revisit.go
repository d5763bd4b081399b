package verify

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
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
		a.elsewhere = h.Get("WARC-Refers-To") == "" && h.Get("WARC-Profile") == warc.ProfileIdentical
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
		return v.abroad.Add(a.url, refNeed, binary.BigEndian.AppendUint32(b[:], file))
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
	if err := v.resolve(ctx, v.refers, "is not in the archive"); err != nil || v.elsewhere == 0 {
		return err
	}
	if v.with.Earlier == nil {
		v.Log.Warn("not checked: revisit records refer to other archives", "records", v.elsewhere)
		return nil
	}
	if err := v.others(ctx); err != nil {
		return err
	}
	return v.resolve(ctx, v.abroad, "is in another archive, and in no index that [dedup] names")
}

// resolve checks that each revisit record has a response of which the same is said.
func (v *verifier) resolve(ctx context.Context, all *extsort.Sorter, missing string) (err error) {
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
		wrong := missing
		for _, h := range have {
			if h == said {
				wrong = ""
				break
			}
			wrong = "has another date, target URI or payload digest"
		}
		if wrong == "" || len(have) == 0 && v.away > 0 && all == v.refers { // it may be there
			continue
		}
		rest := refers.Data[24:]
		f, off := v.file(binary.BigEndian.Uint32(rest[8:])), binary.BigEndian.Uint64(rest)
		v.bad(fmt.Sprintf("%s at %d", f.name, off), "a revisit record refers to a response that %s", wrong)
	}
	return refers.Err
}
