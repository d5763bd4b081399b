package job_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"exclave/config"
	"exclave/crawl"
	"exclave/internal/fsx"
	"exclave/internal/job"
	"exclave/internal/job/divide"
	"exclave/internal/job/folder"
	"exclave/internal/testweb"
	"exclave/warc"
)

// divided divides the archive of a job, and demands that every file of a part is a whole WARC file, made of records of the
// job byte for byte.
func (j *testJob) divided(o divide.Options) (dir string, r divide.Result) {
	t := j.t
	t.Helper()
	dir = filepath.Join(t.TempDir(), "parts")
	o.Software = "exclave/test"
	r, err := divide.Archive(t.Context(), folder.Of(j.cfg, folder.Env{}), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir + ".tmp"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder that was written to is still there: %v", err)
	}
	have := map[string]bool{}
	for _, m := range members(t, filepath.Join(j.cfg.Dir, folder.WARCDir, "*.warc.*")) {
		have[m.bytes] = true
	}
	for _, m := range members(t, filepath.Join(dir, "*", "*.warc.*")) {
		if m.kind != warc.TypeWarcinfo && !have[m.bytes] {
			t.Errorf("%s: the %s record of %s is not in the job's archive", m.file, m.kind, m.uri)
		}
	}
	return dir, r
}

// member is a record, unpacked, of a file.
type member struct{ file, kind, uri, bytes string }

// members reads the records of files, each of which must be as package warc demands.
func members(t testing.TB, pattern string) (all []member) {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		first := true
		err = warc.VerifyFrom(bytes.NewReader(data), func(r *warc.RecordInfo) error {
			if first != (r.Type == warc.TypeWarcinfo) {
				t.Errorf("%s at %d: a %s record", name, r.Ref.Offset, r.Type)
			}
			first = false
			e, err := warc.NewReaderAt(bytes.NewReader(data), r.Ref.Offset, r.Ref.Offset+r.Ref.Length).Next()
			if err != nil {
				return err
			}
			block, err := io.ReadAll(e.Block)
			all = append(all, member{name, r.Type, r.TargetURI, e.Raw() + string(block)})
			return err
		}, func(d warc.Defect) { t.Errorf("%s at %d: %s: %s", name, d.Offset, d.Kind, d.Detail) })
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// answersOf are the URIs of the answers in a part, without those that stand before pages only: DNS, and robots.txt unless it is there twice.
func answersOf(t testing.TB, dir string) (pages, before []string) {
	t.Helper()
	for _, m := range members(t, filepath.Join(dir, "*.warc.*")) {
		switch {
		case m.kind != warc.TypeResponse && m.kind != warc.TypeRevisit:
		case crawl.IsDNS(m.uri), strings.HasSuffix(m.uri, "/robots.txt") && !slices.Contains(before, m.uri):
			before = append(before, m.uri)
		default:
			pages = append(pages, m.uri)
		}
	}
	slices.Sort(pages)
	slices.Sort(before)
	return slices.Compact(pages), slices.Compact(before)
}

// everything is a profile to which every text belongs.
const everything = `[profile]
name = "all"
min_points = 1

[[searcher]]
kind = "regexp"
in = "source"
pattern = '(?s).+'
points = 1
`

// Issue: the archive can be divided by profile. In each case of the design's table, crawled with a second profile
// that accepts every page, the part of the first holds exactly what it alone would have archived.
func TestDivideCases(t *testing.T) {
	beyond := map[string]string{ // frames beyond the limit are taken as if they counted (ADR 59)
		"13 frames": " /4 /5 /l3", "13 frame with a shorter way later": " http://s.cz/3.png",
	}
	for _, c := range slices.Concat(casesOfDepth(), casesOfTypes(), casesOfRedirects(), casesOfOrder(), casesOfWays(), casesOfScope()) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.name == "20 page under B claimed by A" {
				t.Skip("with analyse_linked off, links of pages that the second profile accepts are not judged")
			}
			j := newJob(t, tiny(c.web), func(cfg *config.Config) {
				cfg.Analysis.Depth = c.depth
				if c.change != nil {
					c.change(cfg)
				}
				cfg.Analysis.Profiles = append(cfg.Analysis.Profiles, writeFile(t, cfg.Dir, "all.toml", everything))
			})
			for _, seeds := range c.runs {
				j.run(job.Options{}, list(seeds)...)
			}
			dir, r := j.divided(divide.Options{})
			got, _ := answersOf(t, filepath.Join(dir, r.Parts[0].Profile))
			want := list(c.archived + beyond[c.name])
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("part %v\nwant %v (%+v)", got, want, r)
			}
		})
	}
}

func writeFile(t testing.TB, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// slovak is a page of the neighbour's.
func slovak(links string) testweb.Page {
	p := testweb.Text("").With("Content-Type", "text/html; charset=utf-8")
	p.Body = `<!DOCTYPE html><html lang="sk"><head><title>Stránka</title></head><body>
<p>Všetky príspevky čitateľov zverejňujeme bezodkladne. Ďakujeme za váš záujem, tešíme sa nabudúce. Napíšte nám,
ak ste sa rozhodli zúčastniť podujatia, ktoré pripravujeme každý štvrtok. Spoločnosť vznikla pred desiatimi rokmi a odvtedy
poskytuje služby pre všetkých, ktorí ich potrebujú. Môžete nás navštíviť v Košiciach alebo zavolať na +421 905 123 456,
prípadne napísať na info@spolocnost.sk.</p>` + links + `</body></html>`
	return p
}

// Issue: the archive can be divided by profile. Each part of a crawl by cz and sk is the archive of a crawl by one of them: the
// same answers, with the DNS answers and robots.txt that these need, also where a page of the other nation brought them.
func TestDivide(t *testing.T) {
	t.Parallel()
	css := testweb.Text(`p { background: url("/bg.png") }`).With("Content-Type", "text/css")
	web := testweb.Tiny{
		"http://firma.com/":             national("http://firma.com/en", "http://firma.com/sk", `<link rel="stylesheet" href="http://cdn.com/common.css">`, testweb.Img("http://cdn.com/cz.png")),
		"http://firma.com/en":           foreign(testweb.Img("http://cdn.com/en.png")),
		"http://firma.com/sk":           slovak(`<img src="http://cdn.com/sk.png"><a href="/old">x</a>`),
		"http://firma.com/old":          testweb.Redirect(301, "http://firma.net/"),
		"http://firma.net/":             slovak(`<link rel="stylesheet" href="http://cdn.com/common.css"><a href="http://firma.net/cenik.pdf">x</a>`),
		"http://firma.net/cenik.pdf":    testweb.Text("%PDF-1.4 prices").With("Content-Type", "application/pdf"),
		"http://cdn.com/common.css":     css,
		"http://cdn.com/bg.png":         img(1),
		"http://cdn.com/cz.png":         img(2),
		"http://cdn.com/en.png":         img(3),
		"http://cdn.com/sk.png":         img(4),
		"http://firma.com/robots.txt":   testweb.Text("User-agent: *\nDisallow: /no"),
		"http://firma.net/robots.txt":   testweb.Text("User-agent: *\nDisallow: /no"),
		"http://cdn.com/robots.txt":     testweb.Text("User-agent: *\nDisallow: /no"),
		"http://elsewhere.com/unlinked": foreign(),
	}
	crawl := func(profiles ...string) *testJob {
		j := newJob(t, web, func(c *config.Config) {
			c.Analysis.Profiles = profiles
			c.WARC.MaxSize = 4000 // several files
		})
		j.run(job.Options{}, "http://firma.com/")
		return j
	}
	both := crawl("cz", "sk")
	dir, r := both.divided(divide.Options{})
	if r.URIs == 0 || r.Shared != 5 || r.None != 0 || len(r.Parts) != 2 {
		t.Errorf("%+v, want the sheet with its image, and the Slovak page next to a Czech one with its image and its redirect, in both parts; nothing in none", r)
	}
	again, _ := both.divided(divide.Options{Profiles: []string{"sk"}})
	for i, profile := range []string{"cz", "sk"} {
		alone := crawl(profile)
		pages, before := answersOf(t, filepath.Join(dir, profile))
		wantPages, wantBefore := answersOf(t, filepath.Join(alone.cfg.Dir, folder.WARCDir))
		if p, _ := answersOf(t, filepath.Join(again, profile)); profile == "sk" && !slices.Equal(p, pages) {
			t.Errorf("only sk was asked for: %v, want %v", p, pages)
		}
		if !slices.Equal(pages, wantPages) || !slices.Equal(before, wantBefore) {
			t.Errorf("%s: part %v, %v\nwant %v, %v", profile, pages, before, wantPages, wantBefore)
		}
		if p := r.Parts[i]; p.Profile != profile || int(p.URIs) != len(pages) || p.Own != p.URIs-r.Shared || p.Files < 2 {
			t.Errorf("%+v, of %d answers", p, len(pages))
		}
	}
	if _, err := os.Stat(filepath.Join(again, "cz")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("only sk was asked for: %v", err)
	}
	if d := verifyAll(t, both.cfg, job.Options{}); len(d) > 0 {
		t.Errorf("the job was changed: %v", d)
	}
}

// What belongs to no profile any more is not lost: verdicts of a page that was fetched again are those of the last time.
func TestDivideNone(t *testing.T) {
	t.Parallel()
	for _, profiles := range [][]string{{"cz"}, {"cz", "sk", "pl", "hu"}} { // one, and as many as a crawl may have
		web := &turning{before: tiny(pages{"/v": national(testweb.Img("/i.png")), "/i.png": img(1)}), after: tiny(pages{"/v": foreign()})}
		j := newJob(t, web, func(c *config.Config) { c.Analysis.Profiles = profiles })
		j.run(job.Options{}, site+"/v")
		web.turned.Store(true)
		j.run(job.Options{Recrawl: true})
		dir, r := j.divided(divide.Options{})
		if got, _ := answersOf(t, filepath.Join(dir, divide.NoProfile)); !slices.Contains(got, site+"/i.png") || r.None == 0 {
			t.Errorf("%q: %v, %+v", profiles, got, r)
		}
	}
}

// turning is a web that becomes another one.
type turning struct {
	before, after testweb.Web
	turned        atomic.Bool
}

// Host implements [testweb.Web].
func (w *turning) Host(name string) http.Handler {
	if w.turned.Load() {
		return w.after.Host(name)
	}
	return w.before.Host(name)
}

// Revisits go where the answer is that they refer to, and a page that was not modified keeps what it embeds.
func TestDivideRevisits(t *testing.T) {
	t.Parallel()
	web := conditional{tiny(pages{"/v": national(testweb.Img("/i.png")).With("ETag", `"1"`), "/i.png": img(1)})}
	j := newJob(t, web, nil)
	j.run(job.Options{}, site+"/v")
	j.run(job.Options{Recrawl: true})
	dir, r := j.divided(divide.Options{})
	kinds := map[string]int{}
	for _, m := range members(t, filepath.Join(dir, "cz", "*.warc.*")) {
		kinds[m.kind+" "+m.uri]++
	}
	if kinds["response "+site+"/v"] != 1 || kinds["revisit "+site+"/v"] != 1 || kinds["response "+site+"/i.png"] != 2 || r.None != 0 || len(r.Parts) != 1 {
		t.Errorf("%v, %+v", kinds, r)
	}
}

// An unfinished division is never mistaken for a finished one, and a folder that is there is left alone.
func TestDivideInterrupted(t *testing.T) {
	t.Parallel()
	j := newJob(t, tiny(pages{"/v": national(testweb.Img("/i.png")), "/i.png": img(1)}), nil)
	dir := filepath.Join(t.TempDir(), "parts")
	f := folder.Of(j.cfg, folder.Env{})
	if _, err := divide.Archive(t.Context(), f, dir, divide.Options{}); !errors.Is(err, folder.ErrNotBegun) {
		t.Errorf("never begun: %v", err)
	}
	j.run(job.Options{}, site+"/v")
	mine := func(o fsx.Op) bool {
		return !o.Reads() && (strings.Contains(o.Path, "parts.tmp") || o.Path == filepath.Dir(dir)) // the latter: when the name is made durable
	}
	for point := int64(0); ; point++ { // every operation that writes fails once
		fault := fsx.NewFaulty(fsx.Real(), fsx.Fault{At: point, Err: syscall.ENOSPC, Match: mine})
		f.FS = fault
		_, err := divide.Archive(t.Context(), f, dir, divide.Options{})
		if _, failed := fault.Counts(); failed == 0 {
			if err != nil || point < 10 {
				t.Fatalf("%d operations, then %v", point, err)
			}
			break
		}
		if _, serr := os.Stat(dir); err == nil || !errors.Is(serr, os.ErrNotExist) {
			t.Fatalf("operation %d failed: %v, and there is a folder (%v)", point, err, serr)
		}
	}
	if _, err := divide.Archive(t.Context(), f, dir, divide.Options{}); !errors.Is(err, divide.ErrUnusable) {
		t.Errorf("the folder is there: %v", err)
	}
	if _, err := divide.Archive(t.Context(), f, dir+"2", divide.Options{Profiles: []string{"xx"}}); !errors.Is(err, divide.ErrUnusable) {
		t.Errorf("no such profile: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := divide.Archive(ctx, f, dir+"2", divide.Options{}); err == nil {
		t.Error("cancelled, but made")
	}
	left, err := filepath.Glob(dir + "*")
	if err != nil || len(left) != 1 {
		t.Errorf("%v, want the one that was made (%v)", left, err)
	}
}
