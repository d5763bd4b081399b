package job_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"exclave/config"
	"exclave/internal/fsx"
	"exclave/internal/job/folder"
	"exclave/warc"
	"exclave/warc/warctest"

	"github.com/cockroachdb/pebble/v2"
	"github.com/klauspost/compress/gzip"
)

// victim is a finished job whose files a case damages.
type victim struct {
	testing.TB
	cfg  *config.Config
	warc string // path of the only WARC file
}

// member is one record of a WARC file.
type member struct {
	off, len int64
	info     warc.RecordInfo
	data     []byte // the gzip member
}

func (v *victim) log(name string) string { return filepath.Join(v.cfg.Dir, folder.LogDir, name) }

func (v *victim) file(path string, change func([]byte) []byte) {
	v.Helper()
	b, err := os.ReadFile(path)
	must(v, err)
	must(v, os.WriteFile(path, change(b), 0o644))
}

func (v *victim) members() []member {
	v.Helper()
	data, err := os.ReadFile(v.warc)
	must(v, err)
	var out []member
	_, err = warctest.Verify(fsx.Real(), v.warc, func(r warc.RecordInfo) error {
		out = append(out, member{r.Ref.Offset, r.Ref.Length, r, data[r.Ref.Offset:][:r.Ref.Length]})
		return nil
	})
	must(v, err)
	return out
}

// find returns the index of a record.
func find(t testing.TB, ms []member, kind, uri string) int {
	t.Helper()
	i := slices.IndexFunc(ms, func(m member) bool { return m.info.Type == kind && m.info.TargetURI == uri })
	if i < 0 {
		t.Fatalf("no %s record of %s", kind, uri)
	}
	return i
}

// edited is a member with another record text.
func edited(t testing.TB, m member, change func(string) string) member {
	t.Helper()
	zr, err := gzip.NewReader(bytes.NewReader(m.data))
	must(t, err)
	text, err := io.ReadAll(zr)
	must(t, err)
	changed := change(string(text))
	if changed == string(text) {
		t.Fatal("the record was not changed")
	}
	var b bytes.Buffer
	zw := gzip.NewWriter(&b)
	_, err = io.WriteString(zw, changed)
	must(t, errors.Join(err, zw.Close()))
	m.data = b.Bytes()
	return m
}

// rewrite writes the WARC file of other members and shifts what the state says
// of their places, so that nothing but the members is wrong.
func (v *victim) rewrite(change func([]member) []member) {
	v.Helper()
	old := v.members()
	at := map[int64]int64{} // from old offsets to new
	places := map[string][]byte{}
	var data []byte
	kept := change(slices.Clone(old))
	i := 0
	for _, m := range old {
		at[m.off] = int64(len(data))
		if i < len(kept) && kept[i].off == m.off {
			places[place(m.off, m.len)] = []byte(place(int64(len(data)), int64(len(kept[i].data))))
			data = append(data, kept[i].data...)
			i++
		}
		at[m.off+m.len] = int64(len(data))
	}
	must(v, os.WriteFile(v.warc, data, 0o644))
	v.state(func(db *pebble.DB) {
		for k, val := range rows(v, db, 'u') {
			for from, to := range places {
				val = bytes.Replace(val, []byte(from), to, 1)
			}
			set(v, db, []byte(k), val)
		}
		for k, val := range rows(v, db, 'c') {
			must(v, db.Delete([]byte(k), pebble.Sync))
			end, n := binary.Uvarint(val[1:])
			moved := append(binary.AppendUvarint([]byte{val[0]}, uint64(at[int64(end)])), val[1+n:]...)
			start := int64(binary.BigEndian.Uint64([]byte(k)[5:]))
			defer set(v, db, binary.BigEndian.AppendUint64([]byte(k)[:5:5], uint64(at[start])), moved)
		}
		end := old[len(old)-1]
		v.replaceIn(db, 'f', binary.AppendUvarint(nil, uint64(end.off+end.len)), binary.AppendUvarint(nil, uint64(len(data))))
	})
}

// place is how a record of a URI says where something stands in file 1.
func place(off, n int64) string {
	return string(binary.AppendUvarint(binary.AppendUvarint([]byte{1}, uint64(off)), uint64(n)))
}

// state opens the rows of the state (docs/formats/state.md).
func (v *victim) state(change func(*pebble.DB)) {
	v.Helper()
	db, err := pebble.Open(filepath.Join(v.cfg.Dir, folder.StateDir, "frontier"),
		&pebble.Options{FormatMajorVersion: pebble.FormatNewest, Logger: quiet{}})
	must(v, err)
	change(db)
	must(v, db.Close())
}

type quiet struct{}

func (quiet) Infof(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}
func (quiet) Fatalf(string, ...any) {}

func rows(t testing.TB, db *pebble.DB, kind byte) map[string][]byte {
	t.Helper()
	it, err := db.NewIter(&pebble.IterOptions{LowerBound: []byte{kind}, UpperBound: []byte{kind + 1}})
	must(t, err)
	out := map[string][]byte{}
	for ok := it.First(); ok; ok = it.Next() {
		out[string(it.Key())] = bytes.Clone(it.Value())
	}
	must(t, it.Close())
	return out
}

func set(t testing.TB, db *pebble.DB, k, val []byte) {
	t.Helper()
	must(t, db.Set(k, val, pebble.Sync))
}

// row returns the one row of a kind whose value holds part.
func row(t testing.TB, db *pebble.DB, kind byte, part string) (key string, val []byte) {
	t.Helper()
	all := rows(t, db, kind)
	for _, k := range slices.Sorted(maps.Keys(all)) {
		if bytes.Contains(all[k], []byte(part)) {
			return k, all[k]
		}
	}
	t.Fatalf("no row %c with %q", kind, part)
	return "", nil
}

// uriRow returns the row of a finished URI: its URL follows version, flags, state, mode
// and kind.
func uriRow(t testing.TB, db *pebble.DB, url string) (key string, val []byte) {
	t.Helper()
	host, rest, _ := strings.Cut(strings.TrimPrefix(url, "http://"), "/")
	h, _ := row(t, db, 'h', host)
	for k, val := range rows(t, db, 'u') {
		_, flags := binary.Uvarint(val[1:])
		// The scheme's number and what follows the host, which the key begins with.
		if k[1:9] == h[1:] && bytes.HasPrefix(val[1+flags+3:], []byte("\x01"+string(rune(1+len(rest)))+"/"+rest)) {
			return k, val
		}
	}
	t.Fatalf("no finished URI %s", url)
	return "", nil
}

func (v *victim) replaceIn(db *pebble.DB, kind byte, from, to []byte) {
	v.Helper()
	k, val := row(v, db, kind, string(from))
	set(v, db, []byte(k), bytes.Replace(val, from, to, 1))
}

// uri changes the record of a URI.
func (v *victim) uri(url string, change func([]byte) []byte) {
	v.Helper()
	v.state(func(db *pebble.DB) {
		k, val := uriRow(v, db, url)
		changed := change(bytes.Clone(val))
		if bytes.Equal(changed, val) {
			v.Fatalf("record of %s was not changed", url)
		}
		set(v, db, []byte(k), changed)
	})
}

func lines(b []byte) []string { return strings.SplitAfter(strings.TrimSuffix(string(b), "\n"), "\n") }
