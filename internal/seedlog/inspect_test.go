package seedlog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// What is told of a log adds up: also what cannot be fetched counts for schemes,
// and several files for the whole.
func TestInspect(t *testing.T) {
	total := NewTally()
	for range 2 {
		own := NewTally()
		log := "http://a.com/\nhttp://www.a.com/x#1\nhttp://www.a.com/x#2\nhttps://b.org/\ngopher://c.net/\nmailto:a@b.com\nhttp://[bad/\nhttp://10.0.0.1/\n# x\n"
		s, err := Inspect(t.Context(), bytes.NewReader(gz(t, log)), Options{}, own, total)
		if err != nil {
			t.Fatal(err)
		}
		if s.Compression != Gzip || s.Format != List || s.Lines != 9 || s.Blank != 1 || s.Broken != 3 || s.Causes[string(errScheme)] != 2 || s.Causes[string(errURL)] != 1 || len(s.Samples) != 3 {
			t.Errorf("%+v", s)
		}
		got := own.Sum(2)
		want := Sum{URLs: 5, Distinct: Estimate{4, true}, Duplicates: 1, Hosts: Estimate{4, true},
			TopHosts: Top{Most: []Share{{"www.a.com", 2}, {"10.0.0.1", 1}}},
			TopTLDs:  Top{Most: []Share{{"com", 3}, {"(address)", 1}}},
			Schemes:  Top{Most: []Share{{"http", 5}, {"gopher", 1}}}}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	if got := total.Sum(1); got.URLs != 10 || got.Distinct.N != 4 || got.Duplicates != 6 || got.TopHosts.Most[0].N != 4 {
		t.Errorf("both: %+v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Inspect(ctx, strings.NewReader(strings.Repeat("http://a.com/\n", 10_000)), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// BenchmarkInspect reports lines a second of logs as they are: 100,000 lines with
// 20,000 hosts.
func BenchmarkInspect(b *testing.B) {
	const n = 100_000
	for _, c := range []struct {
		format Format
		line   func(url string) string
	}{
		{List, func(u string) string { return u }},
		{Scope, func(u string) string {
			return "2019-05-02T10:11:12.126Z 0 RejectDecideRule REJECT " + u + ` {"host":"a.com","hopPath":"LLE","via":"http://b.cz/","seed":"http://b.cz/"}`
		}},
		{Crawl, func(u string) string {
			return "2011-06-23T17:12:09.001Z -5000          - " + u + " LL http://example.com/x no-type #002 - - http://example.com/ -"
		}},
		{CDX, func(u string) string {
			return "com,firma)/ 20150914222034 " + u + " text/html 200 ZMSA5TNJUKKRYAIM5PRUJLL24DV7QYOO - - 83848 117273 WEB.warc.gz"
		}},
		{Exclave, func(u string) string {
			return `{"url":"` + u + `","via":"http://b.cz/","hops":"LL","rule":"hosts","time":"2026-11-21T05:12:08.802Z","source":"harvest"}`
		}},
	} {
		var log strings.Builder
		for i := range n {
			log.WriteString(c.line(fmt.Sprintf("http://www.host%d.com/path/of/page%d.html?id=%d", i*7919%20_000, i, i%1000)) + "\n")
		}
		for name, data := range map[string][]byte{"plain": []byte(log.String()), "gzip": gz(b, log.String()), "zstd": zst(b, log.String())} {
			b.Run(string(c.format)+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					s, err := Inspect(b.Context(), bytes.NewReader(data), Options{}, NewTally())
					if err != nil || s.Lines != n || s.Broken > 0 || s.Format != c.format {
						b.Fatalf("%v, %+v", err, s)
					}
				}
				b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
			})
		}
	}
}
