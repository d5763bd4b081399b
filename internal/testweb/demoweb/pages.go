package demoweb

import "time"

// item is one row of the table.
type item struct {
	url      string
	serve    maker // nil: the host does not exist
	verdict  Verdict
	archived fromDepth
	why      string
}

// fromDepth is the least link depth with which a URL is archived.
type fromDepth int

const never fromDepth = 1 << 30

// pages is the table of everything there is, host by host. The file behind a
// URL is web/HOST/PATH. What is archived from depth 0 is valid, needed by a
// valid page or a redirect to one; from depth 1 what a valid page links to.
func pages() []item {
	return []item{
		// a Czech firm on .com
		{"http://www.pilarna-horak.com/", html, Valid, 0, "home page of a Czech firm"},
		{"http://www.pilarna-horak.com/o-nas.html", html, Valid, 0, "prose and one telephone number"},
		{"http://www.pilarna-horak.com/vyroba.html", html, Valid, 0, "prose, links to the video"},
		{"http://www.pilarna-horak.com/stare/cenik.html", redirect(301, "/cenik"), Unjudged, 0, "first redirect of a chain, linked from valid pages"},
		{"http://www.pilarna-horak.com/cenik", redirect(302, "http://www.pilarna-horak.com/cenik.html"), Unjudged, 0, "second redirect of the chain"},
		{"http://www.pilarna-horak.com/cenik.html", html, Valid, 0, "a table of goods; neither e-mail nor telephone"},
		{"http://www.pilarna-horak.com/kontakt.html", html, Valid, 0, "contacts; embeds a picture from .cz"},
		{"http://www.pilarna-horak.com/galerie.html", html, Valid, 0, "srcset, lazy loading, inline style, pictures elsewhere"},
		{"http://www.pilarna-horak.com/en/", html, Invalid, 1, "English page of the Czech firm, one .cz address"},
		{"http://www.pilarna-horak.com/akce-2007.html", status(404), Unjudged, 1, "a 404 in good Czech is not judged"},
		{"http://www.pilarna-horak.com/soukrome/smlouvy.html", html, Unjudged, never, "a page that robots.txt forbids"},
		{"http://www.pilarna-horak.com/soukrome/plan.png", picture(40, 40), Unjudged, never, "an embedded picture that robots.txt forbids"},
		{"http://www.pilarna-horak.com/robots.txt", plain, Unjudged, never, ""},
		{"http://www.pilarna-horak.com/css/styl.css", css, Unjudged, 0, "style sheet of valid pages"},
		{"http://www.pilarna-horak.com/css/tisk.css", css, Unjudged, 0, "imported by the style sheet"},
		{"http://www.pilarna-horak.com/js/menu.js", js, Unjudged, 0, "script of valid pages"},
		{"http://www.pilarna-horak.com/img/logo.png", picture(80, 40), Unjudged, 0, "on every page"},
		{"http://www.pilarna-horak.com/img/drevo.png", picture(64, 64), Unjudged, 0, "background in the style sheet"},
		{"http://www.pilarna-horak.com/img/cara.png", picture(8, 4), Unjudged, 0, "background in the style sheet, quoted"},
		{"http://www.pilarna-horak.com/img/katr.png", picture(120, 80), Unjudged, 0, "picture source"},
		{"http://www.pilarna-horak.com/img/katr-maly.png", picture(60, 40), Unjudged, 0, "picture fallback"},
		{"http://www.pilarna-horak.com/img/prkna-320.png", picture(32, 20), Unjudged, 0, "img src"},
		{"http://www.pilarna-horak.com/img/prkna-640.png", picture(64, 40), Unjudged, 0, "img srcset"},
		{"http://www.pilarna-horak.com/img/prkna-1280.png", picture(128, 80), Unjudged, 0, "img srcset"},
		{"http://www.pilarna-horak.com/img/prazdny.png", picture(1, 1), Unjudged, 0, "placeholder of a lazy image"},
		{"http://www.pilarna-horak.com/img/susarna.png", picture(96, 64), Unjudged, 0, "lazy image"},
		{"http://www.pilarna-horak.com/img/letokruhy.png", picture(96, 96), Unjudged, 0, "background in a style attribute"},
		{"http://www.pilarna-horak.com/img/krov.png", picture(100, 70), Unjudged, 0, "picture behind an ordinary link"},
		{"http://www.pilarna-horak.com/ke-stazeni/katalog.pdf", catalogue, Unjudged, 0, "PDF behind an ordinary link"},
		{"http://www.pilarna-horak.com/video/pila.mp4", video, Unjudged, 0, "a video that the server calls text/plain"},

		// another domain of the firm
		{"http://firma-horak.eu/", redirect(301, "http://www.pilarna-horak.com/"), Unjudged, 0, "seed that redirects to a valid page"},

		// a host for pictures only
		{"http://static.obrazky-cdn.net/horak/tram.png", picture(90, 60), Unjudged, 0, "embedded from another host"},

		// inside the national domain: out of scope, except for embeds
		{"http://www.pila-horak.cz/", redirect(301, "http://www.pilarna-horak.com/"), Unjudged, never, "navigation into .cz is rejected"},
		{"http://www.pila-horak.cz/img/znak.png", picture(48, 48), Unjudged, 0, "embedded by an archived page"},

		// a German blog host with one Czech blog
		{"http://www.blogwiese.de/", html, Invalid, 1, "German; linked from the Czech blog"},
		{"http://www.blogwiese.de/blog.css", css, Unjudged, 0, "style sheet of Czech and German blogs"},
		{"http://www.blogwiese.de/gras.png", picture(30, 10), Unjudged, 0, "background in it"},
		{"http://www.blogwiese.de/karel/", html, Valid, 0, "Czech blog, no contacts"},
		{"http://www.blogwiese.de/karel/2008-05-nadrazi.html", html, Valid, 0, "seed; Czech diary"},
		{"http://www.blogwiese.de/karel/plan.png", picture(50, 50), Unjudged, 0, "picture with a relative address"},
		{"http://www.blogwiese.de/karel/2008-06-pekarna.html", slow(200 * time.Millisecond), Valid, 0, "slow"},
		{"http://www.blogwiese.de/karel/2008-07-zkouska.html", gzipped, Valid, 0, "gzip"},
		{"http://www.blogwiese.de/hannelore/", html, Invalid, never, "German, on the same host"},
		{"http://www.blogwiese.de/hannelore/zaun.png", picture(40, 30), Unjudged, never, "embedded by a page that is not valid"},
		{"http://www.blogwiese.de/hannelore/rosen.html", html, Invalid, never, "German"},
		{"http://www.blogwiese.de/hannelore/kompost.html", html, Invalid, never, "German"},
		{"http://www.blogwiese.de/uwe/", html, Invalid, never, "German that mentions Czech places"},

		// Czechs abroad, old encodings
		{"http://www.krajane-viden.at/", html, Valid, 0, "Czech on .at"},
		{"http://www.krajane-viden.at/program.html", windows1250, Valid, 0, "windows-1250, declared in a meta element"},
		{"http://www.krajane-viden.at/historie.html", windows1250, Valid, 0, "windows-1250, undeclared, without lang"},
		{"http://www.krajane-viden.at/divadlo.html", html, Valid, 0, "Czech; its e-mail address is not in .cz"},
		{"http://www.krajane-viden.at/deutsch.html", html, Invalid, 1, "the club in German"},
		{"http://www.krajane-viden.at/sal.png", picture(60, 40), Unjudged, 0, "embedded"},

		// plain HTTP that leads to TLS
		{"http://www.ceska-skola.org/", redirect(301, "https://www.ceska-skola.org/"), Unjudged, 0, "seed that redirects from http to https"},
		{"https://www.ceska-skola.org/", gzipped, Valid, 0, "TLS and gzip"},
		{"https://www.ceska-skola.org/skola.css", css, Unjudged, 0, "style sheet"},
		{"https://www.ceska-skola.org/linky.png", picture(20, 20), Unjudged, 0, "background in it"},
		{"https://www.ceska-skola.org/trida.png", picture(60, 40), Unjudged, 0, "embedded"},
		{"https://www.ceska-skola.org/rozvrh.html", html, Valid, 0, "a timetable"},
		{"https://www.ceska-skola.org/aktuality.html", html, Valid, 0, "holds an iframe"},
		{"https://www.ceska-skola.org/pocasi.html", html, Invalid, 0, "English, archived because a valid page frames it"},
		{"https://www.ceska-skola.org/ramy.html", html, Valid, 0, "a frameset: its title, and the language that it declares"},
		{"https://www.ceska-skola.org/ram-menu.html", html, Valid, 0, "three Czech words"},
		{"https://www.ceska-skola.org/ram-obsah.html", html, Valid, 0, "Czech, also in a frame"},
		{"https://www.ceska-skola.org/english.html", html, Invalid, 1, "the school in English"},
		{"https://www.ceska-skola.org/rozbite.php", crash, Unjudged, 1, "a 500"},

		// Czech holidays in Croatia
		{"http://www.apartmany-jadran.eu/", html, Valid, 0, "Czech on .eu"},
		{"http://www.apartmany-jadran.eu/ubytovani.html", xhtml, Valid, 0, "XHTML"},
		{"http://www.apartmany-jadran.eu/cesta.html", html, Valid, 0, "Czech, no contacts"},
		{"http://www.apartmany-jadran.eu/hrvatski.html", html, Invalid, 1, "Croatian is not Czech"},
		{"http://www.apartmany-jadran.eu/more.png", picture(70, 40), Unjudged, 0, "embedded"},
		{"http://www.apartmany-jadran.eu/pudorys.png", picture(50, 50), Unjudged, 0, "embedded in XHTML"},

		// a Czech without lang, e-mail or telephone
		{"http://www.prekladatel.info/", html, Valid, 0, "only the words speak for it"},
		{"http://www.prekladatel.info/reference.html", html, Valid, 0, "a list"},
		{"http://www.prekladatel.info/deutsch.html", html, Invalid, 1, "German under a Czech name"},

		// Slovak, the nearest neighbour
		{"http://www.horskechaty.sk/", html, Invalid, never, "Slovak"},
		{"http://www.horskechaty.sk/tatry.html", html, Invalid, never, "Slovak"},
		{"http://www.horskechaty.sk/fatra.html", html, Invalid, never, "Slovak"},
		{"http://www.horskechaty.sk/recenzia.html", html, Invalid, never, "seed; Slovak that quotes a Czech sentence"},
		{"http://www.horskechaty.sk/kontakt.html", html, Invalid, never, "Slovak with a Slovak telephone number"},
		{"http://www.horskechaty.sk/chata.png", picture(40, 40), Unjudged, never, "embedded by a page that is not valid"},

		// Polish
		{"http://www.rowerem.pl/", html, Invalid, never, "Polish"},
		{"http://www.rowerem.pl/mazury.html", html, Invalid, never, "Polish"},
		{"http://www.rowerem.pl/beskidy.html", html, Invalid, never, "seed; Polish"},
		{"http://www.rowerem.pl/kontakt.html", html, Invalid, never, "Polish with a telephone number"},

		// German, near the border
		{"http://www.gasthof-lindenhof.de/", html, Invalid, never, "German"},
		{"http://www.gasthof-lindenhof.de/hof.css", css, Unjudged, never, "style sheet of a page that is not valid"},
		{"http://www.gasthof-lindenhof.de/karo.png", picture(10, 10), Unjudged, never, "background in it"},
		{"http://www.gasthof-lindenhof.de/linde.png", picture(50, 60), Unjudged, never, "embedded by a page that is not valid"},
		{"http://www.gasthof-lindenhof.de/zimmer.html", html, Invalid, never, "German"},
		{"http://www.gasthof-lindenhof.de/ausflug.html", html, Invalid, never, "seed; German with three +420 numbers and a .cz address"},
		{"http://www.gasthof-lindenhof.de/anfahrt.html", html, Invalid, never, "German"},

		// English
		{"http://www.oldclocks.org/", html, Invalid, never, "English"},
		{"http://www.oldclocks.org/repair.html", html, Invalid, never, "English"},
		{"http://www.oldclocks.org/dealers.html", html, Invalid, never, "seed; English with one .cz address"},
		{"http://www.oldclocks.org/history.html", html, Invalid, never, "English"},
		{"http://www.oldclocks.org/dial.png", picture(40, 40), Unjudged, never, "embedded by a page that is not valid"},

		// English that looks Czech to a careless program
		{"http://www.world-recipes.net/", html, Invalid, never, "English"},
		{"http://www.world-recipes.net/goulash.html", html, Invalid, never, `seed; English with lang="cs"`},
		{"http://www.world-recipes.net/dumplings.html", html, Invalid, never, "English with the names of Czech dishes"},
		{"http://www.world-recipes.net/soup.html", html, Invalid, never, "English; Czech sentences in a script only"},

		// the trap
		{"http://www.events-calendar.eu/", html, Invalid, never, "seed; leads to the endless calendar"},

		// a name that no DNS server knows
		{"http://www.zanikla-firma.net/", nil, Unjudged, never, "seed of a firm that is gone"},
	}
}

// link is one that the domain harvest found and threw away.
type link struct{ url, via, hops string }

// discarded lists the links in the order of the log.
func discarded() []link {
	return []link{
		{"http://firma-horak.eu/", "http://www.obec-dolni-lhota.cz/firmy.html", "LL"},
		{"http://www.blogwiese.de/karel/2008-05-nadrazi.html", "http://www.cestopisy-online.cz/odkazy/nemecko.html", "LLL"},
		{"http://www.gasthof-lindenhof.de/ausflug.html", "http://www.sumava-info.cz/partneri.php", "LL"},
		{"http://www.horskechaty.sk/recenzia.html", "http://www.knihkupec-hora.cz/napsali-o-nas.html", "LLLL"},
		{"http://www.krajane-viden.at/historie.html", "http://www.krajane-ve-svete.cz/rakousko.html", "LL"},
		{"http://firma-horak.eu/", "http://www.stavime-roubenky.cz/dodavatele.html", "LLL"},
		{"http://www.rowerem.pl/beskidy.html", "http://www.cyklo-bohumin.cz/", "L"},
		{"http://www.oldclocks.org/dealers.html", "http://www.hodinar-praha.cz/odkazy.html", "LL"},
		{"http://www.world-recipes.net/goulash.html", "http://www.kucharka-babicky.cz/gulas.html", "LLL"},
		{"http://www.ceska-skola.org/", "http://www.krajane-ve-svete.cz/amerika.html", "LL"},
		{"http://www.zanikla-firma.net/", "http://www.katalog-firem-lhota.cz/z.html", "LLLL"},
		{"http://www.apartmany-jadran.eu/", "http://www.dovolena-trebic.cz/chorvatsko.html", "LL"},
		{"http://www.events-calendar.eu/", "http://www.obec-dolni-lhota.cz/akce.html", "LLR"},
		{"http://www.prekladatel.info/", "http://www.tlumocnici-seznam.cz/v.html", "LLL"},
	}
}
