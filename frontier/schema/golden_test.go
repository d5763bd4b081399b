package schema

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"reflect"
	"testing"
	"time"

	"exclave/crawl"
)

// TestGoldenRows holds the bytes of the rows that TestGoldenValues does not have: what one build writes, every later
// one must read (decision 12). They change only with the version.
func TestGoldenRows(t *testing.T) {
	at := time.Date(2026, 11, 21, 5, 6, 7, 89_000_000, time.UTC)
	tally := Tally{URIs: 3, Bytes: 4000, Novel: 2}
	for _, c := range []struct {
		key, value []byte
		want       string
	}{
		{HostKey(9), (&Host{Name: "a.test", Pending: 3, Wake: at, GaveUp: true, Tally: &tally, Backoff: 2, Requests: 7, Pauses: 1, Snoozed: true, Retired: DomainBudget, Best: 4,
			Ticket: at, Spent: 5, Round: 1, RoundUsed: 2, Took: 250, Known: 8, Valid: 1, Failing: 1, Until: at, Guessed: 6, Judged: 5, ValidFor: [4]uint64{3, 1}, Uncounted: true}).Encode(),
			"680000000000000009 0406612e7465737403e2e9fac7bf68ff010200070104e2e9fac7bf6805fa01080102010201e2e9fac7bf680605030100001306c03e04"},
		{HostKey(9), (&Host{Name: "a.test", Pending: 3, Wake: at, OffHours: true}).Encode(),
			"680000000000000009 0406612e7465737403e2e9fac7bf6880020000000000000000000000"},
		{OriginID{9, 0x1234}.Key(), (&Origin{Name: "https://a.test", Backoff: 1, GaveUp: true, Until: at}).Encode(),
			"65000000000000000900001234 020e68747470733a2f2f612e746573740101e2e9fac7bf68"},
		{QueueKey(9, 1, 2), EncodeQueued(9, crawl.ID{Host: 9, URI: 3}, 0x1234),
			"710000000000000009010000000000000002 000000000000000300001234"},
		{QueueKey(9, 1, 2), EncodeQueued(9, crawl.ID{Host: 8, URI: 3}, 0),
			"710000000000000009010000000000000002 0000000000000008000000000000000300000000"},
		{Place{Kind: Line, At: (&LinePosition{Round: 1, Precedence: 2, Speed: 3, Ticket: at}).Number(), Host: 9}.Key(), nil,
			"690010261a1fc7f5a70000000000000009 "},
		{DomainKey("a.test"), (&Domain{1, 2, 3, 4, 5}).Encode(),
			"62612e74657374 020102030405"},
		{AddressKey(netip.MustParseAddr("192.0.2.1")), Address{Until: at, Pauses: 2}.Encode(),
			"61c0000201 02e2e9fac7bf6802"},
		{HostFactsKey("a.test"), EncodeHostFacts(&crawl.HostFacts{Status: 1, Asked: at, Expires: at, Addrs: []netip.Addr{netip.MustParseAddr("192.0.2.1")}}),
			"6e612e74657374 0202e2e9fac7bf68e2e9fac7bf680104c0000201"},
		{OriginFactsKey("http://a.test"), EncodeOriginFacts(&crawl.OriginFacts{Status: 200, Fetched: at, Expires: at, Robots: []byte("r")}),
			"6f687474703a2f2f612e74657374 029003e2e9fac7bf68e2e9fac7bf680172"},
		{AnswerKey("dns:a.test"), (&Answer{Written: true, Time: at, Packed: []byte("z")}).Encode(),
			"64646e733a612e74657374 0201e2e9fac7bf68017a"},
		{CaptureKey(1, 256), (&Capture{Span: crawl.Span{File: 1, Start: 256, End: 300}, ID: crawl.ID{Host: 9, URI: 3}, Response: true, Abandoned: "x", Carried: []string{"dns:a.test"}}).Encode(),
			"63000000010000000000000100 02ac0200000000000000090000000000000003010178010a646e733a612e74657374"},
		{CaptureKey(1, 300), (&Capture{Span: crawl.Span{File: 1, Start: 300, End: 400}, ID: crawl.ID{Host: 9, URI: 3}, Response: true, Original: crawl.Ref{File: 1, Offset: 256, Length: 44}}).Encode(),
			"6300000001000000000000012c 029003000000000000000900000000000000030300000180022c"},
		{PayloadKey("sha1:AA"), EncodePayload(&crawl.Original{Ref: crawl.Ref{File: 1, Offset: 256, Length: 44}, ID: "urn:uuid:1", URL: "http://a.test/", Date: at, Digest: "sha1:BB"}),
			"708a20548aa06d83f11dd6be9866ee2a766c171750 020180022c0a75726e3a757569643a310e687474703a2f2f612e746573742fe2e9fac7bf6807736861313a4242"},
		{FileKey(1), (&FileRow{Number: 1, Name: "1.warc.gz", Committed: 300, Final: true}).Encode(),
			"6600000001 0209312e776172632e677aac0201"},
		{LogKey(1), (&LogRow{Length: 10, Lines: 1, CRC: 7}).Encode(),
			"6701 02140207"},
		{PartKey(1, 2), (&LogPart{Name: "crawl.log.1", Length: 10, Lines: 1, CRC: 7}).Encode(),
			"670100000002 020b637261776c2e6c6f672e31140207"},
		{LinksKey(crawl.ID{Host: 9, URI: 3}), AppendLink(AppendLink(NoLinks(), 9, Link{crawl.ID{Host: 9, URI: 4}, crawl.LinkNav}), 9, Link{crawl.ID{Host: 8, URI: 4}, crawl.LinkRedirect}),
			"6c00000000000000090000000000000003 028100000000000000040500000000000000080000000000000004"},
		{RedirectKey(crawl.ID{Host: 9, URI: 3}, crawl.ID{Host: 9, URI: 4}), Present(),
			"720000000000000009000000000000000300000000000000090000000000000004 02"},
		{WorkKey(5), (&Work{Number: 5, Kind: WorkKeep, ID: crawl.ID{Host: 9, URI: 3}, From: 1000}).Encode(),
			"6b0000000000000005 020200000000000000090000000000000003e807"},
		{TallyKey(ByType, "text/html"), tally.Encode(),
			"746d746578742f68746d6c 021306c03e04"},
		{StatusKey(-5), tally.Encode(),
			"74732d35 021306c03e04"},
		{SourceHost{"tag", "a.test"}.Key(), EncodeNumber(3),
			"747874616700612e74657374 0203"},
		{CommitKey(1<<17 + 3), EncodeNumber(1<<17 + 3),
			"7900000003 02838008"},
		{MetaKey(MetaFormat), (&Format{Version: FormatVersion, Rules: 77, Salt: Salt{1, 2}}).Encode(),
			"6d666f726d6174 02074d1001020000000000000000000000000000"},
		{MetaKey(MetaStats), (&Counters{Stats: Stats{Discovered: 9, Queued: 3, Refused: 1}, Seq: 4, InLine: 1, LongestQueue: 9, LongestLength: 3, RoundUsed: 2}).Encode(),
			"6d7374617473 03120600000000000000000002040001090300000002"},
		{MetaKey(MetaClean), EncodeClean(true),
			"6d636c65616e 0201"},
		{MetaKey(MetaKilled), EncodeTime(at),
			"6d6b696c6c6564 02e2e9fac7bf68"},
		{MetaKey(MetaLimits), EncodeLimits([]int64{1, 300}),
			"6d6c696d697473 0202d804"},
		{MetaKey(MetaParts), EncodeParts([]Part{{"profile", "1"}}),
			"6d7061727473 02010770726f66696c650131"},
		{MetaKey(MetaDepths), EncodeDepths(crawl.Depths{D: [crawl.MaxProfiles]int32{1, -1, -1, -1}, AnalyseLinked: true}),
			"6d646570746873 020201010101"},
		{MarkKey("seeds"), EncodeMark([]byte("half")),
			"6d6d61726b3a7365656473 0268616c66"},
	} {
		if got := fmt.Sprintf("%s %s", hex.EncodeToString(c.key), hex.EncodeToString(c.value)); got != c.want {
			t.Errorf("%q is written as\n%q, want\n%q", c.key, got, c.want)
		}
		for _, d := range Tables() {
			if d.Table == Table(c.key[0]) {
				if err := d.Check(c.key, c.value); err != nil {
					t.Errorf("%s: %v", d.Name, err)
				}
			}
		}
	}
}

// TestHostRowBeforeVerdicts: a row that an older program wrote says nothing of pages that were
// judged, and that there may be some.
func TestHostRowBeforeVerdicts(t *testing.T) {
	b, err := hex.DecodeString("0306612e7465737403e2e9fac7bf687f0200070104e2e9fac7bf6805fa01080102010201e2e9fac7bf68061306c03e04")
	if err != nil {
		t.Fatal(err)
	}
	h, err := DecodeHost(b)
	if err != nil || h.Known != 8 || h.Valid != 1 || h.Tally == nil || h.Judged != 0 || !h.Uncounted {
		t.Fatalf("%+v %v", h, err)
	}
	again, err := DecodeHost(h.Encode())
	if err != nil || !reflect.DeepEqual(again, h) {
		t.Errorf("%+v is read back as %+v (%v)", h, again, err)
	}
}
