package extract

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"exclave/crawl"
	"exclave/internal/growthtest"
	"exclave/internal/markup"
)

// fuse is a context that ends when it has been asked a number of times.
type fuse struct {
	context.Context
	left atomic.Int32
}

func (f *fuse) Err() error {
	if f.left.Add(-1) < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// after returns a room in which the time for a document is over after n questions.
func after(n int32) *Room {
	r := NewRoom(Documents{AtOnce: 1})
	r.limited = func(ctx context.Context) (context.Context, context.CancelFunc) {
		f := &fuse{Context: ctx}
		f.left.Store(n)
		return f, func() {}
	}
	return r
}

// TestTime: a document that takes too long gives the links that were found until
// then, and a verdict on what was counted; crawl.log says so.
func TestTime(t *testing.T) {
	page := strings.Repeat("<p>Vážení přátelé, pište na info@firma.cz, volejte +420 222 333 444.</p>", 3000)
	for i := range 2000 {
		page += fmt.Sprintf("<a href=/%d>", i)
	}
	c := DefaultConfig()
	for _, tt := range []struct {
		why         string
		extract     int32 // questions whether there is time
		judge       int32
		links       int
		annotations []string
		searchers   int
	}{
		{"all the time that is needed", 1e6, 1e6, 2000, []string{"valid:"}, 5},
		{"the document is not read to its end", 3, 1e6, 0, []string{"extract:time", "valid:"}, 5},
		{"its links are not resolved to their end", 500, 1e6, 400, []string{"extract:time", "valid:"}, 5},
		{"not all searchers count", 1e6, 2050, 2000, []string{"analysis:time", "valid:"}, 1},
		{"no searcher counts", 1e6, 0, 2000, []string{"analysis:time", "invalid:0"}, 0},
	} {
		u := answer(t, "http://a.com/", "200 OK", "Content-Type: text/html\r\n", page)
		u.Claim.Analyse = true
		c.Room = after(tt.extract)
		process(t, u, NewMarkup(c, markup.HTML))
		c.Room = after(tt.judge)
		process(t, u, NewWebAnalyzer(openAnalyzer(t), nil, c))
		if n := len(u.Outlinks); n < tt.links || tt.links == 0 && n > 0 || n+u.Dropped > 2000 {
			t.Errorf("%s: %d links, %d dropped", tt.why, n, u.Dropped)
		}
		if !slices.EqualFunc(u.Annotations, tt.annotations, strings.HasPrefix) {
			t.Errorf("%s: annotations %v", tt.why, u.Annotations)
		}
		if u.Judged == nil || !u.Judgeable {
			t.Errorf("%s: not judged", tt.why)
			continue
		}
		if n := strings.Count(string(u.Judged.JSON), `"searcher"`); n < tt.searchers || n > 0 && tt.searchers == 0 {
			t.Errorf("%s: %d searchers counted: %s", tt.why, n, u.Judged.JSON)
		}
	}
}

// TestStop: when the crawl has no more time, that is no property of the document.
func TestStop(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := DefaultConfig()
	c.Room = NewRoom(DefaultDocuments())
	u := answer(t, "http://a.com/", "200 OK", "Content-Type: text/html\r\n", "<a href=b>")
	u.Claim.Analyse = true
	if _, err := NewMarkup(c, markup.HTML).Process(ctx, u); !errors.Is(err, context.Canceled) || len(u.Annotations) > 0 {
		t.Errorf("markup: %v, %v", err, u.Annotations)
	}
	if _, err := NewWebAnalyzer(openAnalyzer(t), nil, c).Process(ctx, u); !errors.Is(err, context.Canceled) || len(u.Annotations) > 0 || u.Judged != nil {
		t.Errorf("analyzer: %v, %v", err, u.Annotations)
	}
}

// TestSeats: no more documents are read at once than there are seats, of the large
// ones no more than two; the small ones do not wait for the large.
func TestSeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewRoom(Documents{AtOnce: 4})
		var read, large, most, mostLarge atomic.Int32
		note := func(n, most *atomic.Int32) {
			for v := n.Add(1); v > most.Load(); {
				most.Store(v)
			}
		}
		done := make(chan struct{})
		for i := range 50 {
			go func() {
				_, leave, err := r.enter(t.Context(), i%2 == 0)
				if err != nil {
					t.Error(err)
					return
				}
				defer leave()
				note(&read, &most)
				defer read.Add(-1)
				if i%2 == 0 {
					note(&large, &mostLarge)
					defer large.Add(-1)
				}
				<-done
			}()
			synctest.Wait() // one after the other: what is counted is not a matter of luck
		}
		if read.Load() != 4 || large.Load() != 2 {
			t.Errorf("%d documents are read, %d of them large; 4 and 2 were expected", read.Load(), large.Load())
		}
		close(done)
		synctest.Wait()
		if most.Load() > 4 || mostLarge.Load() > 2 || read.Load() != 0 {
			t.Errorf("at most %d documents were read at once, %d large; %d are left", most.Load(), mostLarge.Load(), read.Load())
		}
	})
}

// TestSeatsOfMany: whatever the documents, every seat is given back.
func TestSeatsOfMany(t *testing.T) {
	c := DefaultConfig()
	c.Room = NewRoom(Documents{AtOnce: 2})
	long := "<p>" + strings.Repeat("text ", smallBody/4)
	for _, u := range []*crawl.CrawlURI{
		answer(t, "http://a.com/", "200 OK", "Content-Type: text/html\r\n", "<a href=b>"),
		answer(t, "http://a.com/", "200 OK", "Content-Type: text/html\r\n", long+"<a href=b>"),
		answer(t, "http://a.com/", "200 OK", "Content-Type: text/html\r\nContent-Encoding: gzip\r\n", "\x1f\x8bno gzip"),
		answer(t, "http://a.com/", "200 OK", "Content-Type: text/plain\r\n", long),
	} {
		u.Claim.Analyse = true
		process(t, u, NewMarkup(c, markup.HTML), NewWebAnalyzer(openAnalyzer(t), nil, c))
		if len(c.Room.seats) != 0 || len(c.Room.large) != 0 {
			t.Fatalf("%s: %d seats are taken, %d large", u.MIME.Type, len(c.Room.seats), len(c.Room.large))
		}
		if u.Header("Content-Encoding") == "" && (u.Doc == nil || len(u.Doc.Text)+len(u.Outlinks) == 0) {
			t.Errorf("%s: nothing was read", u.MIME.Type)
		}
	}
}

// TestLinear: header fields, and all that is done with the links of a document, take
// time that grows no faster than what the server sent.
func TestLinear(t *testing.T) {
	c := DefaultConfig()
	an := openAnalyzer(t)
	for _, s := range growthtest.Shapes() {
		t.Run(s.Name, func(t *testing.T) {
			growthtest.Linear(t, s.Make, func(b []byte) {
				u := &crawl.CrawlURI{Candidate: crawl.Candidate{URL: "http://a.com/"}, HTTPStatus: 200, Headers: []crawl.Header{{Name: "Link", Value: string(b)}, {Name: "Refresh", Value: string(b)}}}
				process(t, u, NewHTTP(HTTPConfig{MaxOutlinks: c.MaxOutlinks}))
				u.Doc = markup.Parse(markup.HTML, b, markup.Options{})
				TakeLinks(t.Context(), u, c.MaxOutlinks)
				if _, err := NewPage(t.Context(), u, an, nil); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// FuzzGrowth: header fields of repeats take time that grows no faster than they do.
func FuzzGrowth(f *testing.F) {
	f.Add([]byte("<a>"), []byte(";rel=next,<"), []byte(">"))
	f.Add([]byte("0;url="), []byte("../"), []byte("'"))
	f.Fuzz(func(t *testing.T, head, unit, tail []byte) {
		growthtest.Repeated(t, head, unit, tail, func(b []byte) {
			u := &crawl.CrawlURI{Candidate: crawl.Candidate{URL: "http://a.com/"}, HTTPStatus: 200,
				Headers: []crawl.Header{{Name: "Link", Value: string(b)}, {Name: "Refresh", Value: string(b)}}}
			process(t, u, NewHTTP(HTTPConfig{MaxOutlinks: 100}))
		})
	})
}

// TestLongLinks: a page whose links are all as long as a link can be gives fewer of
// them; short ones behind still fit.
func TestLongLinks(t *testing.T) {
	var page strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&page, "<a href=/%d/%s>", i, strings.Repeat("x", 3900))
	}
	for i := range 100 {
		fmt.Fprintf(&page, "<a href=/%d>", i)
	}
	u := answer(t, "http://a.com/", "200 OK", "Content-Type: text/html\r\n", page.String())
	c := DefaultConfig()
	process(t, u, NewMarkup(c, markup.HTML))
	size := 0
	for _, o := range u.Outlinks {
		size += len(o.URL.String())
	}
	if size > c.MaxOutlinks*meanLink || len(u.Outlinks) < 300 || len(u.Outlinks)+u.Dropped != 2100 {
		t.Errorf("%d links of %d bytes, %d dropped", len(u.Outlinks), size, u.Dropped)
	}
	if last := u.Outlinks[len(u.Outlinks)-1].URL; last.String() != "http://a.com/99" {
		t.Errorf("the last link is %.40s…", last)
	}
}
