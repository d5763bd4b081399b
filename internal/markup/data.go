package markup

import (
	"bytes"
	"encoding/base64"
)

// dataURL returns the body of a data: URL (RFC 2397) when it is of a type that begins so, in lower case. Base64 is read up to what is none.
func dataURL(val []byte, types ...string) (body []byte, ok bool) {
	val = bytes.TrimLeft(val, " \t\n\f\r")
	if !hasFold(val, "data:") {
		return nil, false
	}
	head, body, ok := bytes.Cut(val[len("data:"):], []byte(","))
	if !ok {
		return nil, false
	}
	typ, parameters, _ := bytes.Cut(head, []byte(";"))
	for _, t := range types {
		if !bytes.EqualFold(bytes.TrimSpace(typ), []byte(t)) {
			continue
		}
		body = percentDecoded(body)
		if _, last, has := bytes.Cut(append([]byte(";"), parameters...), []byte(";base64")); has && len(bytes.TrimSpace(last)) == 0 {
			body = bytes.TrimRight(bytes.Join(bytes.Fields(body), nil), "=")
			n, _ := base64.RawStdEncoding.Decode(body, body) // what is before the damage counts
			body = body[:n]
		}
		return body, true
	}
	return nil, false
}
