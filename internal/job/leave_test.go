package job_test

import (
	"context"
	"errors"
	"testing"

	"exclave/chain"
	"exclave/config"
	"exclave/crawl"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/job/verify"
)

// holding never gives back a page, whoever cancels what.
type holding struct {
	url           string
	held, forever chan struct{}
}

func (h holding) Process(_ context.Context, u *crawl.CrawlURI) (chain.Result, error) {
	if u.URL == h.url {
		close(h.held)
		<-h.forever
	}
	return chain.Result{}, nil
}

// TestStopLeavesBehind: a page that holds a ToeThread for ever keeps no stop from
// ending the run, nor the job from being closed; state, archive and logs agree, and the
// next run is offered the page again.
func TestStopLeavesBehind(t *testing.T) {
	j := newJob(t, smallWeb(), func(c *config.Config) { c.Crawl.Grace = 0 })
	j.seeds("http://a.test/", "http://c.test/")
	h := holding{"http://a.test/b", make(chan struct{}), make(chan struct{})}
	defer close(h.forever)
	o := job.Options{Version: "test", Software: "exclave/test"}
	o.ChangeSteps(func(steps map[chain.Name][]chain.Step) {
		steps[chain.Extract] = append(steps[chain.Extract], chain.Step{Name: "hold", Kind: "hold", Proc: h})
	})
	b, err := job.Open(t.Context(), j.cfg, o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-h.held; cancel() }()
	r, err := b.Run(ctx)
	if err := errors.Join(err, b.Close()); err != nil || r.Reason != chain.Stopped {
		t.Fatalf("%v, %v", r.Reason, err)
	}
	if r.Stats.InProcess != 1 {
		t.Errorf("%d URIs were in process at the end, 1 is held", r.Stats.InProcess)
	}
	defects, err := verify.All(t.Context(), folder.Of(j.cfg, o.Env()))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range defects {
		t.Errorf("defect: %s", d)
	}
	again := j.run(job.Options{})
	if out := again.outcomes["http://a.test/b"]; !out.Archived || again.hits["http://a.test/b"] != 2 {
		t.Errorf("the page: %+v, asked for %d times", out, again.hits["http://a.test/b"])
	}
	if again.result.Reason != chain.Finished || again.result.Stats.Queued != 0 {
		t.Errorf("the next run: %v, %d queued", again.result.Reason, again.result.Stats.Queued)
	}
}
