package langid_test

import (
	"slices"
	"strings"
	"testing"

	"exclave/dict"
	"exclave/langid"
)

func BenchmarkIdentify(b *testing.B) {
	m := open(b)
	text := strings.Repeat("Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv, 1 000 Kč, Zbrzdopytel 2008. ", 50)
	var words [][]byte
	for w := range dict.Words(text) {
		words = append(words, slices.Clone(w))
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if m.Identify(dict.BagOf(slices.Values(words))).Passages == 0 {
			b.Fatal("no passage")
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		if _, err := langid.Unpack(); err != nil {
			b.Fatal(err)
		}
	}
}
