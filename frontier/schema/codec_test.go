package schema

import (
	"encoding/hex"
	"reflect"
	"strings"
	"testing"
	"time"

	"exclave/crawl"
	"exclave/internal/mime"
)

func goldenRecords() map[string]*Record {
	at := time.Date(2026, 11, 21, 5, 6, 7, 89_000_000, time.UTC)
	return map[string]*Record{
		"parked": {ID: crawl.ID{Host: 9, URI: 1}, URL: "http://a.test/i.png", Key: "http://a.test/i.png", Host: "a.test", ViaID: crawl.ID{Host: 9, URI: 2},
			Hops: "LE", Kind: crawl.LinkEmbed, Context: "img/@src", State: Parked},
		"waiting": {ID: crawl.ID{Host: 9, URI: 2}, URL: "http://a.test/", Key: "http://a.test/", Host: "a.test", SourceTag: "s", Seed: true, Via: "http://b.test/", Kind: crawl.LinkNav,
			State: Pending, Claim: crawl.Claim{Analyse: true, Link: [crawl.MaxProfiles]int32{0, 1000001}}, Attempts: 2, Precedence: 1, Seq: 300},
		"tried": {ID: crawl.ID{Host: 9, URI: 2}, URL: "http://a.test/", Key: "http://a.test/", Host: "a.test", Kind: crawl.LinkNav,
			State: Pending, Claim: crawl.Claim{Analyse: true}, Attempts: 2, Failure: crawl.StatusConnectFailed, FailedAt: at, Precedence: 1, Seq: 300},
		"archived": {ID: crawl.ID{Host: 9, URI: 3}, URL: "http://a.test/?x", Key: "http://a.test/", Host: "a.test", Kind: crawl.LinkNav, State: Done, ViaID: crawl.ID{Host: 8, URI: 2},
			Claim: crawl.Claim{Bin: true, Keep: true}, Redirects: 1, Finishes: 2, Judgings: 1, Precedence: 3, Seq: 7,
			Outcome:  crawl.Outcome{Status: 200, Class: crawl.ClassHTML, Judgeable: true, Judged: true, ValidFor: 3, Archived: true},
			Response: crawl.Ref{File: 1, Offset: 400, Length: 5000}, Metadata: crawl.Ref{File: 1, Offset: 5400, Length: 300},
			RecordID: "urn:uuid:1", Date: at, Digest: "sha1:AA", ETag: `"e"`, LastModified: "Sat", LinksInMetadata: true},
		"revisit": {ID: crawl.ID{Host: 9, URI: 6}, URL: "http://a.test/2", Key: "http://a.test/2", Host: "a.test", Kind: crawl.LinkNav, State: Done, Finishes: 1,
			Outcome:  crawl.Outcome{Status: 200, Class: crawl.ClassOther, Archived: true},
			Response: crawl.Ref{File: 1, Offset: 400, Length: 5000}, RecordID: "urn:uuid:1", Date: at, Digest: "sha1:AA", Original: crawl.Ref{File: 1, Offset: 256, Length: 44}},
		"ways": {ID: crawl.ID{Host: 9, URI: 3}, URL: "http://a.test/s", Key: "http://a.test/s", Host: "a.test", Hops: "L", Kind: crawl.LinkNav, State: Done, Finishes: 1,
			OwnWays: crawl.Ways{Nav: true, Embeds: "\x02", Hints: mime.HintCSS},
			Outcome: crawl.Outcome{Status: 200, Class: crawl.ClassContainer, Open: mime.HintScript, Embedding: true}},
		"timed": {ID: crawl.ID{Host: 9, URI: 4}, URL: "dns:a.test", Key: "dns:a.test", Host: "a.test", Hops: "P", State: Done, Finishes: 1,
			Outcome: crawl.Outcome{Status: crawl.StatusDNSFailed}, Last: at},
		"failed": {ID: crawl.ID{Host: 9, URI: 4}, URL: "dns:a.test", Key: "dns:a.test", Host: "a.test", Hops: "P", State: Done, Finishes: 1,
			Outcome: crawl.Outcome{Status: crawl.StatusDNSFailed}},
	}
}

// aTest names the only host there is.
func aTest(uint64) (string, error) { return "a.test", nil }

var one = crawl.ID{Host: 9, URI: 5}

// golden are the bytes that version 2 of a record has (docs/formats/state.md).
// They change only with the version.
var golden = map[string]string{
	"parked":  "020401000201062f692e706e67010000000000000002024c4508696d672f4073726300000000000000",
	"waiting": "020502000101012f000e687474703a2f2f622e746573742f00000173010200c1843d020001ac02",
	"tried":   "028480800402000101012f00000000000100020001ac0203e2e9fac7bf68",
	"archived": "02f80103000101032f3f780e687474703a2f2f612e746573742f0200000000000000080000000000000002" +
		"000000060000010307020190030103019003882701982aac02" +
		"0a75726e3a757569643a31e2e9fac7bf6807736861313a41410322652203536174",
	"revisit": "02c481800103000101022f32000000000000000000000001009003040001900388270000000a75726e3a757569643a31e2e9fac7bf6807736861313a414100000180022c",
	"ways":    "0284c10303000101022f730000014c000000000000000005010201009003030002",
	"timed":   "0284810403000004000000015000000000000000000100010000e2e9fac7bf68",
	"failed":  "02840103000004000000015000000000000000000100010000",
}

func TestGoldenValues(t *testing.T) {
	// Decision 12: what one build writes, every later one must read.
	for name, r := range goldenRecords() {
		if got := hex.EncodeToString(r.Encode()); got != golden[name] {
			t.Errorf("%s is written as\n%s, want\n%s", name, got, golden[name])
		}
		b, err := hex.DecodeString(golden[name])
		if err != nil {
			t.Fatal(err)
		}
		got, err := DecodeRecord(r.ID, b, aTest)
		if err != nil || !reflect.DeepEqual(got, r) {
			t.Errorf("%s is read as\n%+v, want\n%+v (%v)", name, got, r, err)
		}
	}
}

func TestGoldenKeys(t *testing.T) {
	// Decision 12: rows sort by their numbers, so these are big-endian.
	for want, key := range map[string][]byte{
		"7500000000000000050000000000000102":                                 URIKey(crawl.ID{Host: 5, URI: 0x102}),
		"6800000000000000ff":                                                 HostKey(255),
		"77000001930000000000000000000000ff":                                 Place{Kind: Snoozed, At: 0x19300000000, Host: 255}.Key(),
		"7100000000000000010200000000000000ff":                               QueueKey(1, 2, 255),
		"720000000000000005000000000000000100000000000000050000000000000002": RedirectKey(crawl.ID{Host: 5, URI: 1}, crawl.ID{Host: 5, URI: 2}),
		"6600000102":                 FileKey(0x102),
		"63000000020000000000000100": CaptureKey(2, 256),
		"6d636c65616e":               MetaKey(MetaClean),
	} {
		if got := hex.EncodeToString(key); got != want {
			t.Errorf("key %s, want %s", got, want)
		}
	}
}

func TestDamagedValuesAreRefused(t *testing.T) {
	// Decision 12: a value of another version, one cut short and one with bytes
	// left over are errors.
	for name, r := range goldenRecords() {
		whole := r.Encode()
		for n := range whole {
			if _, err := DecodeRecord(r.ID, whole[:n], aTest); err == nil {
				t.Errorf("%s cut to %d bytes is read", name, n)
			}
		}
		if _, err := DecodeRecord(r.ID, append(whole, 0), aTest); err == nil {
			t.Errorf("%s with a byte too many is read", name)
		}
		whole[0]++
		if _, err := DecodeRecord(r.ID, whole, aTest); err == nil || !strings.Contains(err.Error(), "version 3") {
			t.Errorf("%s of another version: %v", name, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	// Style rule 8: damaged bytes are an error, never a panic; what is read is
	// written again as the same value.
	for _, r := range goldenRecords() {
		f.Add(r.Encode())
	}
	f.Add((&Host{Name: "a.test", Pending: 3, Wake: time.Date(2026, 11, 21, 5, 0, 0, 0, time.UTC)}).Encode())
	f.Add((&Capture{Span: crawl.Span{End: 9}, ID: one, Carried: []string{"dns:a.test"}}).Encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		if r, err := DecodeRecord(one, b, aTest); err == nil {
			again, err := DecodeRecord(one, r.Encode(), aTest)
			if err != nil || !reflect.DeepEqual(again, r) {
				t.Fatalf("%+v is read back as %+v (%v)", r, again, err)
			}
		}
		_, _ = DecodeHost(b)
		_, _ = DecodeCounters(b)
		_, _ = DecodeCapture(CaptureKey(1, 0), b)
	})
}
