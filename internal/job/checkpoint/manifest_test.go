package checkpoint

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode"
)

// A checkpoint may come from anywhere. What is taken of its manifest names no file
// outside, none twice, none that is both shared and written to, and nothing that a
// terminal obeys; written again it says the same.
func FuzzManifest(f *testing.F) {
	const whole = `{"version":1,"name":"a","named":true,"job":"j","time":"2026-11-21T05:12:08.802Z","software":"exclave/1","state_format":4,
"frontier":{"Queued":1},"took":5,"held":2,"copied":0,"missing":["x.warc.gz"],"files":[
{"path":"config/job.toml","length":9,"shared":false},{"path":"state/frontier/000005.sst","length":1,"shared":true},
{"path":"warcs/A-00001.warc.gz","length":7,"shared":true},{"path":"logs/crawl.log","length":0,"shared":false}]}`
	f.Add([]byte(whole))
	for old, with := range map[string]string{
		`config/job.toml`: `config/../../x`, `logs/crawl.log`: `/etc/passwd`, `"length":0,"shared":false`: `"length":0,"shared":true`,
		`"length":9`: `"length":-9`, `"name":"a"`: `"name":"../a"`, `warcs/A-00001`: `warcs//A`, `logs/crawl`: `config/job.toml","x":"`,
		`"job":"j"`: `"job":"\u001b[2J"`, `"version":1`: `"version":2`,
	} {
		f.Add([]byte(strings.Replace(whole, old, with, 1)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := parseManifest(data)
		if err != nil {
			return
		}
		seen := map[string]bool{}
		for _, file := range c.Files {
			to := filepath.Join("/new", file.inJob())
			if !strings.HasPrefix(to, "/new/") || !strings.HasPrefix(filepath.Join("/from", file.Path), "/from/") || seen[to] || file.Length < 0 {
				t.Errorf("%+v was taken", file)
			}
			seen[to] = true
			if ext := filepath.Ext(to); file.Shared && filepath.Dir(to) != "/new/warcs" && ext != ".sst" && ext != ".blob" {
				t.Errorf("%+v is shared", file)
			}
		}
		if strings.ContainsFunc(c.Name+c.Job, unicode.IsControl) {
			t.Errorf("%q, %q", c.Name, c.Job)
		}
		_ = c.Bytes()
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := parseManifest(text); err != nil || !reflect.DeepEqual(normal(c), normal(again)) {
			t.Errorf("%+v became %+v (%v)", c, again, err)
		}
	})
}

// normal has one form of an instant and of nothing.
func normal(c Manifest) Manifest {
	c.Time = c.Time.UTC()
	if len(c.Files) == 0 {
		c.Files = nil
	}
	if len(c.Missing) == 0 {
		c.Missing = nil
	}
	return c
}
