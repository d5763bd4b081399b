package markup

// jsonConstructs are those of JSON documents.
func jsonConstructs() []construct {
	return []construct{
		{"W3C appmanifest members", Manifest, `{"name":"N","start_url":"/?a","icons":[{"src":"i.png","sizes":"1x1"}],"screenshots":[{"src":"s.png"}],"shortcuts":[{"url":"/c","icons":[{"src":"j.png"}]}]}`,
			[]string{"E i.png manifest/icons", "E s.png manifest/screenshots", "L /?a manifest/start_url", "L /c manifest/shortcuts", "E j.png manifest/icons"}},
		{"JSON: strings that look like addresses, and members that are", JSON, `{"@context":"https://schema.org","url":"clanky/1","image":["https://a.cz/i.jpg"],"t":"text/html","/k/e.y":1,"html":"<a href=\"b.html\">c<\/a>","n":null}`,
			[]string{"X clanky/1 js/string", "X https://a.cz/i.jpg js/string", "X b.html a/@href"}},
		{"members of manifests that other programs know", Manifest, `{"related_applications":[{"url":"http://a.cz/"}],"note_taking":{"new_note_url":"b"},"tab_strip":{"home_tab":{"icons":[{"src":"c.png"}]}},"widgets":[{"ms_ac_template":"d.json","data":"e.json","icons":[{"src":"f.png"}],"screenshots":[{"src":"g.png"}]}],"translations":{"fr":{"icons":[{"src":"h.png"}]}}}`,
			[]string{"L http://a.cz/ manifest/related_applications", "L b manifest/note_taking", "E c.png manifest/icons", "E d.json manifest/widgets", "E e.json manifest/widgets", "E f.png manifest/icons", "E g.png manifest/screenshots", "E h.png manifest/icons"}},
		{"JSON-LD: names of vocabularies and classes are no addresses", JSON, `{"@context":["https://a.cz/ns",{"b":{"@id":"https://c.cz/ns/b"}}],"@type":["https://d.cz/T"],"@graph":[{"@type":"https://d.cz/U","url":"https://e.cz/"}]}`, []string{"X https://a.cz/ns json/@context", "X https://e.cz/ js/string"}},
		{"JSON-LD: references of its own terms, and other contexts (JSON-LD 1.1, 4.1)", JSON, `{"@context":["c.jsonld","https://schema.org",{"@import":"https://a.cz/d.jsonld","id":"@id","page":{"@id":"https://a.cz/ns#page","@type":"@id"},"name":"https://a.cz/ns#name"}],"@id":"e","id":"f","page":["g",{"name":["h"],"@id":"_:i"}],"name":"j"}`,
			[]string{"X c.jsonld json/@context", "X https://a.cz/d.jsonld json/@context", "X e json/@id", "X f json/@id", "X g json/@id"}},
		{"JSON Feed: its version is a name; addresses written out in texts", JSON, `{"version":"https://jsonfeed.org/version/1.1","items":[{"content_text":"See https:\/\/a.cz\/b, (https://c.cz/d).","url":"https://e.cz/"}]}`, []string{"X https://a.cz/b json/text", "X https://c.cz/d json/text", "X https://e.cz/ js/string"}},
		{"HAL: what stands in _links are references", JSON, `{"_links":{"self":{"href":"a"},"b":[{"href":"b\/c"},{"href":"d{?e}","templated":true}]},"href":"no"}`, []string{"X a json/_links", "X b/c json/_links", "X b/c js/string"}},
		{"JSON that is said to be a text", PlainText, `{"next":"/api/b?c=1","html":"<a href=\"d.html\">e<\/a>"}`, []string{"X /api/b?c=1 js/string", "X d.html a/@href"}},
		{"JSON that is said to be a page", HTML, ` [{"url":"f/1"},"see https://a.cz/g"]`, []string{"X f/1 js/string", "X https://a.cz/g json/text"}},
		{"what is not JSON to its last byte is what it is said to be", PlainText, `{"next":"/api/b"} and more`, nil},
		{"a page that begins like JSON is a page", HTML, `[{"a":"/b.png"}<a href=c.html>d</a>]`, []string{"L c.html a/@href"}},
		{"source maps name what is not there", JSON, `{"version":3,"sources":["../src/a.js"],"mappings":"AAAA"}`, nil},
	}
}
