package dedup_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"exclave/warc"
	"exclave/warc/dedup"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func sum(text string) string { s := sha1.Sum([]byte(text)); return warc.Label(s[:]) }

func content(t testing.TB, digest string, chunked bool) dedup.Content {
	t.Helper()
	c, ok := dedup.ParseContent(digest, chunked)
	if !ok {
		t.Fatalf("no content: %s", digest)
	}
	return c
}

var day = time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)

// original is the nth of many; three addresses have the same content.
func original(n int) (string, dedup.Original) {
	d := sum(fmt.Sprint(n / 3))
	return d, dedup.Original{URL: fmt.Sprintf("http://a%d.cz/%d", n%7, n), Date: day.Add(time.Duration(n) * time.Second), ID: fmt.Sprintf("urn:uuid:00000000-0000-4000-8000-%012d", n), Digest: d}
}

func build(t testing.TB, dir string, from, to int) (added int64) {
	t.Helper()
	b, err := dedup.NewBuilder(dir, t.TempDir())
	must(t, err)
	for n := from; n < to; n++ {
		d, o := original(n)
		must(t, b.Add(content(t, d, false), &o))
	}
	added, err = b.Commit()
	must(t, errors.Join(err, b.Close()))
	return added
}

func open(t testing.TB, dir string) *dedup.Index {
	t.Helper()
	x, err := dedup.Open(dir)
	must(t, err)
	t.Cleanup(func() { must(t, x.Close()) })
	return x
}

// What was added is found, by digest and by address and digest, whichever segment it is in; what is added again is not.
func TestFind(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "index")
	const each, times = 500, 11 // of more segments than are kept
	for i := range times {
		if added := build(t, dir, max(i*each-each/2, 0), (i+1)*each); added != each {
			t.Errorf("%d added to segment %d", added, i)
		}
	}
	if added := build(t, dir, 0, each*times); added != 0 {
		t.Errorf("%d added that were there", added)
	}
	x := open(t, dir)
	if i, err := x.Info(); err != nil || i.Rows != each*times || i.Segments < 2 || i.Segments > 8 || i.Memory > 5*i.Rows || i.Bytes < 60*i.Rows {
		t.Errorf("%+v %v", i, err)
	}
	for n := range each * times {
		d, want := original(n)
		c := content(t, d, false)
		got, ok, err := x.Find(c, want.URL, true)
		if err != nil || !ok || got != want {
			t.Fatalf("%d: %+v %v %v, want %+v", n, got, ok, err, want)
		}
		if got, ok, err = x.Find(c, "http://other.cz/", false); err != nil || !ok || got.Digest != d {
			t.Fatalf("%d by digest: %+v %v %v", n, got, ok, err)
		}
		if _, ok, err = x.Find(c, "http://other.cz/", true); err != nil || ok {
			t.Fatalf("%d at another address: %v %v", n, ok, err)
		}
		if all, err := x.All(c); err != nil || len(all) != min(3, each*times-n/3*3) {
			t.Fatalf("%d: %d answers %v", n, len(all), err)
		}
		if _, ok, err = x.Find(content(t, d, true), want.URL, false); err != nil || ok {
			t.Fatalf("%d in chunks: %v %v", n, ok, err)
		}
		if _, ok, err = x.Find(content(t, sum(fmt.Sprint("no", n)), false), want.URL, false); err != nil || ok {
			t.Fatalf("not %d: %v %v", n, ok, err)
		}
	}
}

// The earliest answer of an address is the one that is referred to; IDs and digests of any form stay as they were.
func TestRows(t *testing.T) {
	t.Parallel()
	dir, d := t.TempDir(), sum("x")
	b, err := dedup.NewBuilder(dir, "")
	must(t, err)
	for _, o := range []dedup.Original{
		{URL: "http://a.cz/?b=1&a=2", Date: day.Add(time.Hour), ID: "urn:later", Digest: "sha256:AB"},
		{URL: "http://www.a.cz/?a=2&b=1", Date: day, ID: "<odd>", Digest: "md5:CD"},
		{URL: "http://b.cz/", Date: time.Date(1969, 1, 1, 0, 0, 0, 0, time.UTC), Digest: d},
		{URL: "http://long.cz/" + strings.Repeat("x", 70000), Date: day},
	} {
		must(t, b.Add(content(t, d, false), &o))
	}
	if _, err := dedup.NewBuilder(dir, ""); !errors.Is(err, dedup.ErrLocked) {
		t.Errorf("a second builder: %v", err)
	}
	if n, err := b.Commit(); n != 2 || err != nil {
		t.Errorf("%d %v", n, err)
	}
	must(t, b.Close())
	all, err := open(t, dir).All(content(t, d, false))
	must(t, err)
	got := map[dedup.Original]bool{}
	for _, o := range all {
		got[o] = true
	}
	for _, want := range []dedup.Original{{URL: "http://www.a.cz/?a=2&b=1", Date: day, ID: "<odd>", Digest: "md5:CD"}, {URL: "http://b.cz/", Date: time.Date(1969, 1, 1, 0, 0, 0, 0, time.UTC), Digest: d}} {
		if !got[want] || len(got) != 2 {
			t.Errorf("%+v, without %+v", all, want)
		}
	}
}

func TestParseContent(t *testing.T) {
	t.Parallel()
	d := sum("x")
	for digest, ok := range map[string]bool{d: true, strings.TrimPrefix(d, "sha1:"): true, "SHA-1:" + strings.ToLower(d[5:]): true, fmt.Sprintf("sha1:%x", sha1.Sum([]byte("x"))): true,
		"sha256:" + d[5:]: false, "": false, "-": false, "sha1:" + strings.Repeat("1", 32): false, "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ": false} {
		if c, got := dedup.ParseContent(digest, false); got != ok || ok && c != content(t, d, false) {
			t.Errorf("%s: %v", digest, got)
		}
	}
}

// Every damage of a segment is an error that says what to do, never a wrong answer.
func TestDamage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	build(t, dir, 0, 300)
	name := filepath.Join(dir, "00000001.seg")
	whole, err := os.ReadFile(name)
	must(t, err)
	r := rand.New(rand.NewPCG(1, 2))
	check := func(why string, b []byte) {
		must(t, os.WriteFile(name, b, 0o600))
		x, err := dedup.Open(dir)
		if err == nil {
			for n := 0; n < 300 && err == nil; n += 3 {
				d, want := original(n)
				var got dedup.Original
				if got, _, err = x.Find(content(t, d, false), want.URL, true); err == nil && got != want {
					t.Fatalf("%s: %+v, want %+v", why, got, want)
				}
			}
			must(t, x.Close())
		}
		if !errors.Is(err, dedup.ErrDamaged) || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "exclave dedup build") {
			t.Fatalf("%s: %v", why, err)
		}
	}
	for range 300 {
		i := r.IntN(len(whole))
		b := bytes.Clone(whole)
		b[i] ^= 1 << r.IntN(8)
		check(fmt.Sprint("bit at ", i), b)
	}
	for _, n := range []int{0, 8, 40, len(whole) / 2, len(whole) - 1} {
		check(fmt.Sprint("cut at ", n), whole[:n])
	}
	if _, err := dedup.Open(t.TempDir()); !errors.Is(err, dedup.ErrNone) {
		t.Errorf("an empty folder: %v", err)
	}
}

// A part that a crash left is no segment; the next commit writes over it.
func TestCrash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "00000001.seg.part"), []byte("half"), 0o600))
	if added := build(t, dir, 0, 30); added != 30 {
		t.Errorf("%d added", added)
	}
	// Segments that were merged, but not removed yet, are no harm.
	old, err := os.ReadFile(filepath.Join(dir, "00000001.seg"))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "00000002.seg"), old, 0o600))
	if added := build(t, dir, 0, 40); added != 10 {
		t.Errorf("%d added", added)
	}
	d, want := original(35)
	if o, ok, err := open(t, dir).Find(content(t, d, false), want.URL, false); err != nil || !ok || o != want {
		t.Errorf("%+v %v %v", o, ok, err)
	}
}

func response(id, url, head, body, more string) string {
	block := "HTTP/1.1 200 OK\r\n" + head + "\r\n" + body
	return fmt.Sprintf("WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012s>\r\nWARC-Date: 2020-01-02T03:04:05Z\r\nWARC-Target-URI: %s\r\nContent-Type: application/http;msgtype=response\r\n%sContent-Length: %d\r\n\r\n%s\r\n\r\n",
		id, url, more, len(block), block)
}

// Of WARC files whole responses are told, with the digest of the entity and the one they state.
func TestFromWARC(t *testing.T) {
	t.Parallel()
	const chunked = "Transfer-Encoding: chunked\r\n"
	file := response("1", "http://a.cz/1", "", "same", "WARC-Payload-Digest: sha1:STATED\r\n") +
		response("2", "http://a.cz/2", chunked, "2\r\nsa\r\n2\r\nme\r\n0\r\n\r\n", "") +
		response("3", "http://a.cz/3", "", "cut", "WARC-Truncated: length\r\n") +
		response("4", "dns:a.cz", "", "address", "") +
		response("5", "http://a.cz/5", "", "", "") +
		strings.Replace(response("6", "http://a.cz/6", "", "same", ""), "WARC-Type: response", "WARC-Type: revisit", 1)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write([]byte(file))
	must(t, errors.Join(err, z.Close()))
	for _, f := range []string{file, packed.String()} {
		var got []string
		must(t, dedup.FromWARC(strings.NewReader(f), "", func(d warc.Defect) { t.Error(&d) }, func(c dedup.Content, o *dedup.Original) error {
			got = append(got, fmt.Sprint(o.URL, " ", o.ID, " ", o.Digest, " ", c == content(t, sum("same"), o.URL == "http://a.cz/2")))
			return nil
		}))
		want := "http://a.cz/1 urn:uuid:00000000-0000-4000-8000-000000000001 sha1:STATED true, http://a.cz/2 urn:uuid:00000000-0000-4000-8000-000000000002 " + sum("same") + " true"
		if g := strings.Join(got, ", "); g != want {
			t.Errorf("%s\nwant %s", g, want)
		}
	}
}

func TestFromCDX(t *testing.T) {
	t.Parallel()
	d := strings.TrimPrefix(sum("x"), "sha1:")
	for _, c := range []struct {
		why, text string
		want      dedup.CDXRead
		bad       bool
	}{
		{"CDXJ", `cz,a)/ 20200102030405 {"url": "http://a.cz/", "mime": "text/html", "status": "200", "digest": "sha1:` + d + `", "length": "1"}` + "\n" +
			`cz,a)/ 20200102030405 {"url": "http://a.cz/", "status": 200, "digest": "` + d + `"}` + "\n" +
			`cz,a)/ 20200102030405 {"url": "http://a.cz/", "mime": "warc/revisit", "status": "200", "digest": "` + d + `"}` + "\n" +
			`cz,a)/ 20200102030405 {"url": "http://a.cz/", "status": "200", "digest": "` + d + `", "method": "POST"}` + "\n" +
			`cz,a)/ 20200102030405 {"url": "http://a.cz/", "status": "200", "digest": "sha256:ab"}` + "\n" +
			`!meta {}` + "\n\n" + "nonsense\n" + strings.Repeat("x", 2<<20) + "\n" +
			`cz,a)/ 20200102030405 {"url": "http://a.cz/", "status": "200", "digest": "` + d + `"}`, dedup.CDXRead{Lines: 8, Used: 3, Bad: 2, Other: 1}, false},
		{"CDX 11", " CDX N b a m s k r M S V g\ncz,a)/ 20200102030405 http://a.cz/ text/html 200 " + d + " - - 100 0 f.warc.gz\n" +
			"cz,a)/ 20200102030405 dns:a.cz text/dns - " + d + " - - 100 0 f.warc.gz\ncz,a)/ 2020\n", dedup.CDXRead{Lines: 3, Used: 1, Bad: 1}, false},
		{"CDX 9", " CDX N b a m s k r V g\ncz,a)/ 20200102030405 http://a.cz/ text/html 200 " + d + " - 0 f.warc.gz\n", dedup.CDXRead{Lines: 1, Used: 1}, false},
		{"no header, and what servers answer", "cz,a)/ 20200102030405 http://a.cz/ text/html 200 " + d + " - 0 f.warc.gz\ncz,a)/ 20200102030405 http://a.cz/ text/html 200 " + d + "\n" +
			`{"urlkey": "cz,a)/", "timestamp": "20200102030405", "url": "http://a.cz/", "status": "200", "digest": "` + d + `"}` + "\n" +
			`cz,a)/?{x} 20200102030405  {"url": "http://a.cz/", "status": "200", "digest": "` + d + `"}` + "\n", dedup.CDXRead{Lines: 4, Used: 4}, false},
		{"no index", "<!DOCTYPE html>\n<p>This is a page of more words than fields.\n", dedup.CDXRead{Lines: 2, Bad: 2}, true},
		{"nothing", "", dedup.CDXRead{}, false},
	} {
		n, err := dedup.FromCDX(strings.NewReader(c.text), func(got dedup.Content, o *dedup.Original) error {
			if got != content(t, d, false) || *o != (dedup.Original{URL: "http://a.cz/", Date: day, Digest: sum("x")}) {
				t.Errorf("%s: %+v", c.why, o)
			}
			return nil
		})
		if n != c.want || (err != nil) != c.bad {
			t.Errorf("%s: %+v %v", c.why, n, err)
		}
	}
}
