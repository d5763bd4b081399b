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
		{"plain text has no links", PlainText, "see http://a.cz/", nil},
	}
}
