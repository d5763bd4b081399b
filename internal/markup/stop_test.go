package markup

import (
	"fmt"
	"strings"
	"testing"
)

// TestStop: reading ends when it is told to, within the work of a question, and keeps
// what it has.
func TestStop(t *testing.T) {
	for k, unit := range map[Kind]string{
		HTML: "<a href=/%d>text</a>", SVG: "<a href='/%d'/>", XHTML: "<script>'/a/%d.js'</script>", CSS: "a{b:url(/%d)}", JS: "'/a/%d.png';", HLS: "%d.ts\n",
		DASH: "<SegmentURL media='%d'/>",
	} {
		var b strings.Builder
		for i := 0; b.Len() < 10*stopEvery; i++ {
			fmt.Fprintf(&b, unit, i)
		}
		asked := 0
		d := Parse(k, []byte(b.String()), Options{MaxLinks: 1e6, Stop: func() bool { asked++; return asked == 4 }})
		whole := Parse(k, []byte(b.String()), Options{MaxLinks: 1e6})
		if !d.Stopped || asked != 4 || len(d.Links) == 0 || len(d.Links) > len(whole.Links)/2 {
			t.Errorf("%v: stopped %v, asked %d times, %d of %d links", k, d.Stopped, asked, len(d.Links), len(whole.Links))
		}
		if whole.Stopped || whole.Err != nil {
			t.Errorf("%v: stopped %v, %v without being told to", k, whole.Stopped, whole.Err)
		}
	}
}

// TestManyAttributes: of a tag with a million attributes the first are read.
func TestManyAttributes(t *testing.T) {
	var b strings.Builder
	b.WriteString("<a ")
	for i := range 2 * maxAttrs {
		fmt.Fprintf(&b, "data-x%d=/a/%d.png ", i, i)
	}
	b.WriteString("><a href=/after>")
	d := Parse(HTML, []byte(b.String()), Options{})
	if len(d.Links) != maxAttrs+1 || d.Links[0].URL != "/after" {
		t.Errorf("%d links, the first %v", len(d.Links), d.Links[0])
	}
}
