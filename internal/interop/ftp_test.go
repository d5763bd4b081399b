package interop_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"exclave/internal/sharedtest"
	"exclave/internal/testweb"
	"exclave/warc"
)

// A harvest of an FTP server of others (pyftpdlib) has every file, byte for byte, and the conversation beside it; warcio finds nothing wrong
// with the records, and pywb replays the files and not what was said.
func TestFTP(t *testing.T) {
	python, warcio, exclave := sharedtest.PyFTPd(t), sharedtest.Warcio(t), build(t)
	root := sharedtest.Path(t, "data/links")
	free, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	addr := free.Addr().String()
	must(t, free.Close())
	_, port, err := net.SplitHostPort(addr)
	must(t, err)
	server := exec.Command(python, "-m", "pyftpdlib", "-i", "127.0.0.1", "-p", port, "-d", root)
	server.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	must(t, server.Start())
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	t.Cleanup(func() {
		_ = server.Process.Kill() // gone already is fine
		if err := <-ended; err == nil {
			t.Log("the FTP server ended before it was killed")
		}
	})
	awaitPort(t, addr, ended)

	const site = "ftp://files.example/"
	dir := newJob(t, "ftp", testweb.Tiny{"http://files.example/": testweb.Foreign()}, 100<<20, site)
	config := filepath.Join(dir, "job.toml")
	text, err := os.ReadFile(config)
	must(t, err)
	text = bytes.Replace(text, []byte("[http.connect_to]\n"), fmt.Appendf(nil, "[http.connect_to]\n\"files.example:21\" = %q\n", addr), 1)
	must(t, os.WriteFile(config, text, 0o644))
	all := strings.Replace(anyLanguage, "min_points = 1", "min_points = 0", 1) // a list of names is in no language
	must(t, os.WriteFile(filepath.Join(dir, "any.toml"), []byte(all), 0o644))
	run(t, exclave, "crawl", "--quiet", dir)
	run(t, exclave, "verify", dir)

	files := map[string][]byte{}
	must(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err == nil {
			files[site+strings.ReplaceAll(url.PathEscape(filepath.ToSlash(rel)), "%2F", "/")], err = os.ReadFile(path)
		}
		return err
	}))
	a := archive{name: "ftp", files: warcs(t, dir)}
	found, said := map[string][]byte{}, 0
	for _, r := range records(t, a.files) {
		switch {
		case r.kind == warc.TypeResource && !strings.HasSuffix(r.uri, "/"):
			found[r.uri] = r.body
		case r.kind == warc.TypeMetadata && strings.HasPrefix(r.uri, "urn:exclave:further:"+site) && bytes.HasPrefix(r.body, []byte("* Opened control connection to files.example:21\r\n< 220 ")):
			said++
		}
	}
	missing := 0
	for uri, want := range files {
		if got, ok := found[uri]; !ok || !bytes.Equal(got, want) {
			if missing++; missing < 5 {
				t.Errorf("%s: archived %v, %d bytes of %d", uri, ok, len(got), len(want))
			}
		}
	}
	if missing > 0 || len(files) < 100 || said < len(files) {
		t.Errorf("%d of %d files are missing; %d conversations", missing, len(files), said)
	}
	for _, f := range a.files {
		run(t, warcio, "check", f)
	}
	w := startPywb(t, a)
	uris := make([]string, 0, len(files))
	for uri := range files {
		uris = append(uris, uri)
	}
	slices.Sort(uris)
	for i := 0; i < len(uris); i += len(uris) / 20 {
		if _, body, _ := w.original(t, a.name, "2", uris[i]); !bytes.Equal(body, files[uris[i]]) {
			t.Errorf("pywb replays %s with %d bytes of %d: %.60q", uris[i], len(body), len(files[uris[i]]), body)
		}
	}
	if _, body, _ := w.original(t, a.name, "2", site); !bytes.Contains(body, []byte("srcset_cases.json\r\n")) {
		t.Errorf("pywb replays the root as %.200q", body)
	}
}
