package markup

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/base64"
	"io"
	stdmime "mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/textproto"
	neturl "net/url"
	"strings"

	"golang.org/x/net/http/httpguts"

	"exclave/internal/mime"
)

// maxMail is how deep parts of a message may stand in each other.
const maxMail = 5

// mail reads a message (RFC 5322) and a page saved in one (MHTML, RFC 2557): the text and the links of its parts, each relative to where it was
// (Content-Location). Where the page was is a link; what it embeds is in the file, so that this is guessed at only.
func (b *builder) mail(body []byte) {
	if bytes.HasPrefix(body, []byte("From ")) { // of a mailbox
		body = body[lineLen(body):]
	}
	if bytes.HasPrefix(body, []byte("--")) { // the header was that of HTTP
		line := bytes.TrimRight(body[2:lineLen(body)], " \r\n")
		if len(line) > 0 && len(line) <= 70 {
			b.mailBoundary(string(line), bytes.NewReader(body), "", 1)
		}
		return
	}
	b.message(body, "", 1)
}

// message reads the header of a message, and what is behind it. Of a line that is no field the library would tell all, however long.
func (b *builder) message(body []byte, at string, depth int) {
	if !beginsField(body) {
		return
	}
	in := bufio.NewReader(bytes.NewReader(body))
	if h, _ := textproto.NewReader(in).ReadMIMEHeader(); len(h) > 0 { // broken: what comes before
		b.mailPart(h, in, at, depth)
	}
}

// beginsField reports the name of a field of a header, and a colon (RFC 5322 2.2).
func beginsField(b []byte) bool {
	name, _, colon := bytes.Cut(b[:min(len(b), maxFieldName)], []byte(":"))
	return colon && httpguts.ValidHeaderFieldName(string(name))
}

const maxFieldName = 128

// mailPart reads a part, inside of one that was at an address, or "".
func (b *builder) mailPart(h textproto.MIMEHeader, in io.Reader, outer string, depth int) {
	at := located(outer, cmp.Or(h.Get("Content-Location"), h.Get("Content-Base"), h.Get("Snapshot-Content-Location")))
	if depth == 1 {
		b.external(at, Nav, "mail/content-location")
	}
	typ, parameters, _ := stdmime.ParseMediaType(h.Get("Content-Type"))
	if boundary := parameters["boundary"]; strings.HasPrefix(typ, "multipart/") && boundary != "" {
		b.mailBoundary(boundary, in, at, depth)
		return
	}
	switch strings.ToLower(strings.TrimSpace(h.Get("Content-Transfer-Encoding"))) {
	case "quoted-printable": // what the reader of parts has not decoded
		in = quotedprintable.NewReader(in)
	case "base64":
		in = base64.NewDecoder(base64.StdEncoding, in)
	}
	data, _ := io.ReadAll(io.LimitReader(in, min(maxPart, maxAllPart-b.unpacked))) // damaged: what comes before
	if b.unpacked += int64(len(data)); !b.on(len(data)) {
		return
	}
	if typ == "message/rfc822" {
		if depth < maxMail {
			b.message(data, at, depth+1)
		}
		return
	}
	kind := KindOf(mime.Detect(cmp.Or(at, parameters["name"]), cmp.Or(h.Get("Content-Type"), "text/plain"), data, 0).Type)
	if kind == None || kind == Packed || kind == Mail || len(data) == 0 {
		return
	}
	from := len(b.text.buf)
	b.nested(kind, data, nesting{at: at, charset: parameters["charset"], context: "mail:"})
	if kind == PlainText {
		b.guessIn(b.text.buf[from:], "text")
	}
}

// mailBoundary reads the parts between lines of a boundary.
func (b *builder) mailBoundary(boundary string, in io.Reader, at string, depth int) {
	if depth == maxMail {
		return
	}
	parts := multipart.NewReader(in, boundary)
	for n := 0; n < maxParts && b.unpacked < maxAllPart && b.on(stopEvery); n++ {
		p, err := parts.NextPart()
		if err != nil {
			return // cut: what comes before
		}
		b.mailPart(p.Header, p, at, depth+1)
	}
}

// located returns the address of a part, relative to that of what it is in.
func located(outer, ref string) string {
	ref = strings.TrimSpace(ref)
	if len(ref) > maxURL {
		return outer
	}
	return cmp.Or(resolvedAt(outer, ref), outer)
}

// resolvedAt resolves a reference; "" where that gives no absolute address.
func resolvedAt(base, ref string) string {
	if schemeLen(ref) > 0 {
		return ref
	}
	b, err := neturl.Parse(base)
	if err != nil || b.Scheme == "" {
		return ""
	}
	r, err := b.Parse(ref)
	if err != nil {
		return ""
	}
	return r.String()
}
