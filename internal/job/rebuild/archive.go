package rebuild

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"exclave/analyzer"
	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/job/folder"
	"exclave/internal/job/records"
	"exclave/warc"
)

// archive is what lies in the folder of WARC files.
type archive struct {
	*rebuilding
	files   map[uint32]warc.FileState
	numbers map[string]uint32 // of files, by final name
	ends    map[uint32]int64  // where the last whole group of a file that is open ends
	behind  map[uint32]int64  // whole records behind that
}

// rows are those of the files that the new state acknowledges something of.
func (r *archive) rows() (rows []frontier.FileRow) {
	for _, n := range slices.Sorted(maps.Keys(r.files)) {
		row := r.files[n]
		if !row.Final {
			row.Committed = r.ends[n]
		}
		if row.Committed > 0 {
			rows = append(rows, frontier.FileRow(row))
		}
	}
	return rows
}

// cutEnds cuts files that were being written behind their last whole capture; what is cut off is kept.
func (r *archive) cutEnds() error {
	for _, n := range slices.Sorted(maps.Keys(r.files)) {
		row := r.files[n]
		if !row.Final && row.Committed == 0 {
			if err := r.FS.Remove(r.Path(folder.WARCDir, row.DiskName())); err != nil { // nothing was written to it
				return fmt.Errorf("job: recover: %w", err)
			}
		} else if !row.Final && r.ends[n] < row.Committed {
			if err := r.cutOff(filepath.Join(folder.WARCDir, row.DiskName()), r.ends[n], r.behind[n], "no whole capture"); err != nil {
				return err
			}
		}
	}
	return nil
}

// list finds the job's WARC files.
func (r *archive) list(context.Context) error {
	names, err := r.FS.List(r.Path(folder.WARCDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("job: recover: %w", err)
	}
	slices.Sort(names) // a final name comes before the same name with .open
	for _, name := range names {
		st, err := r.FS.Stat(r.Path(folder.WARCDir, name))
		if err != nil {
			return fmt.Errorf("job: recover: %w", err)
		}
		f, ours := warc.ParseName(name)
		switch was, twice := r.files[f.Number]; {
		case st.IsDir(), warc.IsManifest(name):
			continue
		case !ours:
			r.note("%s: no WARC file of this program: left alone", name)
			continue
		case twice && was.Name == f.Name:
			r.note("%s: the same file has its final name too: this one is set aside", name)
			continue // see setAside
		case twice:
			return refused("%s and %s have the same number; move the one that is not of this job away", was.Name, name)
		}
		f.Committed = st.Size()
		r.files[f.Number], r.numbers[f.Name] = f, f.Number
	}
	return nil
}

// scan hands the capture groups of all files to each, file by file, and says where each file ends.
func (r *archive) scan(ctx context.Context, each func(*group) error) error {
	for _, n := range slices.Sorted(maps.Keys(r.files)) {
		row := r.files[n]
		s := scan{r: r.rebuilding, row: row, each: each}
		if err := s.file(ctx, row.DiskName()); err != nil {
			return err
		}
		for _, d := range s.damage {
			if d.Offset < s.end { // what follows is reported when it is set aside
				r.note("%s at %d: %s: %s", row.Name, d.Offset, d.Kind, d.Detail)
			}
		}
		if row.Final && s.end == 0 {
			return refused("%s holds no whole capture; move it away", row.Name)
		}
		r.ends[n], r.behind[n] = s.end, s.behind
	}
	return nil
}

// setDoublesAside sets files aside that also lie there under their final names.
func (r *archive) setDoublesAside() error {
	names, err := r.FS.List(r.Path(folder.WARCDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("job: recover: %w", err)
	}
	for _, name := range names {
		f, ok := warc.ParseName(name)
		if !ok || f.Final || r.files[f.Number].DiskName() == name {
			continue
		}
		if err := r.cutOff(filepath.Join(folder.WARCDir, name), 0, 0, "the file has its final name too"); err != nil {
			return err
		}
	}
	return nil
}

// metadata are the fields of a metadata record that say how a page was found.
type metadata struct {
	via, hops, tag string
	seed           bool
	took           time.Duration
	simhash, text  string // hashes of the text
	links          []crawl.Outlink
}

// describe reads a metadata record.
func (r *archive) describe(ref crawl.Ref) (d metadata, err error) {
	block, err := r.block(ref)
	if err != nil {
		return d, err
	}
	for line := range bytes.Lines(block) {
		name, value, _ := strings.Cut(strings.TrimRight(string(line), "\r\n"), ": ")
		switch name {
		case "seed":
			d.seed = true
		case "via":
			d.via = value
		case "hopsFromSeed":
			d.hops = value
		case "sourceTag":
			d.tag = value
		case "fetchTimeMs":
			if n, err := strconv.ParseInt(value, 10, 64); err == nil {
				d.took = time.Duration(n) * time.Millisecond
			}
		case "simhash":
			d.simhash = value
		case "textHash":
			d.text = value
		case "outlink":
			if o, ok := records.ParseOutlink(value); ok {
				d.links = append(d.links, o)
			}
		}
	}
	return d, nil
}

// block reads the block of a record of the archive.
func (r *archive) block(ref crawl.Ref) ([]byte, error) {
	s, ok := r.files[ref.File]
	if !ok {
		return nil, fmt.Errorf("job: recover: there is no WARC file number %d", ref.File)
	}
	e, done, err := warc.ReadAt(r.FS, r.Path(folder.WARCDir, s.DiskName()), warc.Ref(ref))
	if err != nil {
		return nil, fmt.Errorf("job: recover: %w", err)
	}
	block, err := io.ReadAll(e.Block)
	if err := errors.Join(err, done()); err != nil {
		return nil, fmt.Errorf("job: recover %s at %d: %w", s.Name, ref.Offset, err)
	}
	return block, nil
}

// judgement reads verdicts as they stand in the archive and in analysis.jsonl. Profiles that the job
// does not have any more are left out.
func (r *rebuilding) judgement(verdicts []byte) (*crawl.Judgement, error) {
	var vs []analyzer.Verdict
	if err := json.Unmarshal(verdicts, &vs); err != nil {
		return nil, fmt.Errorf("verdict: %w", err)
	}
	j := &crawl.Judgement{JSON: verdicts, Profiles: len(r.profiles)}
	for _, v := range vs {
		i := slices.Index(r.profiles, v.Profile)
		if i < 0 {
			continue
		}
		j.Points[i] = v.Points
		if v.Valid {
			j.ValidFor |= 1 << i
		} else if v.Near() {
			j.Near = true
		}
	}
	return j, nil
}
