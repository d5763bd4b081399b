package interop_test

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"exclave/internal/sharedtest"
)

// Issue: exclave cdx writes what cdxj-indexer writes, line for line, on the files of other people, but for differences that are listed,
// with the reason, in docs/formats/cdx.md.
func TestCDX(t *testing.T) {
	root := sharedtest.Path(t, "data/warc")
	exclave, theirs := build(t), sharedtest.CDXJIndexer(t)
	ways := map[string][2][]string{ // exclave's arguments, theirs
		"cdxj":  {nil, nil},
		"post":  {{"--post"}, {"-p"}},
		"cdx11": {{"--format", "cdx11"}, {"-11"}},
		"cdx9":  {{"--format", "cdx9"}, {"-9"}},
	}
	var mu sync.Mutex
	differ, seen := map[string][]string{}, 0
	t.Run("files", func(t *testing.T) {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || !archiveFile.MatchString(path) {
				return err
			}
			name, err := filepath.Rel(root, path)
			must(t, err)
			seen++
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				var not []string
				for _, way := range slices.Sorted(maps.Keys(ways)) {
					if strings.HasPrefix(way, "cdx") && way != "cdxj" && !strings.HasPrefix(name, "warcio"+string(filepath.Separator)) {
						continue // the same fields once more, and each start of Python costs
					}
					args := ways[way]
					ours := stdout(t, exclave, slices.Concat([]string{"cdx"}, args[0], []string{path})...)
					their := stdout(t, theirs, slices.Concat([]string{"-s"}, args[1], []string{path})...)
					if !bytes.Equal(ours, their) {
						not = append(not, way)
					}
				}
				mu.Lock()
				defer mu.Unlock()
				if not != nil {
					differ[name] = not
				}
			})
			return nil
		})
		must(t, err)
	})
	if seen < 50 {
		t.Errorf("%d files", seen)
	}
	listed := listedCDX(t)
	for _, name := range slices.Sorted(maps.Keys(differ)) {
		if got := strings.Join(differ[name], " "); listed[name] != got {
			t.Errorf("%s: the lines of %s differ from cdxj-indexer's; docs/formats/cdx.md lists %q", name, got, listed[name])
		}
		delete(listed, name)
	}
	for name := range listed {
		t.Errorf("docs/formats/cdx.md lists %s, of which every line is the same, or which there is not", name)
	}
}

var (
	archiveFile = regexp.MustCompile(`\.w?arc(\.gz)?$`)
	cdxRow      = regexp.MustCompile("^\\| `([^`]+)` \\| ([a-z0-9 ]+) \\| .+ \\|$")
)

// listedCDX reads the table of docs/formats/cdx.md.
func listedCDX(t *testing.T) map[string]string {
	data, err := os.ReadFile(filepath.Join(sharedtest.ModuleRoot(t), "docs", "formats", "cdx.md"))
	must(t, err)
	out := map[string]string{}
	for line := range bytes.Lines(data) {
		if m := cdxRow.FindStringSubmatch(strings.TrimSpace(string(line))); m != nil && strings.Contains(m[1], "/") {
			out[m[1]] = m[2]
		}
	}
	return out
}

// stdout runs a program, which may fail, and returns what it printed, with the lines in order of their bytes.
func stdout(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	out, err := cmd.Output()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return slices.Concat(sortedLines(out)...)
}

func sortedLines(b []byte) [][]byte { return slices.SortedFunc(bytes.Lines(b), bytes.Compare) }

// What recompress makes of ARC files is good for warcio and jwarc, which check its digests, and its index is that of the ARC file but for places.
func TestARCConversion(t *testing.T) {
	exclave, warcio, jwarc := build(t), sharedtest.Warcio(t), sharedtest.Jwarc(t)
	places := regexp.MustCompile(`, "length": .*`)
	for _, name := range []string{"example.arc", "example.arc.gz"} {
		arc := sharedtest.Path(t, "data/warc/warcio/test/data/"+name)
		made := filepath.Join(t.TempDir(), "made.warc.gz")
		for _, args := range [][]string{{exclave, "warc", "recompress", arc, "-o", made}, {warcio, "check", made}, slices.Concat(jwarc, []string{"validate", made}), {exclave, "warc", "check", made}} {
			out, err := exec.CommandContext(t.Context(), args[0], args[1:]...).CombinedOutput()
			if err != nil {
				t.Fatalf("%q: %v\n%s", args, err, out)
			}
		}
		if n := strings.Count(run(t, warcio, "check", "-v", made), "digest pass"); n != 2 {
			t.Errorf("%s: warcio checked digests of %d records", name, n)
		}
		was, is := places.ReplaceAll(stdout(t, exclave, "cdx", arc), nil), places.ReplaceAll(stdout(t, exclave, "cdx", made), nil)
		if !bytes.Equal(was, is) || len(was) == 0 {
			t.Errorf("%s: %s became %s", name, was, is)
		}
	}
}
