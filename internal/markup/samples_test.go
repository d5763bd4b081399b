package markup

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"os"
	"slices"
	"strings"
	"testing"

	"exclave/internal/mime"

	"github.com/google/go-cmp/cmp"
)

// Documents that other people made are told by their bytes and names, and read (testdata/samples/SOURCES.md).
func TestSamples(t *testing.T) {
	for name, c := range map[string]struct {
		kind Kind
		want []string
		text string // that it has, among others
	}{
		"expressInstall.swf":      {SWF, []string{"X http://fpdownload.macromedia.com/pub/flashplayer/update/current/swf/autoUpdater.swf? swf/string"}, ""},
		"longturtle-target.ttl":   {Turtle, []string{"X https://kurrawong.ai rdf:resource", "X https://kurrawong.ai/hq rdf:resource"}, ""},
		"cue_tags.vtt":            {VTT, nil, "Like a big-a pizza pie\nThat's amore"},
		"rfc_7986_properties.ics": {Card, []string{"L https://github.com/collective/icalendar/tree/main/src/icalendar/tests/calendars/rfc_7986_properties.ics card/source"}, "We want a lot of RFC 7986 parameters in here!"},
		"iiif-pres3-pdf.json": {JSON, []string{"X http://tomcrane.github.io/scratch/manifests/3/pdf.json js/string", "X http://tomcrane.github.io/scratch/manifests/3/canvas/99 js/string",
			"X http://tomcrane.github.io/scratch/manifests/3/pdf/anno1 js/string", "X https://dlcs.io/file/wellcome/1/caf18956-8f79-4fe6-8988-af329b036416 js/string",
			"X http://tomcrane.github.io/scratch/manifests/3/pdf/anno2 js/string"}, ""},
		"OSDD_example.xml": {XML, []string{"E http://example.com/websearch.png opensearch:image", "E http://example.com/websearch.ico opensearch:image"}, ""},
	} {
		body, err := os.ReadFile("testdata/samples/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if kind := KindOf(mime.Detect(name, "", body, 0).Type); kind != c.kind {
			t.Errorf("%s: told as %v", name, kind)
		}
		d := Parse(c.kind, body, Options{})
		if diff := cmp.Diff(c.want, brief(d.Links)); diff != "" || d.Err != nil || !strings.Contains(d.Text, c.text) {
			t.Errorf("%s: %s%v\n%s", name, diff, d.Err, d.Text)
		}
	}
}

// swfTag returns a tag with a long length.
func swfTag(tag int, body string) string {
	head := binary.LittleEndian.AppendUint16(nil, uint16(tag<<6|0x3f))
	return string(binary.LittleEndian.AppendUint32(head, uint32(len(body)))) + body
}

// swfDo returns an action with its length.
func swfDo(action byte, body string) string {
	return string(binary.LittleEndian.AppendUint16([]byte{action}, uint16(len(body)))) + body
}

// What the tags of Flash hold, in a film that is compressed or not.
func TestSWF(t *testing.T) {
	actions := swfDo(0x83, "a/b.html\x00_blank\x00") + swfDo(0x83, "c.swf\x00_level1\x00") + swfDo(0x83, "FSCommand:quit\x00\x00") + "\x07" +
		swfDo(0x88, "\x03\x00d.xml\x00no/menu/button\x00http://e.cz/f?g=1\x00") + swfDo(0x96, "\x00/h/i.jpg\x00\x07\x01\x00\x00\x00\x08\x00\x00com.no.json\x00") +
		swfDo(0x83, "javascript:open('/j.html')\x00\x00") + "\x00"
	abc := "\x10\x00\x2e\x00" + "\x03\x80\x01\x05" + "\x01" + "\x02" + strings.Repeat("\x00", 8) + // integers of one and two bytes, and a number
		"\x05\x0ehttp://k.cz/l/" + "\x0fhttp://no.cz/ns" + "\x05m.flv" + "\x02no" + "\x02\x08\x02"
	text := "\x01\x00" + "\x08\x00" + "\x84\x02" + "\xff\x00\x00\xff" + "v\x00" + "<p>Vítejte na <a href=\"http://n.cz/\">n</a></p>\x00"
	film := "\x08\x00" + "\x00\x0c\x01\x00" + swfTag(swfAction, actions) + swfTag(swfSprite, "\x02\x00\x01\x00"+swfTag(swfInitAction, "\x03\x00"+swfDo(0x83, "http://o.cz/\x00\x00"))) +
		swfTag(swfButton2, "\x04\x00\x00\x05\x00junk\x83\xff\xff"+swfDo(0x83, "p.html\x00_self\x00")) + swfTag(swfImport2, "q/r.swf\x00\x01\x00") + swfTag(swfEditText, text) +
		swfTag(swfABC, "\x01\x00\x00\x00frame\x00"+abc) + "\x00\x00"
	want := []string{"L a/b.html swf/geturl", "E c.swf swf/geturl", "X d.xml swf/string", "X http://e.cz/f?g=1 swf/string", "X /h/i.jpg swf/string", "L /j.html js/location",
		"L http://o.cz/ swf/geturl", "L p.html swf/geturl", "E q/r.swf swf/import", "L http://n.cz/ a/@href", "X http://k.cz/l/ swf/string", "X m.flv swf/string"}
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	if _, err := w.Write([]byte(film)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string]string{"FWS": "FWS\x09\x00\x00\x00\x00" + film, "CWS": "CWS\x09\x00\x00\x00\x00" + z.String()} {
		d := Parse(SWF, []byte(body), Options{})
		if diff := cmp.Diff(slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(brief(d.Links)))); diff != "" || d.Err != nil || d.Text != "Vítejte na n" {
			t.Errorf("%s: %s%v %q", name, diff, d.Err, d.Text)
		}
		for _, l := range d.Links {
			if strings.HasPrefix(l.Context, "swf/") && !l.OfPage {
				t.Errorf("%s is not relative to the page", l.URL)
			}
		}
	}
	for n := range film { // cut anywhere
		for _, l := range brief(Parse(SWF, []byte("FWS\x09\x00\x00\x00\x00"+film[:n]), Options{}).Links) {
			if strings.Contains(l, "menu") || strings.Contains(l, "com.no") {
				t.Fatalf("%d: %s", n, l)
			}
		}
	}
	if d := Parse(SWF, []byte("ZWS\x0d"+film), Options{}); len(d.Links) > 0 {
		t.Error(d.Links)
	}
}

// The binary form of glTF has the same document in a chunk.
func TestGLB(t *testing.T) {
	doc := `{"buffers":[{},{"uri":"a.bin"}]}  `
	body := append([]byte("glTF\x02\x00\x00\x00\xff\x00\x00\x00"), binary.LittleEndian.AppendUint32(nil, uint32(len(doc)))...)
	body = append(append(append(body, "JSON"...), doc...), "\x04\x00\x00\x00BIN\x00http://no.cz/"...)
	if got := brief(Parse(GLTF, body, Options{}).Links); !slices.Equal(got, []string{"E a.bin gltf/buffers"}) {
		t.Error(got)
	}
	for n := range body { // cut anywhere
		Parse(GLTF, body[:n], Options{})
	}
}

// Texts that a site has for programs are read for their addresses; others have no links.
func TestTextsForPrograms(t *testing.T) {
	body := []byte("Contact: https://a.cz/b\n- [c](d.md): e\n")
	for url, want := range map[string]int{"http://a.cz/.well-known/security.txt": 2, "http://a.cz/llms.txt?x": 2, "http://a.cz/humans.txt": 2, "http://a.cz/notes.txt": 0, "": 0} {
		d := Parse(PlainText, body, Options{URL: url})
		if len(d.Links) != want || !strings.HasPrefix(d.Text, "Contact: https://a.cz/b") {
			t.Errorf("%s: %v %q", url, brief(d.Links), d.Text)
		}
	}
}

// Of subtitles, what is shown is text.
func TestSubtitles(t *testing.T) {
	d := Parse(VTT, []byte("WEBVTT\n\nNOTE překlad\n\nid\n00:01.000 --> 00:02.000\n<v Jan>Dobrý&nbsp;den,\n<i>pane</i> &amp; paní!\n\n00:02.000 --> 00:03.000\na.jpg#xywh=1,2,3,4\n"), Options{})
	if want := "Dobrý den,\npane & paní!"; d.Text != want {
		t.Errorf("%q", d.Text)
	}
	d = Parse(VTT, []byte("1\r\n00:00:01,000 --> 00:00:02,000\r\nAhoj.\r\n\r\n2\r\n00:00:02,000 --> 00:00:03,000\r\nNazdar.\r\n"), Options{}) // SubRip
	if want := "Ahoj.\nNazdar."; d.Text != want {
		t.Errorf("%q", d.Text)
	}
}

// What takes modules is a script, and so is what is not JSON to its end.
func TestPadded(t *testing.T) {
	for in, want := range map[string]string{
		`cb({"a":1});`: `{"a":1}`, ` /* x */ a.b["c"]([1]) `: "[1]", `typeof f === 'function' && f({});`: "{}",
		`require(["a"])`: "", `define([])`: "", `cb({"a":b})`: "", `cb({}, 1)`: "", `cb({}); x()`: "", `cb("a")`: "", `(function(){})()`: "", "/* cb({})": "", `typeof cb({})`: "", "cb(": "",
	} {
		if got := padded([]byte(in)); string(got) != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}
