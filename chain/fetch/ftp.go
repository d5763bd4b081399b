package fetch

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/textproto"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jlaffaye/ftp"

	"exclave/chain"
	"exclave/crawl"
	"exclave/internal/record"
	"exclave/internal/urlx"
)

// ContentFTPConversation is the type of the record with what client and server said to each other (Heritrix's).
const ContentFTPConversation = "text/x-ftp-control-conversation"

// maxConversation bounds it: a server may talk for ever.
const maxConversation = 256 << 10

// Replies of FTP servers (RFC 959 §4.2.1).
const (
	ftpClosing = 226 // the data connection; the file came whole
	ftpDone    = 250
	ftpNoFile  = 550
)

// FTP fetches ftp: URIs: files, and the names in directories (ADR 109). It uses the settings and the guard of the HTTP processor.
type FTP struct{ client *HTTP }

var _ chain.Processor = (*FTP)(nil)

// NewFTP returns the processor.
func NewFTP(client *HTTP) *FTP { return &FTP{client} }

// Process leaves other URIs alone. A directory whose address has no slash at its end is a redirect to the one that has.
func (f *FTP) Process(ctx context.Context, u *crawl.CrawlURI) (chain.Result, error) {
	target := u.Parsed()
	if u.Status != crawl.StatusUnattempted || target == nil || target.Scheme() != "ftp" {
		return chain.Idle(), nil
	}
	h := f.client
	u.Started = h.clk.Now()
	began := h.clk.Mono()
	defer func() { u.Took = h.clk.Mono() - began }()
	s := &ftpSession{h: h, u: u, target: target.WithoutUserinfo(), q: h.asked(u.Sheet), rec: record.New(h.deps.Scratch, h.cfg.Memory),
		said: record.New(h.deps.Scratch, h.cfg.Memory)}
	err := s.run(ctx)
	if err == nil {
		err = s.ours
	}
	if ctx.Err() != nil {
		err = ctx.Err() // it was we who ended it
	}
	if err != nil || !s.got {
		err = errors.Join(failed(u, err), s.rec.Close(), s.said.Close())
		return chain.Jump(chain.Post), err
	}
	return chain.Result{}, s.accept()
}

// ftpSession is one visit to a server, for one URI.
type ftpSession struct {
	h      *HTTP
	u      *crawl.CrawlURI
	target *urlx.URL
	q      ask

	control   *ftpControl
	addr      netip.Addr // of the server
	until     time.Time
	rec, said *record.Recording // what came over the data connection, and the conversation
	password  string            // not to be recorded
	size      int64
	got       bool // there is something to archive
	truncated crawl.Truncation
	ours      error // that our disk fails
}

// run speaks with the server. A *failure is what it did.
func (s *ftpSession) run(ctx context.Context) error {
	path, dir, err := ftpPath(s.target)
	if err != nil {
		return &failure{crawl.StatusUnfetchable, nil, err}
	}
	s.until = time.Now().Add(s.q.timeout)
	c, err := s.h.dial(ctx, s.target, s.until, time.Time{}, s.q)
	if err != nil {
		return err
	}
	s.h.pool.strip(c)
	s.addr = c.addr
	s.control = &ftpControl{Conn: c.Conn, s: s, pace: &c.pace, addr: c.addr}
	defer c.pace.end()
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	defer stop()
	s.event("Opened control connection to %s", s.target.Authority())
	dialed := false
	conn, err := ftp.Dial(s.target.Authority(), ftp.DialWithDialFunc(func(_, address string) (net.Conn, error) {
		if !dialed {
			dialed = true
			return s.control, nil
		}
		return s.data(ctx, address)
	}))
	if err != nil {
		_ = c.Close() // the reason is what is told
		return s.failure(err)
	}
	defer func() { _ = conn.Quit() }() // what was to be had has come
	user, password := s.account()
	if err := conn.Login(user, password); err != nil {
		return s.failure(err)
	}
	listed := dir || path == ""
	if path != "" {
		err := conn.ChangeDir(path)
		if err != nil && (dir || !isReply(err)) {
			return s.failure(err)
		}
		listed = err == nil
	}
	if listed {
		_, err = conn.NameList("")
	} else {
		var file *ftp.Response
		if file, err = conn.Retr(path); err == nil {
			_, err = io.Copy(io.Discard, file)
			err = errors.Join(err, file.Close())
		}
	}
	if err = s.received(err, listed); err == nil && listed && !dir && path != "" {
		s.u.Status = crawl.StatusFTPDirectory
	}
	return err
}

// received tells what became of the transfer.
func (s *ftpSession) received(err error, dir bool) error {
	s.got = true
	code := s.control.code
	switch {
	case s.size == 0 && s.truncated == "" && dir && (code == ftpNoFile || code == 450):
		// Some servers say so of a directory without files.
	case s.truncated == "" && code != ftpClosing && code != ftpDone && s.size == 0:
		s.got = false
		return s.failure(err)
	case errors.Is(err, bufio.ErrTooLong): // a name of 64 KB
		s.cut(crawl.TruncLength, "lenTrunc")
	case s.truncated == "" && code != ftpClosing && code != ftpDone:
		s.cut(crawl.TruncDisconnect, "discTrunc")
	}
	s.u.Status = crawl.StatusFTPFile
	return nil
}

func (s *ftpSession) cut(why crawl.Truncation, note string) {
	s.truncated = why
	s.u.Annotate(note)
}

// isReply reports that the server said no, and did not go away.
func isReply(err error) bool {
	var reply *textproto.Error
	return errors.As(err, &reply)
}

// failure is what the server did, by its last reply.
func (s *ftpSession) failure(err error) error {
	code := s.control.code
	if err == nil {
		err = fmt.Errorf("the server said %d", code)
	}
	switch {
	case s.ours != nil:
		return s.ours
	case errors.Is(err, errRefused):
		return &failure{crawl.StatusUnfetchable, nil, err} // it is annotated
	case isTimeout(err):
		f := &failure{crawl.StatusTimeout, nil, err}
		if note := slowNote(err); note != "" {
			f.notes = append(f.notes, note)
		}
		return f
	case code == ftpNoFile:
		return &failure{crawl.StatusDeemedNotFound, []string{"ftp:550"}, err}
	case code >= 500 && code < 600:
		return &failure{crawl.StatusUnfetchable, []string{"ftp:" + strconv.Itoa(code)}, err}
	case code >= 400 && code < 500:
		return &failure{crawl.StatusConnectionLost, []string{"ftp:" + strconv.Itoa(code)}, err}
	}
	return &failure{crawl.StatusConnectionLost, nil, err}
}

// accept puts what came on the URI.
func (s *ftpSession) accept() error {
	u := s.u
	u.HTTPStatus, u.Addr, u.Truncated, u.Rec = int(u.Status), s.addr, s.truncated, s.rec
	u.Protocols = append(u.Protocols[:0], "ftp")
	u.Digest = s.rec.PayloadDigest()
	describe(u, s.rec)
	u.Record = crawl.RecordForm{Type: crawl.RecordResource, ContentType: "application/octet-stream"}
	switch {
	case u.Class == crawl.ClassRedirect:
		u.Record.ContentType = "text/plain"
	case u.MIME.Type != "":
		u.Record.ContentType = u.MIME.Type
	}
	u.Further = append(u.Further, crawl.Further{RecordForm: crawl.RecordForm{Type: crawl.RecordMetadata, ContentType: ContentFTPConversation}, Rec: s.said})
	return s.ours
}

// ftpPath returns what the server is asked for, "" for where the login leads, and whether the address says that it is a directory.
func ftpPath(u *urlx.URL) (path string, dir bool, err error) {
	path = strings.TrimPrefix(u.Path(), "/")
	if i := strings.LastIndex(path, ";type="); i >= 0 {
		dir = strings.EqualFold(path[i+len(";type="):], "d")
		path = path[:i]
	}
	dir = dir || strings.HasSuffix(path, "/")
	if path, err = url.PathUnescape(path); err == nil && strings.ContainsAny(path, "\r\n\x00") {
		err = errors.New("no file has such a name")
	}
	return strings.TrimRight(path, "/"), dir, err
}

// account returns whom the server is told that it is.
func (s *ftpSession) account() (user, password string) {
	if a := s.h.deps.Accounts.of(s.target, func(a *account) bool { return a.Login == "" && a.Realm == "" }); a != nil {
		s.password = a.password()
		return a.User, s.password
	}
	if basic, ok := strings.CutPrefix(s.h.deps.Credentials[s.target.Origin()], "Basic "); ok { // of a seed
		if pair, err := base64.StdEncoding.DecodeString(basic); err == nil {
			user, s.password, _ = strings.Cut(string(pair), ":")
			return user, s.password
		}
	}
	if s.h.cfg.From != "" {
		return "anonymous", s.h.cfg.From
	}
	return "anonymous", "anonymous@"
}

// data opens a data connection: to the server itself, whatever address it names.
func (s *ftpSession) data(ctx context.Context, address string) (net.Conn, error) {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil, err
	}
	to := netip.AddrPortFrom(s.addr, at.Port())
	if _, bad := slices.BinarySearch(badPorts(), to.Port()); bad || to.Port() < 1024 || anyHas(s.h.guard.refuse, s.addr, to.Port()) {
		s.u.Annotate(string(notePort))
		return nil, errRefused
	}
	d := &ftpData{s: s, pace: pace{socket: s.h.cfg.SocketTimeout, least: s.h.cfg.LeastRate, lane: s.h.slowLane}}
	d.pace.begin(s.until, time.Time{})
	open, cancel := context.WithDeadline(ctx, d.pace.deadline())
	raw, err := s.h.open(open, s.q.route, to.String())
	cancel()
	if err != nil {
		return nil, err
	}
	d.pace.buckets = [2]*bucket{s.h.rate, s.h.rates.get(s.target.Authority(), s.q.rate)}
	d.pace.ended = ctx.Done()
	d.pace.beginBody()
	d.Conn, d.most = pacedConn{raw, &d.pace}, s.q.bounds.body(s.rec.Head())
	d.stop = context.AfterFunc(ctx, func() { _ = raw.Close() })
	s.event("Opened data connection to %s", to)
	return d, nil
}

// ftpData is a data connection. What is read from it is recorded.
type ftpData struct {
	net.Conn
	s    *ftpSession
	pace pace
	most int64 // 0 = no limit
	stop func() bool
}

// Read implements [net.Conn].
func (d *ftpData) Read(b []byte) (int, error) {
	s := d.s
	if s.truncated != "" {
		return 0, io.EOF
	}
	n, err := d.Conn.Read(b)
	if d.most > 0 && s.size+int64(n) > d.most {
		n = int(d.most - s.size)
		s.cut(crawl.TruncLength, "lenTrunc")
	}
	s.size += int64(n)
	if _, werr := s.rec.Write(b[:n]); werr != nil {
		s.ours = werr
		return 0, werr
	}
	switch {
	case err == nil || err == io.EOF || s.truncated != "":
	case isTimeout(err):
		s.cut(crawl.TruncTime, "timeTrunc")
		if note := slowNote(err); note != "" {
			s.u.Annotate(note)
		}
	default:
		s.cut(crawl.TruncDisconnect, "discTrunc")
	}
	return n, err
}

// Close implements [net.Conn].
func (d *ftpData) Close() error {
	d.stop()
	d.pace.end()
	d.s.event("Closed data connection")
	d.s.control.pace.begin(d.s.until, time.Time{}) // it was quiet meanwhile
	return d.Conn.Close()
}

// ftpControl is the control connection. Both sides of the conversation are recorded.
type ftpControl struct {
	net.Conn
	s     *ftpSession
	pace  *pace
	addr  netip.Addr
	bytes int
	line  []byte // of the server, that has not ended
	code  int    // of its last reply
}

// RemoteAddr implements [net.Conn]: that of the server, also behind a proxy.
func (c *ftpControl) RemoteAddr() net.Addr { return &net.TCPAddr{IP: c.addr.AsSlice()} }

// Read implements [net.Conn].
func (c *ftpControl) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.bytes += n; c.bytes > maxConversation {
		return 0, errors.New("the server talks too much")
	}
	for rest := b[:n]; len(rest) > 0; {
		line, after, ended := strings.Cut(string(rest), "\n")
		c.line, rest = append(c.line, line...), []byte(after)
		if !ended {
			break
		}
		text := strings.TrimRight(string(c.line), "\r")
		if code, err := strconv.Atoi(text[:min(len(text), 3)]); err == nil && code >= 100 && (len(text) == 3 || text[3] == ' ') {
			c.code = code
		}
		c.s.say("< " + text)
		c.line = c.line[:0]
	}
	return n, err
}

// Write implements [net.Conn].
func (c *ftpControl) Write(b []byte) (int, error) {
	text := strings.TrimRight(string(b), "\r\n")
	if strings.HasPrefix(text, "PASS ") && c.s.password != "" {
		text = "PASS xxxxxxxx"
	}
	c.s.say("> " + text)
	if text != "QUIT" { // the last word is ours, and no answer is waited for
		c.code = 0
	}
	if err := c.SetWriteDeadline(c.pace.deadline()); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}

func (s *ftpSession) event(format string, args ...any) { s.say("* " + fmt.Sprintf(format, args...)) }

// say records a line of the conversation. A server may repeat what it was told.
func (s *ftpSession) say(line string) {
	if len(s.password) > 3 {
		line = strings.ReplaceAll(line, s.password, "xxxxxxxx")
	}
	if _, err := io.WriteString(s.said, line+"\r\n"); err != nil {
		s.ours = err
	}
}
