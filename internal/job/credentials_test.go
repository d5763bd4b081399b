package job_test

import (
	"bytes"
	"encoding/base64"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/klauspost/compress/zstd"

	"exclave/chain/decide"
	"exclave/config"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/job/jobtest"
	"exclave/internal/job/seeds"
	"exclave/internal/testweb"
)

// guardedWeb has a site that asks for a password, and pages that publish others.
type guardedWeb struct{ testweb.Tiny }

// Host implements [testweb.Web].
func (w guardedWeb) Host(name string) http.Handler {
	h := w.Tiny.Host(name)
	if name == "locked.cz" && h != nil {
		return testweb.Protected(h, "/", "archive", "reader", "pass-seed@1")
	}
	return h
}

func newGuardedWeb() guardedWeb {
	return guardedWeb{testweb.Tiny{
		"http://locked.cz/":           testweb.NationalPage(1, "/inner"),
		"http://locked.cz/later":      testweb.NationalPage(7),
		"http://locked.cz/inner":      testweb.NationalPage(2),
		"http://locked.cz/robots.txt": testweb.Text("User-agent: *\nDisallow:\n"),
		"http://open.cz/": testweb.NationalPage(3, "http://user:pass-link@open.cz/a", `//user:pass-short@open.cz/b`, "http://user:pass-gone@out.example/",
			testweb.Img("http://user:pass-img@open.cz/i.png"), "http://token-name@open.cz/c", "/base", "/moved",
			`<script>var u = "http://user:pass-js@open.cz/js.html"</script>`, `<meta http-equiv=refresh content="9;url=http://user:pass-meta@open.cz/d">`),
		"http://open.cz/base":      testweb.HTML(`<base href="http://user:pass-base@open.cz/e/">`, "f"),
		"http://open.cz/moved":     testweb.Redirect(301, "http://user:pass-moved@open.cz/g"),
		"http://open.cz/a":         testweb.NationalPage(4),
		"http://open.cz/g":         testweb.NationalPage(5),
		"http://open.cz/i.png":     testweb.Image(1),
		"http://far.cz/":           testweb.NationalPage(6),
		"http://far.cz/robots.txt": testweb.Redirect(302, "http://user:pass-robots@open.cz/robots2"),
		"http://open.cz/robots2":   testweb.Text("User-agent: *\nDisallow: /nowhere\n"),
	}}
}

// secrets are what no file of a job may hold; what a page publishes stands in its record.
func secrets() [][]byte {
	return [][]byte{[]byte("pass-"), []byte("token-name"), []byte(base64.StdEncoding.EncodeToString([]byte("reader:pass-seed@1")))}
}

// checkNoSecret looks for secrets in every file of a job and in all that is packed there.
func (j *testJob) checkNoSecret() {
	t := j.t
	t.Helper()
	found := func(data []byte, where string) {
		for _, s := range secrets() {
			if i := bytes.Index(data, s); i >= 0 {
				t.Errorf("%s holds a secret: …%q…", where, data[max(0, i-60):min(len(data), i+40)])
			}
		}
	}
	for _, r := range j.records() {
		if r.kind == "response" || r.kind == "revisit" { // as published
			found([]byte(r.uri), "URI of a "+r.kind)
			continue
		}
		found(r.block, r.kind+" of "+r.uri)
	}
	err := filepath.WalkDir(j.cfg.Dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() == "seeds.txt" || strings.Contains(path, ".warc.gz") {
			return err
		}
		data, err := os.ReadFile(path)
		found(data, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	db, err := pebble.Open(filepath.Join(j.cfg.Dir, folder.StateDir, "frontier"), &pebble.Options{ReadOnly: true, Logger: jobtest.Quiet{}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	it, err := db.NewIter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer it.Close()
	rows := 0
	for it.First(); it.Valid(); it.Next() {
		rows++
		found(it.Key(), "a key of the state")
		found(it.Value(), "a row of the state")
		if i := bytes.Index(it.Value(), []byte{0x28, 0xb5, 0x2f, 0xfd}); i >= 0 {
			d, err := zstd.NewReader(bytes.NewReader(it.Value()[i:]))
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			_, _ = d.WriteTo(&b) // the row may go on behind the frame
			d.Close()
			at := bytes.Index(b.Bytes(), []byte("HTTP/1.1 ")) // the answer is as published
			found(b.Bytes()[:max(at, 0)], "an answer kept in the state")
		}
	}
	if rows < 20 {
		t.Errorf("only %d rows", rows)
	}
}

const guardedSeeds = "http://reader:pass-seed%401@locked.cz/"

// Passwords in URLs, of seeds and of pages, reach neither archive nor logs nor state,
// whatever becomes of the seed.
func TestNoPasswordIsKept(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{config.RefuseCredentials, config.DropCredentials, config.UseCredentials} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			j := newJob(t, newGuardedWeb(), func(c *config.Config) {
				c.Job.SeedCredentials, c.Analysis.Depth, c.Scope = mode, 1, decide.DefaultScope()
			})
			// The third is none that a request could be made for.
			j.run(job.Options{}, "http://open.cz/", "http://far.cz/", guardedSeeds, "http://user:pass/word@x.cz/", "ftp://user:pass-ftp@x.cz/", "user:pass-bare@x.cz", "http://user:pass-port@x.cz:99999/")
			j.checkNoSecret()
			b, err := job.Open(t.Context(), j.cfg, job.Options{})
			if err != nil {
				t.Fatal(err)
			}
			rep, err := b.ImportSeeds(t.Context(), strings.NewReader(`{"url":"http://user:pass-log@open.cz/h","via":"http://user:pass-via@open.cz/","hops":"L","source":"http://user:pass-tag@open.cz/"}`+"\n"), "log", seeds.ImportOptions{})
			if err != nil || rep.Accepted != 1 {
				t.Errorf("%+v, %v", rep, err)
			}
			rep, err = b.ImportSeeds(t.Context(), strings.NewReader("http://user:pass-imported@open.cz/i\nhttp://open.cz/j\n"), "list", seeds.ImportOptions{})
			if want := map[bool]int64{true: 2, false: 1}[mode == config.DropCredentials]; err != nil || rep.Accepted != want || rep.Broken != 2-want {
				t.Errorf("%+v, %v", rep, err)
			}
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			h := j.run(job.Options{}, "http://locked.cz/later") // as after a restart
			j.checkNoSecret()
			archived := h.archived()
			for u, want := range map[string]bool{
				"http://open.cz/": true, "http://open.cz/a": true, "http://open.cz/g": true, "http://open.cz/i.png": true, "http://far.cz/": true,
				"http://locked.cz/": mode == config.UseCredentials, "http://locked.cz/inner": mode == config.UseCredentials,
				"http://locked.cz/later": mode == config.UseCredentials,
			} {
				if got := slices.Contains(archived, u); got != want {
					t.Errorf("%s archived: %v, want %v", u, got, want)
				}
			}
			if n := h.hits["http://open.cz/h"]; n != 1 {
				t.Errorf("the address of a log was asked for %d times", n)
			}
			if mode == config.RefuseCredentials && h.hits["http://locked.cz/"] > 0 {
				t.Error("a refused seed was asked for")
			}
		})
	}
}
