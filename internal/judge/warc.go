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
	var defects []error
	hosts := knownHosts{addr: map[string]netip.Addr{}, verdicts: map[string]crawl.HostVerdicts{}}
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
			return fmt.Errorf("job: judge %s: %w", path, err)
		}
		if a.WantsAddrs() && hosts.note(e) || e.Type() != warc.TypeResponse || wanted != nil && !wanted(e.TargetURI()) {
			continue
		}
		j, ok, err := entry(ctx, a, path, e, hosts)
		if d := (*warc.Defect)(nil); errors.As(err, &d) {
			continue // the reader reports it, and goes on behind the damage
		}
		if err != nil {
			return fmt.Errorf("job: judge %s at %d: %w", path, e.Offset, err)
		}
		if ok {
			if err := each(j); err != nil {
				return err
			}
		}
	}
}

// entry judges a response record; ok is false when its status is not 200.
func entry(ctx context.Context, a *analyzer.Analyzer, path string, e *warc.Entry, hosts knownHosts) (j Result, ok bool, err error) {
	// What is judged is in memory: a record may unpack to more than the disk holds.
	const most = record.MaxHead + maxJudged
	rec, err := record.Load(io.LimitReader(e.Block, most), os.TempDir(), most)
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
