package markup

// jsConstructs are those of scripts.
func jsConstructs() []construct {
	return []construct{
		{"strings in parts", JS, `document.write("<scr" + 'ipt src="/a.js"></scr' + "ipt>"); i.src = "/img/" + "b.png"; j.src = "/img/" + n + "/c.png"; k.src = x + "/d" + "/e.png"`,
			[]string{"E /a.js script/@src", "X /img/b.png js/string"}},
		{"everything that loads code", JS, `import a from '/m/a.js'; export * from "./b.js"; import "../c.js"; importScripts("d.js", 'e.js'); new Worker("f.js"); new SharedWorker("g.js"); import("react")`,
			[]string{"E /m/a.js js/import", "E ./b.js js/import", "E ../c.js js/import", "E d.js js/import", "E e.js js/import", "E f.js js/worker", "E g.js js/worker"}},
		{"a regular expression with a quote does not turn strings inside out", JS, `x = /["']/.test(y) / 2; z = "/a/b.html"`, []string{"X /a/b.html js/string"}},
		{"parts of URLs, types, dates and selectors are no URLs", JS, `a="/a/"+b; c=d+"/e.png"; f="text/css"; g="dd/mm/yyyy"; h="a.b"; i="//"; j="/"; k="./"; l="http://"; m="1.2.3"; n="#x/y.html"; o="?a=/b.c"; p="http://www.w3.org/2000/svg"`, nil},
		{"escapes of JSON", JS, `x={"u":"https:\/\/a.cz\/b?c=\u017e"}`, []string{"X https://a.cz/b?c=ž js/string"}},
		{"broken code is read on", JS, "var a = 'x\nfoo(); var b = \"/c/d.js\"; 3in x; e='/f/g.js'", []string{"X /c/d.js js/string", "X /f/g.js js/string"}},
		{"URLs of modules", JS, `new URL("./a.png", import.meta.url); new URL("/api/v1/x.json", location.href)`, []string{"E ./a.png js/import", "X /api/v1/x.json js/string"}},
		{"where location leads", JS, `location = 'go/there'; window.location.href = "next"; location.replace('a'); document.location.assign("b?c=1"); window.open('d'); top.location="e/"; open("f")`,
			[]string{"L go/there js/location", "L next js/location", "L a js/location", "L b?c=1 js/location", "L d js/location", "L e/ js/location", "L f js/location"}},
		{"location without an address", JS, `location = "#top"; location.href = "go/" + x; "a".replace("b", "c"); x.href == "y"; location.hash = "z"`, nil},
		{"arguments and members that are addresses", JS, `fetch("api/items"); xhr.open("GET", "data/list?x=1"); $.getJSON('j/k'); $.ajax({url: "m/n"}); img.src = "o/p"; navigator.serviceWorker.register('sw.js')`,
			[]string{"X api/items js/string", "X data/list?x=1 js/string", "X j/k js/string", "X m/n js/string", "X o/p js/string", "X sw.js js/string"}},
		{"keys of objects are names", JS, `a = {"/sites/a.js": 1, './af': 'K/tc', "./af.js": "K/tc", "u": "/b/c.js"}; d = e ? "/f/g.js" : "/h/i.js"`,
			[]string{"X /b/c.js js/string", "X /f/g.js js/string", "X /h/i.js js/string"}},
		{"places to be filled in", JS, `["/api/users/:id/x", "%s/img.png", "/a/%d.png", "/u/{id}/p.html", "/a/__NAME__", "/x/$1/y.png", "<%= a %>/b.js", "/a%20b/c.png"]`, []string{"X /a%20b/c.png js/string"}},
		{"places for advertisements", JS, `googletag.defineSlot("/1234567/news/top", [1, 2], "div"); x = "/2024/05/title"; y = "/7890/a/b.html"`, []string{"X /2024/05/title js/string", "X /7890/a/b.html js/string"}},
		{"folders that names are put behind", JS, `base = "/themes/x/"; {path: "/en/"}; d = "/en/news/"; u = "/wp-content/plugins/y/"`, []string{"X /en/news/ js/string"}},
		{"modules of a bundle", JS, `require("./a.js"); define(["b/c"], f); import "react"`, nil},
		{"what document.write writes is part of the page", JS, `document.write('<script src="a.js"><\/script><img src="b.png">'); document.writeln("<a href=c.html>d</a>"); document.write('<img src="e/' + f + '.png"><img src="g.png">')`,
			[]string{"E a.js script/@src", "E b.png img/@src", "L c.html a/@href", "E g.png img/@src"}},
		{"HTML in other strings may become part of it", JS, "x.innerHTML = '<img src=\"a.png\" srcset=\"b.png 2x\"><p style=\"background:url(c.png)\">'; y = `<div class=\"${z}\"><img src=\"d.png\"><img src=\"${e}.png\"></div>`; if (a < b) c('d > e')",
			[]string{"X a.png img/@src", "X b.png img/@srcset", "X c.png css/url", "X d.png img/@src"}},
		{"style sheets and lists of pictures in strings", JS, `a = "p{background:url(img/a.png)}"; b = "c.png 1x, d.png 2x"; e = "url(" + f + ")"; g = "call(x) or y"`, []string{"X img/a.png css/url", "X c.png js/string", "X d.png js/string"}},
		{"JSON in strings", JS, `x = JSON.parse('{"u":"https:\\/\\/a.cz\\/b","v":["c/d.png"],"e":"f.g"}'); y = "[data-x='/a/b.js']"`, []string{"X https://a.cz/b js/string", "X c/d.png js/string"}},
		{"the protocol before it makes no part of an address", JS, `a.src = location.protocol + "//b.cz/c.js"; d = "//e" + f; g = p + "//h.cz/i?j=" + k`, []string{"X //b.cz/c.js js/string"}},
		{"brackets and stars in addresses, and in patterns", JS, `["https://a.cz/b(1)/c*d[0].png", "https://*.a.cz/*", "https://a.cz/(?:b|c)", "https://a.cz/.*", "/a(b)/c.js"]`, []string{"X https://a.cz/b(1)/c*d[0].png js/string"}},
	}
}
