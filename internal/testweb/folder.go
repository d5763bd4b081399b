package testweb

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// FromFolder reads the files below a folder into a web of one origin
// ("http://site.example" or "http://127.0.0.1:7777"): each is served with status
// 200 under its own path and nothing else is, no index of a folder either. The
// type goes by the ending of the name, without a charset.
func FromFolder(origin, dir string) (*Recorded, error) {
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		files[origin+(&url.URL{Path: "/" + filepath.ToSlash(rel)}).EscapedPath()] = name
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("testweb: read folder %s: %w", dir, err)
	}
	return FromFiles(files)
}

// FromFiles reads files into a web: absolute URL, without fragment, to the file
// that answers for it with status 200.
func FromFiles(files map[string]string) (*Recorded, error) {
	rec := newRecorded()
	for target, name := range files {
		body, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("testweb: read %s: %w", name, err)
		}
		page := Page{Body: string(body)}.With("Content-Type", typeByName(name))
		if !rec.add(target, []byte(page.Wire())) {
			return nil, fmt.Errorf("testweb: %s: not an absolute http or https URL", target)
		}
	}
	return rec, nil
}

func typeByName(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".html", ".htm":
		return "text/html"
	case ".css":
		return "text/css"
	case ".js":
		return "text/javascript"
	case ".txt":
		return "text/plain"
	case ".xml":
		return "application/xml"
	case ".svg":
		return "image/svg+xml"
	case ".png":
		return "image/png"
	case ".gif":
		return "image/gif"
	case ".jpg", ".jpeg":
		return "image/jpeg"
	case ".swf":
		return "application/x-shockwave-flash"
	case ".pdf":
		return "application/pdf"
	}
	return "application/octet-stream"
}

// Protected asks for a name and a password (RFC 7617) below a path, and lets the
// rest of a host's answers through.
func Protected(h http.Handler, below, realm, user, password string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u, p, given := r.BasicAuth()
		if strings.HasPrefix(r.URL.Path, below) && (!given || u != user || p != password) {
			text(http.StatusUnauthorized, "401\n").With("WWW-Authenticate", fmt.Sprintf("Basic realm=%q", realm)).ServeHTTP(w, r)
			return
		}
		h.ServeHTTP(w, r)
	})
}
