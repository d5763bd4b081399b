package markup

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"exclave/internal/growthtest"
)

// TestLinear: no document takes time that grows faster than its length, whatever it
// is and whatever it is said to be.
func TestLinear(t *testing.T) {
	for _, s := range growthtest.Shapes() {
		t.Run(s.Name, func(t *testing.T) {
			for k := HTML; k <= Packed; k++ {
				growthtest.Linear(t, s.Make, func(b []byte) { Parse(k, b, Options{KeepSource: true}) })
				if t.Failed() {
					t.Fatalf("read as %v", k)
				}
			}
		})
	}
}

// TestLinearConstants: nor do scripts that put constants together without end.
func TestLinearConstants(t *testing.T) {
	long := "c='/" + strings.Repeat("x", 500) + "/';"
	for _, of := range []struct{ head, unit string }{
		{"a='/b/';", "a+"}, {"a='/b/';", "c=a+'d'+"}, {"a='/b/';", "(a+"}, {"a='/b/';", "c=(a+("}, {"a='/b/';", "c=a=='d'?a:"}, {"a='/b/';", "`/c/${a}"}, {"a='/b/';", "`/c/${`"},
		{long, "d=c+c+c+c+c+c+c+c+c+c+c+c+c+c+c+c+c+c+c+c+c+c;"}, {long, "e=f?c:c;g=e+e+e+e+'.js';"}, {"", "(function(a,b,c){x('/y/'+a)})("}, {"a='/b/';", "function(a,"}, {"a='/b/';", "(a,b)=>"},
		{"a='/b/';", "c=d.e(f)?'"}, {"a='/b/';", "c=d&&e&&f?'g':"}, {"a=['b','c'];d='/e/';", "x(d+a[i[j["}, {"a='/b/';", "o.p='/q/';"}, {"", "a=['/b/',"}, {"a='/b/';", "setTimeout('a+"},
		{"f=p=>'/b/'+p;", "f('c.png');"}, {"function f(p){g(p);return '/b/'+p}function g(p){f(p)}", "x=f('c');"}, {"a='/b/';", "f(g("}, {"a='/b/';", "x={a:'b',c:{"}, {"a='/b/';", "x=({1:'b'}[e]||e)+"}, {"m={1:'b',2:'c'};", "x='/d/'+m[e]+m[e]+'.js';"},
		{"a='/b/';", "['c','d'].forEach(n=>x('/e/'+n"}, {"a='/b/';", "for(i=0;i<9;i++)x(a+i);"}, {"a='/b/';", "a+='c';"}, {"a='/b/';", "a.concat("}, {"a='/b/';", "x=a.replace(/(b+)+$/,'$1$1$1')+"}, {"a='/b/';", "class A{constructor({a="}, {"a='/b/';", "x=y||z||"}, {"a='/b/';", "m(a){return a+"},
		{"", "a=[{b:'c'},"}, {"", "a=[['b','c'],"}, {"", "x={a:{b:'c'},"}, {"", "q.push('a');"}, {"", "d[0]='a';"}, {"a=[{b:'c'},{b:'d'}];", "a.forEach(({b})=>x('/e/'+b"}, {"a=[{b:'c'},{b:'d'}];", "x='/e/'+a[i].b;"}, {"a={b:{c:'d'}};", "Object.entries(a).forEach(([k,v])=>x('/'+k+v.c));"},
		{"a='<img src=';", "x=a+f(g)+'>'+"}, {"", "x='<b>'+f("}, {"", "`<i>${f(g)}"}, {"f=p=>{this.q=p};", "o.f('/a/');"}, {"require.config({baseUrl:'/b'});", "require(['a','b'],"}, {"for(i=0;i<9;i++)", "x('/a/'+(i<3?'0':'')+i);"}, {"", "__vite__mapDeps=["},
		{"r.u=e=>'a'+{1:'b'}[e]+'.js';", "//.p\n"}, {"r.u=e=>'a'+{1:'b'}[e]+'.js';", "//.p=a\n"}, {"r.u=e=>'a'+e+'.js';", "//.e(\n"}, {"r.u=e=>'a'+e+'.js';", "//.e(1\n"}, {"x='a';", "//0!==\n"}, {"x='a';", "0!==a[b]&&c[d]"},
	} {
		t.Run(of.unit, func(t *testing.T) {
			growthtest.Linear(t, func(n int) []byte { return append([]byte(of.head), bytes.Repeat([]byte(of.unit), n/len(of.unit))...) }, func(b []byte) { Parse(JS, b, Options{}) })
		})
	}
}

// TestLinearScriptsOfAPage: small scripts of a page use the names of others, and do not get more room each.
func TestLinearScriptsOfAPage(t *testing.T) {
	head := "<script>a='/b/';r=[" + strings.Repeat("{c:'d.png',e:'f'},", 40) + "];function g(p){i.src=a+p;" + strings.Repeat("h(a);", 200) + "}</script>"
	for _, unit := range []string{"<script>g('c.png')</script>", "<script>r.forEach(o=>x.src='/e/'+o.c)</script>", "<script>(function(a,b){x.src='/c/'+a})(r)</script>", "<a onclick=\"g('d.png')\">", "<script type=application/json>{\"a\":\"/b/\",\"l\":[\"c.png\"]}</script>"} {
		t.Run(unit, func(t *testing.T) {
			growthtest.Linear(t, func(n int) []byte { return append([]byte(head), bytes.Repeat([]byte(unit), n/len(unit))...) }, func(b []byte) { Parse(HTML, b, Options{}) })
		})
	}
}

// TestSegmentsWithoutNumber: a template whose segments are all the same is no endless list.
func TestSegmentsWithoutNumber(t *testing.T) {
	d := Parse(DASH, []byte(`<MPD mediaPresentationDuration="PT999999999S"><Period><AdaptationSet><SegmentTemplate timescale="999999999" media="$Number" duration="1"/><Representation id="a"/></AdaptationSet></Period></MPD>`), Options{})
	if got := brief(d.Links); !slices.Equal(got, []string{"E $Number dash/@media"}) {
		t.Error(got)
	}
}

// TestLibrariesAreNotFollowed: a long script is looked ahead in for a part of its length; what stands behind that is read as it stands.
func TestLibrariesAreNotFollowed(t *testing.T) {
	const made = "var n = 'q', i; i.src = '/p/' + n + '.png';"
	for times, want := range map[int]bool{10: true, 20_000: false} {
		d := Parse(JS, []byte(strings.Repeat("r = ['a', 'b', 'c', 'd'].concat(z);\n", times)+made), Options{})
		found := slices.ContainsFunc(d.Links, func(l Link) bool { return l.URL == "/p/q.png" })
		if found != want {
			t.Errorf("behind %d lists: found is %v", times, found)
		}
	}
}

// TestLinearFields: nor do fields, formulas and addresses over lines, which are read piece by piece.
func TestLinearFields(t *testing.T) {
	for _, unit := range []string{
		`<w:fldChar w:fldCharType="begin"/><w:instrText>HYPERLINK "`, `<w:instrText>HYPERLINK \l </w:instrText>`, "<f>HYPERLINK(", `HYPERLINK("a" `, `HYPERLINK( `, `""`, `"("`, `'`, `'a''`, `('"`, `HYPERLINK("a""`, "<w:fldSimple w:instr='\\l ",
	} {
		growthtest.Linear(t, func(n int) []byte { return bytes.Repeat([]byte(unit), n/len(unit)) }, func(b []byte) {
			for _, k := range []Kind{OOXML, ODF} {
				x := &builder{doc: &Doc{Kind: k}, o: Options{MaxLinks: 100}}
				x.part(b)
				x.formula(string(b))
				x.field("HYPERLINK " + string(b))
			}
		})
	}
	for _, unit := range []string{"http://a.cz/b-\n", "://-\n", "http://a.cz/\nb/", "http://a.cz/x-\n-"} {
		growthtest.Linear(t, func(n int) []byte { return bytes.Repeat([]byte(unit), n/len(unit)) }, func(b []byte) {
			x := &builder{doc: &Doc{Kind: PDF}, o: Options{MaxLinks: 1 << 30}}
			x.text.buf = b
			x.addresses()
		})
	}
}

// TestLinearStops: nor do addresses in texts that end with parentheses.
func TestLinearStops(t *testing.T) {
	growthtest.Linear(t, growthtest.Repeat(`{"a":"b http://c.cz/`, ")", `"}`), func(b []byte) { Parse(JSON, b, Options{}) })
}

// TestLinearCharsets: nor does the decoding of any charset.
func TestLinearCharsets(t *testing.T) {
	for _, charset := range []string{"gb18030", "big5", "euc-jp", "shift_jis", "iso-2022-jp", "euc-kr", "utf-16le", "utf-16be", "x-user-defined", "windows-1250"} {
		for _, s := range growthtest.Shapes() {
			growthtest.Linear(t, s.Make, func(b []byte) { decode(PlainText, b, charset) })
			if t.Failed() {
				t.Fatalf("%s as %s", s.Name, charset)
			}
		}
	}
}
