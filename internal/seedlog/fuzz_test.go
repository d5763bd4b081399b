package seedlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"exclave/internal/urlx"
)

// FuzzReader: a log is a stranger's bytes. Whatever they are, in each format,
// every line is accounted for, and reading on from any entry finds the same rest.
func FuzzReader(f *testing.F) {
	for _, s := range samples() {
		f.Add([]byte(s.text))
	}
	f.Add(gz(f, samples()[0].text))
	f.Add(zst(f, samples()[0].text))
	f.Add([]byte(`2019-05-02T10:11:12.126Z 2 TooManyHopsDecideRule REJECT http://a.cz/1
2019-05-02T10:11:12.126Z 0 RejectDecideRule REJECT http://a.com/ {"via":"http://u:p@a.cz/#x"}
2019-05-02T10:11:12.126Z 6 PathologicalPathDecideRule REJECT http://a.cz/a/a/a/
2019-05-02T10:11:12.126Z 0 RejectDecideRule REJECT http://b.com/ {"via":"http://u:p@a.cz/#x"}
2019-05-02T10:11:12.126Z 0 RejectDecideRule REJECT http://b.com/
`))
	f.Add([]byte("CDX\nCDX a\n\x1f\x8b"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, format := range append(Formats(), Auto) {
			d, err := Open(bytes.NewReader(data), Options{Format: format})
			if err != nil {
				t.Fatal(err)
			}
			entries := int64(0)
			var middle State
			var rest []string
			for {
				e, err := d.Next()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				rest = append(rest, string(e.URL)+" "+d.Via())
				if u, err := urlx.Parse(d.Via()); d.Via() != "" && (err != nil || u.Userinfo() != "" || u.String() != d.Via()) {
					t.Fatalf("%q: via %q: %v", string(format), d.Via(), err)
				}
				if entries++; entries == 2 {
					middle, rest = d.State(), nil
				}
			}
			s := d.State()
			if s.Lines != entries+s.Blank+s.Skipped+s.Broken+s.LeftOut() {
				t.Fatalf("%q: %d entries, %+v", string(format), entries, s)
			}
			d.Close()
			if entries < 2 {
				continue
			}
			var again []string
			if d, err = Open(bytes.NewReader(data), Options{Resume: middle, Format: format}); err != nil {
				t.Fatal(err)
			}
			for {
				e, err := d.Next()
				if err != nil {
					break
				}
				again = append(again, string(e.URL)+" "+d.Via())
			}
			d.Close()
			if strings.Join(again, "\n") != strings.Join(rest, "\n") {
				t.Fatalf("%q: behind the second entry %q, resumed %q", string(format), rest, again)
			}
		}
	})
}

// FuzzObject: the scanner reads what encoding/json reads.
func FuzzObject(f *testing.F) {
	for _, s := range samples() {
		for line := range strings.Lines(s.text) {
			if strings.HasPrefix(line, "{") {
				f.Add([]byte(line))
			}
		}
	}
	f.Add([]byte(`{"url":"\u00e1\ud83d\ude00\ud800x\n\/","a":[{"url":"no"},"]"],"b":true}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		data = trim(data)
		var want map[string]any
		if !utf8.Valid(data) || len(data) == 0 || data[0] != '{' || bytes.ContainsAny(data, "\r\n") || json.Unmarshal(data, &want) != nil {
			return
		}
		var p parser
		if err := p.parseObject(data); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		for key, got := range map[string][]byte{"url": p.object.url, "via": p.object.via, "rule": p.object.rule} {
			if s, ok := want[key].(string); ok && s != string(got) && bytes.Count(data, []byte(key)) == 1 {
				t.Errorf("%s: %s is %q, not %q", data, key, s, got)
			}
		}
	})
}
