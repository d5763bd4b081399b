package markup

// mediaConstructs are those of playlists, and plain text.
func mediaConstructs() []construct {
	return []construct{
		{"RFC 8216 section 8 (media playlist)", HLS, "#EXTM3U\r\n#EXT-X-KEY:METHOD=AES-128,URI=\"k.key\",IV=0x1\r\n#EXT-X-MAP:URI=\"i.mp4\"\r\n#EXTINF:9.009,\r\nhttp://m.com/1.ts\r\n# comment\r\n2.ts\r\n",
			[]string{"E k.key hls/@uri", "E i.mp4 hls/@uri", "E http://m.com/1.ts hls/segment", "E 2.ts hls/segment"}},
		{"RFC 8216 section 8 (master playlist)", HLS, "#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",URI=\"a/m.m3u8\"\n#EXT-X-STREAM-INF:BANDWIDTH=1\nlow.m3u8\n",
			[]string{"E a/m.m3u8 hls/variant", "E low.m3u8 hls/variant"}},
		{"templates by number, with the duration of the presentation", DASH, `<MPD mediaPresentationDuration="PT5S"><Period><AdaptationSet><SegmentTemplate media="$RepresentationID$/$Number%03d$.m4s" initialization="$RepresentationID$-$Bandwidth$.mp4" startNumber="0" timescale="1000" duration="2000"/><Representation id="a" bandwidth="9"/><Representation id="b" bandwidth="8"><BaseURL>x/</BaseURL></Representation></AdaptationSet></Period></MPD>`,
			[]string{"E a-9.mp4 dash/@initialization", "E a/000.m4s dash/@media", "E a/001.m4s dash/@media", "E a/002.m4s dash/@media", "E x/b-8.mp4 dash/@initialization", "E x/b/000.m4s dash/@media", "E x/b/001.m4s dash/@media", "E x/b/002.m4s dash/@media"}},
		{"templates by time, with a timeline", DASH, `<MPD><Period duration="PT1M0.0S"><AdaptationSet><Representation id="v"><SegmentTemplate media="$Time$$$.m4s" timescale="10"><SegmentTimeline><S t="5" d="10" r="1"/><S d="7"/></SegmentTimeline></SegmentTemplate></Representation></AdaptationSet></Period></MPD>`,
			[]string{"E 5$.m4s dash/@media", "E 15$.m4s dash/@media", "E 25$.m4s dash/@media"}},
		{"a template without an end is left out", DASH, `<MPD type="dynamic"><Period><AdaptationSet><SegmentTemplate media="$Number$.m4s" duration="2"/><Representation id="a"/></AdaptationSet></Period></MPD>`, nil},
		{"bases nest", DASH, `<?xml version="1.0"?><MPD><BaseURL>http://c.com/v/</BaseURL><Period><AdaptationSet><BaseURL>x/</BaseURL><Representation><SegmentList><Initialization sourceURL="i.mp4"/><SegmentURL media="1.m4s"/></SegmentList></Representation><SegmentTemplate media="$Number$.m4s" initialization="/init.mp4"/></AdaptationSet><AdaptationSet><Representation><BaseURL>one.mp4</BaseURL></Representation></AdaptationSet></Period></MPD>`,
			[]string{"E http://c.com/v/x/i.mp4 dash/@sourceurl", "E http://c.com/v/x/1.m4s dash/@media", "E http://c.com/init.mp4 dash/@initialization", "E http://c.com/v/one.mp4 dash/baseurl"}},
		{"several bases are alternatives, the first before the others (ISO/IEC 23009-1, 5.6)", DASH, `<MPD mediaPresentationDuration="PT2S"><BaseURL>a/</BaseURL><BaseURL>http://b.cz/</BaseURL><Period><AdaptationSet><SegmentTemplate media="$Number$.m4s" duration="2"/><Representation id="1"><BaseURL>c/</BaseURL><BaseURL>d.mp4</BaseURL></Representation></AdaptationSet><AdaptationSet><Representation><SegmentList><SegmentURL media="e.m4s"/></SegmentList></Representation></AdaptationSet></Period></MPD>`,
			[]string{"E a/d.mp4 dash/baseurl", "E http://b.cz/d.mp4 dash/baseurl", "E a/c/1.m4s dash/@media", "E a/e.m4s dash/@media", "E http://b.cz/c/1.m4s dash/@media", "E a/1.m4s dash/@media", "E http://b.cz/1.m4s dash/@media", "E http://b.cz/e.m4s dash/@media"}},
		{"a base that is a file: where nothing replaces it, and a representation takes it whole", DASH, `<MPD><BaseURL>http://no.cz/a</BaseURL><Period><BaseURL>http://b.cz/c/</BaseURL><AdaptationSet><BaseURL>d.mp4</BaseURL><Representation id="1"/></AdaptationSet><AdaptationSet><BaseURL>e</BaseURL><Representation><SegmentList><SegmentURL media="f.m4s"/></SegmentList></Representation></AdaptationSet><AdaptationSet><BaseURL>g.mp4</BaseURL><Representation>`,
			[]string{"E http://b.cz/c/d.mp4 dash/baseurl", "E http://b.cz/c/f.m4s dash/@media", "E http://b.cz/c/g.mp4 dash/baseurl"}},
		{"SMIL, relative to its base", XML, `<smil><head><meta name="base" content="http://a.cz/b/"/></head><body><audio src="c.mp3"/><text src="d.html#e"/><ref src="rtsp://f.cz/"/><a href="g.html"><img src="h.png"/></a></body></smil>`, []string{"E c.mp3 audio/@src", "E d.html#e text/@src", "L g.html a/@href", "E h.png img/@src"}},
		{"ASX, whose markup is broken", XML, `<ASX version="3.0"><MoreInfo href="a.html"/><Entry><REF HREF = "http://b.cz/c.wmv?d=1&e=2"/><Ref href="mms://f.cz/g"/><Banner href="h.gif"/></Entry><EntryRef href="i.asx"/></ASX>`,
			[]string{"L a.html moreinfo/@href", "E http://b.cz/c.wmv?d=1&e=2 ref/@href", "E h.gif banner/@href", "E i.asx entryref/@href"}},
		{"PLS", HLS, "[playlist]\nFile1=http://a.cz/b.mp3\nTitle1=c.mp3\nfile2 = d.mp3\n", []string{"E http://a.cz/b.mp3 pls/file", "E d.mp3 pls/file"}},
		{"and the older form of ASX", HLS, "[Reference]\r\nRef1=http://a.cz/b.wmv?MSWMExt=.asf\r\n", []string{"E http://a.cz/b.wmv?MSWMExt=.asf pls/file"}},
		{"where a presentation is, and what tells more of it", DASH, `<MPD><ProgramInformation moreInformationURL="a.html"/><Location>http://b.cz/c.mpd</Location><BaseURL>d/</BaseURL></MPD>`, []string{"L a.html dash/@moreinformationurl", "E http://b.cz/c.mpd dash/location"}},
		{"variables of a playlist; those that another one or its address gives are not known (RFC 8216bis, 4.3)", HLS, "#EXTM3U\n#EXT-X-DEFINE:NAME=\"a\",VALUE=\"http://a.cz\"\n#EXT-X-DEFINE:NAME=\"b\",VALUE=\"{$a}/b\"\n#EXT-X-DEFINE:IMPORT=\"c\"\n#EXT-X-DEFINE:QUERYPARAM=\"d\"\n#EXT-X-MAP:URI=\"{$b}/i.mp4\"\n{$a}/1.ts\n{$c}/2.ts\n3.ts?{$d}\n{x}.ts\n",
			[]string{"E http://a.cz/b/i.mp4 hls/@uri", "E http://a.cz/1.ts hls/segment", "E {x}.ts hls/segment"}},
		{"steering, advertisements, data, logos", HLS, "#EXTM3U\n#EXT-X-CONTENT-STEERING:SERVER-URI=\"/s?v=1\",PATHWAY-ID=\"A\"\n#EXT-X-DATERANGE:ID=\"a\",X-ASSET-URI=\"http://a.cz/b.m3u8\",X-ASSET-LIST=\"c.json\"\n#EXT-X-SESSION-DATA:DATA-ID=\"d\",URI=\"e.json\"\n#EXTINF:-1 tvg-id=\"f\" tvg-logo=\"http://g.cz/h.png\",I\nj.ts\n",
			[]string{"E /s?v=1 hls/@server-uri", "E http://a.cz/b.m3u8 hls/@x-asset-uri", "E c.json hls/@x-asset-list", "E e.json hls/@uri", "E http://g.cz/h.png hls/@tvg-logo", "E j.ts hls/segment"}},
		{"XSPF, relative to its base (xml:base)", XML, `<playlist version="1" xmlns="http://xspf.org/ns/0/" xml:base="http://a.cz/b/"><info>c.html</info><image>d.jpg</image><trackList><track><location> e.mp3 </location><identifier>http://no.cz/f</identifier><link rel="http://no.cz/g">h.html</link><image>/i.png</image></track></trackList></playlist>`,
			[]string{"L c.html xspf:info", "E d.jpg xspf:image", "E e.mp3 xspf:location", "L h.html xspf:link", "E /i.png xspf:image", "X http://no.cz/f xml/text"}},
		{"M3U without a header", HLS, "http://a.cz/b.mp3\nc/d.mp3\n# e\n", []string{"E http://a.cz/b.mp3 hls/segment", "E c/d.mp3 hls/segment"}},
		{"plain text has no links", PlainText, "see http://a.cz/", nil},
	}
}
