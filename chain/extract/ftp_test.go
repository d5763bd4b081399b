package extract

import (
	"slices"
	"testing"

	"exclave/crawl"
	"exclave/internal/record"
)

// The names in a directory are links, in whatever form servers give them; a file has none of its own but, by setting, its directory.
func TestFTP(t *testing.T) {
	const listing = ".\r\n..\r\na.txt\n\r\n./b c\r\n/pub/d#e?.html\r\n\xc5\xbe\r\nx%41\r\nsub/\r\n"
	names := []string{"ftp://f.cz/pub/a.txt", "ftp://f.cz/pub/b%20c", "ftp://f.cz/pub/d%23e%3F.html", "ftp://f.cz/pub/%C5%BE", "ftp://f.cz/pub/x%2541", "ftp://f.cz/pub/sub/"}
	for _, c := range []struct {
		url    string
		status crawl.Status
		class  crawl.TypeClass
		parent bool
		want   []string
	}{
		{"ftp://f.cz/pub/", 226, crawl.ClassText, false, names},
		{"ftp://f.cz/pub/", 226, crawl.ClassText, true, append([]string{"ftp://f.cz/"}, names...)},
		{"ftp://f.cz/pub", crawl.StatusFTPDirectory, crawl.ClassRedirect, true, []string{"ftp://f.cz/pub/"}},
		{"ftp://f.cz/pub/a", 226, crawl.ClassText, false, nil},
		{"ftp://f.cz/pub/a", 226, crawl.ClassText, true, []string{"ftp://f.cz/pub/"}},
		{"ftp://f.cz/", 226, crawl.ClassText, true, []string{"ftp://f.cz/a.txt", "ftp://f.cz/b%20c", "ftp://f.cz/d%23e%3F.html", "ftp://f.cz/%C5%BE", "ftp://f.cz/x%2541", "ftp://f.cz/sub/"}},
		{"http://f.cz/pub/", 200, crawl.ClassText, true, nil},
	} {
		rec := record.New(t.TempDir(), 1<<20)
		if _, err := rec.Write([]byte(listing)); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = rec.Close() })
		u := &crawl.CrawlURI{Candidate: crawl.Candidate{URL: c.url}, Rec: rec, Status: c.status, HTTPStatus: int(c.status), Class: c.class}
		cfg := DefaultFTPConfig()
		cfg.Parent = c.parent
		process(t, u, NewFTP(cfg))
		var got []string
		for _, o := range u.Outlinks {
			got = append(got, o.URL.String())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s, %v:\n%q, want\n%q", c.url, c.parent, got, c.want)
		}
	}
}
