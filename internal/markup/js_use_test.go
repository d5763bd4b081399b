package markup

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// unread is what makes a script one that nobody interprets, as those that are too long: what its strings are used for is all that is known then.
const unread = ";)"

// eachWord is a row for each of some words: %s in the code is the word.
func eachWord(why, code, want string, words ...string) (rows [][3]string) {
	for _, w := range words {
		rows = append(rows, [3]string{why, strings.ReplaceAll(code, "%s", w), want})
	}
	return rows
}

// What a string is used for tells whether it is an address, also where nothing else is known of the script.
func TestStringsByUse(t *testing.T) {
	const link, fetched, nav = "X /n/o.png js/string", "X a/b js/fetch", "L /n/o.html js/location"
	rows := slices.Concat(
		eachWord("what is given to something", `a.%s("/n/o.png")`, link, "add", "put", "set"),
		eachWord("what something is compared with or looked for in, or what is told", `a.%s("/n/o.png")`, "", "indexOf", "lastIndexOf", "startsWith", "endsWith", "includes", "match", "search", "test", "matches", "closest", "querySelector", "querySelectorAll",
			"getElementById", "createTextNode", "createComment", "createHTMLDocument", "canParse", "addEventListener", "removeEventListener", "postMessage", "log", "warn", "error", "info", "debug", "getItem", "setItem", "removeItem", "replace", "replaceAll", "send"),
		eachWord("errors", `throw new %s("/n/o.png")`, "", "Error", "TypeError", "RangeError", "SyntaxError"),
		eachWord("names of types, events and parts", `a = {"%s": "/n/o.png"}`, "", "@context", "Accept", "accept", "Content-Type", "content-type", "contentType", "mimeType", "mimetype", "event", "eventName", "moduleName", "__file", "_file", "namespace", "page_path", "page_location", "title", "alt", "className", "placeholder", "label", "aria-label"),
		eachWord("names of elements", `a.className = "/n/o.png"%s`, "", "", ";"),
		eachWord("comparisons", `if (a %s "/n/o.png") b()`, "", "==", "===", "!=", "!=="),
		eachWord("visits", `%s("/n/o.png")`, "", "ga", "gtag", "fbq", "ym", "urchinTracker", "a._trackPageview", "require", "requirejs", "define", "__webpack_require__", "dataLayer.push", "_gaq.push", "_paq.push", "_hmt.push"),
		eachWord("texts", `a.%s = "<img src=/n/o.png>"`, "", "textContent", "innerText", "nodeValue", "title", "alt", "placeholder"),
		eachWord("what asks for an address and reads the answer", `%s("a/b")`, fetched, "fetch", "$.getJSON", "axios", "$.get", "jQuery.get", "axios.get", "$.ajax", "jQuery.ajax", "$.request", "axios.request"),
		eachWord("what asks for an address and reads the answer, as far as nobody knows what it is", `%s("a/b")`+unread, fetched, "a.getJSON", "$.load", "jQuery.load"),
		eachWord("what asks for an address", `%s("a/b")`, "X a/b js/string", "a.getScript", "new EventSource", "new Audio", "a.addModule", "navigator.sendBeacon", "navigator.serviceWorker.register", "$.post", "axios.post", "a.load"),
		eachWord("others that are called so", `a.%s("a/b")`, "", "get", "post", "ajax", "request", "register"),
		eachWord("attributes", `a.%s = "a/b"`, "X a/b js/string", "src", "href", "poster", "action"),
		eachWord("variables that are called so", `%s = "a/b"`, "", "src", "href", "poster", "action"),
		eachWord("members", `a = {%s: "a/b"}`, "X a/b js/string", "url", "href", "src", "contentUrl", "thumbnailUrl", "embedUrl"),
		eachWord("names of files", `%s = "e.gif"`, "X e.gif js/string", "a.src", "src", "href", "a.href"),
		eachWord("names of files that something is put before elsewhere", `a = %s"e.gif"]`, "", "[", "c = [", "[b, "),
		eachWord("where browsers go", `%s("/n/o.html")`, nav, "location.assign", "location.replace", "window.location.replace", "open", "window.open"),
		eachWord("where browsers go", `%s = "/n/o.html"`, nav, "location", "window.location", "location.href", "document.location.href"),
		eachWord("folders of programs", `a = "%s"`, "", "/api", "/api/", "/rest/v2", "/webapi", "/wp-json/", "/api/v1.1", "/webapi/v2"),
		eachWord("folders by their names", `%s = "/n/o"`, "", "apiUrl", "API_URL", "baseUrl", "URL_PREFIX", "end_endpoint", "rootPath", "imgDir", "ImgDir", "cdn", "imgCDN", "imageFolder", "appBaseUrl", "database", "myprefix"),
		eachWord("folders of files", `a = "/n/%s/"`, "", "themes", "plugins", "modules", "assets", "static", "js", "css", "img", "images", "fonts", "dist", "lib", "libs", "libraries", "vendor", "sites", "wp-content", "wp-includes", "media", "files", "uploads", "scripts", "styles", "node_modules", "api", "ajax", "resources"),
		eachWord("folders by names that hold the word", `%s = "/n/o/"`, "", "database", "siteroot", "filepath", "myprefix", "workdir", "myfolder", "publics"),
		eachWord("what runs a script", `%s("a.src = '/n/o.png'")`, link, "setTimeout", "setInterval", "eval", "execScript"),
		eachWord("what is never run", `%s { a.src = "/n/o.png" } b.src = "/n/p.png"`, "X /n/p.png js/string", "if (false)", "if (0)", "if (!1)"),
		eachWord("what may be run", `%s { a.src = "/n/o.png" }`, link, "if (1)", "if (b)", "if (a.false)", "while (b)", "if (b == 0)", "if (b < 1)", "if (b && false)", "while (0)"),
		[][3]string{
			{"the other place of a comparison", `b = a[1] = "/n/o.png"`, link},
			{"blocks in what is never run", `if (false) { if (b) { c() } a.src = "/n/o.png" } d.src = "/n/p.png"`, "X /n/p.png js/string"},
			{"what is never run, to the end", `a.src = "/n/o.png"; if (false) { b.src = "/n/p.png"`, link},
			{"greater, and given back", `if (a >= "/n/o.png") b(); c(d => "/n/p.png")`, link + "|X /n/p.png js/string"},
			{"percent coding", `a = unescape("%2Fn%2Fo.png"); b = decodeURIComponent("%2Fn%2Fp.png"); c = decodeURI("/n/%C3%A1.png")`, link + "|X /n/p.png js/string|X /n/á.png js/string"},
			{"a key", `a["/n/o.png"] = 1`, ""},
			{"the first of a list behind a block", `if (b) {} ["/n/o.png", "/n/p.png"].map(c)`, link + "|X /n/p.png js/string"},
			{"a list that is gone through", `for (a of ["/n/o.png"]) b(a)`, link},
			{"a list of what follows a word", `return ["/n/o.png"]`, link},
			{"the method of an XMLHttpRequest", `a.open("GET", "a/b"); b.open("POST", "a/c"); c.open(m, "a/d"); window.open("", "a/e"); open("", "a/f")`, fetched + "|X a/c js/string|X a/d js/fetch"},
			{"the name of a window", `open("/n/o.html", "/n/p.html"); window.open("/n/q.html", "/n/r.html")`, nav + "|L /n/q.html js/location"},
			{"the name of a worker", `new Worker("a.js", {name: "/n/o"}); new SharedWorker("b.js", "/n/p"); new SharedWorker("c.js", {name: "/n/q"})`, "E a.js js/worker|E b.js js/worker|E c.js js/worker"},
			{"a name that is none", `new A("a", {name: "/n/o"})`, "X /n/o js/string"},
			{"what a worker imports", `importScripts("a.js", "/n/b.js")`, "E /n/b.js js/import|E a.js js/import"},
			{"of the module", `new URL("a.wasm", import.meta.url); new URL("b.wasm", c)`, "E a.wasm js/import|X b.wasm js/string"},
			{"no name of a package", `import a from "a"; import b from "./b.js"; import("./c.js")`, "E ./b.js js/import|E ./c.js js/import"},
			{"what something is put before", `a = b + "/n/o.png"; c = d + "//x.test/e.png"`, "X //x.test/e.png js/string"},
			{"values that are put behind", `a = "/n/o?p="; b = "/n/q?r=1"`, "X /n/q?r=1 js/string"},
			{"the front page of a host", `web = "https://x.test/"; a = {url: "https://y.test"}; b("https://z.test/")`, "X https://x.test/ js/string|X https://y.test js/string|X https://z.test/ js/string"},
			{"hosts of files", `assetsPath = "https://x.test/"; assetsDir = "https://x.test/y/"; a = {cdnHost: "https://x.test", wgServer: "//x.test", formserver: "https://x.test", stat_domain: "https://x.test/", mediaRootUrl: "https://x.test"}; b = c ? "https://x.test" : d`, ""},
			{"hosts that are called after what no host of files is", `a = {redirectUrl: "https://x.test/", publicationUrl: "https://y.test", original: "https://z.test", designer: "https://d.test/"}; b = {imgurl: "https://n.test", assetsUrl: "https://n.test"}`, "X https://d.test/ js/string|X https://x.test/ js/string|X https://y.test js/string|X https://z.test js/string"},
			{"hosts that browsers go to", `c(function () { c.href = a == "b" ? "https://x.test/" : "https://y.test/"; c.open(d ? "https://z.test" : e); f = g ? "https://n.test" : h })`, "X https://x.test/ js/string|X https://y.test/ js/string|X https://z.test js/string"},
			{"numbers that are put behind a fragment", `a = "https://x.test/e/#n-"; b = "https://x.test/e/#n"`, "X https://x.test/e/#n js/string"},
			{"what libraries tell their developers", `a = "https://vuejs.org/error-reference/#1"; b = "https://react.dev/errors/1"; c = "https://react.dev/learn/a"`, "X https://react.dev/learn/a js/string"},
			{"files of messages in a language", `a = [{code: "de", file: "b/de.json"}, {code: "cs", iso: "cs-CZ", file: "b/cs.json"}, {code: "sk", file: "/b/sk.json"}, {name: "c", file: "b/c.json"}]`, "X /b/sk.json js/string|X b/c.json js/string"},
			{"other files of codes", `a = [{code: "A1", file: "b/a1.pdf"}, {code: "A2", file: "b/a2.js"}]`, "X b/a1.pdf js/string"},
			{"folders of MediaWiki", `a = {stylepath: "/w/skins", wgExtensionAssetsPath: "/w/extensions", wgScript: "/w/index.php"}`, "X /w/index.php js/string"},
			{"files of modules of Magento", `a = {b: "Magento_Ui/js/c.html", d: "Shop_Bar/template/e.html", f: "shop_bar/g.html", h: "Foto_Praha/a.jpg", i: "Clanky_Texty/b.html"}`, "X Clanky_Texty/b.html js/string|X Foto_Praha/a.jpg js/string|X shop_bar/g.html js/string"},
			{"what is sent", `a = "/latest=-1&/new=-1"; b = "/n/o?p=1&q=2"`, "X /n/o?p=1&q=2 js/string"},
			{"places of maps and parts of paths", `a = "/n/o#p=1&q=2"; b = "https://x.test/n/p=1&q=2"`, "X /n/o#p=1&q=2 js/string|X https://x.test/n/p=1&q=2 js/string"},
			{"what libraries tell developers, and names of vocabularies", `a = "https://lit.dev/msg/multiple-versions"; b = {"xmlns$thr": "http://purl.org/syndication/thread/1.0"}; c = "https://lit.dev/docs/"`, "X https://lit.dev/docs/ js/string"},
			{"where owners of blogs go", `a = ["/b/layout-rearrange", "/b/post-edit"]`, "X /b/post-edit js/string"},
			{"where something is edited", `a = {editUrl: "/n/o.png", creditUrl: "/n/p.png", editIconUrl: "/n/q.png"}`, "X /n/p.png js/string|X /n/q.png js/string"},
			{"where advertisements stand", `a = {advertSection: "/n/o", "ad_unit": "/n/p", adUrl: "/n/q", adSlot: "/n/r.js", advertId: "/n/t", address: "/n/s"}`, "X /n/q js/string|X /n/r.js js/string|X /n/s js/string|X /n/t js/string"},
			{"what a service has", `a = {"r": [{"href": "/n/o", "variables": []}, {"href": "/n/p", "v": []}, {"href": "/n/q.html", "variables": []}, {"href": "https://x.test/r", "variables": []}]}`, "X /n/p js/string|X /n/q.html js/string|X https://x.test/r js/string"},
			{"what changes something", `a = {addToCartUrl: "/n/o", cart_update_url: "/n/p", setAmountUrl: "/n/q", setUrl: "/n/r", updatesUrl: "/n/s", predictive_search_url: "/n/v", addressUrl: "/n/t"}; removeURL = "/n/u"; b = {cart_add_url: "/n/v.js"}`, "X /n/r js/string|X /n/s js/string|X /n/t js/string"},
			{"what is called after a change, and is none", `a = {changeLanguageUrl: "/n/o", setLangUrl: "/n/p", change_log_url: "/n/q", addOnsUrl: "/n/r", deleteIconUrl: "/n/s.png"}`, "X /n/o js/string|X /n/p js/string|X /n/q js/string|X /n/r js/string|X /n/s.png js/string"},
			{"folders of files without a slash", `a = {b: "/n/images", g: "./o/smilies", c: "/n/img/o.png", d: "/n/images/o"}; e("/n/fonts"); f = "/_nuxt/"`, "X /n/images/o js/string|X /n/img/o.png js/string"},
			{"pages that are called as folders of files are", `a = [{url: "/n/icons"}, {href: "/n/modules"}]; fetch("/n/fonts"); b = "/n/o#/icons"`, "X /n/fonts js/fetch|X /n/icons js/string|X /n/modules js/string|X /n/o#/icons js/string"},
			{"icons of Leaflet", `a = {iconUrl: "marker-icon.png", shadowUrl: "marker-shadow.png", src: "marker-icon-2x.png", b: "o/marker-icon.png"}; c.src = "marker-icon.png"`, "X o/marker-icon.png js/string"},
			{"folders of releases", `a = {moduleRepoUrl: "https://x.test/y", url: "https://x.test/y/1.9811.0", b: "https://x.test/y/1.9811"}`, "X https://x.test/y/1.9811 js/string"},
			{"what is no folder of a release", `a = ["/docs/4.1.2", "https://x.test/a/15.1.2024", "//x.test/a/2024.01.15"]; b = {repoUrl: "https://x.test/y/z"}`, "X //x.test/a/2024.01.15 js/string|X /docs/4.1.2 js/string|X https://x.test/a/15.1.2024 js/string|X https://x.test/y/z js/string"},
			{"services, which answer when they are told something", `h = "/__utm.gif"; n = "/j/collect"; a = {b: "/n/o.ashx", c: "/n/o.ashx?id=1", d: "n/Q.asmx/List", e: "/n/o.svc", checkConsentHref: "/n/r", f: "/n/o.svc.png", url: "/n/p.svc/q"}`, "X /n/o.ashx?id=1 js/string|X /n/o.svc.png js/string|X /n/p.svc/q js/string"},
			{"what makes pictures smaller", `a = {path: "/_next/image"}`, ""},
			{"files whatever they are called", `base = "/n/o.png"; prefix = "/n/p.png"; apiUrl = "/n/q?a=1"`, link + "|X /n/p.png js/string|X /n/q?a=1 js/string"},
		},
	)
	for _, r := range rows {
		for _, end := range [...]string{"", unread} {
			d := Parse(JS, []byte(r[1]+end), Options{})
			got := brief(d.Links)
			slices.Sort(got)
			if diff := cmp.Diff(r[2], strings.Join(got, "|")); diff != "" {
				t.Errorf("%s: %s%s %s", r[0], r[1], end, diff)
			}
		}
	}
}

// What may make an address of something else makes a script one that is interpreted, whatever it says.
func TestScriptsThatMake(t *testing.T) {
	for _, call := range []string{"join", "replace", "replaceAll", "concat", "atob", "getAttribute", "data", "attr", "URL", "URLSearchParams", "fromCharCode", "define", "config", "decodeURIComponent", "parse", "submit", "postMessage", "map", "eval", "getJSON", "ajax", "fetch", "load"} {
		if src := fmt.Sprintf("a(b); c.%s(d)", call); !makes([]byte(src)) || makes([]byte("a(b); c.x"+src[8:])) {
			t.Error(src)
		}
	}
}

// Bundles with a list of their parts are interpreted, however long they are.
func TestBundlesWithParts(t *testing.T) {
	for src, want := range map[string]bool{
		`u=e=>"j/"+{1:"a"}[e]+".js"`: true, `u=e=>"j/"+({1:"a"}[e]||e)+".js"`: true, `u={1:"a"}[e];b`: false, `u={1:"a"}[e]|b`: false, `u={1:"a"}[abcdefghij]+b`: false, `u={1:"a"}[]+".js"`: false, `a={}[b];c={1:"a"}[e]+".js"`: true, `a={1:"a"}[e`: false, `a={1:"a"}[e]`: false, "": false,
	} {
		if got := hasChunks([]byte(src)); got != want {
			t.Errorf("%s: %v", src, got)
		}
	}
}

// A script is needed by others when it gives a name that they use a meaning, or calls a function of theirs, or what may wait for it.
func TestScriptsThatSay(t *testing.T) {
	var words, functions wordSet
	words.add([]byte("use(CONF.api + helper(1) + new Tile)"))
	for name := range meanings([]byte("$.fn.slide = function show() {}; f = 1")) {
		functions.put(name)
	}
	for src, want := range map[string]bool{
		"CONF = 1": true, "CONF=1": true, "CONF  = 1": true, "a.CONF = 1": true, "CONF == 1": false, "other = 1": false, "if (a == CONF) b = 1": false, "function helper() {}": true, "function helpers() {}": false, "class Tile {}": true, "class Tiles {}": false, "function f() {} function helper() {}": true,
		"all.push(1)": true, "$.extend(a, b)": true, "Object.assign(a, b)": true, "call(1)": false, "$('#a').slide({b: 1})": true, "show (1)": true, "a.slides(1)": false, "f(1)": false, "slide.a(1)": false, "CONF=": false, " = 1": false, "": false,
	} {
		if got := gives([]byte(src), &words) || calls([]byte(src), &functions); got != want {
			t.Errorf("%s: %v", src, got)
		}
	}
}
