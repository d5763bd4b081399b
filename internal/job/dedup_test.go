package job_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"exclave/config"
	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/crawllog"
	"exclave/internal/job"
	"exclave/internal/job/divide"
	"exclave/internal/job/folder"
	"exclave/internal/job/rebuild"
	"exclave/internal/job/view"
	"exclave/internal/testweb"
	"exclave/warc"
	"exclave/warc/warctest"
)

// big is a file of 2,000 bytes.
func big(n byte) testweb.Page {
	return testweb.Page{Body: "PDF" + strings.Repeat(string('a'+n), 1997)}.With("Content-Type", "application/x-big")
}

// digits is a file of 4,000 bytes that hardly becomes shorter than half of it.
func digits() testweb.Page {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, 4000)
	for i := range b {
		b[i] = byte('0' + r.IntN(10))
	}
	return testweb.Page{Body: string(b)}.With("Content-Type", "application/x-big")
}

// same is a page of the nation whose content does not depend on its address; it links to site/next.
func same() testweb.Page {
	p := testweb.NationalPage(7, site+"/next")
	p.Body = strings.Replace(p.Body, "</body>", "<p>"+strings.Repeat("Na shledanou. ", 100)+"</p></body>", 1)
	return p
}

// doubles is a web on which the same content lies at several addresses: what /v needs is met before what /w needs.
func doubles() testweb.Tiny {
	cdn := "http://cdn.net"
	embeds := func(at string, names ...string) (tags []string) {
		for _, n := range names {
			tags = append(tags, testweb.Img(at+n))
		}
		return tags
	}
	return tiny(pages{
		"/v":     national(append(embeds(site, "/1", "/gz1", "/ch1", "/small1", "/cut1"), "/same1")...),
		"/1":     big(0).With("X-Which", "first").With("ETag", `"1"`),
		"/gz1":   digits().Encoded("gzip"),
		"/ch1":   big(2).Chunked(100),
		"/same1": same(), "/next": foreign(),
		"/small1": testweb.Text("short").With("Content-Type", "image/png"),
		"/cut1":   testweb.Page{Raw: "HTTP/1.1 200 OK\r\nContent-Type: application/x-big\r\nContent-Length: 5000\r\n\r\n" + strings.Repeat("c", 3000), After: testweb.Shut},

		"/w":            testweb.NationalPage(1, append(embeds(cdn, "/2", "/gz2", "/ch2", "/plain2", "/small2", "/cut2", "/other2"), "/same2")...),
		cdn + "/2":      big(0).With("X-Which", "second").With("ETag", `"2"`),
		cdn + "/gz2":    digits().Encoded("gzip"),
		cdn + "/ch2":    big(2).Chunked(333),
		cdn + "/plain2": big(2),
		cdn + "/small2": testweb.Text("short").With("Content-Type", "image/png"),
		cdn + "/cut2":   testweb.Page{Raw: "HTTP/1.1 200 OK\r\nContent-Type: application/x-big\r\nContent-Length: 5000\r\n\r\n" + strings.Repeat("c", 3000), After: testweb.Shut},
		cdn + "/other2": big(3),
		"/same2":        same(),

		"/f": testweb.ForeignPage(1, "/same2"),
	})
}

// original returns the response that a revisit record refers to.
func (h *harvest) original(t *testing.T, revisit warcRecord) warcRecord {
	t.Helper()
	i := slices.IndexFunc(h.records, func(r warcRecord) bool {
		return r.header.Get("WARC-Record-ID") == revisit.header.Get("WARC-Refers-To")
	})
	if i < 0 {
		t.Fatalf("%s refers to %s, which is not there", revisit.uri, revisit.header.Get("WARC-Refers-To"))
	}
	return h.records[i]
}

// Issue 20: identical payloads become revisit records within a job. What is the same but for chunks, too; what is short, cut off or in chunks
// where the other is not, is archived whole. The page behind a revisit record can be judged later without a request.
func TestIdenticalPayloads(t *testing.T) { eachForm(t, identicalPayloads) }

// eachForm runs a test with archives of each form.
func eachForm(t *testing.T, test func(t *testing.T, form func(*config.Config))) {
	t.Parallel()
	for why, form := range map[string]func(*config.Config){
		"gzip": func(*config.Config) {},
		"zstd": func(c *config.Config) { c.WARC.Compression = warc.Zstd },
		"zstd with a dictionary": func(c *config.Config) {
			c.WARC.Compression, c.WARC.Dictionary, c.WARC.MaxSize = warc.Zstd, warctest.Dictionary(t), 8<<10
		},
	} {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			test(t, form)
		})
	}
}

func identicalPayloads(t *testing.T, form func(*config.Config)) {
	j := newJob(t, doubles(), func(c *config.Config) { thesis(c); c.Analysis.Depth = 1; form(c) })
	h := j.run(job.Options{}, site+"/v")
	for _, r := range h.records {
		if r.kind == warc.TypeRevisit {
			t.Errorf("%s is a revisit record, but nothing was there before", r.uri)
		}
	}
	h = j.run(job.Options{}, site+"/w")
	want := map[string]string{"http://cdn.net/2": site + "/1", "http://cdn.net/gz2": site + "/gz1", "http://cdn.net/ch2": site + "/ch1", site + "/same2": site + "/same1"}
	got := map[string]string{}
	for _, r := range h.records {
		if r.kind != warc.TypeRevisit {
			continue
		}
		o := h.original(t, r)
		got[r.uri] = o.uri
		if o.kind != warc.TypeResponse || r.header.Get("WARC-Refers-To-Date") != o.header.Get("WARC-Date") || r.header.Get("WARC-Refers-To-Target-URI") != o.uri ||
			r.digest != o.digest || r.header.Get("WARC-Profile") != warc.ProfileIdentical || r.header.Get("Content-Type") != warc.ContentHTTPResponse {
			t.Errorf("revisit %v\nof %s record %v", r.header, o.kind, o.header)
		}
		if !bytes.HasPrefix(r.block, []byte("HTTP/1.1 200 OK\r\n")) || !bytes.HasSuffix(r.block, []byte("\r\n\r\n")) {
			t.Errorf("%s: block %q is not the header", r.uri, r.block)
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("revisit records %v\nwant            %v", got, want)
	}
	if r := h.of(warc.TypeRevisit, "http://cdn.net/2"); len(r) != 1 || !bytes.Contains(r[0].block, []byte("X-Which: second\r\n")) {
		t.Errorf("the header is not that of the second answer: %+v", r)
	}
	for _, p := range []string{"http://cdn.net/plain2", "http://cdn.net/small2", "http://cdn.net/cut2", "http://cdn.net/other2"} {
		if n := len(h.of(warc.TypeResponse, p)); n != 1 || !h.outcomes[p].Archived {
			t.Errorf("%d responses of %s, %+v", n, p, h.outcomes[p])
		}
	}
	marked := map[string]bool{}
	for _, line := range j.log(crawl.LogCrawl) {
		e, err := crawllog.Parse(line)
		must(t, err)
		if e.Facts().Duplicate {
			marked[e.URL] = true
			if e.Received() < 1000 {
				t.Errorf("%s: %d bytes received", e.URL, e.Received())
			}
		}
	}
	if !maps.Equal(marked, map[string]bool{"http://cdn.net/2": true, "http://cdn.net/gz2": true, "http://cdn.net/ch2": true, site + "/same2": true}) {
		t.Errorf("crawl.log marks %v", marked)
	}
	if s := heritrix(t, j.cfg).Crawl; s.DupURIs != 4 || s.DupBytes < 6000 {
		t.Errorf("the crawl-report has %d duplicates of %d bytes", s.DupURIs, s.DupBytes)
	}

	if o := h.outcomes[site+"/same2"]; o.Judged || !o.Archived {
		t.Fatalf("archived by its link alone: %+v", o)
	}
	h = j.run(job.Options{}, site+"/f")
	if o := h.outcomes[site+"/same2"]; !o.Judged || o.ValidFor != 1 || h.hits[site+"/same2"] != 1 {
		t.Errorf("judged from header and payload of two records: %+v after %d requests", o, h.hits[site+"/same2"])
	}
	if n := len(h.of(warc.TypeRevisit, site+"/same2")); n != 1 {
		t.Errorf("%d revisit records", n)
	}

	// Where to find it is known again after a recovery, of archive and logs and of the archive alone.
	before := finishedIn(t, j.cfg)
	for _, lost := range []string{folder.StateDir, folder.LogDir} {
		must(t, os.RemoveAll(filepath.Join(j.cfg.Dir, lost)))
		loseState(t, j.cfg)
		recoverJob(t, j.cfg, rebuild.Options{})
		got := finishedIn(t, j.cfg)
		for uri := range want {
			if lost == folder.StateDir && got[uri] != before[uri] {
				t.Errorf("%s\nwas %s", got[uri], before[uri])
			}
		}
		if s := heritrixState(t, j.cfg); s.Dup != 4 {
			t.Errorf("without %s: %+v", lost, s)
		}
	}
	h = j.run(job.Options{}, "http://cdn.net/2") // a seed now: judged from the archive
	if h.hits["http://cdn.net/2"] != 1 {
		t.Errorf("asked for %d times", h.hits["http://cdn.net/2"])
	}
}

// heritrixState is the tally of all visits.
func heritrixState(t *testing.T, cfg *config.Config) frontier.Tally {
	t.Helper()
	v, err := view.Open(t.Context(), folder.Of(cfg, folder.Env{}), view.Options{For: "test"})
	must(t, err)
	defer func() { must(t, v.Close()) }()
	return v.State.Total()
}

// A recrawl without validators finds what is unchanged by its content, in the archive of the same job; a URI of a revisit record is asked for
// without condition, so that no 304 refers to one.
func TestRecrawlFindsTheSameContent(t *testing.T) {
	t.Parallel()
	web := tiny(pages{"/a": same(), "/b": same().With("ETag", `"b"`), "/next": foreign()})
	j := newJob(t, conditional{web}, func(c *config.Config) { c.Crawl.ToeThreads = 1 })
	j.run(job.Options{}, site+"/a")
	j.run(job.Options{}, site+"/b")
	h := j.run(job.Options{Recrawl: true})
	a, b := h.of(warc.TypeRevisit, site+"/a"), h.of(warc.TypeRevisit, site+"/b")
	if len(a) != 1 || len(b) != 2 {
		t.Fatalf("%d and %d revisit records", len(a), len(b))
	}
	for _, r := range append(a, b...) {
		if o := h.original(t, r); o.uri != site+"/a" || r.header.Get("WARC-Profile") != warc.ProfileIdentical {
			t.Errorf("%s refers to the %s record of %s: %v", r.uri, o.kind, o.uri, r.header)
		}
	}
}

// With [dedup] the same content of other addresses, or all of it, is archived again.
func TestDedupSettings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why    string
		change func(*config.Config)
		want   string
	}{
		{"off", func(c *config.Config) { c.Dedup.WithinJob = false }, "response response response response"},
		{"by address and digest", func(c *config.Config) { c.Dedup.By = "url-digest" }, "response response revisit revisit"},
		{"too short", func(c *config.Config) { c.Dedup.MinSize = 1e6 }, "response response response response"},
		{"by digest", func(*config.Config) {}, "response revisit revisit revisit"},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			j := newJob(t, tiny(pages{"/a": same(), "/b": same(), "/next": foreign()}), c.change)
			j.run(job.Options{}, site+"/a")
			j.run(job.Options{}, site+"/b")
			must(t, os.WriteFile(filepath.Join(j.cfg.Dir, "seeds.txt"), []byte(site+"/b\n"), 0o600))
			h := j.run(job.Options{Recrawl: true})
			var kinds []string
			for _, r := range h.records {
				if (r.kind == warc.TypeResponse || r.kind == warc.TypeRevisit) && (r.uri == site+"/a" || r.uri == site+"/b") {
					kinds = append(kinds, r.kind)
				}
			}
			if got := strings.Join(kinds, " "); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// A part of a divided archive has the originals of its revisit records.
func TestDivideTakesOriginals(t *testing.T) { eachForm(t, divideTakesOriginals) }

func divideTakesOriginals(t *testing.T, form func(*config.Config)) {
	slovak := testweb.Text("").With("Content-Type", "text/html; charset=utf-8")
	slovak.Body = `<!DOCTYPE html><html lang="sk"><head><title>Stránka</title></head><body>
<p>Všetky príspevky čitateľov zverejňujeme bezodkladne. Ďakujeme za váš záujem, tešíme sa nabudúce. Napíšte nám,
ak ste sa rozhodli zúčastniť podujatia, ktoré pripravujeme každý štvrtok. Spoločnosť vznikla pred desiatimi rokmi a odvtedy
poskytuje služby pre všetkých, ktorí ich potrebujú. Môžete nás navštíviť v Košiciach alebo zavolať na +421 905 123 456,
prípadne napísať na info@spolocnost.sk.</p><img src="/2"></body></html>`
	j := newJob(t, tiny(pages{"/c": national(testweb.Img("/1")), "/1": big(0), "http://b.com/": slovak, "http://b.com/2": big(0)}),
		func(c *config.Config) { c.Analysis.Profiles, c.Analysis.Depth = []string{"cz", "sk"}, 0; form(c) })
	j.run(job.Options{}, site+"/c")
	h := j.run(job.Options{}, "http://b.com/")
	if n := len(h.of(warc.TypeRevisit, "http://b.com/2")); n != 1 {
		t.Fatalf("%d revisit records", n)
	}
	dir, r := j.divided(divide.Options{})
	i := slices.IndexFunc(r.Parts, func(p divide.Part) bool { return p.Profile == "sk" })
	if got, _ := answersOf(t, filepath.Join(dir, "sk")); !slices.Equal(got, []string{site + "/1", "http://b.com/", "http://b.com/2"}) || i < 0 || r.Parts[i].Originals != 1 {
		t.Errorf("part sk has %v, %+v", got, r.Parts)
	}
	if got, _ := answersOf(t, filepath.Join(dir, "cz")); !slices.Equal(got, list("/1 /c")) {
		t.Errorf("part cz has %v", got)
	}
}

// verify finds revisit records without an original, and those that say something else of it.
func TestVerifyFindsOriginals(t *testing.T) {
	t.Parallel()
	made := func(t *testing.T) *testJob {
		j := newJob(t, tiny(pages{"/a": same(), "/b": same(), "/next": foreign()}), func(c *config.Config) { c.WARC.MaxSize = 1 })
		j.run(job.Options{}, site+"/a")
		j.run(job.Options{}, site+"/b")
		return j
	}
	holding := func(t *testing.T, j *testJob, kind, uri string) string {
		t.Helper()
		for _, m := range members(t, filepath.Join(j.cfg.Dir, folder.WARCDir, "*.warc.*")) {
			if m.kind == kind && m.uri == uri {
				return m.file
			}
		}
		t.Fatalf("no %s of %s", kind, uri)
		return ""
	}
	finds := func(t *testing.T, j *testJob, want string) {
		t.Helper()
		var all []string
		for _, d := range verifyAll(t, j.cfg, job.Options{}) {
			if strings.Contains(d.What, want) {
				return
			}
			all = append(all, d.String())
		}
		t.Errorf("%q was not found, but\n%s", want, strings.Join(all, "\n"))
	}
	t.Run("missing", func(t *testing.T) {
		t.Parallel()
		j := made(t)
		must(t, os.Remove(holding(t, j, warc.TypeResponse, site+"/a")))
		finds(t, j, "refers to a response that is not in the archive")
	})
	for field, value := range map[string]string{"WARC-Refers-To-Date": "2001-01-01T00:00:00.000Z", "WARC-Refers-To-Target-URI": site + "/c", "WARC-Payload-Digest": "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"} {
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			j := made(t)
			name := holding(t, j, warc.TypeRevisit, site+"/b")
			data, err := os.ReadFile(name)
			must(t, err)
			var out bytes.Buffer
			r := bytes.NewReader(data)
			z, err := gzip.NewReader(r)
			for ; err == nil; err = z.Reset(r) {
				z.Multistream(false)
				record, err := io.ReadAll(z)
				must(t, err)
				if bytes.Contains(record, []byte("WARC-Type: revisit")) {
					record = regexp.MustCompile(field+": .*\r\n").ReplaceAll(record, []byte(field+": "+value+"\r\n"))
				}
				w := gzip.NewWriter(&out)
				_, err = w.Write(record)
				must(t, err)
				must(t, w.Close())
			}
			must(t, os.WriteFile(name, out.Bytes(), 0o600))
			finds(t, j, "refers to a response that has another date, target URI or payload digest")
		})
	}
}
