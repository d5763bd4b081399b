package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"exclave/internal/sharedtest"

	"github.com/klauspost/compress/gzip"
)

// warcVerb runs exclave warc with standard input.
func warcVerb(t *testing.T, stdin []byte, args ...string) (out, errOut string, code int) {
	t.Helper()
	var began bool
	var o, e bytes.Buffer
	root := newRoot(&began)
	root.SetArgs(append([]string{"warc"}, args...))
	root.SetIn(bytes.NewReader(stdin))
	root.SetOut(&o)
	root.SetErr(&e)
	err := root.ExecuteContext(t.Context())
	if err != nil {
		e.WriteString(err.Error())
		code = codeOf(err)
	}
	return o.String(), e.String(), code
}

// warcForms are files with the same records in each form, of WARC and of ARC, the first of each as others made it.
func warcForms(t *testing.T) map[string][]string {
	dir := t.TempDir()
	warcs := []string{sharedtest.Path(t, "data/warc/resiliparse/tests/data/warcfile.warc.gz")}
	for _, form := range []string{"zstd", "plain"} {
		name := filepath.Join(dir, form)
		if _, e, code := warcVerb(t, nil, "recompress", warcs[0], "--form", form, "-o", name); code != 0 {
			t.Fatal(e)
		}
		warcs = append(warcs, name)
	}
	arcs := []string{sharedtest.Path(t, "data/warc/warcio/test/data/example.arc"), sharedtest.Path(t, "data/warc/warcio/test/data/example.arc.gz")}
	oneStream := func(of string) string {
		data, err := os.ReadFile(of)
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if err == nil {
			_, err = z.Write(data)
		}
		if err == nil {
			err = z.Close()
		}
		name := filepath.Join(dir, filepath.Base(of)+"-as-one.gz")
		if err == nil {
			err = os.WriteFile(name, b.Bytes(), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	return map[string][]string{"http://01spb.ru/company/": append(warcs, oneStream(warcs[2])), "http://example.com/": append(arcs, oneStream(arcs[0]))}
}

// Issue: ls, cat, get, check, repair, split, merge, filter, stats and recompress, on gzip, zstd, plain WARC and on ARC, from a disk, standard
// input, a server with ranges and one without: each verb says and makes the same of the same records, and the input stays as it is.
func TestWARCVerbs(t *testing.T) {
	forms := warcForms(t)
	var data []byte
	mux := http.NewServeMux()
	mux.HandleFunc("/ranges", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"1"`)
		http.ServeContent(w, r, "x", time.Time{}, bytes.NewReader(data))
	})
	mux.HandleFunc("/stream", func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(data) })
	s := httptest.NewServer(mux)
	defer s.Close()
	for url, files := range forms {
		want := map[string]string{} // of the first form from the disk
		for _, file := range files {
			var err error
			if data, err = os.ReadFile(file); err != nil {
				t.Fatal(err)
			}
			sum := sha256.Sum256(data)
			for _, from := range []string{file, "-", s.URL + "/ranges", s.URL + "/stream"} {
				got := warcSays(t, data, from, url, strings.HasSuffix(file, "-as-one.gz"))
				for verb, says := range got {
					if _, known := want[verb]; !known {
						want[verb] = says
					}
					if says != want[verb] {
						t.Errorf("%s of %s, %s: %.300q, want %.300q", verb, file, from, says, want[verb])
					}
				}
			}
			if data, err = os.ReadFile(file); err != nil || sha256.Sum256(data) != sum {
				t.Errorf("%s was changed: %v", file, err)
			}
		}
		for verb, says := range want {
			if len(says) < 20 {
				t.Errorf("%s says nearly nothing: %q", verb, says)
			}
		}
	}
}

// warcSays returns what verbs say and make of a file, but for places in it.
func warcSays(t *testing.T, data []byte, from, url string, asOne bool) map[string]string {
	t.Helper()
	got := map[string]string{}
	run := func(code int, args ...string) string {
		t.Helper()
		out, errOut, c := warcVerb(t, data, args...)
		if c != code {
			t.Errorf("%v: exit code %d\n%s", args, c, errOut)
		}
		return out
	}
	offset := ""
	for line := range strings.Lines(run(0, "ls", "--json", from)) {
		var l listed
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		if l.URL == url && l.Type == "response" {
			offset = strconv.FormatInt(l.Offset, 10)
		}
		l.File, l.Offset, l.Length = "", 0, 0
		b, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		got["ls"] += string(b) + "\n"
	}
	got["cat"] = run(0, "cat", from, "--offset", offset)
	got["get"] = run(0, "get", url, from)
	if got["cat"] != got["get"] {
		t.Errorf("%s: cat and get say otherwise", from)
	}
	got["stats"] = run(0, "stats", "--json", from)
	checked := run(map[bool]int{true: 1}[asOne], "check", from)
	if _, checked, _ = strings.Cut(checked, ": "); asOne {
		_, checked, _ = strings.Cut(checked, "\n"+from+": ")
	}
	got["check"], _, _ = strings.Cut(checked, " in blocks, ")
	for _, args := range [][]string{{"repair"}, {"merge"}, {"recompress"}, {"filter", "--http-status", "200"}} {
		got[args[0]] = run(0, append(args, from, "--form", "plain", "-o", "-")...)
	}
	dir := t.TempDir()
	run(0, "split", from, "--by-host", "--form", "plain", "-o", filepath.Join(dir, "x"))
	parts, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range parts {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		got["split"] += filepath.Base(p) + "\n" + string(b)
	}
	return got
}

// What is no WARC file is told from a damaged one, whatever is asked of it: with its own exit code, a message that names it, and nothing made.
func TestWARCNone(t *testing.T) {
	dir := t.TempDir()
	empty, text, none := filepath.Join(dir, "empty"), filepath.Join(dir, "text"), filepath.Join(dir, "none")
	for name, data := range map[string]string{empty: "", text: "A text of somebody.\n"} {
		if err := os.WriteFile(name, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	out := filepath.Join(dir, "out.warc.gz")
	verbs := [][]string{{"ls"}, {"cat"}, {"get", "http://a.example/"}, {"check"}, {"stats"}, {"repair", "-o", out}, {"split", "--by-host", "-o", out}, {"merge", "-o", out}, {"filter", "--host", "a.example", "-o", out},
		{"filter", "--without", "http://a.example/", "-o", out}, {"recompress", "-o", out}}
	for _, c := range []struct {
		file  string
		codes string // of the verbs
	}{
		{dir, "22222222222"},
		{none, "22222222222"},
		{s.URL + "/none", "22222222222"},
		{text, "11111111111"},
		{empty, "01110111111"},
	} {
		codes := ""
		for _, args := range verbs {
			_, e, code := warcVerb(t, nil, append(args, c.file)...)
			codes += strconv.Itoa(code)
			if code == 2 && !strings.Contains(e, c.file) {
				t.Errorf("%v %s: %q does not name it", args, c.file, e)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
				t.Fatalf("%v %s: left behind: %v, %v", args, c.file, left, err)
			}
		}
		if codes != c.codes {
			t.Errorf("%s: exit codes %s, want %s", c.file, codes, c.codes)
		}
	}
}

// Issue: a takedown writes new files and a log. What belongs to the page stands in an earlier file under an address of its own; of standard
// input, which is read once, the verb says that it would not be found. After an error there is no log either.
func TestWARCTakedown(t *testing.T) {
	dir := t.TempDir()
	record := func(kind, id, uri, fields string) string {
		return fmt.Sprintf("WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:x:%s>\r\nWARC-Date: 2024-01-02T03:04:05Z\r\nWARC-Target-URI: %s\r\n%sContent-Type: text/plain\r\nContent-Length: 1\r\n\r\nx\r\n\r\n", kind, id, uri, fields)
	}
	about, other := record("metadata", "about", "urn:about", "WARC-Concurrent-To: <urn:x:page>\r\n"), record("resource", "other", "http://b.example/", "")
	page := record("resource", "page", "http://a.example/", "")
	first, second, damaged := filepath.Join(dir, "1"), filepath.Join(dir, "2"), filepath.Join(dir, "3")
	for name, data := range map[string]string{first: about + other, second: page, damaged: page[:100]} {
		if err := os.WriteFile(name, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	log := filepath.Join(dir, "log")
	out, e, code := warcVerb(t, nil, "filter", first, second, "--without", "https://a.example/", "--form", "plain", "-o", "-", "--log", log)
	said, err := os.ReadFile(log)
	if err != nil || code != 0 || out != other || strings.Count(string(said), "\n") != 2 || strings.Contains(e, "once only") {
		t.Errorf("exit code %d, left %q\n%s\nlog, %v:\n%s", code, out, e, err, said)
	}
	if out, e, code = warcVerb(t, []byte(about+other+page), "filter", "-", "--without", "http://a.example/", "--form", "plain", "-o", "-"); code != 0 || out != about+other || !strings.Contains(e, "read once only") {
		t.Errorf("of standard input: exit code %d, left %q\n%s", code, out, e)
	}
	for _, files := range [][]string{{first, damaged}, {first, filepath.Join(dir, "none")}} {
		log := filepath.Join(dir, "none-log")
		if _, e, code := warcVerb(t, nil, append([]string{"filter", "--host", "b.example", "-o", filepath.Join(dir, "out"), "--log", log}, files...)...); code == 0 {
			t.Errorf("%v: %s", files, e)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 4 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// An output that cannot be made is told before the inputs are read.
func TestWARCNoFolder(t *testing.T) {
	dir := t.TempDir()
	in := sharedtest.Path(t, "data/warc/warcio/test/data/example.warc.gz")
	for _, args := range [][]string{{"recompress", in, "-o", dir + "/none/x"}, {"split", in, "--by-host", "-o", dir + "/none/x"}, {"repair", in, "-o", dir + "/x", "--log", dir + "/none/log"}} {
		if _, e, code := warcVerb(t, nil, args...); code != 3 || !strings.Contains(e, "make it first") {
			t.Errorf("%v: exit code %d, %s", args, code, e)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	mine := filepath.Join(dir, "mine")
	if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"merge", in, "-o", mine}, {"filter", in, "--host", "a.example", "-o", mine}, {"split", in, "--by-host", "-o", dir + "/x", "--log", mine}} {
		if _, e, code := warcVerb(t, nil, args...); code != 2 || !strings.Contains(e, "name another file") {
			t.Errorf("%v: exit code %d, %s", args, code, e)
		}
	}
	if b, err := os.ReadFile(mine); err != nil || string(b) != "mine" {
		t.Errorf("%q, %v", b, err)
	}
}

// Issue: progress with an estimate, over all files.
func TestWARCProgress(t *testing.T) {
	began := time.Date(2026, 11, 25, 1, 0, 0, 0, time.UTC)
	p := &progressReader{r: strings.NewReader(strings.Repeat("x", 1<<20)), out: &bytes.Buffer{}, name: "b.warc.gz", number: 1, of: 3, all: 8 << 20, before: 1 << 20, began: began}
	if _, err := p.Read(make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	if got, want := p.line(began.Add(10*time.Second)), "2 of 3, b.warc.gz: 1.0 MiB read, 25 %, 30s left"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	p.all, p.of = -1, 1
	if got, want := p.line(began.Add(10*time.Second)), "b.warc.gz: 1.0 MiB read"; got != want {
		t.Errorf("of standard input %q, want %q", got, want)
	}
}
