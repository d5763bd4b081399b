package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"exclave/internal/printable"

	"github.com/spf13/cobra"
)

// hostile is what a stranger may put into an address, a title, a header, a name of a file.
const hostile = "\x1b[31mred\x1b]0;title\x07 \u202egnp.exe\u2066\u200f\u061c \u009b2J\u2028 \x08\x7f"

// inside runs the program in this process.
func inside(stdin string, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = run(args, strings.NewReader(stdin), &out, &err)
	return code, out.String(), err.String()
}

// verbs are the verbs that do something, by their words: "frontier list".
func verbs() map[string]*cobra.Command {
	all := map[string]*cobra.Command{}
	var walk func(*cobra.Command, string)
	walk = func(c *cobra.Command, path string) {
		for _, sub := range c.Commands() {
			name := strings.TrimSpace(path + " " + sub.Name())
			if sub.RunE != nil {
				all[name] = sub
			}
			walk(sub, name)
		}
	}
	walk(newRoot(new(bool)), "")
	return all
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// newJob makes a job with one seed, and gives it more from a log.
func newJob(t *testing.T, dir, log string) {
	t.Helper()
	if code, _, err := inside("", "init", dir, "--profile", "cz", "--contact", "https://example.org/"); code != 0 {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "seeds.txt"), "http://a.example/\n")
	if log == "" {
		return
	}
	if code, out, err := inside(log, "seeds", "import", dir, "-"); code != 0 {
		t.Fatal(out, err)
	}
}

// What strangers write never reaches the terminal as more than text, whichever verb prints it, to stdout or
// stderr (issue 16: analyze printed WARC-Target-URI as it is).
func TestNothingSteersTheTerminal(t *testing.T) {
	t.Chdir(t.TempDir())
	quoted, err := json.Marshal(hostile)
	if err != nil {
		t.Fatal(err)
	}
	escaped := string(quoted[1 : len(quoted)-1])
	newJob(t, "job", `{"url":"http://b.example/`+escaped+`","via":"http://v.example/`+escaped+`","source":"`+escaped+`","hops":"L"}`+"\n")
	newJob(t, hostile, "")
	write(t, "list.txt", "http://h.example/"+hostile+"\n"+hostile+"\n")
	write(t, "page.html", "<title>"+hostile+"</title><p lang=cs>Praha "+hostile+" +420 777 123 456")
	body := "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<title>" + hostile + "</title>"
	write(t, "a.warc", "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:11111111-2222-4333-8444-555555555555>\r\nWARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: http://a.example/"+hostile+"\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: "+
		strconv.Itoa(len(body))+"\r\n\r\n"+body+"\r\n\r\n")
	write(t, "job.txt", hostile)
	write(t, "robots.txt", "User-agent: *\nDisallow: /x"+hostile+"\nSitemap: "+hostile+"\nCrawl-delay: 1"+hostile+"\n")
	url := "http://b.example/" + hostile
	all := verbs()
	// Arguments for those that take more than a job; the others get jobs.
	given := map[string][][]string{
		"analyze": {{"a.warc", "page.html"}, {"--json", "a.warc", "page.html"}, {hostile}, {"--profile", hostile, "page.html"}},
		"extract": {{"a.warc", "page.html"}, {"--json", "a.warc", "page.html"}, {"--text", "page.html"}, {hostile}, {"--base", hostile, "page.html"}, {"--type", hostile, "page.html"}},
		"bench":   {{hostile}}, "bench seeds-log": {{"--lines", "2", "--tld", hostile}}, "bench frontier": {{hostile}}, "bench order": {{hostile}}, "demo": {{hostile}},
		"checkpoint": {{"job", "--name", hostile}}, "checkpoint restore": {{hostile, hostile}},
		"crawl":           {{hostile + "x"}},
		"frontier":        {{"job"}, {"--json", "job"}, {hostile}},
		"frontier list":   {{"job"}, {"job", "--regex", "(" + hostile}, {"job", "--surt", hostile}},
		"frontier show":   {{"job", "b.example"}, {"--json", "job", "b.example"}, {"job", hostile}},
		"frontier export": {{"job"}}, "frontier delete": {{"--dry-run", "--host", "b.example", "job"}, {"--host", hostile, "job"}},
		"geoip build": {{"--out", "x.mmdb", "list.txt"}}, "geoip lookup": {{hostile, hostile}}, "geoip export": {{hostile}},
		"init":          {{hostile, "--profile", hostile}},
		"seeds inspect": {{"list.txt", hostile}, {"--json", "list.txt"}}, "seeds import": {{"job", "list.txt"}, {"job", "--source", hostile, "list.txt"}},
		"seeds rank": {{"--tld", "cz", "list.txt"}}, "seeds split": {{"--into", hostile + "y", "--parts", "2", "--profile", "cz", "list.txt"}},
		"show": {{"job", url}, {"--json", "job", url}, {"job", hostile}}, "why": {{"job", url}, {"--json", "job", url}, {"job", hostile}, {"job"}},
		"url":    {{url, hostile}},
		"robots": {{"job", url}, {"--json", "job", url}, {"robots.txt", "/x", url}, {"--json", "--agent", hostile, "robots.txt", "/x"}, {hostile, hostile}},
		"report": {{"--all", "job"}, {"job", hostile}},
	}
	for name := range given {
		if all[name] == nil {
			t.Errorf("there is no verb %s", name)
		}
	}
	shown := 0
	for name := range all {
		if given[name] == nil {
			given[name] = [][]string{{"job"}, {hostile}, {hostile + "x"}}
		}
		for _, args := range append(given[name], []string{"--" + hostile}, []string{hostile, hostile, hostile, hostile, hostile}) {
			if name == "crawl" && slices.Equal(args, []string{"job"}) {
				continue // it would ask for names on the network
			}
			code, stdout, stderr := inside("", append(strings.Fields(name), args...)...)
			text := stdout + stderr
			if i := strings.IndexFunc(text, printable.Steers); i >= 0 || !utf8.ValidString(text) {
				t.Errorf("%s %q: prints %q", name, args, text)
			}
			if strings.Contains(text, "gnp") {
				shown++
			}
			if slices.Contains(args, "--json") && code != int(exitUsage) {
				for d := json.NewDecoder(strings.NewReader(stdout)); d.More(); {
					var v any
					if err := d.Decode(&v); err != nil {
						t.Errorf("%s %q: no JSON: %v in %q", name, args, err, stdout)
						break
					}
				}
			}
		}
	}
	if shown < 30 {
		t.Errorf("only %d outputs showed any of the hostile text", shown)
	}
	// JSON is exact: nothing of it is replaced.
	_, stdout, _ := inside("", "analyze", "--json", "a.warc")
	var j struct{ URL string }
	if err := json.Unmarshal([]byte(stdout), &j); err != nil || !strings.Contains(j.URL, "\u202egnp.exe\u2066") {
		t.Errorf("JSON of analyze is not exact: %q, %v", j.URL, err)
	}
}
