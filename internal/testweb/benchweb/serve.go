package benchweb

import (
	"bytes"
	"net"
	"strconv"
	"time"
)

// work is what answering one request needs; it is reused.
type work struct {
	body body
	wire []byte
}

// request is a request as far as it matters; its slices are of the read buffer.
type request struct {
	method, target, host []byte
	gzip, close          bool
	etag, date           []byte // of If-None-Match and If-Modified-Since
}

const maxRequest = 64 << 10

// serve answers the requests of a connection.
func (s *Server) serve(c net.Conn, secure bool) {
	buf, have := make([]byte, 4096), 0
	for {
		end := bytes.Index(buf[:have], []byte("\r\n\r\n"))
		for end < 0 {
			if have == len(buf) {
				if have >= maxRequest {
					return
				}
				buf = append(buf, make([]byte, have)...)
			}
			n, err := c.Read(buf[have:])
			if err != nil {
				return
			}
			from := max(have-3, 0)
			have += n
			if end = bytes.Index(buf[from:have], []byte("\r\n\r\n")); end >= 0 {
				end += from
			}
		}
		r, ok := parse(buf[:end])
		if !ok || !s.answer(c, r, secure) || r.close {
			return
		}
		have = copy(buf, buf[end+4:have])
	}
}

// parse reads a request's head. Bodies are not expected.
func parse(head []byte) (r request, ok bool) {
	line, rest, _ := bytes.Cut(head, []byte("\r\n"))
	var version []byte
	r.method, line, _ = bytes.Cut(line, []byte(" "))
	r.target, version, ok = bytes.Cut(line, []byte(" "))
	if !ok || !bytes.HasPrefix(version, []byte("HTTP/1.")) {
		return r, false
	}
	r.close = bytes.Equal(version, []byte("HTTP/1.0"))
	for len(rest) > 0 {
		line, rest, _ = bytes.Cut(rest, []byte("\r\n"))
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimSpace(value)
		switch len(name) {
		case len("Host"):
			if bytes.EqualFold(name, []byte("Host")) {
				r.host = value
			}
		case len("Connection"):
			if bytes.EqualFold(name, []byte("Connection")) {
				r.close = !bytes.EqualFold(value, []byte("keep-alive")) && (r.close || bytes.EqualFold(value, []byte("close")))
			}
		case len("Accept-Encoding"):
			if bytes.EqualFold(name, []byte("Accept-Encoding")) {
				r.gzip = bytes.Contains(value, []byte("gzip"))
			}
		case len("If-None-Match"):
			if bytes.EqualFold(name, []byte("If-None-Match")) {
				r.etag = value
			}
		case len("If-Modified-Since"):
			if bytes.EqualFold(name, []byte("If-Modified-Since")) {
				r.date = value
			}
		case len("Proxy-Connection"):
			if bytes.EqualFold(name, []byte("Proxy-Connection")) {
				r.close = bytes.EqualFold(value, []byte("close"))
			}
		}
	}
	// The absolute form, as a proxy gets it, names the host.
	if scheme := []byte("http://"); bytes.HasPrefix(r.target, scheme) {
		r.host = r.target[len(scheme):]
		r.target = []byte("/")
		if i := bytes.IndexByte(r.host, '/'); i >= 0 {
			r.host, r.target = r.host[:i], r.host[i:]
		}
	}
	return r, true
}

// answer reports whether the connection is still good.
func (s *Server) answer(c net.Conn, r request, secure bool) bool {
	s.requests.Add(1)
	wk := s.bodies.Get().(*work)
	defer s.bodies.Put(wk)
	if i := bytes.LastIndexByte(r.host, ':'); i >= 0 {
		r.host = r.host[:i]
	}
	h, known := s.web.index[string(r.host)]
	if known && h >= s.web.p.Hosts-s.web.p.SlowHosts && !s.wait(s.web.p.SlowBy) {
		return false
	}
	wire := s.wire(wk, r, h, known && s.web.secure[h] == secure)
	n, err := c.Write(wire)
	s.bytes.Add(int64(n))
	if err == nil {
		s.responses.Add(1)
	}
	return err == nil
}

func (s *Server) wait(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-s.stop:
		return false
	}
}

// wire makes the bytes of the answer.
func (s *Server) wire(wk *work, r request, h int, known bool) []byte {
	w := s.web
	if !bytes.Equal(r.method, []byte("GET")) && !bytes.Equal(r.method, []byte("HEAD")) {
		return wk.plain(501, "only GET and HEAD\n")
	}
	if !known {
		if h, ok := w.farmOf(string(r.host)); ok {
			s.traps[farmKind].Add(1)
			if bytes.Equal(r.target, []byte("/robots.txt")) {
				return wk.plain(404, "no robots.txt\n")
			}
			wk.body.begin(false)
			w.farmPage(&wk.body, h, string(r.host))
			return wk.page()
		}
		s.noteUnknown("//" + string(r.host) + string(r.target))
		return wk.plain(404, "no such host here\n")
	}
	if w.p.Deep && w.own(h) {
		s.own.Add(1)
	}
	target, salt := r.target, uint64(0)
	if w.style(h) == sessionStyle {
		target, salt = cutSession(r.target)
	}
	n, found := w.find(h, target)
	if !found {
		return s.other(wk, r, h)
	}
	id := w.base[h] + n.i
	b := &wk.body
	a := w.answerOf(n, r.gzip)
	if a.unmodified(r.etag, r.date) && bytes.Equal(r.method, []byte("GET")) {
		s.counts[id].Add(1)
		s.unmodified.Add(1)
		return wk.unmodified(a)
	}
	b.begin(a.gzip)
	b.salt = salt
	w.render(b, n)
	payload := b.end()
	head := wk.head(a, len(payload))
	if a.location {
		var buf [300]byte
		head = append(append(append(head, "Location: "...), w.appendRef(buf[:0], n, b.refs[0], 0)...), "\r\n"...)
	}
	head = append(head, "\r\n"...)
	if bytes.Equal(r.method, []byte("HEAD")) {
		wk.wire = head
		return head
	}
	if s.counts[id].Add(1) > 1 && salt != 0 {
		s.traps[sessionKind].Add(1)
	}
	if a.chunked {
		head = appendChunks(head, payload)
	} else {
		head = append(head, payload...)
	}
	wk.wire = head
	return head
}

// chunkSize is the size of chunks but the last.
const chunkSize = 8192

func appendChunks(wire, payload []byte) []byte {
	for len(payload) > 0 {
		n := min(len(payload), chunkSize)
		wire = append(strconv.AppendInt(wire, int64(n), 16), "\r\n"...)
		wire = append(append(wire, payload[:n]...), "\r\n"...)
		payload = payload[n:]
	}
	return append(wire, "0\r\n\r\n"...)
}

func reason(status int) string {
	switch status {
	case 200:
		return " OK\r\n"
	case 301:
		return " Moved Permanently\r\n"
	case 302:
		return " Found\r\n"
	case 304:
		return " Not Modified\r\n"
	case 307:
		return " Temporary Redirect\r\n"
	case 308:
		return " Permanent Redirect\r\n"
	case 404:
		return " Not Found\r\n"
	case 500:
		return " Internal Server Error\r\n"
	}
	return " Other\r\n"
}

// head begins the wire with the header, which is still open.
func (wk *work) head(a answer, length int) []byte {
	b := append(wk.wire[:0], "HTTP/1.1 "...)
	b = append(strconv.AppendInt(b, int64(a.status), 10), reason(a.status)...)
	b = append(b, "Server: Apache/2.4.62 (Debian)\r\n"...)
	if a.modified != "" {
		b = append(append(append(b, "Last-Modified: "...), a.modified...), "\r\n"...)
	}
	if a.etag != "" {
		b = append(append(append(b, "ETag: "...), a.etag...), "\r\n"...)
	}
	b = append(b, "Cache-Control: max-age=3600\r\n"...)
	if a.status == 304 {
		return b
	}
	b = append(append(append(b, "Content-Type: "...), a.typ...), "\r\n"...)
	if a.gzip {
		b = append(b, "Content-Encoding: gzip\r\nVary: Accept-Encoding\r\n"...)
	}
	if a.chunked {
		return append(b, "Transfer-Encoding: chunked\r\n"...)
	}
	b = append(b, "Content-Length: "...)
	return append(strconv.AppendInt(b, int64(length), 10), "\r\n"...)
}

// unmodified makes the answer that nothing changed.
func (wk *work) unmodified(a answer) []byte {
	a.status = 304
	wk.wire = append(wk.head(a, 0), "\r\n"...)
	return wk.wire
}

func (wk *work) plain(status int, text string) []byte {
	wk.wire = append(append(wk.head(answer{status: status, typ: "text/plain"}, len(text)), "\r\n"...), text...)
	return wk.wire
}

// page makes the answer of the page that was rendered, of no resource.
func (wk *work) page() []byte {
	payload := wk.body.end()
	b := wk.head(answer{status: 200, typ: "text/html; charset=utf-8"}, len(payload))
	wk.wire = append(append(b, "\r\n"...), payload...)
	return wk.wire
}

// other answers for what is no resource: robots.txt, traps, and what nobody should
// have asked for.
func (s *Server) other(wk *work, r request, h int) []byte {
	if bytes.Equal(r.target, []byte("/robots.txt")) {
		s.robots.Add(1)
		if s.web.forbids(h) {
			return wk.plain(200, "User-agent: *\nDisallow: /private/\n")
		}
		return wk.plain(404, "no robots.txt\n")
	}
	if t := s.web.findTrap(h, string(r.target)); t != nil {
		s.traps[t.kind].Add(1)
		wk.body.begin(false)
		s.web.trapPage(&wk.body, h, t, string(r.target))
		return wk.page()
	}
	s.noteUnknown(s.web.origins[h] + string(r.target))
	return wk.plain(404, "not found\n")
}
