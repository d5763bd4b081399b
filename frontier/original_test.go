package frontier

import (
	"testing"

	"exclave/crawl"
	"exclave/frontier/schema"
)

// ADR 67: an answer is found by its payload from the commit on that acknowledges it; of a capture that was abandoned, and of
// a revisit record, it is not. What has a revisit record keeps no validators.
func TestOriginal(t *testing.T) {
	r := open(t, quick(), oneProfile(0))
	payload := func(u *crawl.CrawlURI) { u.Payload = &crawl.Payload{Name: "sha1:A", URL: u.URL} }
	none := func(why string) {
		t.Helper()
		if o, err := r.Original(t.Context(), "sha1:A"); o != nil || err != nil {
			t.Fatalf("%s: %+v %v", why, o, err)
		}
	}
	r.schedule(cand("a.test", "/", analyse), cand("b.test", "/", analyse))
	u := r.answer(r.take("http://a.test/"), crawl.ClassHTML, 1)
	payload(u)
	none("nothing was committed")
	u.Disposition, u.Judged = crawl.Resign, nil
	r.finish(u)
	none("the capture was abandoned")

	u = r.answer(r.take("http://b.test/"), crawl.ClassHTML, 1)
	payload(u)
	u.Started, u.Digest, u.Headers = began, "sha1:B", []crawl.Header{{Name: "ETag", Value: "x"}}
	r.finish(u)
	want := crawl.Original{Ref: u.Response, ID: u.RecordID, URL: "http://b.test/", Date: schema.Millis(began), Digest: "sha1:B"}
	o, err := r.Original(t.Context(), "sha1:A")
	must(t, err)
	if o == nil || *o != want {
		t.Fatalf("%+v, want %+v", o, want)
	}
	if b := r.record("http://b.test/"); b.ETag != "x" || !b.Original.IsZero() {
		t.Errorf("%+v", b)
	}

	u = r.answer(r.take("http://a.test/"), crawl.ClassHTML, 1)
	payload(u)
	u.Original, u.Headers = o, []crawl.Header{{Name: "ETag", Value: "x"}}
	r.finish(u)
	if again, err := r.Original(t.Context(), "sha1:A"); err != nil || *again != want {
		t.Errorf("a revisit record is the original: %+v %v", again, err)
	}
	if a := r.record("http://a.test/"); a.ETag != "" || a.Original != want.Ref || a.Response != u.Response {
		t.Errorf("%+v", a)
	}
	var refs []crawl.Ref
	must(t, r.EachCapture(func(c Capture) error { refs = append(refs, c.Original); return nil }))
	if len(refs) != 3 || refs[2] != want.Ref || refs[0] != (crawl.Ref{}) || refs[1] != (crawl.Ref{}) {
		t.Errorf("captures refer to %v", refs)
	}
	sound(t, r.Frontier)
}
