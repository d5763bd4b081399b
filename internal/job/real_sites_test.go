package job_test

import (
	"net/http"
	"path/filepath"
	"testing"

	"exclave/chain/decide"
	"exclave/config"
	"exclave/internal/sharedtest"
	"exclave/internal/testweb"
)

// recordedSites are the WARC files of other programs' tests. None is Czech.
func recordedSites() []realCase {
	return []realCase{
		{
			// ipwb: 64 pages of a magazine.
			name: "ipwb-sample",
			web:  fromWARC("ipwb/samples/warcs/sample-1.warc.gz"),
			seeds: []string{
				"http://bitchmagazine.org/category/blogs/b-sides", "http://bitchmagazine.org/category/blogs/bitch-hq",
				"http://bitchmagazine.org/category/blogs/movies", "http://bitchmagazine.org/category/blogs/tv",
			},
			profiles: []string{"english.toml", "cz"}, none: "cz",
		},
		{
			// py-wacz: recorded by a browser.
			name:     "iana",
			web:      fromWARC("py-wacz/tests/fixtures/example-iana.warc"),
			seeds:    []string{"https://example.com/"},
			profiles: []string{"english.toml", "cz"}, none: "cz",
		},
		{
			name:     "iana-lists",
			web:      fromWARC("py-wacz/tests/fixtures/example-collection-with-lists.warc"),
			seeds:    []string{"https://example.com/"},
			profiles: []string{"english.toml", "cz"}, none: "cz",
		},
		{
			// resiliparse: the first pages of a file of Common Crawl, of 15 hosts
			// that have nothing to do with each other: every one is a seed.
			name: "commoncrawl",
			web:  fromWARC("resiliparse/tests/data/warcfile.warc"),
			seeds: []string{
				"http://003338.cn/l41/481397.html", "http://01spb.ru/company/", "http://035.psb556.com/24/i/u_1090813/article.html",
				"http://037426.cn/", "http://041696.com/15477/list_6_4.html", "http://044545.com/topic/20200207/015849.html",
				"http://0513mt.com/index.php/art/detail/id/8884.html", "http://05925.net/index.php/vod/type/id/53.html",
				"http://06.live-radsport.ch/fahrerstatistik_801/Anthony_Ravard.html", "http://06.live-radsport.ch/tippspiel/stats_140_petzi.html",
				"http://0615235.com/02mjqjo%7Bibotij2.btq?odmbtt=106&tdmbtt=121", "http://0755krk.com/76104/list_4_1.html",
				"http://0760.jxtdw.com/area/sanxiang/", "http://077678u.info/erxiaoshujinguang/list_6_2.html",
				"http://0900-hovenier.nl/gelderland/oosterbeek/", "http://096355.com/video/11073.html?11073-0-2",
			},
			profiles: []string{"chinese.toml", "russian.toml", "german.toml", "dutch.toml"},
		},
	}
}

func fromWARC(rel string) func(*testing.T) (testweb.Web, []testweb.Capture) {
	return func(t *testing.T) (testweb.Web, []testweb.Capture) {
		sites, err := testweb.FromWARC(sharedtest.Path(t, "data/warc/"+rel))
		must(t, err)
		return sites, sites.Truth()
	}
}

// singlePages are five pages of newspapers and a dairy, each on a host of its own.
func singlePages() []realCase {
	files := map[string]string{
		"http://novinky.example/vase-zpravy/clanek/janovicka-knihovna-40311673":   "htmldate_1509819104_cs.html",
		"http://aktualne.example/fotbal/zahranici/west-ham-hrozi-gigantum/r~8fa0": "readability_aktualne_cs.html",
		"http://tine.example/presserom/nyhetsarkiv/nff-tine-fotballskole":         "no_tine.no.fotballskole.html",
		"http://sn.example/Erhverv/artikel/900368":                                "no_1484494308.html",
		"http://sn2.example/Danmark/artikel/922379":                               "no_1544178583.html",
	}
	var seeds []string
	for url := range files {
		seeds = append(seeds, url)
	}
	return []realCase{{
		name: "pages",
		web: func(t *testing.T) (testweb.Web, []testweb.Capture) {
			paths := map[string]string{}
			for url, name := range files {
				paths[url] = sharedtest.Path(t, "data/pages/"+name)
			}
			sites, err := testweb.FromFiles(paths)
			must(t, err)
			return sites, sites.Truth()
		},
		seeds:    seeds,
		profiles: []string{"cz", "norwegian.toml"},
	}}
}

// selftest is where Heritrix serves the sites of its self tests.
const selftest = "http://127.0.0.1:7777"

// selftestSites are the sites that Heritrix 3 crawls in its own tests, with the
// settings it crawls them with as far as there is one for them here.
func selftestSites() []realCase {
	site := func(folder string, seeds ...string) realCase {
		c := realCase{name: "heritrix/" + folder, profiles: []string{"any.toml"}, change: atSelftestPort}
		c.web = func(t *testing.T) (testweb.Web, []testweb.Capture) {
			s, err := testweb.FromFolder(selftest, filepath.Join(sharedtest.Path(t, "data/links/heritrix-selftest-sites"), folder, "htdocs"))
			must(t, err)
			return s, s.Truth()
		}
		for _, s := range seeds {
			c.seeds = append(c.seeds, selftest+s)
		}
		return c
	}
	hops := site("MaxLinkHopsSelfTest", "/index.html")
	hops.change = func(c *config.Config, srv *testweb.Server) {
		atSelftestPort(c, srv)
		for i := range c.Scope {
			if c.Scope[i].Rule == "too-many-hops" {
				c.Scope[i] = decide.RuleConfig{Rule: "too-many-hops", Max: new(3)}
			}
		}
	}
	return []realCase{
		site("SimpleSelfTest", "/index.html"),
		site("FramesSelfTestCase", "/index.html"),
		site("BackgroundImageExtractionSelfTestCase", "/index.html"),
		site("BadURIsStopPageParsingSelfTest", "/index.html"),
		site("CharsetSelfTest", "/index.html"),
		site("FlashParseSelfTest", "/index.html"),
		site("StatisticsSelfTest", "/a.html", "/b.html"),
		site("Precedence1SelfTest", "/seed.html"),
		site("Precedence2SelfTest", "/seed.html"),
		site("Precedence3SelfTest", "/H.html"),
		site("Precedence4SelfTest", "/seed.html"),
		hops,
		behind(site("HttpAuthSelfTest", "/index.html"), func(h http.Handler) http.Handler {
			return testweb.Protected(h, "/basic/", "Hyrule", "Mr. Happy Pants", "xyzzy")
		}),
		behind(site("FormAuthSelfTest", "/login/login.html"), loginForm),
		behind(site("FormLoginSelfTest", "/index.html"), loginForm),
	}
}

// behind puts something before the handler of every host of a case.
func behind(c realCase, wrap func(http.Handler) http.Handler) realCase {
	inner := c.web
	c.web = func(t *testing.T) (testweb.Web, []testweb.Capture) {
		web, truth := inner(t)
		return testweb.Func(func(name string) http.Handler {
			if h := web.Host(name); h != nil {
				return wrap(h)
			}
			return nil
		}), truth
	}
	return c
}

// loginForm does at /login/ what the servlet of Heritrix's tests does: a form for
// who asks, a redirect by the name and password for who posts.
func loginForm(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path != "/login/login.html":
			h.ServeHTTP(w, r)
		case r.Method == http.MethodPost && r.PostFormValue("username") == "Mr. Happy Pants" && r.PostFormValue("password") == "xyzzy":
			http.Redirect(w, r, "/success.html", http.StatusFound)
		case r.Method == http.MethodPost:
			http.Redirect(w, r, "/failure.html", http.StatusFound)
		default:
			testweb.Page{Body: `<form action="login.html" method="post"><input name="username"><input name="password"></form>`}.
				With("Content-Type", "text/html").ServeHTTP(w, r)
		}
	})
}

// atSelftestPort leads the port of Heritrix's test server to ours.
func atSelftestPort(c *config.Config, srv *testweb.Server) {
	c.HTTP.ConnectTo["127.0.0.1:7777"] = srv.HTTPAddr()
}
