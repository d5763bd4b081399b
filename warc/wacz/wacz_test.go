package wacz

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"exclave/internal/fsx"
	"exclave/warc"
	"exclave/warc/rewrite"

	"github.com/klauspost/compress/gzip"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

const day = "2024-01-02T03:04:05Z"

func id(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

func rec(kind string, n int, uri, extra, contentType, block string) string {
	if uri != "" {
		extra += "WARC-Target-URI: " + uri + "\r\n"
	}
	if !strings.Contains(extra, "WARC-Date") {
		extra += "WARC-Date: " + day + "\r\n"
	}
	return fmt.Sprintf("WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:uuid:%s>\r\n%sContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
		kind, id(n), extra, contentType, len(block), block)
}

func about(n int) string { return "WARC-Concurrent-To: <urn:uuid:" + id(n) + ">\r\n" }

func response(n int, uri, status, mime, body string) string {
	return rec("response", n, uri, "", "application/http; msgtype=response", "HTTP/1.1 "+status+" X\r\nContent-Type: "+mime+"\r\n\r\n"+body)
}

func verdict(n, of int, uri, date, verdicts string) string {
	return rec("metadata", n, rewrite.VerdictURI+uri, about(of)+"WARC-Date: "+date+"\r\n", "application/json", verdicts)
}

func seed(n, of int, uri string) string {
	return rec("metadata", n, uri, about(of), "application/warc-fields", "seed: \r\nhopsFromSeed: \r\n")
}

func info(n int) string {
	return rec("warcinfo", n, "", "", "application/warc-fields", "software: test\r\n")
}

// harvest is two files: pages of three hosts with verdicts, one of them in the other file, what is embedded, and a revisit record that
// stands for a page of another host.
func harvest() [2][]string {
	const valid, invalid = `[{"profile":"sk","judged":true,"valid":false},{"profile":"cz","judged":true,"valid":true}]`, `[{"profile":"cz","judged":true,"valid":false}]`
	return [2][]string{{
		info(1),
		rec("resource", 2, "dns:a.example", "", "text/dns", "a.example. 60 IN A 192.0.2.1\r\n"),
		response(10, "http://a.example/b", "200", "text/html; charset=windows-1250", "<title>\x8ealuzie</title><p>one<p>two"),
		verdict(11, 10, "http://a.example/b", day, valid),
		response(12, "http://a.example/", "200", "text/html", "<title>Home</title>"),
		seed(13, 12, "http://a.example/"),
		response(14, "http://www.a.example/x.png", "200", "image/png", strings.Repeat("z", 3000)),
		response(15, "http://b.example/gone", "404", "text/html", "<title>Gone</title>"),
		verdict(16, 15, "http://b.example/gone", day, valid),
	}, {
		info(3),
		verdict(20, 12, "http://a.example/", day, valid),
		response(21, "http://b.example/not", "200", "text/html", "<title>Not</title>"),
		verdict(22, 21, "http://b.example/not", day, invalid),
		response(23, "http://c.example/later", "200", "application/xhtml+xml", "<title>Later</title>"),
		verdict(24, 23, "http://c.example/later", "2024-01-03T00:00:00Z", valid),
		verdict(25, 23, "http://c.example/later", day, invalid),
		response(26, "http://c.example/nobody", "200", "text/html", "<title>Nobody asked</title>"),
		rec("revisit", 27, "http://a.example/copy", "WARC-Refers-To-Target-URI: http://c.example/later\r\nWARC-Refers-To-Date: "+day+"\r\nWARC-Profile: "+warc.ProfileIdentical+"\r\n",
			"application/http; msgtype=response", "HTTP/1.1 200 X\r\nContent-Type: text/html\r\n\r\n"),
	}}
}

func zipped(t testing.TB, records []string) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, r := range records {
		z := gzip.NewWriter(&b)
		_, err := io.WriteString(z, r)
		must(t, errors.Join(err, z.Close()))
	}
	return b.Bytes()
}

// write makes files of the harvest and returns their names.
func write(t testing.TB, harvest [2][]string) (files []string) {
	t.Helper()
	dir := t.TempDir()
	for i, records := range harvest {
		files = append(files, filepath.Join(dir, fmt.Sprintf("H-%d~host~8443.warc.gz", i+1)))
		must(t, os.WriteFile(files[i], zipped(t, records), 0o600))
	}
	return files
}

// packed is a package, read with the standard library and checked against what it says of itself.
type packed struct {
	order []string
	files map[string][]byte
	zip   map[string]*zip.File
	pages []page
	lines []line
}

// line is a line of the index.
type line struct {
	key                         string
	URL, Offset, Length, Status string
	Mime                        string
	File                        string `json:"filename"`
}

func open(t *testing.T, name string) *packed {
	t.Helper()
	z, err := zip.OpenReader(name)
	must(t, err)
	defer z.Close()
	p := &packed{files: map[string][]byte{}, zip: map[string]*zip.File{}}
	for _, f := range z.File {
		r, err := f.Open()
		must(t, err)
		data, err := io.ReadAll(r)
		must(t, errors.Join(err, r.Close()))
		p.order, p.files[f.Name], p.zip[f.Name] = append(p.order, f.Name), data, f
	}
	p.described(t)
	p.indexed(t)
	for i, l := range strings.Split(strings.TrimSpace(string(p.files["pages/pages.jsonl"])), "\n") {
		if i == 0 {
			if l != `{"format":"json-pages-1.0","id":"pages","title":"All Pages","hasText":true}` {
				t.Errorf("header of pages: %s", l)
			}
			continue
		}
		var x page
		must(t, json.Unmarshal([]byte(l), &x))
		p.pages = append(p.pages, x)
	}
	return p
}

func hashOf(data []byte) string {
	h := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(h[:])
}

// described compares the package with datapackage.json, and this with its digest.
func (p *packed) described(t *testing.T) {
	t.Helper()
	var about struct {
		Profile   string
		Version   string `json:"wacz_version"`
		Resources []resource
	}
	must(t, json.Unmarshal(p.files["datapackage.json"], &about))
	if about.Profile != "data-package" || about.Version != "1.1.1" || len(about.Resources) != len(p.files)-2 {
		t.Errorf("%+v for %q", about, p.order)
	}
	for _, r := range about.Resources {
		if want := (resource{strings.ToLower(filepath.Base(r.Path)), r.Path, hashOf(p.files[r.Path]), int64(len(p.files[r.Path]))}); r != want {
			t.Errorf("%+v, want %+v", r, want)
		}
	}
	var digest struct{ Path, Hash string }
	must(t, json.Unmarshal(p.files["datapackage-digest.json"], &digest))
	if digest.Path != "datapackage.json" || digest.Hash != hashOf(p.files["datapackage.json"]) {
		t.Errorf("%+v", digest)
	}
	for name, f := range p.zip {
		if stored := f.Method == zip.Store; stored != (strings.HasSuffix(name, ".gz")) {
			t.Errorf("%s: method %d: what is read in parts is stored, the rest is not", name, f.Method)
		}
	}
}

// indexed reads the index by its table, and the record of each of its lines.
func (p *packed) indexed(t *testing.T) {
	t.Helper()
	rows := strings.Split(strings.TrimSpace(string(p.files["indexes/index.idx"])), "\n")
	if rows[0] != `!meta 0 {"format":"cdxj-gzip-1.0","filename":"index.cdx.gz"}` {
		t.Errorf("table: %s", rows[0])
	}
	data, last := p.files["indexes/index.cdx.gz"], ""
	for _, row := range rows[1:] {
		key, in, _ := strings.Cut(row, " {")
		var b block
		must(t, json.Unmarshal([]byte("{"+in), &b))
		member := data[:b.Length]
		data = data[b.Length:]
		if b.Digest != hashOf(member) || b.File != "index.cdx.gz" {
			t.Errorf("table: %s", row)
		}
		z, err := gzip.NewReader(bytes.NewReader(member))
		must(t, err)
		text, err := io.ReadAll(z)
		must(t, err)
		if !strings.HasPrefix(string(text), key+" {") {
			t.Errorf("block of %s begins with %.60s", key, text)
		}
		for l := range strings.Lines(string(text)) {
			if l <= last {
				t.Errorf("%s after %s", l, last)
			}
			last = l
			p.line(t, strings.TrimSuffix(l, "\n"))
		}
	}
	if len(data) > 0 {
		t.Errorf("%d bytes are in no block", len(data))
	}
}

func (p *packed) line(t *testing.T, l string) {
	t.Helper()
	var x line
	key, in, _ := strings.Cut(l, " {")
	must(t, json.Unmarshal([]byte("{"+in), &x))
	x.key = key
	off, err := strconv.ParseInt(x.Offset, 10, 64)
	must(t, err)
	n, err := strconv.ParseInt(x.Length, 10, 64)
	must(t, err)
	r := warc.NewReader(bytes.NewReader(p.files["archive/"+x.File][off : off+n]))
	e, err := r.Next()
	must(t, err)
	if e.TargetURI() != x.URL {
		t.Errorf("%s is of %s", l, e.TargetURI())
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("%s: not one record: %v", l, err)
	}
	p.lines = append(p.lines, x)
}

func (p *packed) urls() (out []string) {
	for _, l := range p.lines {
		out = append(out, l.URL)
	}
	slices.Sort(out)
	return out
}

func (p *packed) titles() (out []string) {
	for _, x := range p.pages {
		out = append(out, x.Title)
	}
	return out
}

func pack(t *testing.T, inputs []string, o Options) (*packed, Result) {
	t.Helper()
	o.Created, o.Temp = time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC), t.TempDir()
	out := filepath.Join(t.TempDir(), "out.wacz")
	r, err := Pack(t.Context(), fsx.Real(), out, inputs, o)
	must(t, err)
	st, err := os.Stat(out)
	must(t, err)
	p := open(t, out)
	if r.Bytes != st.Size() || r.Captures != int64(len(p.lines)) || r.Pages != int64(len(p.pages)) {
		t.Errorf("%+v, but %d bytes, %d lines, %d pages", r, st.Size(), len(p.lines), len(p.pages))
	}
	if left, err := os.ReadDir(o.Temp); err != nil || len(left) > 0 {
		t.Errorf("left in the temporary folder: %v %v", left, err)
	}
	return p, r
}

func same(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func TestPack(t *testing.T) {
	files := write(t, harvest())
	p, r := pack(t, files, Options{Title: "T", About: "D", Software: "test/1"})
	same(t, "files", p.order, "archive/H-1-host-8443.warc.gz", "archive/H-2-host-8443.warc.gz", "indexes/index.cdx.gz", "indexes/index.idx", "pages/pages.jsonl", "datapackage.json", "datapackage-digest.json")
	for i, name := range files {
		want, err := os.ReadFile(name)
		must(t, err)
		if !bytes.Equal(p.files[p.order[i]], want) {
			t.Errorf("%s is not the bytes of %s", p.order[i], name)
		}
	}
	if r.Files != 2 {
		t.Errorf("%+v", r)
	}
	// Seeds first. What was answered with 404, judged invalid, or not judged at all, is no page; a later verdict counts.
	same(t, "pages", p.titles(), "Home", "Žaluzie", "Later")
	if x := p.pages[1]; x.URL != "http://a.example/b" || x.Date != day || x.Text != "one\ntwo" || len(x.ID) != 32 || x.Seed || !p.pages[0].Seed {
		t.Errorf("%+v", p.pages)
	}
	for _, want := range []string{"http://a.example/b", "http://a.example/copy", "http://b.example/gone", "http://c.example/later", "http://www.a.example/x.png"} {
		if !slices.Contains(p.urls(), want) {
			t.Errorf("%s is not in the index: %q", want, p.urls())
		}
	}
	// A verdict under the address of its page would be replayed in place of it.
	for _, l := range p.lines {
		if strings.HasPrefix(l.URL, rewrite.VerdictURI) && !strings.HasPrefix(l.key, "urn:") {
			t.Errorf("%s has the key %s", l.URL, l.key)
		}
	}
	for _, want := range []string{`"title": "T"`, `"description": "D"`, `"software": "test/1"`, `"created": "2024-05-06T07:08:09Z"`} {
		if !strings.Contains(string(p.files["datapackage.json"]), want) {
			t.Errorf("no %s in %s", want, p.files["datapackage.json"])
		}
	}
}

func TestPackOfAProfile(t *testing.T) {
	files := write(t, harvest())
	p, _ := pack(t, files, Options{Profile: "cz"})
	same(t, "pages of cz", p.titles(), "Home", "Žaluzie", "Later")
	if p, _ = pack(t, files, Options{Profile: "sk"}); len(p.pages) > 0 {
		t.Errorf("pages of sk: %q", p.titles())
	}
}

// Without verdicts, as in files of others, every HTML page is listed.
func TestPackOfOthers(t *testing.T) {
	h := harvest()
	for i := range h {
		h[i] = slices.DeleteFunc(h[i], func(r string) bool { return strings.Contains(r, rewrite.VerdictURI) })
	}
	p, _ := pack(t, write(t, h), Options{})
	same(t, "pages", p.titles(), "Home", "Žaluzie", "Not", "Later", "Nobody asked")
}

// What is of a host is packed with its DNS answer, and with what its revisit records stand for; that is no page of the host.
func TestPackHosts(t *testing.T) {
	p, _ := pack(t, write(t, harvest()), Options{Hosts: []string{"A.example"}})
	same(t, "pages", p.titles(), "Home", "Žaluzie")
	urls := slices.DeleteFunc(p.urls(), func(u string) bool { return !strings.HasPrefix(u, "http") })
	same(t, "index", urls, "http://a.example/", "http://a.example/b", "http://a.example/copy", "http://c.example/later", "http://www.a.example/x.png")
	types := map[string]int{}
	for _, name := range []string{"archive/H-1-host-8443.warc.gz", "archive/H-2-host-8443.warc.gz"} {
		for r := warc.NewReader(bytes.NewReader(p.files[name])); ; {
			e, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			must(t, err)
			types[e.Type()]++
		}
	}
	if want := map[string]int{"warcinfo": 2, "resource": 1, "response": 4, "metadata": 5, "revisit": 1}; fmt.Sprint(types) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", types, want)
	}
	_, err := Pack(t.Context(), fsx.Real(), filepath.Join(t.TempDir(), "x"), write(t, harvest()), Options{Hosts: []string{"nowhere.example"}})
	if !errors.Is(err, ErrNothing) {
		t.Errorf("of no host: %v", err)
	}
}

// Files in other forms become files of gzip members, the same records; names differ, whatever the case.
func TestPackForms(t *testing.T) {
	records := harvest()[0]
	plain := strings.Join(records, "")
	plain += strings.Replace(response(99, "http://a.example/undated", "200", "text/html", "<title>Undated</title>"), "WARC-Date: "+day+"\r\n", "", 1)
	var one bytes.Buffer
	z := gzip.NewWriter(&one)
	_, err := io.WriteString(z, plain)
	must(t, errors.Join(err, z.Close()))
	dir := t.TempDir()
	var files []string
	for name, data := range map[string][]byte{"a.warc": []byte(plain), "a b.warc.gz": one.Bytes(), "empty.warc.gz": {}} {
		files = append(files, filepath.Join(dir, name))
		must(t, os.WriteFile(files[len(files)-1], data, 0o600))
	}
	must(t, os.Mkdir(filepath.Join(dir, "again"), 0o700))
	files = append(files, filepath.Join(dir, "again", "A.warc.gz"))
	must(t, os.WriteFile(files[len(files)-1], zipped(t, records), 0o600))
	slices.Sort(files)
	p, r := pack(t, files, Options{})
	same(t, "files", p.order[:3], "archive/a-b.warc.gz", "archive/a.warc.gz", "archive/A-2.warc.gz")
	if r.Files != 3 || r.Captures%3 != 0 || r.Captures == 0 || r.Unindexed != 2 {
		t.Errorf("%+v", r)
	}
	// A file in one stream from its third record on is found out while it is packed.
	late := filepath.Join(dir, "late.warc.gz")
	must(t, os.WriteFile(late, append(zipped(t, records[:2]), one.Bytes()...), 0o600))
	out := filepath.Join(dir, "late.wacz")
	if _, err := Pack(t.Context(), fsx.Real(), out, []string{late}, Options{}); err == nil || !strings.Contains(err.Error(), "recompress") {
		t.Errorf("late stream: %v", err)
	}
}

// A long index is in several blocks, in order, whatever the order of the files.
func TestPackManyLines(t *testing.T) {
	const n = 2*blockLines + 100
	var records []string
	for i := range n {
		records = append(records, response(i, fmt.Sprintf("http://h%d.example/", (i*7919)%n), "200", "image/png", "x"))
	}
	p, r := pack(t, write(t, [2][]string{records[:n/2], records[n/2:]}), Options{})
	if rows := strings.Count(string(p.files["indexes/index.idx"]), "\n"); r.Captures != n || rows != 4 {
		t.Errorf("%+v, %d rows", r, rows)
	}
}

// Of a damaged file nothing is made, and the error has its place.
func TestPackDamaged(t *testing.T) {
	files := write(t, harvest())
	data, err := os.ReadFile(files[1])
	must(t, err)
	must(t, os.WriteFile(files[1], data[:len(data)-30], 0o600))
	for _, hosts := range [][]string{nil, {"a.example"}} {
		dir := t.TempDir()
		_, err = Pack(t.Context(), fsx.Real(), filepath.Join(dir, "x.wacz"), files, Options{Hosts: hosts})
		var d *warc.Defect
		if !errors.As(err, &d) || d.File != files[1] || d.Kind != warc.KindTruncated {
			t.Errorf("%v", err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("left: %v %v", left, err)
		}
	}
}

func TestPackRefuses(t *testing.T) {
	files := write(t, harvest())
	out := filepath.Join(t.TempDir(), "x.wacz")
	must(t, os.WriteFile(out, []byte("mine"), 0o600))
	if _, err := Pack(t.Context(), fsx.Real(), out, files, Options{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("%v", err)
	}
	if data, err := os.ReadFile(out); err != nil || string(data) != "mine" {
		t.Errorf("%q %v", data, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	if _, err := Pack(ctx, fsx.Real(), filepath.Join(dir, "y.wacz"), files, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v %v", left, err)
	}
}

// Whatever operation on the package fails: there is none, or it is whole.
func TestPackFaults(t *testing.T) {
	files := write(t, harvest())
	for at := int64(0); ; at++ {
		dir := t.TempDir()
		out := filepath.Join(dir, "x.wacz")
		f := fsx.NewFaulty(fsx.Real(), fsx.Fault{At: at, Err: syscall.ENOSPC})
		_, err := Pack(t.Context(), f, out, files, Options{})
		if _, failed := f.Counts(); failed == 0 {
			must(t, err)
			if at < 5 {
				t.Errorf("only %d operations", at)
			}
			return
		}
		if err == nil {
			t.Errorf("operation %d failed, and nobody noticed", at)
		}
		if _, err := os.Stat(out); err == nil {
			open(t, out)
		}
	}
}
