package markup

// jsConstructs are those of scripts.
func jsConstructs() []construct {
	return []construct{
		{"everything that loads code", JS, `import a from '/m/a.js'; export * from "./b.js"; import "../c.js"; importScripts("d.js", 'e.js'); new Worker("f.js"); new SharedWorker("g.js"); import("react")`,
			[]string{"E /m/a.js js/import", "E ./b.js js/import", "E ../c.js js/import", "E d.js js/import", "E e.js js/import", "E f.js js/import", "E g.js js/import"}},
		{"a regular expression with a quote does not turn strings inside out", JS, `x = /["']/.test(y) / 2; z = "/a/b.html"`, []string{"X /a/b.html js/string"}},
		{"parts of URLs, types, dates and selectors are no URLs", JS, `a="/a/"+b; c=d+"/e.png"; f="text/css"; g="dd/mm/yyyy"; h="a.b"; i="//"; j="/"; k="./"; l="http://"; m="1.2.3"; n="#x/y.html"; o="?a=/b.c"; p="http://www.w3.org/2000/svg"`, nil},
		{"escapes of JSON", JS, `x={"u":"https:\/\/a.cz\/b?c=\u017e"}`, []string{"X https://a.cz/b?c=ž js/string"}},
		{"broken code is read on", JS, "var a = 'x\nfoo(); var b = \"/c/d.js\"; 3in x; e='/f/g.js'", []string{"X /c/d.js js/string", "X /f/g.js js/string"}},
	}
}
