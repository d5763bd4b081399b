package judge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"

	"exclave/analyzer"
	"exclave/crawl"
	"exclave/internal/record"
	"exclave/warc"
)

// archived judges every answer with status 200 in a WARC file, or those whose URL is wanted.
func archived(ctx context.Context, a *analyzer.Analyzer, path string, in io.Reader, wanted func(url string) bool, each func(Result) error, doubt func(warc.Defect)) error {
	hosts := knownHosts{addr: map[string]netip.Addr{}, verdicts: map[string]crawl.HostVerdicts{}}
	return entries(path, in, doubt, func(e *warc.Entry) error {
		if a.WantsAddrs() && hosts.note(e) || e.Type() != warc.TypeResponse || wanted != nil && !wanted(e.TargetURI()) {
			return nil
		}
		j, ok, err := entry(ctx, a, path, e, hosts)
		if err != nil || !ok {
			return err
		}
		return each(j)
	})
}

// entries gives take each record of a WARC file. Damaged ones are left out and returned together at
// the end, a [*warc.Defect] each; another error of take ends it.
func entries(path string, in io.Reader, doubt func(warc.Defect), take func(*warc.Entry) error) error {
	var defects []error
	r := warc.NewTolerantReader(in, func(d warc.Defect) {
		d.File = path
		defects = append(defects, &d)
	})
	if doubt != nil {
		r.SecondOpinion(func(d warc.Defect) {
			d.File = path
			doubt(d)
		})
	}
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return errors.Join(defects...)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		err = take(e)
		if d := (*warc.Defect)(nil); errors.As(err, &d) {
			continue // the reader reports it, and goes on behind the damage
		}
		if err != nil {
			return fmt.Errorf("%s at %d: %w", path, e.Offset, err)
		}
	}
}

// entry judges a response record; ok is false when its status is not 200.
func entry(ctx context.Context, a *analyzer.Analyzer, path string, e *warc.Entry, hosts knownHosts) (j Result, ok bool, err error) {
	rec, err := load(e.Block)
	if err != nil {
		return j, false, err
	}
	defer func() { err = errors.Join(err, rec.Close()) }()
	j = Result{Source: path, URL: e.TargetURI(), Status: rec.Head().Status}
	if j.Status != 200 {
		return j, false, nil
	}
	// A body whose coding is broken is judged by what could be decoded.
	body, _ := rec.Body(maxJudged)
	addr, _ := netip.ParseAddr(e.Header.Get("WARC-IP-Address"))
	j, err = document(ctx, a, j, rec.Head().Get("Content-Type"), body, addr, hosts)
	return j, err == nil, err
}

// load records an answer that is at hand, in memory: a record may unpack to more than the disk holds.
func load(answer io.Reader) (*record.Recording, error) {
	const most = record.MaxHead + maxJudged
	return record.Load(io.LimitReader(answer, most), os.TempDir(), most)
}
