package frontier

import (
	"net/netip"
	"testing"
	"time"

	"exclave/crawl"
	"exclave/frontier/schema"
	"exclave/frontier/schema/schematest"
)

// A state with rows of every table has no key outside of those that are declared, and every row is read as the
// declaration says: whoever measures, checks or copies the state by their list misses nothing. (The list that sizes
// were measured by lacked three tables.)
func TestEveryKeyIsOfATable(t *testing.T) {
	c := unlimited()
	c.PauseAfter = 1
	r := openWith(t, func(o *Options) {
		o.Config, o.Depths = c, oneProfile(1)
		o.Limits.DomainURIs, o.Limits.HostDocuments = 1000, 1
		o.Logs.MaxSize = 1
		o.Parts = []Part{{Name: "profile", Value: "1"}}
	})
	from := cand("b.test", "/", analyse)
	from.SourceTag = "tag"
	r.schedule(cand("a.test", "/", analyse), from, cand("b.test", "/2", analyse), cand("b.test", "/3", analyse), cand("c.test", "/", analyse), cand("d.test", "/", analyse))
	_, err := r.ScheduleMark(t.Context(), "seeds", []byte("half"))
	must(t, err)
	for range 5 {
		u := r.any()
		if u == nil {
			r.clk.Advance(time.Minute)
			continue
		}
		switch u.URL {
		case "http://a.test/":
			r.answer(u, crawl.ClassRedirect, 0, redirectTo("e.test", "/"))
		case "http://c.test/":
			r.fail(u)
			continue
		default:
			logs(r.answer(u, crawl.ClassHTML, 1, cand(u.Host, "/linked", crawl.Claim{})), "a line\n")
		}
		u.Addr = netip.MustParseAddr("192.0.2.1")
		u.HostFacts = &crawl.HostFacts{Host: u.Host, Addrs: []netip.Addr{u.Addr}, Asked: began, Expires: began.Add(time.Hour)}
		u.Origin = &crawl.OriginFacts{Origin: "http://" + u.Host, Status: 200, Fetched: began, Expires: began.Add(time.Hour)}
		if !u.Response.IsZero() {
			u.Payload = &crawl.Payload{Name: "sha1:" + u.URL, URL: u.URL}
		}
		u.Deferred = &crawl.Deferred{Key: "dns:" + u.Host, Time: began, Raw: []byte("answer")}
		r.finish(u)
	}
	r.schedule(cand("f.test", "/", analyse))
	for key, value := range map[string][]byte{ // what is gone before anybody can look
		string(schema.WorkKey(1 << 40)):              (&schema.Work{Kind: schema.WorkKeep}).Encode(),
		string(schema.ScratchKey([]byte("of mine"))): []byte("1"),
	} {
		must(t, r.db.Set([]byte(key), value))
		defer func() { must(t, r.db.Delete([]byte(key))) }()
	}
	have := map[schema.Table]int{}
	must(t, r.db.Scan(nil, func(k, v []byte) error {
		have[schema.Table(k[0])]++
		if err := schematest.Check(k, v); err != nil {
			t.Error(err)
		}
		return nil
	}))
	for _, d := range schema.Tables() {
		if have[d.Table] == 0 {
			t.Errorf("no row of table %v, %s: it was not checked", d.Table, d.Name)
		}
	}
}
