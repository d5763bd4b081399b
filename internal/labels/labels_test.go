package labels_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exclave/analyzer"
	"exclave/internal/labels"
)

const profile = `[profile]
name = "cz"
min_points = 2
[[searcher]]
kind = "dictionary"
list = "cs"
points = 1
distinct = true
`

func options(t *testing.T) labels.Options {
	t.Helper()
	p, problems := analyzer.ParseProfile([]byte(profile), "p.toml")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	a, err := analyzer.Open(t.Context(), analyzer.Config{Further: []analyzer.Profile{p}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return labels.Options{Analyzer: a, Profiles: a.Profiles()}
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// judged is "url: valid, words", a page a line.
func judged(t *testing.T, o labels.Options, paths ...string) (string, labels.Left) {
	t.Helper()
	var b strings.Builder
	left, err := labels.Judge(t.Context(), paths, o, func(s labels.Sample) error {
		fmt.Fprintf(&b, "%s %v %d\n", s.URL, s.Verdicts[0].Valid, s.Words)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), left
}

// TestJudge: each way to the document of a page, in order.
func TestJudge(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "page.html", "<p>Můžete přijít každý den")
	block := "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>Můžete přijít"
	record := fmt.Sprintf("WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>\r\nWARC-Date: 2026-11-23T00:00:00Z\r\nWARC-Target-URI: http://warc.test/\r\nContent-Type: application/http;msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", len(block), block)
	archive := write(t, dir, "a.warc", record+strings.Replace(record, "warc.test/", "warc.test/other", 1))
	set := write(t, dir, "set.jsonl", `# what follows is labelled

{"url":"http://html.test/","html":"<p>Můžete přijít","nations":["cz"]}
{"url":"http://charset.test/","html":"<p>Můžete přijít λ","charset":"windows-1250","type":"text/html; charset=windows-1250","nations":["cz"]}
{"url":"http://dos.test/","text":"nothing here but ASCII","charset":"ibm852","nations":["cz"]}
{"url":"http://body.test/","body":"PHA+TcWvxb5ldGUgcMWZaWrDrXQ=","nations":["cz"]}
{"url":"http://file.test/","file":"page.html","nations":["cz"]}
{"url":"http://warc.test/","label":{"cz":true}}
{"url":"http://logged.test/","label":{"cz":false},"words":7,"verdicts":[{"profile":"cz","judged":true,"by":[{"searcher":"dictionary","found":9,"valid":3,"distinct":3}]}]}
{"url":"http://long.test/","label":{"cz":false},"verdicts":[{"profile":"cz","judged":true,"by":[{"searcher":"dictionary","found":9,"valid":1,"distinct":1}]}]}
{"url":"http://missing.test/","nations":[]}
{"url":"http://twice.test/","label":{"cz":false},"verdicts":[]}
{"url":"http://twice.test/","label":{"cz":true},"words":1,"verdicts":[{"profile":"cz","judged":true,"by":[{"searcher":"dictionary","found":9,"valid":1,"distinct":1}]}]}
{"url":"http://video.test/","html":"x","type":"video/mp4","nations":[]}
{"url":"http://test.test/","html":"<p>ano","nations":["cz"],"split":"test"}
`)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	fmt.Fprintln(z, `{"url":"http://packed.test/","html":"<p>Můžete přijít","nations":["cz"]}`)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	gz := write(t, dir, "more.jsonl.gz", packed.String())
	o := options(t)
	o.Split = labels.SplitTrain
	got, left := judged(t, o, set, archive, gz)
	want := `http://html.test/ true 2
http://charset.test/ true 2
http://dos.test/ false 4
http://body.test/ true 2
http://file.test/ true 4
http://video.test/ false 0
http://packed.test/ true 2
http://warc.test/ true 2
http://logged.test/ true 7
http://long.test/ false 9
http://twice.test/ false 1
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if left != (labels.Left{Split: 1, Missing: 1}) {
		t.Errorf("%+v", left)
	}
}

// TestReadProblems: a label must not be lost to a slip, so each is told with its line.
func TestReadProblems(t *testing.T) {
	for _, tt := range []struct{ why, line, want string }{
		{"no JSON", `url: x`, "set.jsonl:2: no JSON from byte 1 of the line on; write one object"},
		{"a misspelt key", `{"url":"http://a.test/","nation":["cz"]}`, `set.jsonl:2: key "nation" is none of a labelled page; docs/formats/labelled.md`},
		{"a text where there is yes or no", `{"url":"http://a.test/","label":{"cz":"yes"}}`, `set.jsonl:2: label cannot be a text; write yes or no for each nation, such as {"cz":true`},
		{"a text where there is an object", `{"url":"http://a.test/","label":"cz"}`, `label cannot be a text; write yes or no for each nation`},
		{"a list that is none", `{"url":"http://a.test/","nations":"cz"}`, `nations cannot be a text; write a list of texts`},
		{"words that are none", `{"url":"http://a.test/","nations":[],"words":1.5}`, `words cannot be a number 1.5; write a whole number`},
		{"a verdict that is none", `{"url":"http://a.test/","nations":[],"verdicts":[{"points":"x"}]}`, `cannot be a text; write them as analysis.jsonl has them`},
		{"no object", `["http://a.test/"]`, `the line is a list; write one object a line, such as {"url"`},
		{"half a line", `{"url":"http://a.test/",`, `the object has no end`},
		{"no base64", `{"url":"http://a.test/","nations":[],"body":"<p>"}`, `body is not in base64; write a text in base64`},
		{"no URL", `{"nations":[]}`, `url "":`},
		{"no label", `{"url":"http://a.test/","html":"x"}`, "nations or label is wanted"},
		{"two documents", `{"url":"http://a.test/","html":"x","text":"y","nations":[]}`, "at most one of html, text, body and file"},
		{"a split that is none", `{"url":"http://a.test/","nations":[],"split":"dev"}`, `split "dev"`},
		{"a charset that is none", `{"url":"http://a.test/","html":"x","nations":[],"charset":"klingon"}`, `charset "klingon": there is none`},
		{"two objects", `{"url":"http://a.test/","nations":[]} {}`, "something behind the object"},
	} {
		path := write(t, t.TempDir(), "set.jsonl", "#\n"+tt.line+"\n")
		err := labels.Read(path, func(*labels.Page) error { return nil })
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.why, err, tt.want)
		}
	}
	path := write(t, t.TempDir(), "set.jsonl", `{"url":"http://a.test/","label":{"cz":true},"verdicts":[{"profile":"cz","judged":true,"by":[]}]}`)
	if _, err := labels.Judge(t.Context(), []string{path}, options(t), func(labels.Sample) error { return nil }); err == nil || !strings.Contains(err.Error(), "searcher dictionary") {
		t.Errorf("a verdict without a searcher of the profile: %v", err)
	}
}

// TestBelongs: a page may be of several nations, or of some that nobody asked about.
func TestBelongs(t *testing.T) {
	for line, want := range map[string]string{
		`{"nations":["cz","sk"]}`:             "true true",
		`{"nations":[]}`:                      "false true",
		`{"label":{"cz":true}}`:               "true true",
		`{"label":{"sk":true}}`:               "false false",
		`{"label":{"cz":false},"nations":[]}`: "false true",
	} {
		p := &labels.Page{}
		if err := json.Unmarshal([]byte(line), p); err != nil {
			t.Fatal(err)
		}
		yes, known := p.Belongs("cz")
		if got := fmt.Sprint(yes, known); got != want {
			t.Errorf("%s: %s", line, got)
		}
	}
	a, b := &labels.Page{URL: "http://a.test/1"}, &labels.Page{URL: "http://a.test/2", Source: "text"}
	if a.Origin() != "a.test" || b.Origin() != "text" {
		t.Error(a.Origin(), b.Origin())
	}
}

// A line that was written is read again.
func TestLine(t *testing.T) {
	n, words := []string{}, 3
	line, err := (&labels.Page{URL: "http://a.test/?a&b", Nations: &n, Words: &words}).Line()
	if want := `{"url":"http://a.test/?a&b","nations":[],"words":3}` + "\n"; err != nil || string(line) != want {
		t.Fatalf("%s %v", line, err)
	}
	if err := labels.Read(write(t, t.TempDir(), "a.jsonl", string(line)), func(p *labels.Page) error {
		if p.Nations == nil || *p.Words != 3 {
			t.Errorf("%+v", p)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}
