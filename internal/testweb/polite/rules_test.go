package polite

import (
	"net/netip"
	"testing"
	"time"

	"exclave/internal/testweb"
)

const ms = time.Millisecond

func at(d time.Duration) time.Time { return time.Unix(1000, 0).Add(d) }

// hit is a request to a URL of a host at 127.0.0.1, from and to in milliseconds.
func hit(host, path string, from, to time.Duration, status int) testweb.Hit {
	return testweb.Hit{Start: at(from * ms), End: at(to * ms), Host: host, URL: "http://" + host + path, Status: status,
		Addr: netip.MustParseAddr("127.0.0.1")}
}

func after(h testweb.Hit, seconds string) testweb.Hit {
	h.RetryAfter = seconds
	return h
}

func rules() Rules {
	return Rules{DelayFactor: 2, MinDelay: 100 * ms, MaxDelay: 500 * ms, MaxCrawlDelay: 2000 * ms,
		RetryDelay: 1000 * ms, MaxRetryDelay: 3000 * ms, MaxRetryAfter: 5000 * ms, RefusedBurst: 2,
		CrawlDelay: map[string]time.Duration{"slow": 700 * ms, "slower": 9000 * ms}, Late: 50 * ms}
}

func TestCheck(t *testing.T) {
	killed := func(when ...time.Duration) func(*Rules) {
		return func(r *Rules) {
			for _, w := range when {
				r.Kills = append(r.Kills, Kill{at(w * ms), at(w * ms)})
			}
		}
	}
	address := func(r *Rules) { r.HostsPerAddress, r.PauseAfter, r.Pause = 2, 2, 1000*ms }
	three := func(r *Rules) { r.Connections = 3 }
	gap := func(r *Rules) { r.AddressDelay, r.Jitter = 100*ms, 30*ms }
	tests := []struct {
		why  string
		set  func(*Rules)
		log  []testweb.Hit
		want string // the rule that is broken
	}{
		{"at least the minimum", nil, []testweb.Hit{hit("a", "/1", 0, 1, 200), hit("a", "/2", 101, 102, 200)}, ""},
		{"less than the minimum", nil, []testweb.Hit{hit("a", "/1", 0, 1, 200), hit("a", "/2", 100, 102, 200)}, Delay},
		{"another host need not wait", nil, []testweb.Hit{hit("a", "/1", 0, 1, 200), hit("b", "/2", 0, 2, 200)}, ""},
		{"factor × duration", nil, []testweb.Hit{hit("a", "/1", 0, 100, 200), hit("a", "/2", 299, 300, 200)}, Delay},
		{"at most the maximum", nil, []testweb.Hit{hit("a", "/1", 0, 1000, 200), hit("a", "/2", 1500, 1501, 200)}, ""},
		{"two at a time", nil, []testweb.Hit{hit("a", "/1", 0, 1000, 200), hit("a", "/2", 999, 1501, 200)}, Connections},
		{"two at a time, one in between", nil, []testweb.Hit{hit("a", "/1", 0, 5000, 200), hit("a", "/2", 10, 20, 200), hit("a", "/3", 4000, 4001, 200)}, Connections},
		{"three may be", three, []testweb.Hit{hit("a", "/1", 0, 1000, 200), hit("a", "/2", 10, 1001, 200), hit("a", "/3", 20, 30, 200), hit("a", "/4", 30, 40, 200)}, ""},
		{"four at a time", three, []testweb.Hit{hit("a", "/1", 0, 1000, 200), hit("a", "/2", 10, 1001, 200), hit("a", "/3", 20, 31, 200), hit("a", "/4", 30, 40, 200)}, Connections},
		{"Crawl-delay, from the answer that told it", nil, []testweb.Hit{hit("slow", "/robots.txt", 0, 1, 200), hit("slow", "/2", 700, 701, 200)}, Delay},
		{"Crawl-delay is kept", nil, []testweb.Hit{hit("slow", "/robots.txt", 0, 1, 200), hit("slow", "/2", 701, 702, 200), hit("slow", "/2", 1402, 1403, 200)}, ""},
		{"Crawl-delay is capped", nil, []testweb.Hit{hit("slower", "/robots.txt", 0, 1, 200), hit("slower", "/2", 2001, 2002, 200)}, ""},
		{"no Crawl-delay was told", nil, []testweb.Hit{hit("slow", "/robots.txt", 0, 1, 503), hit("slow", "/robots.txt", 1001, 1002, 404), hit("slow", "/2", 1102, 1103, 200)}, ""},
		{"Retry-After", nil, []testweb.Hit{after(hit("a", "/1", 0, 1, 503), "2"), hit("a", "/1", 2000, 2001, 200)}, Delay},
		{"Retry-After is kept", nil, []testweb.Hit{after(hit("a", "/1", 0, 1, 503), "2"), hit("a", "/1", 2001, 2002, 200)}, ""},
		{"Retry-After is capped", nil, []testweb.Hit{after(hit("a", "/1", 0, 1, 503), "99"), hit("a", "/1", 5001, 5002, 200)}, ""},
		{"back-off", nil, []testweb.Hit{hit("a", "/1", 0, 1, 429), hit("a", "/1", 1000, 2001, 200)}, Delay},
		{"back-off doubles", nil, []testweb.Hit{hit("a", "/1", 0, 0, 429), hit("a", "/1", 1000, 1000, 429), hit("a", "/1", 2999, 3000, 200)}, Delay},
		{"back-off has an end", nil, []testweb.Hit{hit("a", "/1", 0, 0, 0), hit("a", "/1", 1000, 1000, 0), hit("a", "/1", 3000, 3000, 0), hit("a", "/1", 6000, 6000, 0)}, ""},
		{"back-off recovers by half", nil, []testweb.Hit{hit("a", "/1", 0, 0, 503), hit("a", "/1", 1000, 1000, 503), hit("a", "/1", 3000, 3000, 200),
			hit("a", "/2", 3100, 3100, 503), hit("a", "/2", 4100, 4100, 200)}, Delay},
		{"one 403", nil, []testweb.Hit{hit("a", "/1", 0, 0, 403), hit("a", "/2", 100, 100, 200), hit("a", "/3", 200, 200, 403), hit("a", "/4", 300, 300, 200)}, ""},
		{"a burst of 403", nil, []testweb.Hit{hit("a", "/1", 0, 0, 403), hit("a", "/2", 100, 100, 403), hit("a", "/3", 1099, 1099, 200)}, Delay},
		{"killed: what was not noted is not demanded", killed(20), []testweb.Hit{after(hit("a", "/1", 0, 1, 503), "2"), hit("a", "/1", 101, 102, 200)}, ""},
		{"killed: the delay is", killed(20), []testweb.Hit{hit("a", "/1", 0, 1, 200), hit("a", "/1", 100, 101, 200)}, Delay},
		{"killed: what was noted long before is demanded", killed(500), []testweb.Hit{after(hit("a", "/1", 0, 1, 503), "2"), hit("a", "/1", 601, 602, 200)}, Delay},
		{"killed: only the last may not have been noted", killed(130), []testweb.Hit{hit("a", "/1", 0, 100, 503), hit("a", "/1", 120, 121, 200), hit("a", "/1", 1200, 1202, 200)}, Delay},
		{"killed: a Crawl-delay known before is demanded", killed(705), []testweb.Hit{hit("slow", "/robots.txt", 0, 1, 200), hit("slow", "/2", 701, 702, 200), hit("slow", "/2", 1401, 1403, 200)}, Delay},
		{"two hosts at a time", address, []testweb.Hit{hit("a", "/", 0, 100, 200), hit("b", "/", 10, 20, 200), hit("c", "/", 20, 30, 200)}, ""},
		{"three hosts at a time", address, []testweb.Hit{hit("a", "/", 0, 100, 200), hit("b", "/", 10, 21, 200), hit("c", "/", 20, 30, 200)}, Hosts},
		{"gaps", gap, []testweb.Hit{hit("a", "/", 0, 1, 200), hit("b", "/", 70, 71, 200), hit("c", "/", 200, 201, 200)}, ""},
		{"a gap beyond the jitter", gap, []testweb.Hit{hit("a", "/", 0, 1, 200), hit("b", "/", 69, 71, 200)}, Gap},
		{"gaps that are all a little short", gap, []testweb.Hit{hit("a", "/", 0, 1, 200), hit("b", "/", 80, 81, 200), hit("c", "/", 160, 161, 200)}, Gap},
		{"gaps after a long one", gap, []testweb.Hit{hit("a", "/", 0, 1, 200), hit("b", "/", 800, 801, 200), hit("c", "/", 860, 861, 200)}, Gap},
		{"a pause in time", address, []testweb.Hit{hit("a", "/1", 0, 1, 200), hit("a", "/2", 200, 201, 200), hit("a", "/3", 1201, 1202, 200)}, ""},
		{"a third request without a pause", address, []testweb.Hit{hit("a", "/1", 0, 1, 200), hit("a", "/2", 200, 201, 200), hit("a", "/3", 1199, 1202, 200)}, Pauses},
		{"a pause rests all hosts", address, []testweb.Hit{hit("a", "/1", 0, 1, 200), hit("a", "/2", 200, 201, 200), hit("b", "/1", 400, 401, 200)}, Pauses},
		{"what was sent before the pause is not in it", address, []testweb.Hit{hit("a", "/1", 0, 1, 200), hit("a", "/2", 200, 201, 200), hit("b", "/1", 250, 301, 200), hit("a", "/3", 1301, 1401, 200)}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			r := rules()
			if tt.set != nil {
				tt.set(&r)
			}
			got := r.Check(tt.log)
			for _, b := range got.Breaks {
				if b.Rule != tt.want {
					t.Errorf("%s is broken: %s", b.Rule, b.What)
				}
			}
			if tt.want != "" && len(got.Breaks) == 0 {
				t.Errorf("%s is broken, and was not found", tt.want)
			}
		})
	}
}

func TestRepeats(t *testing.T) {
	r := rules()
	r.Kills = []Kill{{at(498 * ms), at(500 * ms)}, {at(900 * ms), at(900 * ms)}}
	got := r.Repeats([]testweb.Hit{
		hit("a", "/1", 0, 1, 503), hit("a", "/1", 100, 101, 200), // failed
		hit("a", "/2", 490, 495, 200), hit("a", "/2", 600, 601, 200), // not noted
		hit("b", "/1", 480, 481, 200), hit("b", "/2", 490, 491, 200), hit("b", "/1", 600, 601, 200), // was noted: another followed
		hit("c", "/1", 400, 401, 200), hit("c", "/1", 600, 601, 200), // was noted: long before the kill
		hit("g", "/1", 447, 449, 200), hit("g", "/1", 600, 601, 200), // not noted, by the beginning of the kill
		hit("d", "/1", 0, 1, 301), hit("d", "/1", 700, 701, 301),
		hit("f", "/1", 10, 11, 403), hit("f", "/1", 710, 711, 403), hit("f", "/1", 720, 721, 403), // wanted once
		hit("e", "/1", 899, 1000, 200), hit("e", "/1", 1200, 1201, 200), // cut by the second kill
	})
	want := []Repeat{{URL: "http://a/1", Cause: "failure", Kill: 0}, {URL: "http://a/2", Cause: "kill", Kill: 1}, {URL: "http://b/1", Cause: "", Kill: 0}, {URL: "http://c/1", Cause: "", Kill: 0},
		{URL: "http://g/1", Cause: "kill", Kill: 1}, {URL: "http://d/1", Cause: "redirect", Kill: 0}, {URL: "http://f/1", Cause: "claim", Kill: 0}, {URL: "http://f/1", Cause: "", Kill: 0}, {URL: "http://e/1", Cause: "kill", Kill: 2}}
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i := range want {
		if g := got[i]; g.URL != want[i].URL || g.Cause != want[i].Cause || g.Kill != want[i].Kill || g.Again.Before(g.Answered) {
			t.Errorf("%+v, want %+v", g, want[i])
		}
	}
}
