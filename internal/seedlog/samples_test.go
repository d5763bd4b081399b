package seedlog

import (
	"fmt"
	"strings"
)

// sample is a log as its program writes it, and what it holds.
type sample struct {
	format  Format
	name    string // of the file
	text    string
	urls    []string // in order
	skipped int64
	broken  int64
}

// samples has each shape of each format at least once. The lines are made after
// the programs' sources: Heritrix 3 DecideRuleSequence and Scoper, Heritrix 1
// Scoper with java.util.logging's SimpleFormatter and its OneLineSimpleLogger,
// Browsertrix's --reportSkipped, Veidemann's out-of-scope handler, IIPC's CDX
// specification, pywb and ipwb for CDXJ.
func samples() []sample {
	return []sample{
		{List, "", "\ufeff# seeds\r\nhttp://firma.com/\r\n\r\n\"https://www.example.org/a b?c=d#e\"\r\nexample.net/x\r\nexample.net:8080/y\r\nlocalhost:8000/\r\n+http://(cz,pasted,)/\r\nnonsense\r\n",
			[]string{"http://firma.com/", "https://www.example.org/a b?c=d#e", "http://example.net/x", "http://example.net:8080/y", "http://localhost:8000/", "http://pasted.cz/"}, 0, 1},
		{LinksScoper, "", `Nov 21, 2006 3:04:05 PM org.archive.crawler.postprocessor.LinksScoper outOfScope
INFO: http://www.firma.com/
21.11.2006 15:04:05 org.archive.crawler.framework.Scoper outOfScope
INFO: http://www.firma.com/kontakt?a=1
Nov 21, 2006, 3:04:05 PM org.archive.crawler.postprocessor.LinksScoper outOfScope
情報: http://jp.example/
`, []string{"http://www.firma.com/", "http://www.firma.com/kontakt?a=1", "http://jp.example/"}, 0, 0},
		{LinksScoper, "", `11/21/2006 15:04:05 +0000 INFO org.archive.crawler.postprocessor.LinksScoper outOfScope http://a.com/
2009-06-05 00:51:53.123 INFO thread-15 org.archive.crawler.postprocessor.LinksScoper.outOfScope() http://b.com/x
Nov 21, 2006 3:04:05 PM org.archive.crawler.postprocessor.LinksScoper outOfScope INFO: http://c.com/
`, []string{"http://a.com/", "http://b.com/x", "http://c.com/"}, 0, 0},
		{LinksScoper, "", `http://bare.com/1
http://bare.com/2
INFO: http://a.com/
	at java.lang.Thread.run(Thread.java:595)
http://bare.com/3
`, []string{"http://bare.com/1", "http://bare.com/2", "http://a.com/", "http://bare.com/3"}, 0, 1},
		{Scope, "", `2019-05-02T10:11:12.123Z 0 RejectDecideRule REJECT http://www.firma.com/
2019-05-02T10:11:12.125Z 3 SurtPrefixedDecideRule ACCEPT http://www.firma.cz/
2019-05-02T10:11:12.126Z 5 MatchesListRegexDecideRule REJECT https://a.com/x {"host":"a.com","hopPath":"LLE","via":"http://b.cz/?a=1\u0026b=2","seed":"http://b.cz/"}
2019-05-02T10:11:12.126Z -1 DecideRuleSequence NONE http://none.com/
`, []string{"http://www.firma.com/", "https://a.com/x", "http://none.com/"}, 1, 0},
		{Candidate, "", `2019-05-02T10:11:12.123Z REJECT http://www.firma.com/
2019-05-02T10:11:12.124Z ACCEPT http://www.firma.cz/
2019-05-02T10:11:12.124Z REJECT dns:www.firma.com
2019-05-02T10:11:12.124Z REJ
`, []string{"http://www.firma.com/", "dns:www.firma.com"}, 1, 1},
		{Crawl, "", `2011-06-23T17:12:08.802Z   200       1299 http://example.com/robots.txt LREP http://example.com/x text/plain #014 20110623171208574+225 sha1:YIUOKDGOLGI5JYHDTXRFFQ5FF4N2EJRV - -
2011-06-23T17:12:09.001Z -5000          - http://www.firma.com/ LL http://example.com/x no-type #002 - - http://example.com/ -
2011-06-23T17:12:09.002Z     1         56 dns:example.com P http://example.com/ text/dns #003 20110623171208574+225 sha1:YIUOKDGOLGI5JYHDTXRFFQ5FF4N2EJRV - content-size:56 {"contentSize":56}
20060623171209002 -5000 - http://old.com/ L http://example.com/ no-type #003 - - - -
2011-06-23T17:12:09.003Z   200
`, []string{"http://www.firma.com/", "http://old.com/"}, 2, 1},
		{Browsertrix, "", `{"format":"json-pages-1.0","id":"pages","title":"Skipped Pages","hasText":"false"}
{"url":"https://www.iana.org/domains/example","seedUrl":"https://example.com/","depth":1,"seed":false,"reason":"outOfScope","ts":"2026-02-05T10:11:12.123Z"}
{"url":"https://old.example/","seedUrl":"https://example.com/","depth":1,"reason":"redirectToExcluded","ts":"2026-02-05T10:11:13.123Z"}
`, []string{"https://www.iana.org/domains/example", "https://old.example/"}, 0, 0},
		{Veidemann, "", "http://example1.com\nhttps://example2.com:8443\nhttp://www.exil.com\n", []string{"http://example1.com", "https://example2.com:8443", "http://www.exil.com"}, 0, 0},
		{Veidemann, "uri_no_ex.txt", "http://example.no\n", []string{"http://example.no"}, 0, 0},
		{CDX, "", ` CDX N b a m s k r M S V g
com,firma)/ 20150914222034 http://www.firma.com/ text/html 200 ZMSA5TNJUKKRYAIM5PRUJLL24DV7QYOO - - 83848 117273 WEB-20150914222031256-00000-43190~h~8443.warc.gz
com,firma)/x 20150914222035 http://www.firma.com/x text/html; charset=utf-8 200 ZMSA5TNJUKKRYAIM5PRUJLL24DV7QYOO - - 83848 117273 WEB.warc.gz
com,firma)/cut 2015
`, []string{"http://www.firma.com/", "http://www.firma.com/x"}, 0, 1},
		{CDX, "", ` CDX N b a m s k r V g
firma.com/ 20010914222034 http://www.firma.com/ text/html 200 ZMSA5TNJUKKRYAIM5PRUJLL24DV7QYOO - 117273 IAH.arc.gz
`, []string{"http://www.firma.com/"}, 0, 0},
		{CDX, "", `CDX A b e a m s c k r V v D d g M n
0-0-0checkmate.com/Bugs/Bug_Investigators.html 20010424210551 209.52.183.152 0-0-0checkmate.com:80/Bugs/Bug_Investigators.html text/html 200 58670fbe7432c5bed6f3dcd7ea32b221 a725a64ad6bb7112c55ed26c9e4cef63 - 17130110 59129865 1927657 6501523 DE_crawl6.20010424210458 - 5750
`, []string{"http://0-0-0checkmate.com:80/Bugs/Bug_Investigators.html"}, 0, 0},
		{CDX, "", `com,firma)/ 20150914222034 http://www.firma.com/ text/html 200 ZMSA5TNJUKKRYAIM5PRUJLL24DV7QYOO - - 83848 117273 WEB.warc.gz
com,firma)/a 20150914222034 http://www.firma.com/a text/html 200 ZMSA5TNJUKKRYAIM5PRUJLL24DV7QYOO - 117273 WEB.warc.gz
`, []string{"http://www.firma.com/", "http://www.firma.com/a"}, 0, 0},
		{CDXJ, "", `!meta {"generator": "x"}
com,example)/ 20170306040206 {"url": "http://example.com/", "mime": "text/html", "status": "200", "digest": "G7HRM7BGOKSKMSXZAHMUQTTV53QOFSMK", "length": "1228", "offset": "784", "filename": "example.warc.gz"}
com,matkelly)/froggies/frog.png 20170301192639 {"locator": "urn:ipfs/Qm/Qm", "original_uri": "http://matkelly.com/froggies/frog.png", "mime_type": "image/png", "status_code": "200"}
edu,odu,cs)/~salam 20160305192247 {"locator": "urn:ipfs/Qm/Qm", "mime_type": "text/html", "status_code": "200"}
`, []string{"http://example.com/", "http://matkelly.com/froggies/frog.png"}, 0, 1},
		{SURT, "", `# national
+http://(cz,
+http://(cz,firma,www,)/
http://(com,firma,:8080)/a/b
+http://(com,firma,
-http://(com,firma,shop,)/
+http://(127.0.0.1)/x
(org,example,)
+http://plain.com/
+https://(com,x,)
+http://(com,x@y,)/
`, []string{"http://www.firma.cz/", "http://firma.com:8080/a/b", "http://127.0.0.1/x", "http://example.org/", "http://plain.com/", "https://x.com/"}, 1, 3},
		{Exclave, "", `{"url":"http://firma.com/?a=1\u0026b=\"\ud83d\ude00","via":"http://b.cz/","hops":"LL","rule":"hosts","time":"2026-11-21T05:12:08.802Z","source":"harvest"}
{"url":"http://firma.com/2","via":"http://b.cz/","hops":"LL","rule":"hosts","time":"2026-11-21T05:12:08.802Z","source":""}
{"x":{"a":["}",1]},"n":-1.5e3,"b":null,"url":"http://firma.com/3"}
{"url":"http://firma.com/4","via":"http:
{"uri":"http://a.com/"}
`, []string{`http://firma.com/?a=1&b="😀`, "http://firma.com/2", "http://firma.com/3"}, 0, 2},
	}
}

// long repeats a sample until it has at least n lines.
func (s sample) long(n int) string {
	lines := strings.Count(s.text, "\n")
	return strings.Repeat(s.text, n/lines+1)
}

func (s sample) String() string { return fmt.Sprintf("%s %.40q", string(s.format), s.text) }
