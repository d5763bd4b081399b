package traps

import (
	"strings"
	"testing"
	"time"

	"exclave/internal/urlx"
)

func finder(t testing.TB, p ...Pattern) *Finder {
	t.Helper()
	f, err := New(time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC), p...)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Each line of "traps" is an address that leads to ever more of its kind, and of "pages" one
// beside it that people wrote, and that must not be lost.
func TestFind(t *testing.T) {
	find := finder(t)
	for _, c := range []struct {
		pattern      Pattern
		why          string
		traps, pages []string
	}{
		{Calendar, "months without end, by path", []string{"/2031/05/", "/cal/2029-02/", "/events/2031/", "/kalendar/12/2033", "/events/day/20310512/", "/calendar/2014/10/", "/calendar/2020/10/", "/kalendar/2012/", "/2199/12/31/", "/calendar/9999/12/", "/kalendar/2026/week/4/", "/kalendar/2026/10/01/"},
			[]string{"/kalendar-akci/2022/05/", "/kalendar/2015/", "/akce-kalendar/detail/22/2015/05/12", "/prevention/2010/05/", "/agendas/2016/", "/2030/05/a-conference/", "/strategy/2030-12/plan.pdf", "/2009/05/12/", "/2009/05/12/title", "/2026/12/", "/2027/06/01/concert", "/events/2016/05/12/concert", "/events/2016/concert/5", "/c/249534/4272?u=http%3A%2F%2Fa.test%2Fevent%2F3A00", "/event/4272", "/calendar/2026/", "/kalendar/2026/11/23/", "/kalendar/2026/week/47/", "/2024/01/01/", "/1938/09/30/", "/2031/", "/clanek/20310512/", "/2031/13/", "/1234/5/thread", "/4321/12/", "/2100/5/"}},
		{Calendar, "months without end, by query", []string{"/c?year=2031&month=5", "/calendar?month=13", "/calendar?month=-3", "/c?month=2031-05", "/?tribe-bar-date=2035-01-01", "/x?date=12.05.2041", "/index.php?option=com_calendar&year=2012&month=1", "/kalendar?rok=1802&mesic=3", "/?m=204105", "/calendar.php?view=day&year=2025&month=5&day=3"},
			[]string{"/anno?aid=nwg&datum=19140628&seite=1", "/noviny/?date=1938-09-30", "/katalog?rok=1968", "/x?year=1802&month=3", "/event.php?id=5&date=2015-05-12", "/index.php?option=com_jevents&task=icalrepeat.detail&evid=22&year=2012&month=05&day=12", "/calendar.php?do=getinfo&e=12&day=2012-5-3", "/kalendar-akci/?rok=2022&mesic=5", "/c?year=2010&month=5", "/calendar?month=11", "/calendar.php?view=month&year=2026&month=5", "/?m=201005", "/?m=3", "/list?year=1995", "/x?from=praha&to=brno", "/x?start=40", "/x?day=12", "/?month=may", "/x?holiday=2041-01-01"}},
		{Facets, "shops with a page for each set of filters", []string{"/shop?color=red&size=m", "/shop?brand=x&sort=price", "/s?filter%5Bcolor%5D=red&filter[size]=m&order=asc", "/s?f[]=1&f[]=2&f[]=3", "/view?id=1&lang=en&id=2&lang=en", "/s?filter_color=a&filter_size=b&orderby=c", "/x?a=1&b=1&c=1&d=1&e=1&f=1&g=1&h=1&i=1&j=1&k=1&l=1&n=1"},
			[]string{"/viewforum.php?f=3&sort=lastpost&order=desc", "/download.php?f=12&size=3", "/index.php?option=com_docman&gid=12&dir=DESC&order=date&limit=5&limitstart=5", "/a.aspx?id=3&lang=cs&lang=cs", "/v?id=1&amp;lang=en&amp;page=2&amp;x=3", "/viewtopic.php?f=3&t=12&start=40", "/shop?color=red", "/list?sort=name&dir=asc", "/x?id=1&lang=cs&page=2&view=full", "/zbozi.php?razeni=cena&id=16", "/index.php?option=com_content&view=article&Itemid=12&id=16"}},
		{Session, "each page gives its links a new id", []string{"/a?sid=0123456789abcd"},
			[]string{"/a?sid=fedcba98765432", "/a?sid=12", "/a?q=0123456789abcd", "/a?PHPSESSID=0123456789abcd", "/a?sid=0123456789abcdef0123456789abcdef"}},
		{Search, "each result adds a word", []string{"/search?q=a+b+c+d+e", "/s?query=a%20b%20c%20d%20e"}, []string{"/search?q=praha", "/search?q=a+b+c", "/dp/0896087948/ref=sr?keywords=the+revolution+starts+at+home"}},
		{Index, "Apache's list of a folder in each order", []string{"/pub/?C=N;O=D", "/pub/?C=M&O=A", "/pub/?N=A"},
			[]string{"/pub/", "/pub/?c=cz", "/a?n=a", "/pub/?n=art"}},
		{Cycle, "links meant from the top, written from the folder", []string{"/en/news/en/about/en/news/en/x"},
			[]string{"/en/news/en/about/en", "/00/00/01/00/00/a.pdf", "/a/b/c/d/e/"}},
		{Length, "links that grow", []string{"/" + strings.Repeat("a/b", 700), "/?q=" + strings.Repeat("a", 1030)},
			[]string{"/" + strings.Repeat("a", 1500), "/?q=" + strings.Repeat("a", 900)}},
		{Pages, "lists of nothing", []string{"/list?id=3&page=10000", "/page/40000/", "/?paged=99999"},
			[]string{"/index.php?page=12345", "/page/12", "/?p=123456", "/catalog?id=9&page=1999", "/book?id=22&page=3500", "/aktuality/page/9999/"}},
		{Actions, "forms and exports", []string{"/a/?replytocom=12", "/index.php?title=Praha&action=edit", "/index.php?title=Praha&action=history", "/?add-to-cart=3", "/event/x/?ical=1", "/posting.php?mode=reply&t=1", "/wiki?do=edit", "/view?id=3&print=1", "/view?id=3&share=twitter", "/view?id=3&action=edit"},
			[]string{"/index.php?action=detail&title=Praha", "/index.php?action=info&id=3", "/index.php?title=Praha&action=view", "/x?do=login", "/stock?share=12", "/?print=letters", "/?ical=0", "/index.php?title=Praha"}},
	} {
		at := func(path string) Pattern {
			u, err := urlx.Parse("http://a.example" + path)
			if err != nil {
				t.Fatal(err)
			}
			return find.Find(u, from("http://a.example/b?sid=fedcba98765432"))
		}
		for _, p := range c.traps {
			if got := at(p); got != c.pattern {
				t.Errorf("%s: %.80s is %q, want %q", c.why, p, got, c.pattern)
			}
		}
		for _, p := range c.pages {
			if got := at(p); got != "" {
				t.Errorf("%s: %.80s is no trap, but %q", c.why, p, got)
			}
		}
	}
}

// A pattern that a user left out must let through what it takes, and no other speak for it.
func TestPatternsChosen(t *testing.T) {
	u, err := urlx.Parse("http://a.example/calendar/2031/05/?C=N;O=D")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		patterns []Pattern
		want     Pattern
	}{{nil, Calendar}, {[]Pattern{Index}, Index}, {[]Pattern{Facets, Pages}, ""}} {
		if got := finder(t, c.patterns...).Find(u, from("")); got != c.want && !(c.patterns == nil && got != "") {
			t.Errorf("%v: %q, want %q", c.patterns, got, c.want)
		}
	}
	if _, err := New(time.Time{}, "calender"); err == nil || !strings.Contains(err.Error(), "calendar") {
		t.Errorf("an unknown pattern: %v; it must name those there are", err)
	}
}

// What strangers write must neither panic nor be judged differently the second time.
func FuzzFind(f *testing.F) {
	for _, s := range []string{"http://a.example/2031/05/?month=-1&year=9999&date=1.1.1", "http://a.example/?a&=&;&month=&sid=%5b", "http://a.example//page//", "http://a.example/1.2.3/-/."} {
		f.Add(s)
	}
	find := finder(f)
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := urlx.Parse(raw)
		if err != nil {
			return
		}
		if a, b := find.Find(u, from(raw)), find.Find(u, from(raw)); a != b {
			t.Errorf("%s: %q, then %q", raw, a, b)
		}
	})
}

// from is a page on which an address was found; "" is none.
func from(page string) func() *urlx.URL {
	return func() *urlx.URL {
		u, err := urlx.Parse(page)
		if err != nil {
			return nil
		}
		return u
	}
}

// Each link of each page is asked about.
func BenchmarkFind(b *testing.B) {
	find := finder(b)
	u, err := urlx.Parse("http://www.example.com/news/2024/05/12/some-title-of-an-article.html?id=12&lang=cs&page=2")
	if err != nil {
		b.Fatal(err)
	}
	via := from("http://www.example.com/")
	b.ReportAllocs()
	for b.Loop() {
		find.Find(u, via)
	}
}
