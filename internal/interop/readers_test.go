package interop_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"exclave/internal/sharedtest"
	"exclave/warc"
)

// Issue: an archive that only its own program reads is none. Five crawls, and a part of one,
// are given to two readers, three of them to pywb, and two to a browser.
func TestInterop(t *testing.T) {
	exclave := build(t)
	demo, iana, odd := demoJob(t, exclave), realJob(t, exclave), oddJob(t, exclave)
	for _, a := range []archive{demo, iana, odd, benchJob(t, exclave), killedJob(t, exclave), dividedJob(t, exclave, demo)} {
		t.Run("warcio/"+a.name, func(t *testing.T) { warcio(t, a) })
		t.Run("jwarc/"+a.name, func(t *testing.T) { jwarc(t, a) })
	}
	t.Run("pywb", func(t *testing.T) { replay(t, demo, iana, odd) })
	// ADR 79: a job with the digests of entities passes jwarc; warcio says of each answer in chunks that it is wrong, and of nothing else.
	entity := oddJob(t, exclave, `payload_digest = "entity"`)
	t.Run("jwarc/entity", func(t *testing.T) { jwarc(t, entity) })
	t.Run("warcio/entity", func(t *testing.T) { warcioOfEntities(t, entity) })
	// ADR 78: warcio and pywb do not read zstd.
	dictionary := filepath.Join(t.TempDir(), "sites.dict")
	run(t, exclave, slices.Concat([]string{"warc", "dictionary", "-o", dictionary, "--size", "16K"}, demo.files)...)
	for name, more := range map[string]string{"zstd": "", "dictionary": fmt.Sprintf("zstd_dictionary = %q\n", dictionary)} {
		a := oddJob(t, exclave, "compression = \"zstd\"\n"+more)
		t.Run("jwarc/"+name, func(t *testing.T) { jwarc(t, a) })
		t.Run("zstd/"+name, func(t *testing.T) { zstd(t, a, more != "", dictionary) })
		t.Run("first/"+name, func(t *testing.T) { jwarcOfFirst(t, a.files[0]) })
	}
}

// zstd has the program of that name test the files.
func zstd(t *testing.T, a archive, with bool, dictionary string) {
	args := []string{"-q", "-t"}
	if with {
		args = append(args, "-D", dictionary)
	}
	run(t, sharedtest.Zstd(t), append(args, a.files...)...)
}

// warcioOfEntities has warcio check files with the digests of entities.
func warcioOfEntities(t *testing.T, a archive) {
	out, err := exec.CommandContext(t.Context(), sharedtest.Warcio(t), append([]string{"check"}, a.files...)...).CombinedOutput()
	if n := strings.Count(string(out), "payload digest failed"); err == nil || n != a.chunked || strings.Contains(string(out), "block digest failed") {
		t.Errorf("warcio check: %v, %d payload digests, want %d\n%s", err, n, a.chunked, out)
	}
}

// warcio check says nothing about a file that is right.
func warcio(t *testing.T, a archive) {
	out, err := exec.CommandContext(t.Context(), sharedtest.Warcio(t), append([]string{"check"}, a.files...)...).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("warcio check: %v\n%s", err, out)
	}
	// It does notice: a byte changed inside a record is reported.
	if verbose := run(t, sharedtest.Warcio(t), append([]string{"check", "-v"}, a.files...)...); !strings.Contains(verbose, "digest pass") {
		t.Errorf("warcio checked no digest:\n%s", verbose)
	}
}

// jwarc accepts everything but what ADR 22 names: the payload digests of chunked
// answers, of which it wants that of the body without chunks, and answers shorter
// than their header says. Each of these is foretold from the bytes; any other
// complaint, or one that is missing, fails.
func jwarc(t *testing.T, a archive) {
	want := map[string][]string{}
	chunked, cut, all, answers := 0, 0, 0, 0
	for _, r := range records(t, a.files) {
		all++
		if r.kind != warc.TypeResponse {
			continue
		}
		answers++
		at := fmt.Sprintf("%s %d", r.file, r.offset)
		switch {
		case r.chunked:
			chunked++
			entity := r.entity(t)
			ours, err := warc.Digest(bytes.NewReader(entity))
			must(t, err)
			if a.entity != (ours == r.digest) {
				t.Errorf("%s: the digest of %s is %s, of the entity %s", r.file, r.uri, r.digest, ours)
			}
			if a.entity {
				continue
			}
			want[at] = append(want[at], fmt.Sprintf("payload digest failed: Failed to validate digest: expected %s, got %s (on %d bytes)", r.digest, ours, len(entity)))
		case r.cut:
			cut++
			want[at] = append(want[at], "invalid HTTP header Content-Length: "+r.length)
		}
	}
	if chunked != a.chunked && (a.chunked != anyNumber || chunked == 0) || cut != a.cut {
		t.Fatalf("%d chunked and %d cut-off answers, want %d and %d", chunked, cut, a.chunked, a.cut)
	}
	tool := sharedtest.Jwarc(t)
	got, seen := map[string][]string{}, 0
	var said strings.Builder
	begins := map[string][]int64{} // where the records of each file begin
	for _, r := range records(t, a.files) {
		begins[r.file] = append(begins[r.file], r.offset)
	}
	for _, name := range a.files { // of several it stops at the first with a complaint
		if strings.HasSuffix(name, ".zst") {
			base := filepath.Base(name)
			out := jwarcOfZstd(t, tool, name, begins[base])
			found, n := complaints(base, out)
			maps.Copy(got, found)
			seen += n
			said.WriteString(out)
			continue
		}
		cmd := exec.CommandContext(t.Context(), tool[0], slices.Concat(tool[1:], []string{"validate", "-v", "--threads", "1", name})...)
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
		found, n := complaints(filepath.Base(name), string(out))
		if failed := cmd.ProcessState.ExitCode() != 0; failed != (len(found) > 0) {
			t.Errorf("jwarc validate %s: %v, with %d complaints", name, err, len(found))
		}
		maps.Copy(got, found)
		seen += n
		said.Write(out)
	}
	if seen != all {
		t.Errorf("jwarc saw %d records of %d", seen, all)
	}
	if !maps.EqualFunc(got, want, slices.Equal[[]string]) {
		t.Errorf("jwarc complains of\n%v\nwant\n%v\n%s", got, want, said.String())
	}
	if strings.HasSuffix(a.files[0], ".zst") {
		return
	}
	// ls and cdxj read every record and every answer.
	if n := lines(run(t, tool[0], slices.Concat(tool[1:], []string{"ls"}, a.files)...), ""); n != all {
		t.Errorf("jwarc ls: %d records of %d", n, all)
	}
	if n := lines(run(t, tool[0], slices.Concat(tool[1:], []string{"cdxj"}, a.files)...), `"status"`); n < answers-dns(t, a) {
		t.Errorf("jwarc cdxj: %d answers of %d", n, answers)
	}
}

// jwarcOfZstd returns what "jwarc validate -v" says of the records of a file of zstd. jwarc 0.36.0 does not notice the end of such a file, whoever made it: it reads on
// for ever without a word about the last record. So it is given the file with the records twice more behind it, since a file may hold one alone, and is ended when it
// begins with these. Where a frame lies across two of its reads, of 8 KB, it now and then does the same in the middle (of 96 KB at 5 of 85 places where the records may
// begin), so that it is given them again behind one more of the first record, which puts all at other places.
func jwarcOfZstd(t *testing.T, tool []string, name string, begins []int64) string {
	t.Helper()
	for more := range 8 {
		if out, whole := jwarcBehind(t, tool, name, begins, more); whole {
			return out
		}
	}
	t.Errorf("jwarc did not come to the end of %s, wherever its records begin", name)
	return ""
}

// silent is how long jwarc says nothing when it reads for ever. On a machine that is slower it is only asked once more.
const silent = ready / 10

// jwarcBehind is jwarcOfZstd with a number of the first record more before all others. Where a frame lies across two reads, jwarc may also name a place some bytes before
// the record's (seen: 100), so records are told by their order: begins are the places that stand in what is returned. whole: it came to the end.
func jwarcBehind(t *testing.T, tool []string, name string, begins []int64, more int) (said string, whole bool) {
	t.Helper()
	first, records := begins[0], len(begins)
	data, err := os.ReadFile(name)
	must(t, err)
	second := int64(len(data))
	if records > 1 {
		second = begins[1]
	}
	longer := filepath.Join(t.TempDir(), filepath.Base(name))
	must(t, os.WriteFile(longer, slices.Concat(data[:first], bytes.Repeat(data[first:second], more), data[first:], data[first:], data[first:]), 0o644))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cmd := exec.CommandContext(ctx, tool[0], slices.Concat(tool[1:], []string{"validate", "-v", "--threads", "1", longer})...)
	in, err := cmd.StdoutPipe()
	must(t, err)
	cmd.Stderr = cmd.Stdout
	must(t, cmd.Start())
	over := time.AfterFunc(silent, cancel)
	defer over.Stop()
	var out strings.Builder
	seen := -more
	for s := bufio.NewScanner(in); seen <= records && s.Scan(); {
		over.Reset(silent)
		line := s.Text()
		if m := recordLine.FindStringSubmatchIndex(line); m != nil {
			if seen++; 0 < seen && seen <= records {
				line = line[:m[4]] + strconv.FormatInt(begins[seen-1], 10) + line[m[5]:]
			}
		}
		if 0 < seen && seen <= records {
			fmt.Fprintln(&out, line)
		}
	}
	cancel()
	_ = cmd.Wait() // it was killed
	return out.String(), seen > records
}

// jwarcOfFirst has jwarc read a file of zstd with its first record alone, as a file is left whose writer got no page.
func jwarcOfFirst(t *testing.T, name string) {
	data, err := os.ReadFile(name)
	must(t, err)
	all := records(t, []string{name})
	if len(all) > 1 {
		data = data[:all[1].offset]
	}
	alone := filepath.Join(t.TempDir(), filepath.Base(name))
	must(t, os.WriteFile(alone, data, 0o644))
	if _, n := complaints(filepath.Base(name), jwarcOfZstd(t, sharedtest.Jwarc(t), alone, []int64{all[0].offset})); n != 1 {
		t.Errorf("jwarc saw %d records of one", n)
	}
}

// dns counts the DNS records, which an index of HTTP answers leaves out.
func dns(t *testing.T, a archive) int {
	n := 0
	for _, r := range records(t, a.files) {
		if r.kind == warc.TypeResponse && strings.HasPrefix(r.uri, "dns:") {
			n++
		}
	}
	return n
}

func lines(text, with string) int {
	n := 0
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" && strings.Contains(line, with) {
			n++
		}
	}
	return n
}

// recordLine is how "jwarc validate -v" begins what it says of a record: file, place. Where it is mistaken in a place of a file of zstd, the
// length, which is the difference to the next, may be below 0.
var recordLine = regexp.MustCompile(`^(?:(\S+): )?  offset (-?\d+) \(length -?\d+\)`)

// complaints reads what "jwarc validate -v" printed about a file: the errors by file
// and offset of the record, and the number of records.
func complaints(file, out string) (map[string][]string, int) {
	found, n, at := map[string][]string{}, 0, ""
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\n")
		if m := recordLine.FindStringSubmatch(line); m != nil {
			n++
			at = file + " " + m[2]
			continue
		}
		if _, text, ok := strings.Cut(line, "ERROR: "); ok {
			found[at] = append(found[at], text)
		}
	}
	return found, n
}

// capture is a line of a CDXJ index.
type capture struct {
	URL, Mime, Status, Digest, Offset, Filename string
}

// index reads a CDXJ file.
func index(t *testing.T, path string) []capture {
	t.Helper()
	f, err := os.Open(path)
	must(t, err)
	defer f.Close()
	var out []capture
	for s := bufio.NewScanner(f); s.Scan(); {
		var c capture
		_, text, ok := strings.Cut(s.Text(), "{")
		if !ok {
			t.Fatalf("%s: no CDXJ: %s", path, s.Text())
		}
		must(t, json.Unmarshal([]byte("{"+text), &c))
		out = append(out, c)
	}
	return out
}

// indexed compares pywb's index with the files: one line for each answer and each
// revisit, one for each verdict under an address of its own, and nothing else.
func indexed(t *testing.T, a archive, path string) {
	t.Helper()
	want := map[string]string{}
	verdicts := 0
	for _, r := range records(t, a.files) {
		at := r.file + " " + strconv.FormatInt(r.offset, 10)
		switch {
		case r.kind == warc.TypeResponse || r.kind == warc.TypeRevisit || r.kind == warc.TypeResource:
			want[at] = r.uri + " " + strings.TrimPrefix(r.digest, "sha1:")
		case strings.HasPrefix(r.uri, "urn:exclave:"):
			verdicts++
		}
	}
	got := map[string]string{}
	for _, c := range index(t, path) {
		if strings.HasPrefix(c.URL, "urn:exclave:") {
			verdicts--
			continue
		}
		got[c.Filename+" "+c.Offset] = c.URL + " " + strings.TrimPrefix(c.Digest, "sha1:") // pywb drops the label, cdxj-indexer does not
	}
	if !maps.Equal(got, want) {
		t.Errorf("%s: pywb indexed %d captures, want %d\n%v\nwant\n%v", a.name, len(got), len(want), got, want)
	}
	if verdicts != 0 {
		t.Errorf("%s: %d verdicts are not in the index", a.name, verdicts)
	}
}
