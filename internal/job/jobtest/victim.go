package jobtest

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

// Victim is a finished job whose files a case damages.
type Victim struct {
	testing.TB
	Config *config.Config
	WARC   string // path of the only WARC file
}

// Member is one record of a WARC file.
type Member struct {
	Off, Len int64
	Info     warc.RecordInfo
	Data     []byte // the gzip member
}

// LogPath is the path of a log.
func (v *Victim) LogPath(name string) string { return filepath.Join(v.Config.Dir, folder.LogDir, name) }

// File changes a file.
func (v *Victim) File(path string, change func([]byte) []byte) {
	v.Helper()
	b, err := os.ReadFile(path)
	Must(v, err)
	Must(v, os.WriteFile(path, change(b), 0o644))
}

// Members are the records of the WARC file.
func (v *Victim) Members() []Member {
	v.Helper()
	data, err := os.ReadFile(v.WARC)
	Must(v, err)
	var out []Member
	_, err = warctest.Verify(fsx.Real(), v.WARC, func(r warc.RecordInfo) error {
		out = append(out, Member{r.Ref.Offset, r.Ref.Length, r, data[r.Ref.Offset:][:r.Ref.Length]})
		return nil
	})
	Must(v, err)
	return out
}

// Find returns the index of a record.
func Find(t testing.TB, ms []Member, kind, uri string) int {
	t.Helper()
	i := slices.IndexFunc(ms, func(m Member) bool { return m.Info.Type == kind && m.Info.TargetURI == uri })
	if i < 0 {
		t.Fatalf("no %s record of %s", kind, uri)
	}
	return i
}

// Edited is a member with another record text.
func Edited(t testing.TB, m Member, change func(string) string) Member {
	t.Helper()
	zr, err := gzip.NewReader(bytes.NewReader(m.Data))
	Must(t, err)
	text, err := io.ReadAll(zr)
	Must(t, err)
	changed := change(string(text))
	if changed == string(text) {
		t.Fatal("the record was not changed")
	}
	var b bytes.Buffer
	zw := gzip.NewWriter(&b)
	_, err = io.WriteString(zw, changed)
	Must(t, errors.Join(err, zw.Close()))
	m.Data = b.Bytes()
	return m
}

// Rewrite writes the WARC file of other members and shifts what the state says
// of their places, so that nothing but the members is wrong.
func (v *Victim) Rewrite(change func([]Member) []Member) {
	v.Helper()
	old := v.Members()
	at := map[int64]int64{} // from old offsets to new
	places := map[string][]byte{}
	var data []byte
	kept := change(slices.Clone(old))
	i := 0
	for _, m := range old {
		at[m.Off] = int64(len(data))
		if i < len(kept) && kept[i].Off == m.Off {
			places[Place(m.Off, m.Len)] = []byte(Place(int64(len(data)), int64(len(kept[i].Data))))
			data = append(data, kept[i].Data...)
			i++
		}
		at[m.Off+m.Len] = int64(len(data))
	}
	Must(v, os.WriteFile(v.WARC, data, 0o644))
	v.State(func(db *pebble.DB) {
		for k, val := range Rows(v, db, 'u') {
			for from, to := range places {
				val = bytes.Replace(val, []byte(from), to, 1)
			}
			Set(v, db, []byte(k), val)
		}
		for k, val := range Rows(v, db, 'c') {
			Must(v, db.Delete([]byte(k), pebble.Sync))
			end, n := binary.Uvarint(val[1:])
			moved := append(binary.AppendUvarint([]byte{val[0]}, uint64(at[int64(end)])), val[1+n:]...)
			start := int64(binary.BigEndian.Uint64([]byte(k)[5:]))
			defer Set(v, db, binary.BigEndian.AppendUint64([]byte(k)[:5:5], uint64(at[start])), moved)
		}
		end := old[len(old)-1]
		v.ReplaceIn(db, 'f', binary.AppendUvarint(nil, uint64(end.Off+end.Len)), binary.AppendUvarint(nil, uint64(len(data))))
	})
}

// Place is how a record of a URI says where something stands in file 1.
func Place(off, n int64) string {
	return string(binary.AppendUvarint(binary.AppendUvarint([]byte{1}, uint64(off)), uint64(n)))
}

// State opens the rows of the state (docs/formats/state.md).
func (v *Victim) State(change func(*pebble.DB)) {
	v.Helper()
	db, err := pebble.Open(filepath.Join(v.Config.Dir, folder.StateDir, "frontier"),
		&pebble.Options{FormatMajorVersion: pebble.FormatNewest, Logger: Quiet{}})
	Must(v, err)
	change(db)
	Must(v, db.Close())
}

// Quiet is a logger of a store that says nothing.
type Quiet struct{}

// Infof implements [pebble.Logger].
func (Quiet) Infof(string, ...any) {}

// Errorf implements [pebble.Logger].
func (Quiet) Errorf(string, ...any) {}

// Fatalf implements [pebble.Logger].
func (Quiet) Fatalf(string, ...any) {}

// Rows are the rows of a kind.
func Rows(t testing.TB, db *pebble.DB, kind byte) map[string][]byte {
	t.Helper()
	it, err := db.NewIter(&pebble.IterOptions{LowerBound: []byte{kind}, UpperBound: []byte{kind + 1}})
	Must(t, err)
	out := map[string][]byte{}
	for ok := it.First(); ok; ok = it.Next() {
		out[string(it.Key())] = bytes.Clone(it.Value())
	}
	Must(t, it.Close())
	return out
}

// Set writes a row.
func Set(t testing.TB, db *pebble.DB, k, val []byte) {
	t.Helper()
	Must(t, db.Set(k, val, pebble.Sync))
}

// Row returns the one row of a kind whose value holds part.
func Row(t testing.TB, db *pebble.DB, kind byte, part string) (key string, val []byte) {
	t.Helper()
	all := Rows(t, db, kind)
	for _, k := range slices.Sorted(maps.Keys(all)) {
		if bytes.Contains(all[k], []byte(part)) {
			return k, all[k]
		}
	}
	t.Fatalf("no row %c with %q", kind, part)
	return "", nil
}

// URIRow returns the row of a finished URI: its URL follows version, flags, state, mode
// and kind.
func URIRow(t testing.TB, db *pebble.DB, url string) (key string, val []byte) {
	t.Helper()
	host, rest, _ := strings.Cut(strings.TrimPrefix(url, "http://"), "/")
	h, _ := Row(t, db, 'h', host)
	for k, val := range Rows(t, db, 'u') {
		_, flags := binary.Uvarint(val[1:])
		// The scheme's number and what follows the host, which the key begins with.
		if k[1:9] == h[1:] && bytes.HasPrefix(val[1+flags+3:], []byte("\x01"+string(rune(1+len(rest)))+"/"+rest)) {
			return k, val
		}
	}
	t.Fatalf("no finished URI %s", url)
	return "", nil
}

// ReplaceIn replaces bytes in the rows of a kind.
func (v *Victim) ReplaceIn(db *pebble.DB, kind byte, from, to []byte) {
	v.Helper()
	k, val := Row(v, db, kind, string(from))
	Set(v, db, []byte(k), bytes.Replace(val, from, to, 1))
}

// URI changes the record of a URI.
func (v *Victim) URI(url string, change func([]byte) []byte) {
	v.Helper()
	v.State(func(db *pebble.DB) {
		k, val := URIRow(v, db, url)
		changed := change(bytes.Clone(val))
		if bytes.Equal(changed, val) {
			v.Fatalf("record of %s was not changed", url)
		}
		Set(v, db, []byte(k), changed)
	})
}

// Lines are the lines of a log, with their ends.
func Lines(b []byte) []string { return strings.SplitAfter(strings.TrimSuffix(string(b), "\n"), "\n") }
