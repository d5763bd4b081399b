package markup

import (
	"slices"
	"strings"
	"testing"

	"exclave/internal/growthtest"
)

// TestPartsOfBundles: each form in which runtimes of webpack and rspack make names of parts, and files that parts have below the public path.
func TestPartsOfBundles(t *testing.T) {
	for _, c := range []struct{ at, code, want string }{
		{"/s/r.js", `r.u=e=>5301===e?"80691ed8.chunk.js":2998===e?"8c52fa64.chunk.js":e===7?"a/"+e+"-0d9c8b7a.js":void 0,r.p="/static/assets/"`,
			"X /static/assets/80691ed8.chunk.js js/string, X /static/assets/8c52fa64.chunk.js js/string, X /static/assets/a/7-0d9c8b7a.js js/string"},
		{"/_next/static/chunks/webpack-1a2b3c4d.js", `r.u=e=>592===e?"static/chunks/592-0d9c8b7a.js":"static/chunks/"+(({860:"all"})[e]||e)+"."+({506:"4f046460",860:"3cbfc4a4"})[e]+".js";r.p=(()=>{return ""})()+"/_next/"`,
			"X ../../static/chunks/506.4f046460.js js/import, X ../../static/chunks/592-0d9c8b7a.js js/import, X ../../static/chunks/all.3cbfc4a4.js js/import"},
		{"/lab/main.js", `__webpack_require__.u=e=>""+(5531===e?"core":e)+"."+({1014:"073326ef",5531:"289ea871"})[e]+".js?v="+({1014:"073326ef",5531:"289ea871"})[e]+"";x.p=t("url")+"/"`,
			"X 1014.073326ef.js?v=073326ef js/import, X core.289ea871.js?v=289ea871 js/import"},
		{"/a/main.js", `(()=>{n.u=e=>"js/"+{4e3:"aa11",52:11112222}[e]+".js"})();lib.p="no";n.p="b/"`, "X b/js/11112222.js js/string, X b/js/aa11.js js/string"},
		{"/a/main.js", "n.u=e=>`js/${({1:\"a\"})[e]||e}.${{1:\"b1\",2:\"c2\"}[e]}.js`;n.p=\"/\"", "X /js/2.c2.js js/string, X /js/a.b1.js js/string"},
		{"/a/main.js", `n.u=function(e){return"".concat({1:"a"}[e]||e,".").concat({1:"b1"}[e],".js")},n.p="/"`, "X /a.b1.js js/string"},
		{"/a/main.js", "__webpack_require__.u = (chunkId) => {\n\t// of this\n\tif (chunkId === \"x\") return \"js/x.js\";\n\tif ({\"y\":1,\"z\":1}[chunkId]) { return \"\" + chunkId + \".min.js\" }\n\t/* others */ return undefined;\n};\n__webpack_require__.p = \"/d/\";",
			"X /d/js/x.js js/string, X /d/y.min.js js/string, X /d/z.min.js js/string"},
		{"/a/main.js", `n.miniCssF=e=>"css/"+e+"."+{26:"99bc",77:"43c0"}[e]+".css",n.p="/s/",n.f.miniCss=(t,r)=>{e[t]?r.push(e[t]):0!==e[t]&&{77:1}[t]&&r.push(1)}`, "X /s/css/77.43c0.css js/string"},
		{"/a/main.js", `var a={},i={77:1};s.e=function(t){a[t]?e.push(a[t]):0!==a[t]&&i[t]&&e.push(function(){var u="css/"+({26:"b"}[t]||t)+"."+{26:"99bc",77:"43c0"}[t]+".css",o=s.p+u})};s.p="/s/"`, "X /s/css/77.43c0.css js/string"},
		{"/a/main.js", `var i={x:"y"},j={},g=0!==q[w]&&i[w],h=0!==q[w]&&j[w],o=void 0!==q[w]&&{26:1}[w];n.miniCssF=e=>"css/"+e+"."+{26:"99bc",77:"43c0"}[e]+".css",n.p="/s/",n.f.miniCss=(t,r)=>{e[t]?r.push(e[t]):0!==e[t]&&{77:1}[t]&&r.push(1)}`, "X /s/css/77.43c0.css js/string"},
		{"/a/main.js", `n.miniCssF=e=>"css/"+e+"."+{26:"99bc",77:"43c0"}[e]+".css",n.p="/s/",n.f.miniCss=(t,r)=>{e[t]?r.push(e[t]):0!==e[t]&&{77:1}[t]&&r.push(1)};n.miniCssF=e=>"css/"+e+"."+{4:"99bc",5:"aaaa"}[e]+".css",n.p="/s/",n.f.miniCss=(t,r)=>{e[t]?r.push(e[t]):0!==e[t]&&{5:1}[t]&&r.push(1)}`, "X /s/css/5.aaaa.css js/string, X /s/css/77.43c0.css js/string"},
		{"/a/main.js", `n.miniCssF=e=>""+(26===e?"Board":e)+"."+({26:"99bc",77:"43c0"})[e]+".css",n.p="/s/"`, "X /s/77.43c0.css js/string, X /s/Board.99bc.css js/string"},
		{"/a/main.js", `x.u=e=>e+".voila.js",x.g=1;x.e(12).then(x.e("page")),x.e(y);if(!e)throw new Error("Automatic publicPath is not supported in this browser");x.p=e`,
			"X 12.voila.js js/import, X page.voila.js js/import"},
		{"/a/js/main.js", `n.u=e=>"js/"+e+"."+{1:"aa"}[e]+".js";throw new Error("Automatic publicPath is not supported in this browser");n.p=e`, "X js/1.aa.js js/import"},
		// webpack 4
		{"/static/js/runtime~main.js", `c.src=function(e){return d.p+"static/js/"+({0:"vendors~a"}[e]||e)+".js?version="+{0:"f9b6",3:"a1"}[e]}(e);for(var r="static/css/"+({}[e]||e)+"."+{0:"31d6cfe0",3:"bc8f"}[e]+".chunk.css",i=d.p+r;;);d.p=window.path`,
			"X ../../static/css/3.bc8f.chunk.css js/import, X ../../static/js/3.js?version=a1 js/import, X ../../static/js/vendors~a.js?version=f9b6 js/import"},
		{"/b/main.js", "function jsonpScriptSrc(chunkId) {\n return __webpack_require__.p + \"\" + ({\"a\":\"a\"}[chunkId]||chunkId) + \".bundle.js\"\n}\n__webpack_require__.p = \"/dist/\";", "X /dist/a.bundle.js js/string"},
		// files of parts
		{"/s/ab12.chunk.js", push12 + `1:(e,t,r)=>{e.exports=r.p+"0d9c.woff2"},2:(e,t,r)=>{a={x:r.p+"1f2e.geojson",y:r.p+t+".png"}}}])`, "X 0d9c.woff2 js/import, X 1f2e.geojson js/import"},
		{"/app/static/js/2.chunk.js", push12 + `1:(e,t,r)=>{const a=r.p+"static/media/a.89c21d68.svg";new Worker(r.p+"b12e.worker.js")}}])`, "X ../../b12e.worker.js js/import, X ../../static/media/a.89c21d68.svg js/import"},
		{"/js/ab.js", push12 + `1:(e,t,r)=>{e.exports=r.p+"img/a.png"}}])`, "X ../img/a.png js/import"},
		{"/p/chunks/ab.js", push12 + `1:(e,t,r)=>{e.exports=r.p+"a.png"}}])`, "X ../a.png js/import"},
		{"/p/main.js", `(()=>{var t={1:(e,t,r)=>{e.exports=r.p+"a.png"}};n.p="/d/"})()`, "X /d/a.png js/string"},
		{"/p/_next/static/chunks/1.js", push12 + `1:(e,t,r)=>{a={src:(()=>{return ""})() + "/_next/static/media/a.0345d72d.svg"}}}])`, "X ../../../_next/static/media/a.0345d72d.svg js/import"},
		{"/p/12.app.js", push12 + `1:(e,t,r)=>{"use strict";},3:(e,t,r)=>{r.e(13).then(r.bind(r,14))}}])`, "X 13.app.js js/import"},
		{"/p/12.0d9c8b7a.js", push12 + `1:(e,t,r)=>{r.e(13).then(r.bind(r,14))}}])`, ""},
		{"/p/d3.js", `n.p=i,i=n;x=n.p+"a.png"`, ""},
	} {
		d := Parse(JS, []byte(c.code), Options{URL: "http://a.cz" + c.at})
		got := brief(d.Links)
		slices.Sort(got)
		if got := strings.Join(slices.Compact(got), ", "); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.code, got, c.want)
		}
	}
}

// TestStatsOfBundles: the files in what webpack says of a bundle.
func TestStatsOfBundles(t *testing.T) {
	const names = `{"app":["app-0a1b2c3d4e.js","plain.js"],"p":"p-0a1b2c3d4f.css"}`
	for code, want := range map[string]string{`{"errors":[],"assetsByChunkName":` + names + `}`: "X app-0a1b2c3d4e.js js/string, X p-0a1b2c3d4f.css js/string", `{"other":` + names + `}`: ""} {
		if got := strings.Join(brief(Parse(JSON, []byte(code), Options{URL: "http://a.cz/webpack.stats.json"}).Links), ", "); got != want {
			t.Errorf("%s: got %s", code, got)
		}
	}
}

// TestLinearBundles: a script that only begins with functions of names takes no longer than its length.
func TestLinearBundles(t *testing.T) {
	for _, begin := range []string{`.u=e=>e+".js";`, `.u=e=>"`, `.u=e=>{1:"`, `.u=e=>1===e?"a.js":`, `x.p="`, `x.p+"a.png"+`, `"+({1:"a"}[e]+`, `define(["./a"`, `define(["./a"]);r(["./b",`, `define("12",["`, `.u=e=>((((`, ".u=e=>`${", `.p="/*`, `.p/*`, `n.p=e,`, `define(/*`, `.e(/*`, `(["./"/*`, `.u=/*`, `r.e(12)//`} {
		growthtest.Linear(t, growthtest.Repeat([]byte(push12+`n.u=e=>1===e?"a.js":void 0;define(["./z"]);`), []byte(begin), nil), func(src []byte) { Parse(JS, src, Options{URL: "http://a.cz/12.js"}) })
	}
}

const push12 = `(self.webpackChunka=self.webpackChunka||[]).push([[12],{`

// TestListsOfBundlers: the lists of files and pages that Vite, SystemJS, Parcel and Next.js have in scripts, relative to what they are relative to.
func TestListsOfBundlers(t *testing.T) {
	const deps = `const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=["%a.js","%a.css"])))=>i.map(i=>d[i]);`
	for _, c := range []struct{ at, code, want string }{
		{"/x/assets/i.js", strings.ReplaceAll(deps, "%", "./") + `const f=function(e,t){return new URL(e,t).href}`, "X ./a.css js/import, X ./a.js js/import"},
		{"/x/entry/i.js", strings.ReplaceAll(deps, "%", "../nodes/"), "X ../nodes/a.css js/import, X ../nodes/a.js js/import"},
		{"/x/assets/js/i.js", strings.ReplaceAll(deps, "%", "assets/"), "X ../../assets/a.css js/import, X ../../assets/a.js js/import"},
		{"/x/i.js", strings.ReplaceAll(deps, "%", "assets/") + `const p=function(e){return"/b/"+e}`, "X /b/assets/a.css js/string, X /b/assets/a.js js/string"},
		{"/x/a-legacy.js", `System.register(["./b.js"],(function(e,t){return{execute:function(){t.import("./c.js");e("x",new URL("p.png",t.meta.url).href)}}}))`, "E ./c.js js/import, E p.png js/import, X ./b.js js/string own"},
		{"/x/index.1a2b3c4d.js", `r("b").register(r("c").getBundleURL("kD"),JSON.parse('{"kD":"index.1a2b3c4d.js","f2":"page.5e6f7a8b.js"}'));y=a("z").getBundleURL("kD")+"logo.0a1b2c3d.png"`, "X index.1a2b3c4d.js js/string own, X logo.0a1b2c3d.png js/import, X page.5e6f7a8b.js js/string own"},
		{"/x/index.1a2b3c4d.js", `r.parcelRequire94c2=i;i("b").register(new URL("",import.meta.url).toString(),JSON.parse('["kD","index.1a2b3c4d.js","f2","page.5e6f7a8b.js"]'))`, "X http://a.cz/x/index.1a2b3c4d.js js/string, X index.1a2b3c4d.js js/string own, X page.5e6f7a8b.js js/string own"},
		{"/x/vs/e/main.js", `define("vs/e/main", ["../a", "require"], f); define(["./no"], g, y = {u: x.toUrl("./w.js")}); r(["../late"], f)`, "X ../a.js js/import, X ../late.js js/import, X ./no.js js/import, X ./w.js js/import"},
		{"/x/_next/static/b/_ssgManifest.js", `self.__SSG_MANIFEST=new Set(["\u002F","\u002Fblog\u002F[slug]","\u002Fabout"]);`, "X /x/about js/string"},
		{"/_next/static/b/_buildManifest.js", `self.__BUILD_MANIFEST={"/about":["static/chunks/a-1.js"],sortedPages:["/_app","/404","/about","/p/[id]"]}`, "X ../../static/chunks/a-1.js js/import, X /about js/string"},
	} {
		var got []string
		for _, l := range Parse(JS, []byte(c.code), Options{URL: "http://a.cz" + c.at}).Links {
			link := string(l.Hop) + " " + l.URL + " " + l.Context
			if !l.OfPage && l.Context == jsString {
				link += " own"
			}
			got = append(got, link)
		}
		slices.Sort(got)
		if got := strings.Join(slices.Compact(got), ", "); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.code, got, c.want)
		}
	}
}
