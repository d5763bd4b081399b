package markup

import (
	"strings"
	"testing"
	"unicode/utf8"

	"exclave/internal/growthtest"
	"exclave/internal/script"
)

// check asserts what Parse promises for any bytes.
func check(t *testing.T, k Kind, body []byte, charset string) {
	t.Helper()
	checkWith(t, k, body, Options{DeclaredCharset: charset})
}

// checkWith asserts it with other options than those for lengths.
func checkWith(t *testing.T, k Kind, body []byte, o Options) {
	t.Helper()
	keep := string(body)
	o.MaxText, o.MaxLinks, o.MaxSource, o.KeepSource = 1000, 50, 100, true
	d := Parse(k, body, o)
	if d.Err != nil && k != Manifest {
		t.Fatalf("%v: %v", k, d.Err)
	}
	if string(body) != keep {
		t.Fatal("the body was changed")
	}
	if len(d.Text) > o.MaxText || len(d.Links) > o.MaxLinks || len(d.Source) > o.MaxSource || len(d.Title) > maxTitle || len(d.Base) > maxURL {
		t.Fatal("a limit was passed")
	}
	for _, s := range []string{d.Text, d.Title, d.Source, d.Base} {
		if !utf8.ValidString(s) {
			t.Fatalf("invalid UTF-8: %q", s)
		}
	}
	for _, l := range d.Links {
		if l.URL == "" || len(l.URL) > maxURL || !utf8.ValidString(l.URL) || strings.ContainsAny(l.URL, "\t\r\n") || len(l.Text) > maxLinkText || !utf8.ValidString(l.Text) {
			t.Fatalf("link %+v", l)
		}
		for _, c := range []byte(l.Context) {
			if c <= ' ' || c >= 0x7F {
				t.Fatalf("context %q", l.Context)
			}
		}
	}
}

// scriptSeeds put addresses together of constants in the ways that are read.
var scriptSeeds = []string{
	`l=[{f:"a.png",t:[1,"b"]},{f:"c.png"}];for(const {f,t:u} of l)x.src="/i/"+f+u[0];l.forEach(({f},i)=>x.src="/j/"+i+f);x.src="/k/"+l[1].f+l[-1].f+l[n].f`,
	`o={a:{f:"a.png"},"b":{f:"c.png"}};Object.entries(o).forEach(([k,{f}])=>x.src="/i/"+k+f);for(k in o)x.src="/j/"+k+o[k].f;Object.values(o).map(function(v){return "/k/"+v.f})`,
	`p=[["a","b"],["c",q(),"d"]];p.map(([,b,c])=>x.src="/"+b+c);for([a,b] of p)x.src="/"+a+b;p.push("e");p[0]="f.png";p[9]="";new Array("a","b").forEach(n=>x.src="/"+n)`,
	"x.src=`/a/${`b${q()}c`}/${n}.png`;y.innerHTML=`<img src=\"/a/${q(`<b ${r}>`)}\">`+f(g)+'<i>'+h[`",
	`for(i=-1;i<=3;i++)x.src="/"+(i<2?"0":"")+(i+1)+".png";x.src="/"+("00"+-3).slice(-2)+"abc".substr(-9,-2)+"7".padStart(-3,"")+"9".padStart(4,"xyz")+-1.5+".png"`,
	`require.config({baseUrl:"/b",paths:{a:"c/d"},urlArgs:"v="+1});require(["a","e/f","!g",""],f);define("h",["a"],f);requirejs.config([]);define("`,
	`const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=["a.js","b.css"])))=>i.map(i=>d[i]);const u=function(e){return"/"+e};`,
	`x.src="/"+e.target.dataset.yZ+el.getAttribute("data-x")+$(this).parent().data("x")+".png";(function(a,{b,c="d"}={},...e){x.src="/"+a+b+c}).call(this,"f",{b:"g"})`,
	`function f(a)"/b/"+a+".png";f("c")[0]`,
	`function f(v){x.src="/d/"+v+{1:"b"}[e]+".js"}f({1:"` + strings.Repeat("y", 600) + `"}[e]||e)`,
	`class A{static b="/s/";constructor({r="/r/"}={}){this.r=r}add(n){x.src=this.r+n}}new A({r:"/q/"}).add("a.png");"/f/"+({1:"a"}[e]||e)+{1:"b"}[e]+".js"`,
}

func FuzzHTML(f *testing.F) {
	for _, s := range []string{
		`<a href=x>y</a><img srcset="a 1x, b 2x"><svg><style/><title/></svg><iframe srcdoc="&lt;iframe srcdoc='x'>">`,
		"<script><!--<script></script>--></script><template><p>", "<?xml encoding='\xff'?><meta charset=utf-16><base href=//>",
		"<meta http-equiv=refresh content=';url=\"'><link rel='stylesheet preload' href=x as=style><pre>\r\n</pre>", "<x y='\x00' \xff=\xfe></\x00>",
		`<object codebase=a data=b archive="c d"><param name=src value=e/f><b onclick="'/a/b'" data-x=?/ style="a:url(">`,
	} {
		f.Add([]byte(s), "")
	}
	for _, s := range scriptSeeds {
		f.Add([]byte("<a-b src=e.png data-x=c.png data-y-z=2></a-b><script type=application/json>{\"a\":\"/b/\",\"l\":[{\"c\":\"d.png\"}]}</script><script>"+s+"</script><script>l.map(r=>x.src=a+r.c)</script>"), "")
	}
	f.Fuzz(func(t *testing.T, body []byte, charset string) {
		for _, k := range []Kind{HTML, XHTML, SVG, XML, PlainText} {
			check(t, k, body, charset)
		}
	})
}

// FuzzFiles gives scripts of a page answers, scripts and modules of other files.
func FuzzFiles(f *testing.F) {
	for _, s := range []string{
		`<script>fetch("a").then(r=>r.json()).then(d=>{x.src="/"+d.p});$.get("b",d=>{x.src="/"+d});axios("c").then(r=>{x.src="/"+r.data})</script>`,
		`<script>var x=new XMLHttpRequest;x.open("GET","a");x.onload=function(){y.src="/"+x.response+x.responseXML.firstChild};x.send();new Ajax.Updater("q","b",{method:"get"});$("#q").load("c")</script>`,
		`<script type=module src=m.js></script><script type=module>import a,{b as c} from "./m.js";import * as d from "./n.js";import e from "./o.json";x.src="/"+a+c+d.f+e.p;import("./p.js").then(m=>{x.src="/"+m.q})</script>`,
		`<script src=a.js></script><script>var s=document.createElement("script");s.onload=function(){x.src="/"+p};s.src="/"+"b.js";document.head.append(s)</script>`,
		`<body><script data-main=m src=r.js></script><script>require.config({baseUrl:"j"});require(["a","text!b.html"],(a,b)=>{x.src="/"+a.p+b})</script>`,
	} {
		for _, file := range []string{`{"p":"q","l":[1,{"n":null}]}`, `<p><img src=a.png></p>`, `export default "a";export const {b,...f}={b:1};export*from"./m.js";export{p as q}from"./n.js";import"./self.js"`, `define(["./b","exports"],function(b,e){e.p=b})`, `define(function(require,e,m){m.exports=require("./c")})`, "\xff\xfe{\x00", ""} {
			f.Add([]byte(s), []byte(file), "")
		}
	}
	f.Fuzz(func(t *testing.T, page, file []byte, charset string) {
		checkWith(t, HTML, page, Options{URL: "http://x.test/d/", Files: func(ref string) ([]byte, string) {
			if ref == "" || len(ref) > maxURL || strings.IndexByte(ref, script.Hole) >= 0 {
				t.Errorf("asks for %q", ref)
			}
			return file, charset
		}})
	})
}

func FuzzCSS(f *testing.F) {
	for _, s := range []string{`@import "a"; b{c:url(d) url("e`, `a{--b:url(c);d:image-set("e" 1x)}`, `\`, `@charset "x"; u\72l(a\`, "url(\x00"} {
		f.Add([]byte(s), "")
	}
	f.Fuzz(func(t *testing.T, body []byte, charset string) { check(t, CSS, body, charset) })
}

func FuzzJS(f *testing.F) {
	for _, s := range []string{"import '/a/b.js'", "`${`${'/a/b'}`}`", `a=/["/]/;b="\u12`, "'\\", "new Worker(`x`)", "`${#", "1/2/'", `document.write('<script src="a.js"><\/script><img src=b>')`, `x={"a/b":'{"u":"c/d.js"}'};new URL("a/b.js",import.meta.url)`, "location='a'+b;f(`<a href=${c} data-x='[\"d/e.png\"]'>`)", `"a.png 1x, b.png 2x"`} {
		f.Add([]byte(s))
	}
	for _, s := range scriptSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) { check(t, JS, body, "") })
}

func FuzzOther(f *testing.F) {
	for _, s := range []string{"#EXTM3U\n#EXT-X-KEY:URI=\"a\"\nb", "<MPD><BaseURL>a</BaseURL><SegmentURL media=b>", `{"icons":[{"src":"a"}]}`, "[playlist]\nFile1=a", "MZ PK\x01\x02PK\x05\x06", "/ObjStm stream\nx\x9c /URI (a\\", "/URI<41"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, k := range []Kind{HLS, DASH, Manifest, PDF, OOXML, ODF, EPUB, RTF, Packed} {
			check(t, k, body, "")
		}
	})
}

func FuzzLines(f *testing.F) {
	for _, c := range lineConstructs() {
		f.Add([]byte(c.in))
	}
	for _, s := range []string{"WEBVTT\n\n\n-->\n<", "<a> <b> \"\"\"c\\", "@prefix :<a>.[:b(:c", "A;B=\":", "[a](<b", "![", "From \n--", "--\n\n", "glTF", "UR  - ", "url=\\url{"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for k := VTT; k <= PostScript; k++ {
			check(t, k, body, "")
		}
	})
}

func FuzzSWF(f *testing.F) {
	for _, s := range []string{"FWS\x09\x00\x00\x00\x00\x00\x00\x0c\x01\x00\x3f\x03\x09\x00\x00\x00\x83\x06\x00a.b\x00\x00", "FWS\x09\x00\x00\x00\x00\x08\x00\x00\x0c\x01\x00\xbf\x14\xff\x00\x00\x00\x01\x00\x00\x00\x00\x10\x00\x2e\x00\x00\x00\x00\xff\xff\xff\xff\xff", "CWS", "glTF\x02\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xffJSON{"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		check(t, SWF, body, "")
		check(t, GLTF, body, "")
	})
}

// FuzzCharset: whatever the bytes are said to be, and whatever they say themselves,
// decoding gives UTF-8 in a charset that the standard knows, and no more of it than
// four bytes for each.
func FuzzCharset(f *testing.F) {
	for _, s := range []struct{ charset, body string }{
		{"", "\xff\xfea\x00\x00\xd8"}, {"", "\xef\xbb\xbf\xff"}, {"iso-2022-jp", "\x1b$B!!\x1b(B\x1b$B\xff"}, {"gb18030", "\x81\x30\x81\x30\xff"},
		{"big5", "\x88\x62\x88"}, {"replacement", "a"}, {"x-user-defined", "\x80\xff"}, {"utf-16", "\x00\xd8\x00"}, {"", "<meta charset=utf-16be>\xe8"},
		{"", "<?xml version='1.0' encoding='\xff'?>"}, {"", `@charset "euc-kr";` + "\xb0\xa1"}, {"hz-gb-2312", "~{"}, {"", "\xe8e\xb9tina"},
	} {
		f.Add([]byte(s.body), s.charset)
	}
	f.Fuzz(func(t *testing.T, body []byte, charset string) {
		for k := HTML; k < PDF; k++ {
			src, name, from := decode(k, body, charset)
			if !utf8.Valid(src) || len(src) > 4*len(body) {
				t.Fatalf("%v: %q as %s gives %q", k, body, name, src)
			}
			if _, ok := lookup(name); !ok || from == "" {
				t.Fatalf("%v: charset %q, from %q", k, name, from)
			}
		}
		growthtest.Repeated(t, nil, body, nil, func(b []byte) { decode(PlainText, b, charset) })
	})
}

// FuzzGrowth: a document of repeats takes time that grows no faster than it does.
func FuzzGrowth(f *testing.F) {
	f.Add(uint8(JS), []byte(`"x.png";`), []byte("@a "), []byte(""))
	f.Add(uint8(HTML), []byte("<a "), []byte("a=b>"), []byte("</a>"))
	f.Add(uint8(JS), []byte(`"<a `), []byte("style=/"), []byte(`"`))
	f.Add(uint8(JS), []byte(`"`), []byte("<!--<a b='<script"), []byte(`="`))
	f.Add(uint8(HTML), []byte("<!--[if IE]>"), []byte("<a src='"), []byte("-->"))
	f.Add(uint8(CSS), []byte("a{b:"), []byte("url("), []byte(")}"))
	f.Add(uint8(XML), []byte("<!DOCTYPE a [<!ENTITY b '&c;&c;'><!ENTITY c 'd'>]><a>"), []byte("<link>&b;&b;</link>"), []byte("&b;"))
	f.Add(uint8(JSON), []byte("{"), []byte(`"_links":{"@type":[`), []byte("\""))
	f.Add(uint8(JSON), []byte(`{"@context":{"@base":"a/","b":"@id"}`), []byte(`,"b":[{"@context":{"@base":"c/"},"@id":"d"}`), []byte("}"))
	f.Add(uint8(DASH), []byte("<MPD>"), []byte("<x><BaseURL>a/</BaseURL><BaseURL>b/</BaseURL>"), []byte("<SegmentURL media=c>"))
	f.Add(uint8(HLS), []byte("#EXTM3U\n"), []byte("#EXT-X-DEFINE:NAME=\"a\",VALUE=\"{$a}{$a}b\"\n{$a}\n"), []byte("c"))
	f.Add(uint8(PostScript), []byte("%!PS\n"), []byte("/URI ("), []byte(")"))
	f.Add(uint8(Turtle), []byte("@prefix a: <b> ."), []byte("a:c <d> [ \"e\"^^"), []byte("."))
	f.Add(uint8(Turtle), []byte("@base <a/> ."), []byte("@base <b/> . <"), []byte("."))
	f.Add(uint8(Markdown), []byte("["), []byte("]("), []byte(")"))
	f.Add(uint8(Card), []byte("BEGIN:VCARD\n"), []byte("\n a;\""), []byte(":"))
	f.Add(uint8(VTT), []byte("WEBVTT\n\n"), []byte("-->\n<a"), []byte("\n\n"))
	f.Add(uint8(Mail), []byte("--a\n"), []byte("--a\nContent-Type: multipart/mixed; boundary=a\n\n"), []byte("--a--"))
	f.Add(uint8(SWF), []byte("FWS\x09\x00\x00\x00\x00\x00\x00\x0c\x01\x00\x3f\x03\xff\xff\xff\x00"), []byte("\x88\xff\xff"), []byte("\x00"))
	f.Add(uint8(JSON), []byte(`{"@context":{"a":"http://b.cz/"}`), []byte(`,"@id":"a:c"`), []byte("}"))
	f.Add(uint8(PlainText), []byte(""), []byte("{}\n"), []byte("x"))
	f.Add(uint8(PDF), []byte("/ObjStm"), []byte("stream\nx\x9c/URI("), []byte(")"))
	f.Fuzz(func(t *testing.T, kind uint8, head, unit, tail []byte) {
		growthtest.Repeated(t, head, unit, tail, func(b []byte) { Parse(Kind(kind), b, Options{KeepSource: true}) })
	})
}
