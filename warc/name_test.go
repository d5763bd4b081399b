package warc

import (
	"strings"
	"testing"
	"time"
)

// A file is known by its name again, whatever the template was.
func TestNames(t *testing.T) {
	at := time.Date(2026, 11, 24, 10, 11, 12, 345e6, time.UTC)
	for template, want := range map[string]string{
		DefaultName:                         "NK-2-20261124101112345-00042-",
		"{timestamp14}-{serial}":            "20261124101112-00042.warc.gz",
		"{prefix}.{timestamp14}-{serial}_x": "NK-2.20261124101112-00042_x.warc.gz",
		"a-{host}-{timestamp17}-{serial}":   "a-crawler-7.nkp.cz-20261124101112345-00042.warc.gz",
	} {
		c := DefaultConfig()
		c.Prefix, c.Host, c.Name = "NK-2", "crawler-7.nkp.cz", template
		if ps := c.Validate(); len(ps) > 0 {
			t.Errorf("%s: %v", template, ps)
		}
		name := c.fileName(at, 42)
		if !strings.HasPrefix(name, want) || strings.Contains(name, "~") {
			t.Errorf("%s: %s", template, name)
		}
		for _, open := range []string{"", openSuffix} {
			s, ok := ParseName(name + open)
			if !ok || s.Number != 42 || s.Name != name || s.Final != (open == "") || oursFinal(name+open) != s.Final || oursOpen(name+open) == s.Final {
				t.Errorf("%s: %+v, %v", name+open, s, ok)
			}
		}
	}
	// Of a job that was begun before, and of others.
	if s, ok := ParseName("EXCLAVE-20261124101112345-123456-77~crawler-7.nkp.cz~8443.warc.gz"); !ok || s.Number != 123456 || !s.Final {
		t.Errorf("%+v, %v", s, ok)
	}
	for _, name := range []string{"x.warc.gz", "EXCLAVE-20261124101112345-00000-1-h.warc.gz", "EXCLAVE-2026112410111-00001.warc.gz", "E20261124101112-00001.warc.gz", "a/20261124101112-00001.warc.gz", "20261124101112-00001.cdx.gz"} {
		if s, ok := ParseName(name); ok {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// A prefix that would be taken for the time and number of a file is refused.
func TestWrongPrefix(t *testing.T) {
	for prefix, ok := range map[string]bool{"NK-20261124101112": false, "NK-20261124101112-12345": false, "NK-20261124": true, "20261124101112": true} {
		c := DefaultConfig()
		c.Prefix = prefix
		if ps := c.Validate(); (len(ps) == 0) != ok || !ok && ps[0].Key != "prefix" {
			t.Errorf("%s: %+v", prefix, ps)
		}
	}
}

func TestWrongNames(t *testing.T) {
	for template, want := range map[string]string{
		"":                        "must have",
		"{prefix}-{serial}":       "must have",
		"{timestamp17}{serial}":   "must have",
		"x{timestamp17}-{serial}": "must have",
		"{timestamp17}-{serial}-{timestamp14}-{serial}": "must have",
		"{timestamp17}-{serial}-{port}":                 "{port} is none of",
		"{timestamp17}-{serial}~{host}":                 "between the words",
		"a/{timestamp17}-{serial}":                      "between the words",
	} {
		c := DefaultConfig()
		c.Name = template
		if ps := c.Validate(); len(ps) != 1 || ps[0].Key != "name" || !strings.Contains(ps[0].Msg, want) {
			t.Errorf("%q: %+v", template, ps)
		}
	}
}
