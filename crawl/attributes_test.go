package crawl_test

import (
	"testing"

	"exclave/crawl"
)

// systems.md 1.1: an attribute list, key → value, that any processor may read and write; on
// the way to the frontier the URI is stripped to the minimum.
func TestAttributes(t *testing.T) {
	u := &crawl.CrawlURI{}
	if u.Attribute("a.x") != nil {
		t.Error("a new URI has attributes")
	}
	u.SetAttribute("a.x", 1)
	u.SetAttribute("a.y", "two")
	u.SetAttribute("a.x", 3)
	c := u.Copy()
	c.SetAttribute("a.x", 4)
	c.SetAttribute("a.y", nil)
	c.SetAttribute("a.z", nil)
	c.Annotate("its own")
	if u.Attribute("a.x") != 3 || u.Attribute("a.y") != "two" || len(u.Annotations) > 0 {
		t.Errorf("a copy changed %v, %v, %v", u.Attribute("a.x"), u.Attribute("a.y"), u.Annotations)
	}
	if c.Attribute("a.x") != 4 || c.Attribute("a.y") != nil {
		t.Errorf("the copy has %v, %v", c.Attribute("a.x"), c.Attribute("a.y"))
	}
	u.Doc, u.Outlinks = nil, []crawl.Outlink{{}}
	u.Strip()
	if u.Attribute("a.x") != nil || u.Outlinks != nil {
		t.Error("something is left")
	}
}
