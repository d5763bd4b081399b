package question

import (
	"context"
	"errors"
	"fmt"
	"io"

	"exclave/crawl"
	"exclave/internal/crawllog"
	"exclave/internal/job/folder"
	"exclave/internal/job/view"
	"exclave/internal/logparts"
	"exclave/internal/near"
	"exclave/internal/simhash"
	"exclave/internal/urlx"
)

// nearReport is the report that takes as long as reading crawl.log does.
const nearReport = "near-duplicates-report"

// nearDuplicates finds the archived pages that have the text of an earlier one, or nearly, by the lines of crawl.log.
func (a *Answers) nearDuplicates(ctx context.Context) (r near.Result, err error) {
	temp := "" // a job at rest is only looked at
	if a.Running != nil {
		temp = a.Path(folder.StateDir, folder.ScratchDir)
	}
	f := near.New(temp, a.Config.Dedup.NearDistance)
	defer func() { err = errors.Join(err, f.Close()) }()
	err = a.scanLog(ctx, crawl.LogCrawl, `"textHash"`, func(_ logparts.Place, line []byte) error {
		e, err := crawllog.Parse(string(line))
		p := near.Page{URL: e.URL}
		if err != nil || !p.Parse(e.Simhash, e.TextHash) { // which exclave verify reports
			return nil
		}
		if u, err := urlx.Parse(e.URL); err == nil {
			p.Host = u.Hostname()
		}
		return f.Add(p)
	})
	if err != nil {
		return r, err
	}
	return f.Find(ctx)
}

// nearOff is all there is to say of a job that counts nothing.
const nearOff = "not counted: [dedup] near_distance is 0"

func (r *reporter) near(w io.Writer) error {
	if r.distance == 0 {
		fmt.Fprintln(w, nearOff)
		return nil
	}
	found, err := r.find()
	if err != nil {
		return err
	}
	WriteNear(w, found, r.distance)
	return nil
}

// WriteNear writes the near-duplicates-report of what was found at a distance. w keeps its error.
func WriteNear(w io.Writer, n near.Result, distance int) {
	line := func(name string, value int64) { fmt.Fprintf(w, "%s: %d\n", name, value) }
	line("pages with text", n.Pages)
	line(fmt.Sprintf("pages with less than %d words", simhash.MinWords), n.Short)
	line("different texts", n.Texts)
	line("pages with the same text as an earlier one", n.Same)
	line("pages nearly the same as an earlier one", n.Near)
	line("bits that differ at most", int64(distance))
	line("groups of the same text", n.SameGroups)
	line("groups nearly the same", n.Groups)
	if n.Cut > 0 {
		line("tables compared in parts", n.Cut)
	}
	fmt.Fprintln(w, "\n[#pages] [#short] [#same] [#near] [host]")
	for _, h := range n.Hosts {
		fmt.Fprintln(w, h.Pages, h.Short, h.Same, h.Near, word(h.Name))
	}
	if n.MoreHosts > 0 {
		line("further hosts", n.MoreHosts)
	}
	fmt.Fprintln(w, "\n[#nearly-the-same] [#texts] [url] [url] [url]")
	groups(w, n.Largest, true)
	fmt.Fprintln(w, "\n[#the-same] [url] [url] [url]")
	groups(w, n.LargestSame, false)
}

func groups(w io.Writer, gs []near.Group, texts bool) {
	for _, g := range gs {
		fmt.Fprint(w, g.Pages)
		if texts {
			fmt.Fprint(w, " ", g.Texts)
		}
		for _, u := range g.URLs {
			fmt.Fprint(w, " ", word(u))
		}
		fmt.Fprintln(w)
	}
}

// CountNear writes the near-duplicates-report into reports/ at the end of a run, and returns what is counted; nil when that is
// nothing, as the setting has it, or when ctx ended first, which the report says. The other reports are those of [Answers.WriteReports].
func (a *Answers) CountNear(ctx context.Context) (*near.Counts, error) {
	r := a.reporter(view.RunNote{})
	found, err := near.Result{}, error(nil)
	if r.distance > 0 {
		found, err = a.nearDuplicates(ctx)
	}
	stopped := err != nil && ctx.Err() != nil
	if err != nil && !stopped {
		return nil, fmt.Errorf("job: %s: %w", nearReport, err)
	}
	r.find = func() (near.Result, error) { return found, nil }
	err = writeAtomic(a.FS, a.Path(folder.ReportDir, nearReport+".txt"), func(w io.Writer) error {
		if stopped {
			_, err := fmt.Fprintf(w, "not counted: the crawl was interrupted; exclave report JOB %s counts\n", nearReport)
			return err
		}
		return r.write(nearReport, w)
	})
	if err != nil || stopped || r.distance == 0 {
		return nil, err
	}
	return &found.Counts, nil
}
