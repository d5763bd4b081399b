package demoweb

import (
	"hash/fnv"
	"path"
	"strings"
	"time"

	"exclave/internal/testweb"

	"golang.org/x/text/encoding/charmap"
)

// maker makes the answer for a URL.
type maker func(url string) testweb.Page

// file returns the embedded file behind a URL, without a type.
func file(url string) testweb.Page {
	_, p, _ := strings.Cut(url, "://")
	if strings.HasSuffix(p, "/") {
		p += "index.html"
	}
	body, err := files.ReadFile(path.Join("web", p))
	if err != nil {
		return testweb.Failure(err)
	}
	return testweb.Page{Body: string(body)}
}

// as serves the file under a Content-Type.
func as(contentType string) maker {
	return func(url string) testweb.Page {
		if page := file(url); page.Status == 0 {
			return page.With("Content-Type", contentType)
		}
		return file(url)
	}
}

func html(url string) testweb.Page  { return as("text/html; charset=utf-8")(url) }
func xhtml(url string) testweb.Page { return as("application/xhtml+xml")(url) }
func css(url string) testweb.Page   { return as("text/css")(url) }
func js(url string) testweb.Page    { return as("text/javascript")(url) }
func plain(url string) testweb.Page { return as("text/plain")(url) }

func gzipped(url string) testweb.Page { return html(url).Encoded("gzip") }

func status(code int) maker {
	return func(url string) testweb.Page { return html(url).WithStatus(code) }
}

func slow(by time.Duration) maker {
	return func(url string) testweb.Page {
		page := html(url)
		page.Delay = by
		return page
	}
}

// windows1250 recodes the file; the type says nothing of it.
func windows1250(url string) testweb.Page {
	page := as("text/html")(url)
	body, err := charmap.Windows1250.NewEncoder().String(page.Body)
	if err != nil {
		return testweb.Failure(err)
	}
	page.Body = body
	return page
}

func redirect(code int, to string) maker {
	return func(string) testweb.Page { return testweb.Redirect(code, to) }
}

// picture draws an image that follows from its URL.
func picture(width, height int) maker {
	return func(url string) testweb.Page {
		h := fnv.New64a()
		_, _ = h.Write([]byte(url)) // a hash takes everything
		return testweb.Page{Body: string(testweb.PNG(width, height, h.Sum64()))}.With("Content-Type", "image/png")
	}
}

// video is a film that its server takes for text.
func video(string) testweb.Page {
	return testweb.Page{Body: string(testweb.MP4(6000))}.With("Content-Type", "text/plain")
}

func catalogue(string) testweb.Page {
	return testweb.PDF("Katalog 2008", "http://www.pilarna-horak.com/cenik.html", "http://www.pila-horak.cz/")
}

func crash(string) testweb.Page {
	return testweb.Page{Status: 500, Body: "<html><body><h1>Internal Server Error</h1><p>Fatal error: call to undefined function" +
		" mysql_connect() in guestbook on line 12</p></body></html>"}.With("Content-Type", "text/html")
}
