package job_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"exclave/config"
	"exclave/crawl"
	"exclave/internal/job"
	"exclave/internal/record"
	"exclave/internal/testweb"
	"exclave/warc"
)

// wireAnswer is what a server sent, byte by byte.
type wireAnswer struct {
	why  string
	wire string
	// block is what must be archived, "" = what was sent, "-" = nothing.
	block string
	// body is the end of the block that is the payload.
	body string
	// note is an annotation the line in crawl.log must have.
	note string
}

func crlf(lines ...string) string { return strings.Join(lines, "\r\n") }

// wireAnswers are the ones that were found odd, each with what must come of it.
func wireAnswers() []wireAnswer {
	many := strings.Repeat("X-Padding: x\r\n", 600)
	return []wireAnswer{
		{why: "as it should be", wire: crlf("HTTP/1.1 200 OK", "Content-Length: 5", "", "hello"), body: "hello"},
		{why: "ICY", wire: crlf("ICY 200 OK", "icy-name: x", "", "hello"), body: "hello"},
		{why: "ICY with a length", wire: crlf("ICY 200 OK", "Content-Length: 5", "", "hello"), body: "hello"},
		{why: "ICY, LF alone", wire: "ICY 200 OK\nicy-name: x\n\nhello", body: "hello"},
		{why: "ICY without fields", wire: "ICY 200 OK\r\n\r\nhello", body: "hello"},
		{why: "HTTP/0.9", wire: "<html>hello</html>", body: "<html>hello</html>", note: "http09"},
		{why: "HTTP/0.9 with empty lines in it", wire: "<html>\r\n\r\nhello</html>", body: "<html>\r\n\r\nhello</html>", note: "http09"},
		{why: "HTTP/0.9 that begins with empty lines", wire: "\n\n<html>hello</html>", body: "\n\n<html>hello</html>", note: "http09"},
		{why: "HTTP/0.9, one byte", wire: "x", body: "x", note: "http09"},
		{why: "HTTP/0.9, NULs", wire: "\x00\x00\x00\x00\x00\x00hello", body: "\x00\x00\x00\x00\x00\x00hello", note: "http09"},
		{why: "the request echoed", wire: crlf("GET / HTTP/1.1", "Host: x", "", "hello"), body: crlf("GET / HTTP/1.1", "Host: x", "", "hello"), note: "http09"},
		{why: "the request echoed before the answer", wire: crlf("GET / HTTP/1.1", "", "HTTP/1.1 200 OK", "", "hello"), body: crlf("GET / HTTP/1.1", "", "HTTP/1.1 200 OK", "", "hello"), note: "http09"},
		{why: "a space before the status line", wire: crlf(" HTTP/1.1 200 OK", "", "hello"), body: crlf(" HTTP/1.1 200 OK", "", "hello"), note: "http09"},
		{why: "a tab before the status line", wire: crlf("\tHTTP/1.1 200 OK", "", "hello"), body: crlf("\tHTTP/1.1 200 OK", "", "hello"), note: "http09"},
		{why: "a byte order mark before the status line", wire: "\xef\xbb\xbf" + crlf("HTTP/1.1 200 OK", "", "hello"), body: "\xef\xbb\xbf" + crlf("HTTP/1.1 200 OK", "", "hello"), note: "http09"},
		{why: "lower case", wire: crlf("http/1.1 200 OK", "", "hello"), body: crlf("http/1.1 200 OK", "", "hello"), note: "http09"},
		{why: "text that names HTTP", wire: "see HTTP/1.1 for\r\n\r\nmore", body: "see HTTP/1.1 for\r\n\r\nmore", note: "http09"},
		{why: "one empty line before", wire: crlf("", "HTTP/1.1 200 OK", "Content-Length: 5", "", "hello"), block: crlf("HTTP/1.1 200 OK", "Content-Length: 5", "", "hello"), body: "hello"},
		{why: "four empty lines before", wire: "\n\n\n\n" + crlf("HTTP/1.1 200 OK", "Content-Length: 5", "", "hello"), block: crlf("HTTP/1.1 200 OK", "Content-Length: 5", "", "hello"), body: "hello"},
		{why: "five empty lines before", wire: strings.Repeat("\r\n", 5) + crlf("HTTP/1.1 200 OK", "Content-Length: 5", "", "hello"), block: crlf("HTTP/1.1 200 OK", "Content-Length: 5", "", "hello"), body: "hello"},
		{why: "a hundred empty lines before", wire: strings.Repeat("\n", 100) + crlf("HTTP/1.1 200 OK", "Content-Length: 5", "", "hello"), block: crlf("HTTP/1.1 200 OK", "Content-Length: 5", "", "hello"), body: "hello", note: "header:odd"},
		{why: "more empty lines than are skipped", wire: strings.Repeat("\n", 5000) + crlf("HTTP/1.1 200 OK", "", "hello"), body: strings.Repeat("\n", 5000) + crlf("HTTP/1.1 200 OK", "", "hello"), note: "http09"},
		{why: "CR CR LF behind the fields", wire: "HTTP/1.1 200 OK\r\r\nContent-Length: 5\r\r\n\r\r\nhello", body: "hello"},
		{why: "CR CR LF as the empty line", wire: "HTTP/1.1 200 OK\r\nX: y\r\n\r\r\nhello\r\n\r\nmore", body: "hello\r\n\r\nmore"},
		{why: "many CRs in the empty line", wire: "HTTP/1.1 200 OK\r\nX: y\r\n\r\r\r\r\r\nhello\n\nmore", body: "hello\n\nmore"},
		{why: "LF alone", wire: "HTTP/1.1 200 OK\nX: y\n\nhello", body: "hello"},
		{why: "LF and CR LF mixed", wire: "HTTP/1.1 200 OK\r\nX: y\n\r\nhello", body: "hello"},
		{why: "CR LF and LF mixed", wire: "HTTP/1.1 200 OK\nX: y\r\n\nhello", body: "hello"},
		{why: "LF CR", wire: "HTTP/1.1 200 OK\n\rX: y\n\r\n\rhello", body: "\rhello"},
		{why: "CR alone is no line end", wire: "HTTP/1.1 200 OK\rX: y\r\rhello\n\nmore", body: "more"},
		{why: "CR alone and nothing else", wire: "HTTP/1.1 200 OK\rX: y\r\rhello", block: "-"},
		{why: "a line of blanks does not end a header", wire: crlf("HTTP/1.1 200 OK", "X: y", "  ", "Content-Length: 5", "", "hello"), body: "hello"},
		{why: "a body that begins with an empty line", wire: crlf("HTTP/1.1 200 OK", "Content-Length: 7", "", "", "hello"), body: "\r\nhello"},
		{why: "an empty body", wire: crlf("HTTP/1.1 200 OK", "Content-Length: 0", "", "")},
		{why: "no fields", wire: "HTTP/1.1 200 OK\r\n\r\nhello", body: "hello"},
		{why: "NULs in a field", wire: "HTTP/1.1 200 OK\r\nX: \x00\x00\r\n\r\nhello", body: "hello"},
		{why: "NULs as a line", wire: "HTTP/1.1 200 OK\r\n\x00\x00\r\n\r\nhello", body: "hello", note: "header:odd"},
		{why: "no colon", wire: crlf("HTTP/1.1 200 OK", "nonsense", "", "hello"), body: "hello", note: "header:odd"},
		{why: "a folded field", wire: crlf("HTTP/1.1 200 OK", "X: y", " z", "", "hello"), body: "hello"},
		{why: "8-bit letters", wire: crlf("HTTP/1.1 200 Dobr\xe9", "X-\xe9: \xff", "", "hello"), body: "hello"},
		{why: "two equal lengths", wire: crlf("HTTP/1.1 200 OK", "Content-Length: 5", "Content-Length: 5", "", "hello"), body: "hello"},
		{why: "two lengths", wire: crlf("HTTP/1.1 200 OK", "Content-Length: 3", "Content-Length: 5", "", "hello"), body: "hello", note: "length:conflict"},
		{why: "negative zero", wire: crlf("HTTP/1.1 200 OK", "Content-Length: -0", "", "hello"), body: "hello", note: "length:odd"},
		{why: "a plus sign", wire: crlf("HTTP/1.1 200 OK", "Content-Length: +2", "", "hello"), body: "hello", note: "length:odd"},
		{why: "a negative length", wire: crlf("HTTP/1.1 200 OK", "Content-Length: -5", "", "hello"), body: "hello", note: "length:odd"},
		{why: "a length in words", wire: crlf("HTTP/1.1 200 OK", "Content-Length: five", "", "hello"), body: "hello", note: "length:odd"},
		{why: "a length of nothing", wire: crlf("HTTP/1.1 200 OK", "Content-Length:", "", "hello"), body: "hello", note: "length:odd"},
		{why: "a length beyond 64 bits", wire: crlf("HTTP/1.1 200 OK", "Content-Length: 99999999999999999999", "", "hello"), body: "hello", note: "length:odd"},
		{why: "a length in hexadecimal", wire: crlf("HTTP/1.1 200 OK", "Content-Length: 0x5", "", "hello"), body: "hello", note: "length:odd"},
		{why: "a length and one that is none", wire: crlf("HTTP/1.1 200 OK", "Content-Length: 2", "Content-Length: x", "", "hello"), body: "hello", note: "length:odd"},
		{why: "shorter than its length", wire: crlf("HTTP/1.1 200 OK", "Content-Length: 50", "", "hello"), body: "hello", note: "discTrunc"},
		{why: "longer than its length", wire: crlf("HTTP/1.1 200 OK", "Content-Length: 2", "", "hello"), block: crlf("HTTP/1.1 200 OK", "Content-Length: 2", "", "he"), body: "he"},
		{why: "600 fields, then the length", wire: "HTTP/1.1 200 OK\r\n" + many + "Content-Length: 5\r\n\r\nhello, and more", block: "HTTP/1.1 200 OK\r\n" + many + "Content-Length: 5\r\n\r\nhello", body: "hello", note: "header:long"},
		{why: "600 fields, then the chunks", wire: "HTTP/1.1 200 OK\r\n" + many + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\nmore", block: "HTTP/1.1 200 OK\r\n" + many + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", body: "5\r\nhello\r\n0\r\n\r\n", note: "header:long"},
		{why: "a field of 70 KB, then the length", wire: "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 70<<10) + "\r\nContent-Length: 5\r\n\r\nhello, and more", block: "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 70<<10) + "\r\nContent-Length: 5\r\n\r\nhello", body: "hello", note: "header:long"},
		{why: "600 fields", wire: "HTTP/1.1 200 OK\r\n" + many + "\r\nhello", body: "hello", note: "header:long"},
		{why: "a header that does not end", wire: "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 300<<10), block: ("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 300<<10))[:256<<10], note: "headerTrunc"},
		{why: "a header that ends early", wire: "HTTP/1.1 200 OK\r\nX: ", block: "-"},
		{why: "chunks", wire: crlf("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "", "5", "hello", "0", "", ""), body: crlf("5", "hello", "0", "", "")},
		{why: "chunks without end", wire: crlf("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "", "5", "hello", ""), body: crlf("5", "hello", ""), note: "discTrunc"},
		{why: "chunks that are none", wire: crlf("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "", "hello"), body: "hello", note: "chunked:broken"},
		{why: "chunks with a negative size", wire: crlf("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "", "-5", "hello", "0", "", ""), body: crlf("-5", "hello", "0", "", ""), note: "chunked:broken"},
		{why: "chunks with an extension", wire: crlf("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "", "5;x=y", "hello", "0", "", ""), body: crlf("5;x=y", "hello", "0", "", "")},
		{why: "chunks and trailers", wire: crlf("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "", "5", "hello", "0", "X: y", "", ""), body: crlf("5", "hello", "0", "X: y", "", "")},
		{why: "chunks and a length", wire: crlf("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "Content-Length: 2", "", "5", "hello", "0", "", ""), body: crlf("5", "hello", "0", "", "")},
		{why: "chunks with CR CR LF", wire: crlf("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "", "5\r", "hello\r", "0\r", "\r", ""), body: crlf("5\r", "hello\r", "0\r", "\r", "")},
		{why: "100 before the answer", wire: crlf("HTTP/1.1 100 Continue", "", "HTTP/1.1 200 OK", "Content-Length: 5", "", "hello"), block: crlf("HTTP/1.1 200 OK", "Content-Length: 5", "", "hello"), body: "hello"},
		{why: "103 and an empty line before the answer", wire: crlf("HTTP/1.1 103 Hints", "Link: </x>", "", "", "HTTP/1.1 200 OK", "", "hello"), block: crlf("HTTP/1.1 200 OK", "", "hello"), body: "hello"},
		{why: "103 with CR CR LF", wire: "HTTP/1.1 103 Hints\r\r\n\r\r\nHTTP/1.1 200 OK\r\n\r\nhello", block: "HTTP/1.1 200 OK\r\n\r\nhello", body: "hello"},
		{why: "100 and no answer", wire: crlf("HTTP/1.1 100 Continue", "", ""), block: "-"},
		{why: "100 and a page without header", wire: crlf("HTTP/1.1 100 Continue", "", "<html>hello"), block: "<html>hello", body: "<html>hello", note: "http09"},
		{why: "100 and ICY", wire: crlf("HTTP/1.1 100 Continue", "", "ICY 200 OK", "", "hello"), block: crlf("ICY 200 OK", "", "hello"), body: "hello"},
		{why: "101", wire: crlf("HTTP/1.1 101 Switching", "", "hello"), block: crlf("HTTP/1.1 101 Switching", "", "")},
		{why: "the body is an answer", wire: crlf("HTTP/1.1 200 OK", "", "HTTP/1.1 200 OK", "", "hello"), body: crlf("HTTP/1.1 200 OK", "", "hello")},
		{why: "an unknown version", wire: crlf("HTTP/7.3 200 OK", "", "hello"), body: "hello"},
		{why: "no version", wire: crlf("HTTP/ 200 OK", "", "hello"), body: "hello"},
		{why: "words for a version", wire: crlf("HTTP/one 200 OK", "", "hello"), body: "hello"},
		{why: "an unknown status", wire: crlf("HTTP/1.1 799 Odd", "", "hello"), body: "hello"},
		{why: "no status", wire: crlf("HTTP/1.1 fine", "", "hello"), block: "-"},
		{why: "a status of four digits", wire: crlf("HTTP/1.1 2000 OK", "", "hello"), block: "-"},
		{why: "no reason", wire: crlf("HTTP/1.1 200", "", "hello"), body: "hello"},
		{why: "204 and a body all the same", wire: crlf("HTTP/1.1 204 None", "", "hello"), block: crlf("HTTP/1.1 204 None", "", "")},
		{why: "gzip that is none", wire: crlf("HTTP/1.1 200 OK", "Content-Encoding: gzip", "", "hello"), body: "hello"},
	}
}

// moreWireAnswers are start lines, line ends, framings and bodies in every
// combination: that all of them agree on the end of the header is what matters.
func moreWireAnswers() (out []wireAnswer) {
	for _, start := range []string{"HTTP/1.1 200 OK", "HTTP/1.0 404 No", "ICY 200 OK", "HTTP/1.1 103 Hints"} {
		for _, end := range []string{"\r\n", "\n", "\r\r\n"} {
			for _, last := range []string{"\r\n", "\n", "\r\r\n", "\r\r\r\n"} {
				for _, frame := range []string{"", "Content-Length: 9", "Transfer-Encoding: chunked", "Content-Length: -0", "broken"} {
					if frame != "" {
						frame += end
					}
					head := start + end + "X: y" + end + frame + last
					a := wireAnswer{why: fmt.Sprintf("%q", head), wire: head + "5\r\nhello\r\n0\r\n\r\n"}
					if strings.Contains(start, "103") {
						a.wire = head + "HTTP/1.1 200 OK\r\n\r\n\n\nhello"
						a.block, a.body = "HTTP/1.1 200 OK\r\n\r\n\n\nhello", "\n\nhello"
					} else if strings.Contains(frame, ": 9") {
						a.block, a.body = head+"5\r\nhello\r", "5\r\nhello\r"
					} else {
						a.body = "5\r\nhello\r\n0\r\n\r\n"
					}
					out = append(out, a)
				}
			}
		}
	}
	return out
}

// oneEach gives each answer two hosts of its own: of one it is the page, of the
// other robots.txt.
type oneEach struct{ answers []wireAnswer }

func (w oneEach) url(i int) string    { return fmt.Sprintf("http://h%d.com/", i) }
func (w oneEach) robots(i int) string { return fmt.Sprintf("http://r%d.com/", i) }

// Host implements [testweb.Web].
func (w oneEach) Host(name string) http.Handler {
	var i int
	if n, _ := fmt.Sscanf(name, "h%d.com", &i); n == 1 {
		return testweb.Tiny{w.url(i): {Raw: w.answers[i].wire}}
	}
	if n, _ := fmt.Sscanf(name, "r%d.com", &i); n == 1 {
		return testweb.Tiny{w.robots(i): foreign(), w.robots(i) + "robots.txt": {Raw: w.answers[i].wire}}
	}
	tiny := testweb.Tiny{}
	for n, seed := range w.seeds() {
		var links []string
		for i := 20 * n; i < min(20*n+20, len(w.answers)); i++ {
			links = append(links, w.url(i), w.robots(i))
		}
		tiny[seed] = testweb.NationalPage(n, links...)
	}
	return tiny
}

// seeds are pages whose links are archived.
func (w oneEach) seeds() (seeds []string) {
	for n := range (len(w.answers) + 19) / 20 {
		seeds = append(seeds, fmt.Sprintf("%s/v%d", site, n))
	}
	return seeds
}

func TestClientArchiveAndVerifyAgree(t *testing.T) {
	// What the client took for the header of an answer, the archive must: else verify
	// condemns what is sound, and a page is judged by a part of its header.
	t.Parallel()
	web := oneEach{append(wireAnswers(), moreWireAnswers()...)}
	j := newJob(t, web, func(c *config.Config) { c.Analysis.Depth, c.Crawl.ToeThreads = 1, 20 })
	h := j.run(job.Options{}, web.seeds()...) // and verifies
	if n := len(h.valid()); n != len(web.seeds()) {
		t.Fatalf("%d of %d seeds are valid", n, len(web.seeds()))
	}
	notes := map[string]string{}
	for _, line := range j.log(crawl.LogCrawl) {
		f := strings.Fields(line)
		notes[f[3]] = f[11]
	}
	for i, a := range web.answers {
		want := a.block
		if want == "" {
			want = a.wire
		}
		kind := warc.TypeResponse
		if a.note == "http09" { // readers take the beginning of a response for its header
			kind = warc.TypeResource
		}
		rs := h.of(kind, web.url(i))
		if want == "-" {
			if len(rs) > 0 {
				t.Errorf("%s: archived", a.why)
			}
			continue
		}
		if len(rs) != 1 || string(rs[0].block) != want {
			t.Errorf("%s: archived %.300q, want %.300q", a.why, rs, want)
			continue
		}
		if a.note != "" && !strings.Contains(notes[web.url(i)], a.note) {
			t.Errorf("%s: annotations %s, want %s", a.why, notes[web.url(i)], a.note)
		}
		rec, err := record.Load(bytes.NewReader(rs[0].block), t.TempDir(), 1<<20)
		must(t, err)
		digest, err := warc.PayloadDigest(bytes.NewReader(rs[0].block))
		must(t, err)
		if got := want[rec.HeaderLen():]; got != a.body {
			t.Errorf("%s: loaded, the body is %.80q, want %.80q", a.why, got, a.body)
		}
		if rec.PayloadDigest() != rs[0].digest || digest != rs[0].digest {
			t.Errorf("%s: payload digests: recorded %s, loaded %s, recomputed %s", a.why, rs[0].digest, rec.PayloadDigest(), digest)
		}
		must(t, rec.Close())
	}
}
