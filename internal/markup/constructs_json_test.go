package markup

// jsonConstructs are those of JSON documents.
func jsonConstructs() []construct {
	return []construct{
		{"W3C appmanifest members", Manifest, `{"name":"N","start_url":"/?a","icons":[{"src":"i.png","sizes":"1x1"}],"screenshots":[{"src":"s.png"}],"shortcuts":[{"url":"/c","icons":[{"src":"j.png"}]}]}`,
			[]string{"E i.png manifest/icons", "E s.png manifest/screenshots", "L /?a manifest/start_url", "L /c manifest/shortcuts", "E j.png manifest/icons"}},
		{"JSON: strings that look like addresses, and members that are", JSON, `{"@context":"https://schema.org","url":"clanky/1","image":["https://a.cz/i.jpg"],"t":"text/html","/k/e.y":1,"html":"<a href=\"b.html\">c<\/a>","n":null}`,
			[]string{"X clanky/1 js/string", "X https://a.cz/i.jpg js/string", "X b.html a/@href"}},
		{"source maps name what is not there", JSON, `{"version":3,"sources":["../src/a.js"],"mappings":"AAAA"}`, nil},
	}
}
