package frontier

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"exclave/crawl"
	"exclave/frontier/rules"
	"exclave/frontier/schema"
	"exclave/internal/clock"
	"exclave/internal/fsx"
	"exclave/internal/mime"
)

// ordered opens a frontier without delays and with the given order and limits.
func ordered(t testing.TB, change func(o *rules.OrderConfig, l *rules.LimitsConfig)) *rig {
	t.Helper()
	return openWith(t, func(o *Options) {
		o.Order = rules.DefaultOrderConfig()
		change(&o.Order, &o.Limits)
	})
}

// drain takes and answers everything that may be asked for, in order, and returns the
// URLs without "http://".
func (r *rig) drain(answer func(u *crawl.CrawlURI)) (urls []string) {
	r.t.Helper()
	for u := r.any(); u != nil; u = r.any() {
		urls = append(urls, strings.TrimPrefix(u.URL, "http://"))
		if answer == nil {
			r.answer(u, crawl.ClassHTML, 0)
		} else {
			answer(u)
		}
		r.finish(u)
	}
	return urls
}

func inOrder(t *testing.T, why string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\ngot  %q\nwant %q", why, got, want)
	}
}

func TestPolicies(t *testing.T) {
	one := crawl.Claim{Bin: true}
	rec := func(url, hops string, change func(*schema.Record)) *schema.Record {
		r := &schema.Record{URL: url, Key: url, Host: strings.Split(url, "/")[2], Hops: hops, Claim: analyse}
		if change != nil {
			change(r)
		}
		return r
	}
	seed := rec("http://a.test/", "", func(r *schema.Record) { r.Seed = true })
	link, deep := rec("http://a.test/l", "L", nil), rec("http://a.test/d", "LLLLLLLLLLL", nil)
	embed := rec("http://a.test/e.png", "LE", func(r *schema.Record) { r.Claim = one })
	of := func(f schema.Found) *schema.Record {
		return rec("http://a.test/f", "L", func(r *schema.Record) { r.Found = f })
	}
	topic := rec("http://x.library.test/", "LL", nil)
	xml := rec("http://a.test/s.XSD?v=1", "L", nil)
	inXML := rec("http://a.test/s.xsd", "L", func(r *schema.Record) { r.InWanted = true })
	wrong := rec("http://a.test/s.xml", "L", func(r *schema.Record) { r.WrongType = true })
	wrongOnly := rec("http://a.test/s", "L", func(r *schema.Record) { r.WrongType = true })
	for name, c := range map[string]struct {
		policies []rules.PolicyName
		want     []*schema.Record // a nil stands between those that differ
	}{
		"kind":      {[]rules.PolicyName{rules.PolicyKind}, []*schema.Record{seed, nil, embed, nil, link, deep}},
		"hops":      {[]rules.PolicyName{rules.PolicyHops}, []*schema.Record{seed, nil, link, embed, nil, topic, nil, deep}},
		"depth":     {[]rules.PolicyName{rules.PolicyDepthFirst}, []*schema.Record{deep, nil, topic, nil, link, embed, nil, seed}},
		"relevance": {[]rules.PolicyName{rules.PolicyRelevance}, []*schema.Record{of(schema.FoundValid), nil, embed, nil, of(schema.FoundNear), nil, seed, link, nil, of(schema.FoundUseless), nil, of(schema.FoundUseless2)}},
		"score":     {[]rules.PolicyName{rules.PolicyScore}, []*schema.Record{seed, inXML, nil, xml, nil, link, wrong, nil, wrongOnly}},
		"topical":   {[]rules.PolicyName{rules.PolicyTopical}, []*schema.Record{topic, nil, seed, deep}},
		"combined":  {[]rules.PolicyName{rules.PolicyTopical, rules.PolicyHops}, []*schema.Record{topic, nil, seed, nil, link, nil, deep}},
		"none":      {nil, []*schema.Record{seed, link, deep, embed}},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := rules.DefaultOrderConfig()
			cfg.Policies, cfg.Topics = c.policies, []string{"library.test"}
			for _, err := range cfg.Validate() {
				t.Error(err)
			}
			o := rules.NewOrder(cfg, rules.LimitsConfig{})
			last, step := uint8(0), true
			for _, r := range c.want {
				if r == nil {
					step = true
					continue
				}
				p := o.Precedence(r)
				if step && p <= last || !step && p != last || p == schema.PrecPrereq || p == schema.PrecShelved {
					t.Errorf("%s %q found on %v: precedence %d after %d", r.URL, r.Hops, r.Found, p, last)
				}
				last, step = p, false
			}
		})
	}
	cfg := rules.DefaultOrderConfig()
	cfg.Policies = []rules.PolicyName{rules.PolicyHops, rules.PolicyDepthFirst, rules.PolicyScore, "luck", rules.PolicyHops}
	if problems := cfg.Validate(); len(problems) != 3 {
		t.Errorf("%v", problems)
	}
}

// Links of valid pages go before those of others, a better page that is found later
// moves a link forward, and links of the second useless page in a row are last, or not
// followed.
func TestRelevance(t *testing.T) {
	for _, follow := range []bool{true, false} {
		r := ordered(t, func(o *rules.OrderConfig, _ *rules.LimitsConfig) {
			o.Policies, o.FollowUseless, o.UselessPages, o.FollowedHops = []rules.PolicyName{rules.PolicyRelevance}, follow, 2, 0
		})
		for _, p := range []string{"/useless", "/near", "/valid"} {
			c := cand("a.test", p, analyse)
			c.Hops, c.Seed = "", true
			r.schedule(c)
		}
		pages := map[string]struct {
			valid uint8
			near  bool
			links []string
		}{
			"/useless": {0, false, []string{"/1", "/late"}}, "/near": {0, true, []string{"/2"}}, "/valid": {1, false, []string{"/3"}},
			"/1": {0, false, []string{"/4", "/5"}}, "/2": {0, false, []string{"/late"}}, "/3": {1, false, []string{"/5", "/6"}},
		}
		got := r.drain(func(u *crawl.CrawlURI) {
			p := pages[strings.TrimPrefix(u.URL, "http://a.test")]
			var links []crawl.Candidate
			for _, l := range p.links {
				links = append(links, cand("a.test", l, crawl.Claim{}))
			}
			r.answer(u, crawl.ClassHTML, p.valid, links...)
			for i := range u.Links { // depth 0: links of valid pages would be needed for display
				u.Links[i].Claim = analyse
			}
			u.Judged.Near = p.near
		})
		want := []string{"/useless", "/near", "/2", "/valid", "/3", "/5", "/6", "/1", "/late", "/4"}
		if !follow {
			want = want[:len(want)-1]
		}
		for i := range want {
			want[i] = "a.test" + want[i]
		}
		// The three seeds are alike; links of the nearly valid and of the valid one go first.
		inOrder(t, fmt.Sprint("follow ", follow), got, want...)
		if s := r.Stats(); !follow && s.Refused != 2 {
			t.Errorf("%+v", s)
		}
	}
}

// In the order "best" a queue whose head ranks best goes first, whatever host.
func TestBestQueues(t *testing.T) {
	r := ordered(t, func(o *rules.OrderConfig, _ *rules.LimitsConfig) {
		o.Policies, o.Queues = []rules.PolicyName{rules.PolicyHops}, rules.QueuesBest
	})
	at := func(host, p string, hops int) {
		c := cand(host, p, analyse)
		c.Hops = strings.Repeat("L", hops)
		r.schedule(c)
	}
	at("a.test", "/3", 3)
	at("b.test", "/2", 2)
	at("c.test", "/1", 1)
	at("c.test", "/5", 5)
	at("a.test", "/0", 0)
	inOrder(t, "best", r.drain(nil), "a.test/0", "c.test/1", "b.test/2", "a.test/3", "c.test/5")
}

func TestFasterFirst(t *testing.T) {
	r := ordered(t, func(o *rules.OrderConfig, _ *rules.LimitsConfig) { o.FasterFirst = true })
	took := map[string]time.Duration{"a.test": 20 * time.Second, "b.test": 10 * time.Millisecond, "c.test": time.Second}
	for i := range 2 {
		for _, h := range []string{"a.test", "b.test", "c.test"} {
			r.schedule(cand(h, path(i), analyse))
		}
	}
	got := r.drain(func(u *crawl.CrawlURI) { r.answer(u, crawl.ClassHTML, 0).Took = took[u.Host] })
	inOrder(t, "after the first answers", got[len(got)-2:], "c.test/1", "a.test/1")
}

// A big host keeps its turn for a session, then waits behind those that stand in line:
// neither starves the other.
func TestSessions(t *testing.T) {
	const small, balance = 40, 5
	r := openWith(t, func(o *Options) {
		o.Order = rules.DefaultOrderConfig()
		o.Order.SessionBalance = balance
		o.Config.HostsInMemory = 4
	})
	for i := range 30 {
		r.schedule(cand("big.test", path(i), analyse))
	}
	r.clk.Advance(time.Second)
	for i := range small {
		r.schedule(cand(fmt.Sprintf("s%02d.test", i), "/", analyse))
	}
	big, others, first := 0, 0, 0
	for _, u := range r.drain(func(u *crawl.CrawlURI) {
		r.answer(u, crawl.ClassHTML, 0)
		r.clk.Advance(50 * time.Millisecond)
	}) {
		if strings.HasPrefix(u, "big") {
			big++
		} else if others++; others == small {
			first = big
		}
	}
	if big != 30 || others != small {
		t.Fatalf("%d of the big host, %d others", big, others)
	}
	if first < balance || first > 3*balance {
		t.Errorf("when all small hosts had been asked the big one had had %d turns", first)
	}
	if c := r.Census().Changes; c.Activated == 0 || c.Deactivated == 0 || c.Filled != small+1 || c.Exhausted != small+1 {
		t.Errorf("%+v", c)
	}
}

// In each round the best URIs, so many of a host, then the next; after the last round
// the crawl is over.
func TestRounds(t *testing.T) {
	r := ordered(t, func(o *rules.OrderConfig, _ *rules.LimitsConfig) {
		o.Rounds, o.RoundURLs, o.RoundHostURLs = 2, 5, 2
	})
	for i := range 9 {
		for _, h := range []string{"a.test", "b.test", "c.test"} {
			r.schedule(cand(h, path(i), analyse))
		}
	}
	perHost := func(urls []string) (n [3]int) {
		for _, u := range urls {
			n[u[0]-'a']++
		}
		return n
	}
	if first := perHost(r.drain(nil)); first[0]+first[1]+first[2] != 5 || slices.Max(first[:]) != 2 {
		t.Errorf("first round: %v", first)
	}
	if u, err := r.Next(t.Context()); err != nil {
		t.Fatal(err)
	} else {
		r.finish(r.answer(u, crawl.ClassHTML, 0))
	}
	if second := perHost(r.drain(nil)); second[0]+second[1]+second[2] != 4 || slices.Max(second[:]) > 2 {
		t.Errorf("second round: %v", second)
	}
	r.over()
	if q := r.Queues(); q.Round != 2 {
		t.Errorf("%+v", q)
	}
}

// A host that rests for long keeps no other from the next round, and it is not forgotten when the
// round is full.
func TestRoundsAndWhoRests(t *testing.T) {
	for name, set := range map[string]func(*rules.OrderConfig){
		"so many of a host": func(o *rules.OrderConfig) { o.RoundHostURLs = 1 },
		"so many in all":    func(o *rules.OrderConfig) { o.RoundURLs = 2 },
	} {
		t.Run(name, func(t *testing.T) {
			r := openWith(t, func(o *Options) {
				o.Depths, o.Order = oneProfile(0), rules.DefaultOrderConfig()
				o.Config.RetryDelay = time.Hour
				set(&o.Order)
			})
			r.schedule(cand("bad.test", "/", analyse), cand("a.test", "/1", analyse), cand("a.test", "/2", analyse))
			var got []string
			fail := func(u *crawl.CrawlURI) {
				if got = append(got, strings.TrimPrefix(u.URL, "http://")); u.Host == "bad.test" {
					u.Status, u.Disposition = crawl.StatusConnectFailed, crawl.Retry
					r.finish(u)
					return
				}
				r.finish(r.answer(u, crawl.ClassHTML, 0))
			}
			before := r.clk.Now()
			for range 3 {
				u, err := r.Next(t.Context())
				must(t, err)
				fail(u)
			}
			slices.Sort(got)
			inOrder(t, "while it rests", got, "a.test/1", "a.test/2", "bad.test/")
			if d := r.clk.Now().Sub(before); d > time.Minute {
				t.Errorf("others waited for %v", d)
			}
			r.clk.Advance(24 * time.Hour)
			u, err := r.Next(t.Context())
			if must(t, err); u.Host != "bad.test" {
				t.Errorf("%s comes last", u.URL)
			}
			r.finish(r.answer(u, crawl.ClassHTML, 0))
			r.over()
			sound(t, r.Frontier)
		})
	}
}

func TestQueueKeys(t *testing.T) {
	// What shares a queue is asked one after the other.
	urls := []string{"http://a.x.com/", "http://b.x.com/", "http://a.x.com:8080/", "http://c.y.com/"}
	for key, together := range map[rules.QueueKey][][]int{
		rules.QueueByHost: {{0, 2}}, rules.QueueByAuthority: nil, rules.QueueByDomain: {{0, 1}, {0, 2}, {1, 2}},
	} {
		t.Run(string(key), func(t *testing.T) {
			cfg := unlimited()
			cfg.QueueKey = key
			r := open(t, cfg, oneProfile(0))
			for _, u := range urls {
				host := strings.Split(strings.Split(u, "/")[2], ":")[0]
				r.schedule(crawl.Candidate{URL: u, Key: u, Host: host, Kind: crawl.LinkNav, Hops: "L", Claim: analyse})
			}
			var got []*crawl.CrawlURI
			for u := r.ready(); u != nil; u = r.ready() {
				got = append(got, u)
			}
			queues := map[string]bool{}
			for i, u := range urls {
				queues[r.env.QueueName(&schema.Record{URL: u, Host: strings.Split(strings.Split(u, "/")[2], ":")[0]})] = true
				for _, p := range together {
					if q := r.env.QueueName(&schema.Record{URL: urls[p[0]], Host: strings.Split(strings.Split(urls[p[0]], "/")[2], ":")[0]}); i == p[1] && !queues[q] {
						t.Errorf("%v are not together", p)
					}
				}
			}
			if len(got) != len(queues) {
				t.Errorf("%d at once of %d queues", len(got), len(queues))
			}
			for _, u := range got {
				r.finish(r.answer(u, crawl.ClassHTML, 0))
			}
			r.clk.Advance(time.Minute)
			n := len(got)
			for u := r.ready(); u != nil; u = r.ready() {
				r.finish(r.answer(u, crawl.ClassHTML, 0))
				r.clk.Advance(time.Minute)
				n++
			}
			if n != len(urls) {
				t.Errorf("%d of %d", n, len(urls))
			}
			r.over()
		})
	}
}

// With addresses as queues a host's URIs stand in its own queue until the address is
// known, and a prerequisite stands before the URI that waits for it.
func TestQueueByAddress(t *testing.T) {
	cfg := quick()
	cfg.QueueKey = rules.QueueByAddress
	r := open(t, cfg, oneProfile(0))
	for _, h := range []string{"a.test", "b.test"} {
		r.schedule(cand(h, "/1", analyse))
	}
	for _, h := range []string{"a.test", "b.test"} {
		u := r.take("http://" + h + "/1")
		r.finish(prereq(u, "dns:"+h, "dns:"+h))
		u = r.take("dns:" + h)
		u.Status = crawl.StatusDNS
		u.HostFacts = &crawl.HostFacts{Host: h, Status: crawl.StatusDNS, Addrs: []netip.Addr{netip.MustParseAddr("10.0.0.1")}, Expires: r.clk.Now().Add(time.Hour)}
		r.finish(u)
	}
	for _, h := range []string{"a.test", "b.test"} {
		r.schedule(cand(h, "/2", analyse))
	}
	if q, err := r.Queue(t.Context(), "10.0.0.1"); err != nil || q == nil || q.Waiting != 2 {
		t.Fatalf("%+v, %v", q, err)
	}
	// robots.txt of b.test, asked for on behalf of a URI in the queue of the address.
	u := r.take("http://a.test/2")
	if v := r.ready(); v != nil && strings.HasSuffix(v.URL, "/2") {
		t.Fatalf("%s is offered while its address is busy", v.URL)
	} else if v != nil {
		v.Disposition = crawl.Resign
		r.finish(v)
	}
	r.finish(prereq(u, "http://a.test/robots.txt", "robots:http://a.test"))
	if q, err := r.Queue(t.Context(), "10.0.0.1"); err != nil || q.Waiting != 3 || q.Next[0] != "http://a.test/robots.txt" {
		t.Errorf("%+v, %v", q, err)
	}
	r.drain(nil)
	r.over()
}

func TestQueueKeyCannotChange(t *testing.T) {
	o := options(fsx.NewMem(), clock.NewFake(began), quick(), oneProfile(0))
	f, _, err := start(t, o)
	must(t, err)
	must(t, f.Close(t.Context()))
	o.Config.QueueKey = rules.QueueByDomain
	if _, _, err = start(t, o); err == nil || !strings.Contains(err.Error(), `queue_key is "domain", the job was started with "host"`) {
		t.Error(err)
	}
}

// A page of a wanted type gives its links points, one that is not what its extension
// said loses some.
func TestScoreIsLearnt(t *testing.T) {
	r := ordered(t, func(o *rules.OrderConfig, _ *rules.LimitsConfig) { o.Policies = []rules.PolicyName{rules.PolicyScore} })
	r.schedule(cand("a.test", "/list.xml", analyse))
	u := r.next("http://a.test/list.xml")
	u.MIME = mime.Info{Type: "application/atom+xml"}
	r.finish(r.answer(u, crawl.ClassOther, 0, cand("a.test", "/in", analyse)))
	if in := r.record("http://a.test/in"); !in.InWanted || r.record("http://a.test/list.xml").WrongType {
		t.Errorf("%+v", in)
	}
	r.drain(nil)
	r.schedule(cand("a.test", "/page.xml", analyse))
	u = r.next("http://a.test/page.xml")
	u.MIME = mime.Info{Type: "text/html"}
	r.finish(r.answer(u, crawl.ClassHTML, 0, cand("a.test", "/out", analyse)))
	if out := r.record("http://a.test/out"); out.InWanted || !r.record("http://a.test/page.xml").WrongType {
		t.Errorf("%+v", out)
	}
}

// A queue that loses its best URI ranks by the best of the others: of those in the state, of
// those that the same commit brought and did not take away again.
func TestBestWithoutAnother(t *testing.T) {
	seed := func(host, p string) crawl.Candidate {
		c := cand(host, p, analyse)
		c.Seed = true
		return c
	}
	for _, c := range []struct {
		name    string
		come    []crawl.Candidate // in the same commit, before the best goes
		dropped string            // then
		want    []string
	}{
		{"others are worse", nil, "", []string{"b.test/1", "a.test/3"}},
		{"a better one comes after a worse one", []crawl.Candidate{cand("a.test", "/5", analyse), seed("a.test", "/4")}, "",
			[]string{"a.test/4", "b.test/1", "a.test/3", "a.test/5"}},
		{"a better one comes and goes", []crawl.Candidate{seed("a.test", "/4")}, "http://a.test/4", []string{"b.test/1", "a.test/3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := ordered(t, func(o *rules.OrderConfig, _ *rules.LimitsConfig) {
					o.Policies, o.Queues = []rules.PolicyName{rules.PolicyKind}, rules.QueuesBest
				})
				first := cand("c.test", "/", link(0))
				first.Seed = true
				r.schedule(first)
				r.clk.Advance(time.Second)
				r.schedule(cand("b.test", "/1", analyse)) // would be first by its ticket
				r.clk.Advance(time.Second)
				r.schedule(seed("a.test", "/1"), cand("a.test", "/3", analyse))
				held, best := r.next("http://c.test/"), r.next("http://a.test/1")
				// While one group is committed and another has been read, a third gathers.
				r.ar.hold = make(chan struct{})
				var all sync.WaitGroup
				hand := func(fn func() error) {
					all.Go(func() {
						if err := fn(); err != nil {
							t.Error(err)
						}
					})
					synctest.Wait()
				}
				hand(func() error { return r.Finished(t.Context(), r.captured(held, 1, 0)) })
				hand(func() error { return r.Schedule(t.Context(), cand("d.test", "/", crawl.Claim{})) })
				if c.come != nil {
					hand(func() error { return r.Schedule(t.Context(), c.come...) })
				}
				if c.dropped != "" {
					hand(func() error {
						_, err := r.Drop(t.Context(), crawl.StatusDeletedByUser, func(*crawl.CrawlURI) []crawl.LogLine { return nil }, r.id(c.dropped))
						return err
					})
				}
				hand(func() error { return r.Finished(t.Context(), r.answer(best, crawl.ClassHTML, 0)) })
				close(r.ar.hold)
				all.Wait()
				inOrder(t, "what is left", r.drain(nil), c.want...)
			})
		})
	}
}
