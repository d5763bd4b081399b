package records

import (
	"testing"

	"exclave/crawl"
)

// The kind of a link is not in the archive: hop and context tell it, as the chains made it.
func TestKindOfOutlink(t *testing.T) {
	for value, want := range map[string]crawl.LinkKind{
		"http://a.cz/ L a/@href":                     crawl.LinkNav,
		"http://a.cz/ M sitemap:loc":                 crawl.LinkNav,
		"http://a.cz/a.png E img/@src":               crawl.LinkEmbed,
		"http://a.cz/ E iframe/@src":                 crawl.LinkFrame,
		"http://a.cz/favicon.ico I inferred/favicon": crawl.LinkEmbed,
		"http://a.cz/a.json X js/fetch":              crawl.LinkEmbed,
		"http://a.cz/a.json X js/string":             crawl.LinkSpeculative,
		"http://a.cz/b R Location:":                  crawl.LinkRedirect,
		"http://a.cz/b R Refresh:":                   crawl.LinkNav,
		"http://a.cz/b R meta/@content":              crawl.LinkNav,
		"ftp://a.cz/pub/ R ftp:directory":            crawl.LinkRedirect,
		"whois://whois.nic.cz/a.cz R whois:referral": crawl.LinkRedirect,
	} {
		if o, ok := ParseOutlink(value); !ok || o.Kind != want {
			t.Errorf("%s: kind %d, want %d", value, o.Kind, want)
		}
	}
}
