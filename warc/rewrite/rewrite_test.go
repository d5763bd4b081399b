package rewrite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"exclave/internal/fsx"
	"exclave/warc"

	"github.com/klauspost/compress/gzip"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

type rec struct{ kind, id, uri, extra, contentType, block string }

func (r rec) String() string {
	date := "2024-01-02T03:04:05Z"
	if i := strings.Index(r.extra, "date="); i == 0 {
		date, r.extra = r.extra[5:25], r.extra[25:]
	}
	uri := ""
	if r.uri != "" {
		uri = "WARC-Target-URI: " + r.uri + "\r\n"
	}
	digest, _ := warc.Digest(strings.NewReader(r.block))
	return fmt.Sprintf("WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:uuid:%s>\r\nWARC-Date: %s\r\n%sWARC-Block-Digest: %s\r\n%sContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
		r.kind, r.id, date, uri, digest, r.extra, r.contentType, len(r.block), r.block)
}

func id(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

func concurrent(n int) string { return "WARC-Concurrent-To: <urn:uuid:" + id(n) + ">\r\n" }

func response(n int, uri, mime string, status int, body, extra string) rec {
	return rec{"response", id(n), uri, extra, "application/http; msgtype=response", fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: %s\r\n\r\n%s", status, mime, body)}
}

func info(n int) rec {
	return rec{"warcinfo", id(n), "", "", "application/warc-fields", fmt.Sprintf("software: test %d\r\n", n)}
}

// sample is two pages with what belongs to them, an image, a revisit of another address, under two warcinfo records.
func sample() []rec {
	return []rec{
		info(1),
		{"request", id(11), "http://a.example/", concurrent(10), "application/http; msgtype=request", "GET / HTTP/1.1\r\n\r\n"},
		response(10, "http://a.example/", "text/html; charset=utf-8", 200, "<p>one", ""),
		{"metadata", id(12), "http://a.example/", concurrent(10), "application/warc-fields", "hopsFromSeed: L\r\n"},
		{"metadata", id(13), "urn:exclave:verdict:http://a.example/", concurrent(10), "application/json", `[{"profile":"sk","judged":true,"valid":false,"points":0,"min":1},{"profile":"cz","judged":true,"valid":true,"points":9,"min":1}]`},
		response(20, "http://b.example/x.png", "image/png", 404, strings.Repeat("z", 3000), ""),
		info(2),
		{"revisit", id(30), "http://b.example/copy", "date=2023-01-02T03:04:05ZWARC-Refers-To-Target-URI: http://a.example/\r\n", "application/http; msgtype=response", ""},
		{"metadata", id(31), "urn:other", concurrent(30), "application/warc-fields", "x: y\r\n"},
		response(40, "https://www.c.example/deep/page", "text/html", 200, strings.Repeat("long ", 500000), ""),
	}
}

func zipped(t testing.TB, records []rec) []byte {
	var b bytes.Buffer
	for _, r := range records {
		z := gzip.NewWriter(&b)
		_, err := io.WriteString(z, r.String())
		must(t, err)
		must(t, z.Close())
	}
	return b.Bytes()
}

func plain(records []rec) []byte {
	var b bytes.Buffer
	for _, r := range records {
		b.WriteString(r.String())
	}
	return b.Bytes()
}

// contents reads the records of a file, each as header and block.
func contents(t *testing.T, data []byte) (out []string) {
	t.Helper()
	for r := warc.NewReader(bytes.NewReader(data)); ; {
		e, err := r.Next()
		if err == io.EOF {
			return out
		}
		must(t, err)
		b, err := io.ReadAll(e.Block)
		must(t, err)
		out = append(out, e.Raw()+string(b)+"\r\n\r\n")
	}
}

// rewritten runs a plan over one input and returns the files it makes.
func rewritten(t *testing.T, data []byte, form Form, plan *Plan) map[string][]string {
	t.Helper()
	dir := t.TempDir()
	set, err := NewSet(fsx.Real(), form, 0, nil)
	must(t, err)
	plan.Temp = dir
	if plan.Output != "" {
		plan.Output = filepath.Join(dir, plan.Output)
	}
	must(t, Run(t.Context(), []Input{{"in", bytes.NewReader(data)}}, plan, set))
	return folder(t, dir)
}

func folder(t *testing.T, dir string) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	files, err := os.ReadDir(dir)
	must(t, err)
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		must(t, err)
		out[f.Name()] = contents(t, data)
	}
	return out
}

func texts(records []rec) (out []string) {
	for _, r := range records {
		out = append(out, r.String())
	}
	return out
}

// Issue: recompress between gzip, zstd and plain. Every record is the same bytes in each form.
func TestForms(t *testing.T) {
	want := texts(sample())
	for _, form := range Forms() {
		for name, data := range map[string][]byte{"gzip": zipped(t, sample()), "plain": plain(sample())} {
			got := rewritten(t, data, form, &Plan{Output: "out"})["out"]
			if !slices.Equal(got, want) {
				t.Errorf("%s to %s: %d records, want %d the same", name, form, len(got), len(want))
			}
		}
	}
}

// What is made of ARC has the digests of its blocks and payloads, and the lines that stood before them.
func TestARC(t *testing.T) {
	const html = "HTTP/1.1 200 OK\r\n\r\n<p>page"
	line := fmt.Sprintf("http://a.example/x y 192.0.2.1 20050614070145 text/html 200 fac069150613fe55599cc7fa88aa089d - 209 a.arc %d", len(html))
	data := fmt.Sprintf("filedesc://a.arc 0.0.0.0 20050614070144 text/plain 4\n1 1\n\n%s\n%s\ndns:a.example 192.0.2.1 20050614070146 text/dns 2\nA\n\n", line, html)
	got := rewritten(t, []byte(data), Plain, &Plan{Output: "out", EveryInfo: true})["out"]
	if len(got) != 3 {
		t.Fatalf("%d records: %q", len(got), got)
	}
	whole, err := warc.Digest(strings.NewReader(html))
	must(t, err)
	payload, err := warc.Digest(strings.NewReader("<p>page"))
	must(t, err)
	for i, want := range []string{"WARC-Block-Digest: sha1:", "WARC-Block-Digest: " + whole + "\r\nWARC-Payload-Digest: " + payload + "\r\nARC-Header-Line: " + line + "\r\n\r\n", "ARC-Header-Line: dns:a.example "} {
		if !strings.Contains(got[i], want) || strings.Contains(got[i], "Payload") != (i == 1) {
			t.Errorf("record %d is %q, want %q", i, got[i], want)
		}
	}
	var told []warc.Defect
	must(t, warc.VerifyFrom(strings.NewReader(strings.Join(got, "")), nil, func(d warc.Defect) { told = append(told, d) }))
	if len(told) > 1 || len(told) == 1 && told[0].Kind != warc.KindURI { // of the space in the address
		t.Errorf("defects: %v", told)
	}
}

// A takedown takes the page, its request, metadata and verdict, and what stands for it elsewhere with what belongs to that; the log
// names each. A warcinfo record that describes nothing more is gone too.
func TestTakedown(t *testing.T) {
	td, err := NewTakedown([]string{"https://a.example/"})
	must(t, err)
	var log []string
	got := rewritten(t, zipped(t, sample()), Gzip, &Plan{Output: "out", Keep: td.Keep, Left: func(r *Record, why string) { log = append(log, r.ID[len(r.ID)-2:]+" "+why) }})["out"]
	s := sample()
	if want := texts([]rec{s[0], s[5], s[6], s[9]}); !slices.Equal(got, want) {
		t.Errorf("kept %.200q, want %.200q", got, want)
	}
	want := []string{"11 address", "10 address", "12 address", "13 address", "30 stands for an address that was left out", "31 belongs to a record that was left out"}
	if !slices.Equal(log, want) {
		t.Errorf("left out %q, want %q", log, want)
	}
	td, err = NewTakedown([]string{"http://(example,"})
	must(t, err)
	if got := rewritten(t, zipped(t, sample()), Gzip, &Plan{Output: "out", Keep: td.Keep}); len(got) != 0 {
		t.Errorf("of the whole domain this is left: %.200q", got)
	}
	for _, about := range []string{"", VerdictURI, FurtherURI} {
		r := &Record{Type: warc.TypeMetadata, URI: about + "http://www.example/x"}
		if fates := td.Keep([]*Record{r}); HostOf(r) != "www.example" || len(fates) != 1 || fates[0].Why != "address" {
			t.Errorf("%s: host %q, %+v", r.URI, HostOf(r), fates)
		}
	}
	if _, err := NewTakedown([]string{"a page"}); err == nil {
		t.Error("no address is accepted")
	}
}

// Issue: a takedown takes everything. What belongs to a page stands before it, or in another file, or belongs to what does, and none of it
// has its address. What the page itself stands for, and what stands beside it, stays.
func TestTakedownEverywhere(t *testing.T) {
	refers := func(n int) string { return "WARC-Refers-To: <urn:uuid:" + id(n) + ">\r\n" }
	first := []rec{
		info(1),
		{"metadata", id(13), "urn:about-the-screenshot", concurrent(12), "text/plain", "of what belongs to the page"},
		response(50, "http://b.example/", "text/html", 200, "stays", ""),
		{"conversion", id(12), "urn:screenshot", refers(10), "image/png", "png"},
		{"metadata", id(51), "urn:other", concurrent(50), "text/plain", "stays"},
		{"request", id(11), "http://proxy.example/?u=a", "", "application/http; msgtype=request", "GET / HTTP/1.1\r\n\r\n"},
	}
	second := []rec{
		info(2),
		{"metadata", id(14), "", concurrent(10), "application/warc-fields", "x: y\r\n"},
		{"response", id(10), "http://a.example/", concurrent(11) + concurrent(10), "application/http; msgtype=response", "HTTP/1.1 200 X\r\n\r\n"},
		{"revisit", id(15), "http://a.example/", refers(50), "application/http; msgtype=response", ""}, // 50 is no part of it
	}
	inputs := func() []Input {
		return []Input{{"1", bytes.NewReader(zipped(t, first))}, {"2", bytes.NewReader(plain(second))}}
	}
	td, err := NewTakedown([]string{"http://a.example/"})
	must(t, err)
	must(t, td.Look(t.Context(), inputs(), t.TempDir()))
	name := filepath.Join(t.TempDir(), "out")
	set, err := NewSet(fsx.Real(), Gzip, 0, nil)
	must(t, err)
	must(t, Run(t.Context(), inputs(), &Plan{Output: name, Keep: td.Keep}, set))
	got := folder(t, filepath.Dir(name))["out"]
	if want := texts([]rec{first[0], first[2], first[4]}); !slices.Equal(got, want) {
		t.Errorf("kept %.2000q, want %.2000q", got, want)
	}
	var d *warc.Defect
	if err := td.Look(t.Context(), []Input{{"damaged", bytes.NewReader(plain(first)[:700])}}, t.TempDir()); !errors.As(err, &d) || d.File != "damaged" {
		t.Errorf("of a damaged file: %v", err)
	}
}

func TestFilter(t *testing.T) {
	yes, s := true, sample()
	year := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		why  string
		f    Filter
		want []rec
	}{
		{"a host, with its requests and metadata", Filter{Hosts: []string{"a.example"}}, s[:5]},
		{"hosts below", Filter{Hosts: []string{"c.example"}}, []rec{s[6], s[9]}},
		{"a kind of MIME type", Filter{MIMEs: []string{"image/*"}}, []rec{s[0], s[5]}},
		{"a MIME type with parameters", Filter{MIMEs: []string{"text/html"}, Hosts: []string{"a.example"}}, s[:5]},
		{"a class of statuses", Filter{Statuses: []string{"4xx"}}, []rec{s[0], s[5]}},
		{"a type", Filter{Types: []string{"revisit"}}, []rec{s[6], s[7]}},
		{"a verdict", Filter{Valid: &yes, Profile: "cz"}, s[:5]},
		{"from a date on", Filter{Since: year}, slices.Concat(s[:7], s[9:])},
		{"before a date", Filter{Before: year}, s[6:9]},
		{"another profile", Filter{Valid: &yes, Profile: "sk"}, nil},
	} {
		if got := rewritten(t, plain(s), Plain, &Plan{Output: "out", Keep: c.f.Keep})["out"]; !slices.Equal(got, texts(c.want)) {
			t.Errorf("%s: %d records, want %d", c.why, len(got), len(c.want))
		}
	}
	if (&Filter{Statuses: []string{"4x"}}).Check() == nil || (&Filter{Types: []string{"page"}}).Check() == nil {
		t.Error("what no record can meet is accepted")
	}
}

// Each output begins with the warcinfo record of what is in it, and captures stay whole.
func TestDivide(t *testing.T) {
	dir, s := t.TempDir(), sample()
	d := &Divide{Prefix: filepath.Join(dir, "x"), Form: Gzip, Host: true}
	set, err := NewSet(fsx.Real(), Gzip, 0, nil)
	must(t, err)
	must(t, Run(t.Context(), []Input{{"in", bytes.NewReader(plain(s))}}, &Plan{Name: d.Name}, set))
	got := folder(t, dir)
	want := map[string][]string{
		"x-a.example.warc.gz": texts(s[:5]), "x-b.example.warc.gz": texts([]rec{s[0], s[5], s[6], s[7], s[8]}), "x-www.c.example.warc.gz": texts([]rec{s[6], s[9]}),
	}
	for name, w := range want {
		if !slices.Equal(got[name], w) {
			t.Errorf("%s has %d records, want %d", name, len(got[name]), len(w))
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d files, want %d", len(got), len(want))
	}
	dir = t.TempDir()
	d = &Divide{Prefix: filepath.Join(dir, "x"), Form: Plain, Size: 3000}
	set, err = NewSet(fsx.Real(), Plain, 0, nil)
	must(t, err)
	must(t, Run(t.Context(), []Input{{"in", bytes.NewReader(plain(s))}}, &Plan{Name: d.Name}, set))
	if got := folder(t, dir); len(got) < 2 || len(got["x-00000.warc"]) < 5 {
		t.Errorf("by size: %d files, %d records in the first", len(got), len(got["x-00000.warc"]))
	}
}

// An output that is there is left alone; after an error, wherever the disk fails, nothing new is there.
func TestOutputs(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "out.warc.gz")
	must(t, os.WriteFile(name, []byte("mine"), 0o600))
	run := func(ctx context.Context, fsys fsx.FS, data []byte, name string) error {
		set, err := NewSet(fsys, Gzip, 0, nil)
		must(t, err)
		return Run(ctx, []Input{{"in", bytes.NewReader(data)}}, &Plan{Output: name, Temp: t.TempDir()}, set)
	}
	if err := run(t.Context(), fsx.Real(), plain(sample()), name); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a file: %v", err)
	}
	if b, err := os.ReadFile(name); err != nil || string(b) != "mine" {
		t.Errorf("the file is %q, %v", b, err)
	}
	var d *warc.Defect
	if err := run(t.Context(), fsx.Real(), plain(sample())[:5000], filepath.Join(dir, "new")); !errors.As(err, &d) || d.File != "in" {
		t.Errorf("of a damaged file: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run(ended, fsx.Real(), plain(sample()), filepath.Join(dir, "new")); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if err := run(t.Context(), fsx.ReadOnly(fsx.Real()), plain(sample()), filepath.Join(dir, "new")); err == nil {
		t.Error("a disk that takes nothing: no error")
	}
	// A log is there when the outputs are, and only then.
	for _, c := range []struct {
		why  string
		data []byte
		want int // files
	}{{"damaged", plain(sample())[:5000], 1}, {"whole", plain(sample()), 3}} {
		set, err := NewSet(fsx.Real(), Gzip, 0, nil)
		must(t, err)
		log, err := set.Log(filepath.Join(dir, "log"))
		must(t, err)
		_, err = io.WriteString(log, "left out")
		must(t, err)
		_ = Run(t.Context(), []Input{{"in", bytes.NewReader(c.data)}}, &Plan{Output: filepath.Join(dir, "new"), Temp: t.TempDir()}, set)
		if files, err := os.ReadDir(dir); err != nil || len(files) != c.want {
			t.Errorf("%s: %v, %v", c.why, files, err)
		}
	}
	if b, err := os.ReadFile(filepath.Join(dir, "log")); err != nil || string(b) != "left out" {
		t.Errorf("the log is %q, %v", b, err)
	}
	set, err := NewSet(fsx.Real(), Gzip, 0, nil)
	must(t, err)
	if _, err := set.Log(filepath.Join(dir, "log")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a log: %v", err)
	}
	_, err = set.Log(filepath.Join(dir, "log2"))
	must(t, err)
	if err := Run(t.Context(), []Input{{"in", bytes.NewReader(plain(sample()))}}, &Plan{Output: filepath.Join(dir, "log2")}, set); !errors.Is(err, fs.ErrExist) {
		t.Errorf("an output with the name of the log: %v", err)
	}
}

// More outputs than are open at the same time.
func TestManyOutputs(t *testing.T) {
	var records []rec
	for i := range 3 * mostOpen {
		records = append(records, response(i+1, fmt.Sprintf("http://h%d.example/", i%(mostOpen+20)), "text/html", 200, "x", ""))
	}
	dir := t.TempDir()
	d := &Divide{Prefix: filepath.Join(dir, "x"), Form: Gzip, Host: true}
	set, err := NewSet(fsx.Real(), Gzip, 0, nil)
	must(t, err)
	must(t, Run(t.Context(), []Input{{"in", bytes.NewReader(plain(records))}}, &Plan{Name: d.Name}, set))
	n := 0
	for _, f := range folder(t, dir) {
		n += len(f)
	}
	if n != len(records) {
		t.Errorf("%d records of %d", n, len(records))
	}
}
