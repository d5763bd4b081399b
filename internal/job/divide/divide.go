package divide

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"path/filepath"
	"slices"

	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/fsx"
	"exclave/internal/job/folder"
	"exclave/internal/job/records"
	"exclave/internal/job/rules"
	"exclave/internal/job/view"
)

// ErrUnusable is wrapped by errors about what was asked for: a profile that the job does not have, a folder that is there
// already. Nothing was made.
var ErrUnusable = errors.New("cannot be used")

// ErrNothing is wrapped by the error of a job that has archived nothing.
var ErrNothing = errors.New("nothing is archived")

// NoProfile is the folder of what belongs to no profile: no profile has a dot in its name.
const NoProfile = "no.profile"

// Options say what is made. The zero Options make all parts.
type Options struct {
	Profiles []string // make the parts of these only; none: those of all, and of no profile
	Software string   // in the warcinfo records: "exclave/1.0"
	Version  string   // of it, in the user agent there
}

// Part is what was made for a profile.
type Part struct {
	Profile  string `json:"profile"` // NoProfile
	Files    int    `json:"files"`
	URIs     int64  `json:"uris"` // archived ones; one may have several captures
	Valid    int64  `json:"valid"`
	Own      int64  `json:"own"` // URIs that are in no other part
	Captures int64  `json:"captures"`
	// Originals are captures of other parts that were copied because revisit records refer to their payload.
	Originals int64 `json:"originals"`
	// Prerequisites are captures of other parts of which only DNS answers and robots.txt were copied.
	Prerequisites int64 `json:"prerequisites"`
	Bytes         int64 `json:"bytes"` // of its files
}

// Result is what was made.
type Result struct {
	URIs   int64  `json:"uris"`   // archived by the job
	Shared int64  `json:"shared"` // of these, in several parts
	None   int64  `json:"none"`   // in none, but for that of no profile
	Parts  []Part `json:"parts"`
}

// Archive divides the archive of a job that is not running into the new folder dir. After an error there is no
// dir. The error wraps [ErrUnusable], [ErrNothing], [folder.ErrNotBegun] or [folder.ErrLocked] where it is not a failure.
func Archive(ctx context.Context, f folder.Folder, dir string, o Options) (_ Result, err error) {
	dir = filepath.Clean(dir)
	if _, err := f.FS.Stat(dir); err == nil {
		return Result{}, fmt.Errorf("job: divide: %w: %s is there already; name a new folder", ErrUnusable, dir)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return Result{}, fmt.Errorf("job: divide: %w", err)
	}
	v, err := view.Open(ctx, f, view.Options{For: "divide", Rules: true})
	if err != nil {
		return Result{}, err
	}
	made := false
	defer func() {
		if err = errors.Join(err, v.Close()); err != nil && made { // the name of dir may be lost: then so is what says that it is whole
			err = errors.Join(err, f.FS.RemoveAll(dir))
		}
	}()
	d := &dividing{Folder: f, v: v, o: o, dir: dir + ".tmp"}
	if err := d.choose(); err != nil {
		return Result{}, err
	}
	d.b = belonging{state: v.State, links: records.Links{Reader: v.Records(), Rules: f.Config.URL.Rules}, profiles: len(d.names), depths: rules.Depths(f.Config, v.Analyzer)}
	if err := d.b.decide(ctx); err != nil {
		return Result{}, err
	}
	if len(d.b.nodes) == 0 {
		return Result{}, fmt.Errorf("job: divide %s: %w", f.Dir(), ErrNothing)
	}
	if err := f.FS.RemoveAll(d.dir); err != nil { // of one that was killed
		return Result{}, fmt.Errorf("job: divide: remove what is left of an earlier attempt: %w", err)
	}
	if err := d.write(ctx); err != nil {
		return Result{}, errors.Join(err, f.FS.RemoveAll(d.dir))
	}
	if err := f.FS.Rename(d.dir, dir); err != nil {
		return Result{}, errors.Join(fmt.Errorf("job: divide: %w", err), f.FS.RemoveAll(d.dir))
	}
	made = true
	if err := fsx.SyncDir(f.FS, filepath.Dir(dir)); err != nil {
		return Result{}, fmt.Errorf("job: divide: %w", err)
	}
	return d.result(), nil
}

// dividing is a job being divided.
type dividing struct {
	folder.Folder
	v     *view.View
	o     Options
	dir   string   // that is written to
	names []string // of the profiles, in their order
	want  parts
	b     belonging
	out   [crawl.MaxProfiles + 1]*part // nil: not written to yet
}

// choose says which parts are made.
func (d *dividing) choose() error {
	for _, p := range d.v.Analyzer.Profiles() {
		d.names = append(d.names, p.Name)
	}
	for _, name := range d.o.Profiles {
		i := slices.Index(d.names, name)
		if i < 0 {
			return fmt.Errorf("job: divide: %w: the job has no profile %q, it has %q", ErrUnusable, name, d.names)
		}
		d.want |= of(i)
	}
	if d.want == 0 {
		d.want = of(none) | (of(len(d.names)) - 1)
	}
	return nil
}

func (d *dividing) name(p int) string {
	if p == none {
		return NoProfile
	}
	return d.names[p]
}

// write makes the folder with everything in it.
func (d *dividing) write(ctx context.Context) (err error) {
	if err := fsx.MkdirAll(d.FS, d.dir); err != nil {
		return err
	}
	defer func() {
		for _, p := range d.out {
			if p != nil {
				err = errors.Join(err, p.close())
			}
		}
		if err == nil {
			err = fsx.SyncDir(d.FS, d.dir)
		}
	}()
	for _, row := range d.v.State.Files() {
		if row.Committed == 0 {
			continue
		}
		if err := d.file(ctx, row.Number); err != nil {
			return err
		}
	}
	return nil
}

// file copies what is wanted of a WARC file.
func (d *dividing) file(ctx context.Context, number uint32) (err error) {
	in, name, err := d.v.Records().File(ctx, number)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	return d.v.State.CapturesOf(number, func(c frontier.Capture) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := d.capture(in, c); err != nil {
			return fmt.Errorf("job: divide: %s: %w", name, err)
		}
		return nil
	})
}

// part returns a part, made when something is put into it.
func (d *dividing) part(p int) (*part, error) {
	if d.out[p] != nil {
		return d.out[p], nil
	}
	made, err := d.newPart(d.name(p))
	d.out[p] = made
	return made, err
}

// all are the parts of a set, in order.
func (m parts) all(yield func(int) bool) {
	for ; m != 0; m &= m - 1 {
		if !yield(bits.TrailingZeros8(uint8(m))) {
			return
		}
	}
}

func (d *dividing) result() (r Result) {
	var counts [none + 1]Part
	for i := range d.b.nodes {
		n := &d.b.nodes[i]
		r.URIs++
		mask := n.mask
		switch bits.OnesCount8(uint8(mask)) {
		case 0:
			r.None++
			mask = of(none)
		case 1:
		default:
			r.Shared++
		}
		for p := range mask.all {
			counts[p].URIs++
			if mask == of(p) {
				counts[p].Own++
			}
			if n.valid&of(p) != 0 {
				counts[p].Valid++
			}
		}
	}
	for p := range d.want.all {
		c := counts[p]
		if w := d.out[p]; w != nil {
			c.Files, c.Captures, c.Originals, c.Prerequisites, c.Bytes = w.files, w.captures, w.originals, w.prerequisites, w.bytes
		} else if p == none {
			continue
		}
		c.Profile = d.name(p)
		r.Parts = append(r.Parts, c)
	}
	return r
}
