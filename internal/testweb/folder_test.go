package testweb

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFromFolderServesFilesUnderTheirPaths(t *testing.T) {
	dir := t.TempDir()
	for name, body := range map[string]string{"index.html": "<p>é", "one/a b.JPG": "\xff\xd8", "x": ""} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	rec, err := FromFolder("http://site.example", dir)
	if err != nil {
		t.Fatal(err)
	}
	_, c := start(t, rec, Options{})
	var got []string
	for _, want := range rec.Truth() {
		resp, body := get(t, c, want.URL)
		if digest([]byte(body)) != want.Payload || resp.Header.Get("Content-Type") != want.Type || resp.StatusCode != 200 {
			t.Errorf("%s: %d %q, want %+v", want.URL, resp.StatusCode, body, want)
		}
		got = append(got, fmt.Sprint(want.URL, " ", want.Type))
	}
	want := "http://site.example/index.html text/html, http://site.example/one/a%20b.JPG image/jpeg, http://site.example/x application/octet-stream"
	if strings.Join(got, ", ") != want {
		t.Errorf("serves %q\nwant   %q", strings.Join(got, ", "), want)
	}
	if resp, _ := get(t, c, "http://site.example/"); resp.StatusCode != http.StatusNotFound {
		t.Errorf("/: %d: a folder has no index", resp.StatusCode)
	}
}

func TestFromFilesRefusesWhatItCannotServe(t *testing.T) {
	if _, err := FromFiles(map[string]string{"http://a.example/": filepath.Join(t.TempDir(), "none")}); err == nil {
		t.Error("a file that is not there")
	}
	if _, err := FromFolder("site.example", "."); err == nil {
		t.Error("an origin without a scheme")
	}
}

func TestProtectedAsksForThePassword(t *testing.T) {
	inner := text(200, "in")
	_, c := start(t, Hosts{"a.example": Protected(inner, "/private/", "R", "me", "secret")}, Options{})
	for _, tc := range []struct {
		url    string
		status int
		want   string
	}{
		{"http://a.example/open", 200, ""},
		{"http://a.example/private/x", 401, `Basic realm="R"`},
	} {
		if resp, _ := get(t, c, tc.url); resp.StatusCode != tc.status || resp.Header.Get("WWW-Authenticate") != tc.want {
			t.Errorf("%s: %d %q", tc.url, resp.StatusCode, resp.Header.Get("WWW-Authenticate"))
		}
	}
	req, err := http.NewRequest(http.MethodGet, "http://a.example/private/x", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth("me", "secret")
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 {
		t.Errorf("with the password: %d", resp.StatusCode)
	}
}
