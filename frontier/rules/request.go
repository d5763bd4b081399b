package rules

import (
	"exclave/crawl"
	"exclave/frontier/schema"
)

// MaxLinks is the most candidates of one request, and about the most rows that one piece of work looks at.
const MaxLinks = 1000

// Request is one request to the committer.
type Request struct {
	URI        *crawl.CrawlURI // handed back
	Ahead      int             // how many of its links are committed already
	Page       *crawl.CrawlURI // in process: the page that the candidates were found on
	Candidates []crawl.Candidate
	IDs        []crawl.ID // where the lookups of the candidates, or of the links of the URI, begin
	Mark       string     // name of a mark to set with the candidates
	Note       []byte
	Delete     *Deletion
	Retries    *Retries
	Revival    *Revival
	Waking     *Waking
	Known      int // of the candidates, those that were known; set when the request is committed
}

// Apply does what a request asks for.
func (t *Tx) Apply(r *Request) error {
	before := t.Counters.Discovered + t.Counters.Refused
	if err := t.candidates(r); err != nil {
		return err
	}
	r.Known = len(r.Candidates) - int(t.Counters.Discovered+t.Counters.Refused-before)
	if r.Mark != "" {
		t.w.Set(schema.MarkKey(r.Mark), schema.EncodeMark(r.Note))
	}
	if r.URI != nil {
		t.Request = r
		if err := t.Finish(r.URI); err != nil {
			return err
		}
	}
	if r.Delete != nil {
		if err := t.DeletePending(r.Delete); err != nil {
			return err
		}
	}
	if r.Retries != nil {
		if err := t.RetryFinished(r.Retries); err != nil {
			return err
		}
	}
	if r.Revival != nil {
		if err := t.ReviveRaised(r.Revival); err != nil {
			return err
		}
	}
	if r.Waking != nil {
		return t.WakeOffHours(r.Waking)
	}
	return nil
}

// Links is how many candidates are looked at for a request.
func (r *Request) Links() int {
	n := len(r.Candidates)
	if r.URI != nil {
		n += len(r.URI.Links) - r.Ahead + min(r.Ahead, mostKept)
	}
	return n
}

// Identify notes the IDs of the links that are looked at for a request.
func (r *Request) Identify(salt *schema.Salt) {
	cs := r.Candidates
	if r.URI != nil {
		cs = r.URI.Links
	}
	r.IDs = make([]crawl.ID, len(cs))
	for i := range cs {
		if r.LooksAt(i) {
			r.IDs[i] = salt.ID(cs[i].Key)
		}
	}
}

// LooksAt reports whether a link is looked up. Of those committed already only the first are, which may be stored with
// the page.
func (r *Request) LooksAt(i int) bool { return i < mostKept || i >= r.Ahead }
