package markup

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/bzip2"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"io"
	"path"
	"strings"
	"unicode/utf8"

	"exclave/internal/mime"
)

// maxPacked is how deep packed files may stand in each other; a document of an office in ZIP counts.
const maxPacked = 2

// packed reads the documents in a ZIP, tar, gzip or bzip2 file of a name: their text, and those of their links that say which server they are of. What is
// relative leads to another member, which has no address.
func (b *builder) packed(name string, body []byte, depth int) {
	switch {
	case bytes.HasPrefix(body, []byte("PK")):
		b.parts(body, func(name string, data []byte) { b.member(name, data, depth) })
	case bytes.HasPrefix(body, []byte{0x1f, 0x8b}):
		if z, err := gzip.NewReader(bytes.NewReader(body)); err == nil {
			b.compressed(z, cmp.Or(z.Name, withoutSuffix(name, ".gz")), depth)
		}
	case bytes.HasPrefix(body, []byte("BZh")):
		b.compressed(bzip2.NewReader(bytes.NewReader(body)), withoutSuffix(name, ".bz2"), depth)
	case isTar(body):
		in := tar.NewReader(bytes.NewReader(body))
		for n := 0; n < maxParts && b.on(stopEvery); n++ {
			h, err := in.Next()
			if err != nil {
				return // damaged: what comes before
			}
			if h.Typeflag == tar.TypeReg {
				data, _ := io.ReadAll(io.LimitReader(in, maxPart))
				b.member(h.Name, data, depth)
			}
		}
	default:
		if at := zipBehind(body); at > 0 {
			b.parts(body[at:], func(name string, data []byte) { b.member(name, data, depth) })
		}
	}
}

// compressed reads the one file that z has, which may be a tar file.
func (b *builder) compressed(z io.Reader, name string, depth int) {
	plain, _ := io.ReadAll(io.LimitReader(z, min(maxPart, maxAllPart-b.unpacked))) // damaged: what comes before
	b.unpacked += int64(len(plain))
	if isTar(plain) {
		b.packed("", plain, depth)
	} else {
		b.member(name, plain, depth)
	}
}

// withoutSuffix is how a program that unpacks a file calls it.
func withoutSuffix(name, suffix string) string {
	inner, _ := strings.CutSuffix(strings.ToLower(name), suffix)
	return inner
}

// zipBehind returns where a ZIP file begins behind the program that unpacks it (APPNOTE.TXT 6.3.10, 4.1.9), 0 for none: by the directory at the end, since
// programs hold what looks like the beginning of a file.
func zipBehind(body []byte) int {
	const longest = 22 + 1<<16 // end of the directory, with a comment
	number := func(at int) int { return int(binary.LittleEndian.Uint32(body[at:])) }
	end := bytes.LastIndex(body[max(0, len(body)-longest):], []byte("PK\x05\x06"))
	if end < 0 || !bytes.HasPrefix(body, []byte("MZ")) {
		return 0
	}
	if end += max(0, len(body)-longest); end+22 > len(body) {
		return 0
	}
	directory := end - number(end+12)
	if directory < 0 || directory+46 > len(body) || !bytes.HasPrefix(body[directory:], []byte("PK\x01\x02")) {
		return 0
	}
	at := directory - number(end+16) + number(directory+42)
	if at < 0 || at >= directory || !bytes.HasPrefix(body[at:], []byte("PK\x03\x04")) {
		return 0
	}
	return at
}

func isTar(b []byte) bool { return len(b) > 512 && bytes.HasPrefix(b[257:], []byte("ustar")) }

// member reads a document in a packed file.
func (b *builder) member(name string, data []byte, depth int) {
	if !b.on(len(data)) {
		return
	}
	kind := memberKind(name, data)
	if kind == Packed {
		if depth < maxPacked {
			b.packed(name, data, depth+1)
		}
		return
	}
	if kind == None {
		return
	}
	b.nested(kind, data, nesting{context: "packed:"})
}

// nesting is where a document in another one is.
type nesting struct {
	at      string // its address, "" where it has none
	charset string // that is declared
	context string // what is put before those of its links
}

// nested reads a document in another one: its text, and those of its links that say which server they are of.
func (b *builder) nested(kind Kind, data []byte, in nesting) {
	d := Parse(kind, data, Options{MaxText: b.o.MaxText, MaxLinks: b.o.MaxLinks, RobotsToken: b.o.RobotsToken, Stop: b.o.Stop, URL: in.at, DeclaredCharset: in.charset})
	for _, l := range d.Links {
		ref := l.URL
		if schemeLen(ref) == 0 && (schemeLen(d.Base) > 0 || schemeLen(l.Base) > 0) {
			ref = joinRef(d.Base, joinRef(l.Base, ref))
		}
		if schemeLen(ref) == 0 && in.at != "" {
			ref = resolvedAt(resolvedAt(resolvedAt(in.at, d.Base), l.Base), ref)
		}
		if schemeLen(ref) == 0 {
			continue
		}
		as := Speculative
		if l.Kind == Nav {
			as = Nav
		}
		if k := b.add([]byte(ref), as, in.context+l.Context); k != nil {
			k.Text, k.Rel, k.NoFollow = l.Text, l.Rel, l.NoFollow
		}
	}
	if in.at != "" {
		b.doc.Title = cmp.Or(b.doc.Title, d.Title)
	}
	b.doc.DroppedLinks += d.DroppedLinks
	b.doc.Langs = append(b.doc.Langs, d.Langs[:min(len(d.Langs), maxLangs-len(b.doc.Langs))]...)
	b.text.pre = 1
	b.text.sep('\n')
	b.text.write([]byte(d.Text))
	b.doc.Stopped = b.doc.Stopped || d.Stopped
}

// memberKind tells the format of a member by its name, else by how it begins.
func memberKind(name string, data []byte) Kind {
	ext := strings.ToLower(path.Ext(name))
	switch ext {
	case ".html", ".htm", ".php", ".asp", ".aspx", ".jsp", ".shtml":
		return HTML
	case ".xhtml", ".xht":
		return XHTML
	case ".css":
		return CSS
	case ".js", ".mjs":
		return JS
	case ".json":
		return JSON
	case ".xml", ".rss", ".atom", ".rdf", ".opml", ".xsd", ".xsl", ".svg", ".kml", ".gpx", ".wsdl":
		return XML
	case ".pdf":
		return PDF
	case ".rtf":
		return RTF
	case ".docx", ".xlsx", ".pptx":
		return OOXML
	case ".odt", ".ods", ".odp":
		return ODF
	case ".epub":
		return EPUB
	case ".zip", ".kmz", ".gz", ".tgz", ".tar", ".bz2", ".tbz2", ".tbz":
		return Packed
	}
	head := data[:min(len(data), 1<<10)]
	low := bytes.ToLower(head)
	switch {
	case bytes.HasPrefix(head, []byte("%PDF-")):
		return PDF
	case bytes.HasPrefix(head, []byte(`{\rtf`)):
		return RTF
	case bytes.IndexByte(head, 0) >= 0 || len(head) == 0:
		return None
	case bytes.Contains(low, []byte("<!doctype html")), bytes.Contains(low, []byte("<html")):
		return HTML
	case (head[0] == '{' || head[0] == '[') && json.Valid(data):
		return JSON
	}
	if kind := KindOf(mime.Detect(name, "", head, 0).Type); kind != None && kind != PlainText {
		return kind
	}
	switch {
	case ext == ".txt" || ext == ".md" || ext == ".csv" || utf8.Valid(head[:max(len(head)-utf8.UTFMax, 0)]):
		return PlainText
	}
	return None
}
