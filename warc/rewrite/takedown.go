package rewrite

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"exclave/internal/urlx"
	"exclave/warc"
)

// Takedown leaves out addresses and everything that belongs to their captures: requests, metadata, verdicts, and revisit records that
// stand for them. Of the records that are left out it remembers the IDs, 16 bytes each. What names them is found wherever it stands in files
// that were given to Look; in others, when it stands behind them.
type Takedown struct {
	exact    map[string]bool // SURT
	prefixes []string
	gone     map[[16]byte]bool
}

// NewTakedown takes addresses, each with what http and https make of it, and prefixes of SURTs, which have a "(".
func NewTakedown(what []string) (*Takedown, error) {
	t := &Takedown{exact: map[string]bool{}, gone: map[[16]byte]bool{}}
	for _, w := range what {
		if strings.Contains(w, "(") && !strings.Contains(w, "/(") || strings.Contains(w, "://(") {
			p, err := urlx.ExactSURTPrefix(w)
			if err != nil {
				return nil, err
			}
			t.prefixes = append(t.prefixes, p)
			continue
		}
		s, ok := surt(w)
		if !ok {
			return nil, fmt.Errorf("rewrite: %q is no address, and no SURT prefix as http://(cz,example,", w)
		}
		t.exact[s] = true
	}
	return t, nil
}

func surt(uri string) (string, bool) {
	u, err := urlx.Parse(about(uri))
	if err != nil {
		return "", false
	}
	return urlx.SURT(u.WithoutUserinfo().WithoutFragment()), true
}

// Look reads the inputs before a Run does, each anew: which records are left out is then known before the first one is written. A defect ends
// it, as it ends a Run.
func (t *Takedown) Look(ctx context.Context, inputs []Input, temp string) (err error) {
	f, err := os.CreateTemp(temp, "exclave-warc-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := os.Remove(f.Name()); err != nil {
		return err
	}
	ties := bufio.NewWriter(f)
	for _, in := range inputs {
		if err := t.look(ctx, in, ties); err != nil {
			return in.wrong(err)
		}
	}
	if err := ties.Flush(); err != nil {
		return err
	}
	for more := true; more; { // until nothing more goes with what is gone
		if more, err = t.spread(io.NewSectionReader(f, 0, 1<<62)); err != nil {
			return err
		}
	}
	return nil
}

// tie says that the first record is left out when the second one is.
type tie [2][16]byte

func (t *Takedown) look(ctx context.Context, in Input, ties io.Writer) (err error) {
	if c, ok := in.R.(io.Closer); ok {
		defer func() { err = errors.Join(err, c.Close()) }()
	}
	for reader := warc.NewReader(in.R); ; {
		e, err := reader.Next()
		if err == io.EOF {
			return nil
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		r := Record{Type: strings.ToLower(e.Type()), ID: e.ID(), URI: e.TargetURI(), Fields: e.Header}
		if r.ID == "" || r.Type == warc.TypeWarcinfo {
			continue
		}
		if t.why(&r) != "" {
			t.gone[idSum(r.ID)] = true
		}
		for _, b := range r.ties() {
			if _, err := ties.Write(slices.Concat(b[0][:], b[1][:])); err != nil {
				return err
			}
		}
	}
}

// ties returns what goes with what by the fields of a record: records of a capture with each other, and what refers to a record with it.
func (r *Record) ties() (out []tie) {
	self := idSum(r.ID)
	for _, id := range r.Fields.All("WARC-Concurrent-To") {
		other := idSum(strings.Trim(id, "<>"))
		out = append(out, tie{self, other}, tie{other, self})
	}
	for _, id := range r.Fields.All("WARC-Refers-To") {
		out = append(out, tie{self, idSum(strings.Trim(id, "<>"))})
	}
	return out
}

// spread reads all ties once, and reports whether more is gone.
func (t *Takedown) spread(ties io.Reader) (more bool, err error) {
	var b tie
	for in := bufio.NewReader(ties); ; {
		for i := range b {
			if _, err := io.ReadFull(in, b[i][:]); err == io.EOF {
				return more, nil
			} else if err != nil {
				return more, err
			}
		}
		if t.gone[b[1]] && !t.gone[b[0]] {
			t.gone[b[0]], more = true, true
		}
	}
}

// Keep is for a Plan.
func (t *Takedown) Keep(capture []*Record) []Fate {
	out := make([]Fate, len(capture))
	for i, r := range capture {
		if why := t.why(r); why != "" {
			out[i] = Fate{true, why}
			t.gone[idSum(r.ID)] = r.ID != ""
		}
	}
	for more := true; more; {
		more = false
		for i, r := range capture {
			if !out[i].Drop && r.ID != "" && (t.gone[idSum(r.ID)] || slices.ContainsFunc(r.names(), func(id string) bool { return t.gone[idSum(id)] })) {
				out[i] = Fate{true, "belongs to a record that was left out"}
				t.gone[idSum(r.ID)], more = true, true
			}
		}
	}
	return out
}

// why says by which address a record is left out; it is empty when by none.
func (t *Takedown) why(r *Record) string {
	switch {
	case t.named(r.URI):
		return "address"
	case t.named(strings.Trim(r.Fields.Get("WARC-Refers-To-Target-URI"), "<>")):
		return "stands for an address that was left out"
	}
	return ""
}

func (t *Takedown) named(uri string) bool {
	if uri == "" {
		return false
	}
	s, ok := surt(uri)
	return ok && (t.exact[s] || slices.ContainsFunc(t.prefixes, func(p string) bool { return strings.HasPrefix(s, p) }))
}
