package wacz

import (
	"archive/zip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"exclave/internal/fsx"
	"exclave/warc"
	"exclave/warc/rewrite"
)

// selection says which records are packed.
type selection struct {
	filter rewrite.Filter
	wanted map[[16]byte]bool // addresses with dates, and IDs, that revisit records of the hosts stand for
}

// selection reads which records of other hosts those of the wanted ones stand for. It is nil when everything is packed.
func (p *packing) selection(inputs []string) (*selection, error) {
	if len(p.o.Hosts) == 0 {
		return nil, nil
	}
	s := &selection{filter: rewrite.Filter{Hosts: p.o.Hosts}, wanted: map[[16]byte]bool{}}
	for _, name := range inputs {
		err := p.read(name, func(e *warc.Entry) error {
			if e.Type() != warc.TypeRevisit || !s.of(e.TargetURI()) {
				return nil
			}
			if to := e.Header.Get("WARC-Refers-To-Target-URI"); to != "" && !s.of(bare(to)) {
				s.wanted[sum(bare(to), e.Header.Get("WARC-Refers-To-Date"))] = true
			}
			if id := e.Header.Get("WARC-Refers-To"); id != "" {
				s.wanted[sum(bare(id))] = true
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

// of reports whether an address is of a wanted host.
func (s *selection) of(uri string) bool {
	return s.filter.Keep([]*rewrite.Record{{URI: uri}})[0] == rewrite.Fate{}
}

// keep is for a rewrite.Plan.
func (s *selection) keep(capture []*rewrite.Record) []rewrite.Fate {
	for _, r := range capture {
		if s.wanted[sum(r.ID)] || s.wanted[sum(r.URI, r.Fields.Get("WARC-Date"))] {
			return make([]rewrite.Fate, len(capture))
		}
	}
	return s.filter.Keep(capture)
}

func bare(s string) string { return strings.TrimSuffix(strings.TrimPrefix(s, "<"), ">") }

func sum(parts ...string) (out [16]byte) {
	h := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	copy(out[:], h[:])
	return out
}

// read calls each for the records of a file, to which a defect is an error.
func (p *packing) read(name string, each func(*warc.Entry) error) (err error) {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for r := warc.NewReader(f); ; {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err = errors.Join(err, p.ctx.Err()); err != nil {
			return named(err, name)
		}
		if err := each(e); err != nil {
			return err
		}
	}
}

// named puts the file into a defect.
func named(err error, name string) error {
	var d *warc.Defect
	if errors.As(err, &d) {
		d.File = name
	}
	return err
}

// form tells whether a file has records, and whether they can be packed as they are: each in a gzip member, which two records show.
func (p *packing) form(name string) (some, whole bool, err error) {
	f, err := os.Open(name)
	if err != nil {
		return false, false, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var magic [2]byte
	if _, err := io.ReadFull(f, magic[:]); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, false, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return false, false, err
	}
	whole = magic == [2]byte{0x1f, 0x8b}
	r := warc.NewReader(f)
	for range 2 {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return false, false, named(err, name)
		}
		some, whole = true, whole && strings.HasPrefix(e.Raw(), "WARC/")
	}
	return some, whole && !r.Stream(), nil
}

// input packs a file.
func (p *packing) input(name string, sel *selection) error {
	some, whole, err := p.form(name)
	if err != nil || !some {
		return err
	}
	from := name
	if sel != nil || !whole {
		if from, err = p.rewrite(name, sel); err != nil || from == "" {
			return err
		}
		defer func() { _ = os.Remove(from) }() // with its folder, at the end
	}
	base := p.name(filepath.Base(name))
	if err := p.add("archive/"+base, zip.Store, func(w io.Writer) error { return p.copy(w, from, name) }); err != nil {
		return err
	}
	p.result.Files++
	return p.index.file(p, from, base)
}

// rewrite makes a temporary file of what is wanted of a file, a gzip member for each record. Its name is empty when that is nothing.
func (p *packing) rewrite(name string, sel *selection) (string, error) {
	set, err := rewrite.NewSet(fsx.Real(), rewrite.Gzip, 0, nil)
	if err != nil {
		return "", err
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	to := filepath.Join(p.dir, "rewritten.warc.gz")
	plan := &rewrite.Plan{Output: to, Temp: p.dir, EveryInfo: sel == nil}
	if sel != nil {
		plan.Keep = sel.keep
	}
	if err := rewrite.Run(p.ctx, []rewrite.Input{{Name: name, R: f}}, plan, set); err != nil { // which closes f
		return "", err
	}
	if len(set.Files()) == 0 {
		return "", nil
	}
	return to, nil
}

// copy writes the bytes of a file, and reads its records on the way.
func (p *packing) copy(w io.Writer, from, name string) (err error) {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	in := io.TeeReader(f, w)
	r := warc.NewReader(in)
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err = errors.Join(err, p.ctx.Err()); err != nil {
			return named(err, name)
		}
		if err := p.pages.record(e, name); err != nil {
			return err
		}
	}
	if r.Stream() {
		return fmt.Errorf("wacz: %s: from some place on records are compressed together; make a member of each with exclave warc recompress", name)
	}
	_, err = io.Copy(io.Discard, in) // what a reader leaves
	return err
}

// name returns the name of a file within the package: letters, digits, ".", "_" and "-" only, since frictionless refuses others, which
// wacz validate asks; and none twice, whatever the case.
func (p *packing) name(base string) string {
	for _, end := range []string{".open", ".gz", ".zst", ".warc", ".arc"} {
		base = strings.TrimSuffix(base, end)
	}
	base = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r) {
			return r
		}
		return '-'
	}, base)
	name := base
	for n := 2; p.names[strings.ToLower(name)]; n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	p.names[strings.ToLower(name)] = true
	return name + ".warc.gz"
}
