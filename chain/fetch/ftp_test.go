package fetch

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"exclave/chain"
	"exclave/crawl"
	"exclave/internal/sheet"
	"exclave/internal/testweb/ftpweb"
	"exclave/internal/whois"
)

// ftpServer starts one, and a client that finds it as ftp.test.
func ftpServer(t *testing.T, files map[string]string, o ftpweb.Options, change func(*Config, *Deps)) *FTP {
	t.Helper()
	s, err := ftpweb.Start(files, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return NewFTP(client(t, nil, func(c *Config, d *Deps) {
		c.ConnectTo = map[string]string{"ftp.test:21": s.Addr()}
		if change != nil {
			change(c, d)
		}
	}))
}

func conversation(t *testing.T, u *crawl.CrawlURI) string {
	t.Helper()
	if len(u.Further) != 1 || u.Further[0].ContentType != ContentFTPConversation || u.Further[0].Type != "metadata" {
		t.Fatalf("%+v", u.Further)
	}
	at, n := u.Further[0].Rec.Response()
	return all(t, at, n)
}

// Files come byte by byte, directories as their names, with what was said; what is not there has the server's reply.
func TestFTP(t *testing.T) {
	binary := strings.Repeat("\x00\xff\r\n\n", 100_000)
	f := ftpServer(t, map[string]string{"/pub/a.txt": "ahoj\r\nsvěte\n", "/pub/b.bin": binary, "/pub/empty": "", "/pub/dir/": "", "/pub/žluť #1?.html": "<a href=x>"},
		ftpweb.Options{PublicHost: "192.0.2.1"}, nil) // what it says is its address is not where we go
	for _, c := range []struct {
		url    string
		status crawl.Status
		body   string
		mime   string
	}{
		{"ftp://ftp.test/pub/a.txt", 226, "ahoj\r\nsvěte\n", "text/plain"},
		{"ftp://ftp.test/pub/a.txt;type=a", 226, "ahoj\r\nsvěte\n", "text/plain"},
		{"ftp://ftp.test/pub/b.bin", 226, binary, ""},
		{"ftp://ftp.test/pub/empty", 226, "", ""},
		{"ftp://ftp.test/pub/%C5%BElu%C5%A5%20%231%3F.html", 226, "<a href=x>", "text/html"},
		{"ftp://ftp.test/pub/dir/", 226, "", "text/plain"},
		{"ftp://ftp.test/pub/", 226, "a.txt\r\nb.bin\r\ndir\r\nempty\r\nžluť #1?.html\r\n", "text/plain"},
		{"ftp://ftp.test/", 226, "pub\r\n", "text/plain"},
		{"ftp://ftp.test/pub;type=d", 226, "a.txt\r\nb.bin\r\ndir\r\nempty\r\nžluť #1?.html\r\n", ""},
		{"ftp://ftp.test/none", crawl.StatusDeemedNotFound, "", ""},
		{"ftp://ftp.test/none/", crawl.StatusDeemedNotFound, "", ""},
		{"ftp://ftp.test/a%0D%0ADELE%20b", crawl.StatusUnfetchable, "", ""},
	} {
		u := page(c.url)
		res := process(t, f, u)
		if u.Status != c.status || received(t, u) != c.body || u.Truncated != "" || len(u.Annotations) > 0 && u.Rec != nil {
			t.Errorf("%s: status %d, %d bytes, %q %v", c.url, u.Status, len(received(t, u)), u.Truncated, u.Annotations)
			continue
		}
		if c.mime != "" && (u.MIME.Type != c.mime || u.Record.ContentType != c.mime) || u.Status == 226 && u.Record.Type != "resource" {
			t.Errorf("%s: %+v, %+v", c.url, u.MIME, u.Record)
		}
		if (u.Rec == nil) != (res.Jump == chain.Post) {
			t.Errorf("%s: jump %q", c.url, res.Jump)
		}
		if u.Rec == nil {
			continue
		}
		said := conversation(t, u)
		for _, line := range []string{"* Opened control connection to ftp.test:21\r\n", "< 220", "> USER anonymous\r\n", "> PASS anonymous@\r\n", "* Opened data connection to 127.0.0.1:", "< 226 "} {
			if !strings.Contains(said, line) {
				t.Errorf("%s: no %q in\n%s", c.url, line, said)
			}
		}
	}
	u := page("ftp://ftp.test/pub/dir")
	res := process(t, f, u)
	if res.Jump != "" || u.Status != 250 || u.Class != crawl.ClassRedirect || received(t, u) != "" || u.Record.ContentType != "text/plain" {
		t.Errorf("a directory without a slash: %+v", u)
	}
	if u := page("http://ftp.test/"); !process(t, f, u).Idle || u.Status != 0 {
		t.Error("http: is not FTP's")
	}
}

// Sizes are cut, and annotated; accounts are used, and their passwords are written nowhere.
func TestFTPSettings(t *testing.T) {
	files := map[string]string{"/a": strings.Repeat("x", 1000)}
	cut := ftpServer(t, files, ftpweb.Options{}, func(c *Config, _ *Deps) { c.MaxSize = 100 })
	u := page("ftp://ftp.test/a")
	if process(t, cut, u); u.Status != 226 || len(received(t, u)) != 100 || u.Truncated != crawl.TruncLength || strings.Join(u.Annotations, " ") != "lenTrunc" {
		t.Errorf("%d, %d bytes, %q %v", u.Status, len(received(t, u)), u.Truncated, u.Annotations)
	}
	most := int64(10)
	u = page("ftp://ftp.test/a")
	u.Sheet = &sheet.Settings{}
	u.Sheet.HTTP.MaxSize = &most
	if process(t, cut, u); len(received(t, u)) != 10 {
		t.Errorf("by a sheet: %d bytes", len(received(t, u)))
	}
	u = page("ftp://ftp.test/a")
	soon := time.Nanosecond
	u.Sheet = &sheet.Settings{}
	u.Sheet.HTTP.Timeout = &soon
	if process(t, cut, u); u.Status != crawl.StatusTimeout && u.Status != crawl.StatusConnectFailed || u.Rec != nil {
		t.Errorf("too late by a sheet: %d", u.Status)
	}
	locked := ftpweb.Options{User: "jan", Password: "tajné-heslo"}
	t.Setenv("FTP_PASSWORD", locked.Password)
	with := ftpServer(t, files, locked, func(_ *Config, d *Deps) {
		accounts, ps := OpenAccounts([]Credential{{Prefix: "ftp://ftp.test/", User: "jan", PasswordEnv: "FTP_PASSWORD"}}, func(s string) string { return s })
		if len(ps) > 0 {
			t.Fatal(ps)
		}
		d.Accounts = accounts
	})
	u = page("ftp://ftp.test/a")
	if process(t, with, u); u.Status != 226 || len(received(t, u)) != 1000 {
		t.Errorf("with an account: %d", u.Status)
	}
	if said := conversation(t, u); strings.Contains(said, locked.Password) || !strings.Contains(said, "> PASS xxxxxxxx\r\n") {
		t.Errorf("the password is in\n%s", said)
	}
	without := ftpServer(t, files, locked, nil)
	u = page("ftp://ftp.test/a")
	if process(t, without, u); u.Status != crawl.StatusUnfetchable || u.Rec != nil {
		t.Errorf("without an account: %d", u.Status)
	}
	refused := ftpServer(t, files, ftpweb.Options{}, func(c *Config, _ *Deps) { c.Allow = nil })
	u = page("ftp://ftp.test/a")
	if process(t, refused, u); u.Status != crawl.StatusUnfetchable || strings.Join(u.Annotations, " ") != "address:refused" {
		t.Errorf("a private address: %d %v", u.Status, u.Annotations)
	}
}

// talker is a server that talks to each client by fn; it returns its address.
func talker(t *testing.T, fn func(in *bufio.Reader, out io.Writer)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	t.Cleanup(func() { _ = l.Close(); done.Wait() })
	done.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			done.Go(func() {
				defer c.Close()
				fn(bufio.NewReader(c), c)
			})
		}
	})
	return l.Addr().String()
}

// script is a server that answers each line by the next of its own.
func script(t *testing.T, answers ...string) string {
	return talker(t, func(in *bufio.Reader, out io.Writer) {
		for i, a := range answers {
			if i > 0 {
				if _, err := in.ReadString('\n'); err != nil {
					return
				}
			}
			if _, err := io.WriteString(out, a+"\r\n"); err != nil {
				return
			}
		}
		_, _ = in.ReadString('\n')
	})
}

// What a server says against the rules, or only for now, ends as a status.
func TestFTPOddServers(t *testing.T) {
	long := strings.Repeat("220-"+strings.Repeat("x", 1000)+"\r\n", 1000) + "220 x"
	for name, c := range map[string]struct {
		answers []string
		status  crawl.Status
		notes   string
	}{
		"too many":       {[]string{"421 Too many connections"}, crawl.StatusConnectionLost, "ftp:421"},
		"endless":        {[]string{long}, crawl.StatusConnectionLost, ""},
		"not FTP":        {[]string{"HTTP/1.1 200 OK"}, crawl.StatusConnectionLost, ""},
		"no login":       {[]string{"220 x", "530 No"}, crawl.StatusUnfetchable, "ftp:530"},
		"busy":           {[]string{"220 x", "331 x", "230 x", "500 FEAT", "200 TYPE", "550 CWD", "229 x (|||9|)", "450 Busy"}, crawl.StatusUnfetchable, "port:refused"},
		"a port of ours": {[]string{"220 x", "331 x", "230 x", "500 FEAT", "200 TYPE", "550 CWD", "229 x (|||6667|)"}, crawl.StatusUnfetchable, "port:refused"},
		"gone":           {[]string{"220 x", "331 x", "230 x"}, crawl.StatusConnectionLost, ""},
	} {
		f := NewFTP(client(t, nil, func(cfg *Config, _ *Deps) { cfg.ConnectTo = map[string]string{"ftp.test:21": script(t, c.answers...)} }))
		u := page("ftp://ftp.test/a")
		if process(t, f, u); u.Status != c.status || strings.Join(u.Annotations, " ") != c.notes || u.Rec != nil {
			t.Errorf("%s: %d %v", name, u.Status, u.Annotations)
		}
	}
}

// session is an FTP server that says what is set, over a data connection of its own.
type session struct {
	banner, welcome string // more lines before the first reply; of the login
	data            string
	stall           bool   // the data does not end
	after           string // reply behind the data
	list            string // reply to NLST instead; "" = the data
	epsv            string // port it names; "" = its own
	noEPSV          string // reply to EPSV instead: PASV is understood, with an address that is another's
}

func (s session) start(t *testing.T) string {
	return talker(t, func(in *bufio.Reader, out io.Writer) {
		data, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return
		}
		defer data.Close()
		_, port, _ := net.SplitHostPort(data.Addr().String())
		if s.epsv != "" {
			port = s.epsv
		}
		_, _ = io.WriteString(out, s.banner+"220 x\r\n")
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			command, arg, _ := strings.Cut(strings.TrimSpace(line), " ")
			reply := map[string]string{"USER": "331 x", "PASS": "230 " + s.welcome, "TYPE": "200 x", "EPSV": "229 x (|||" + port + "|)"}[command]
			switch {
			case command == "CWD" && arg == "dir":
				reply = "250 x"
			case command == "EPSV" && s.noEPSV != "":
				reply = s.noEPSV
			case command == "PASV" && s.noEPSV != "":
				n, _ := strconv.Atoi(port)
				reply = fmt.Sprintf("227 Entering Passive Mode (192,0,2,1,%d,%d)", n/256, n%256)
			case command == "NLST" && s.list != "":
				reply = s.list
			case command == "NLST" || command == "RETR":
				_, _ = io.WriteString(out, "150 x\r\n")
				c, err := data.Accept()
				if err != nil {
					return
				}
				_, _ = io.WriteString(c, s.data)
				if s.stall {
					_, _ = io.Copy(io.Discard, c) // until the client has had enough
				}
				_ = c.Close()
				reply = s.after
			case reply == "":
				reply = "550 x"
			}
			if _, err := io.WriteString(out, reply+"\r\n"); err != nil {
				return
			}
		}
	})
}

// Transfers that break off are cut, and annotated; what a server repeats of a password is not kept, however short it is.
func TestFTPTransfers(t *testing.T) {
	for name, c := range map[string]struct {
		session
		url    string
		status crawl.Status
		body   string
		cut    crawl.Truncation
		notes  string
	}{
		"whole":             {session{data: "abc", after: "226 x"}, "f", 226, "abc", "", ""},
		"whole, by another": {session{data: "abc", after: "250 x"}, "f", 226, "abc", "", ""},
		"broken off":        {session{data: "abc", after: "426 x"}, "f", 226, "abc", crawl.TruncDisconnect, "discTrunc"},
		"stalled":           {session{data: "abc", stall: true, after: "226 x"}, "f", 226, "abc", crawl.TruncTime, "timeTrunc"},
		"nothing":           {session{after: "451 x"}, "f", crawl.StatusConnectionLost, "", "", "ftp:451"},
		"no EPSV":           {session{data: "abc", after: "226 x", noEPSV: "500 EPSV not understood"}, "f", 226, "abc", "", ""},
		"no EPSV here":      {session{data: "a b\r\n", after: "226 x", noEPSV: "522 Network protocol not supported"}, "dir/", 226, "a b\r\n", "", ""},
		"busy file":         {session{after: "450 x"}, "f", crawl.StatusConnectionLost, "", "", "ftp:450"},
		"no files":          {session{list: "550 No files found"}, "dir/", 226, "", "", ""},
		"no files for now":  {session{list: "450 No files found"}, "dir/", 226, "", "", ""},
		"no list":           {session{list: "502 x"}, "dir/", crawl.StatusUnfetchable, "", "", "ftp:502"},
		"talks and talks":   {session{banner: strings.Repeat("220-"+strings.Repeat("x", 1000)+"\r\n", 300), data: "abc", after: "226 x"}, "f", crawl.StatusConnectionLost, "", "", ""},
		"a system's port":   {session{epsv: "1000"}, "f", crawl.StatusUnfetchable, "", "", "port:refused"},
	} {
		f := NewFTP(client(t, nil, func(cfg *Config, _ *Deps) {
			cfg.ConnectTo = map[string]string{"ftp.test:21": c.start(t)}
			if c.stall {
				cfg.SocketTimeout = 2 * time.Second
			}
		}))
		u := page("ftp://ftp.test/" + c.url)
		if process(t, f, u); u.Status != c.status || received(t, u) != c.body || u.Truncated != c.cut || strings.Join(u.Annotations, " ") != c.notes {
			t.Errorf("%s: %d %q %q %v", name, u.Status, received(t, u), u.Truncated, u.Annotations)
		}
	}
	for _, password := range []string{"abc", "longer-word"} {
		f := NewFTP(client(t, nil, func(cfg *Config, d *Deps) {
			cfg.ConnectTo = map[string]string{"ftp.test:21": session{data: "x", after: "226 x", welcome: "welcome with longer-word"}.start(t)}
			d.Credentials = Credentials{"ftp://ftp.test": "Basic " + base64.StdEncoding.EncodeToString([]byte("jan:"+password))}
		}))
		u := page("ftp://ftp.test/f")
		process(t, f, u)
		said := conversation(t, u)
		if !strings.Contains(said, "> USER jan\r\n> ") && !strings.Contains(said, "> USER jan\r\n< ") || !strings.Contains(said, "> PASS xxxxxxxx\r\n") || password != "abc" && strings.Contains(said, password) {
			t.Errorf("%s", said)
		}
	}
	// The port of the scheme is no bad one for it, others are.
	for url, refused := range map[string]bool{"ftp://127.0.0.1/": false, "whois://127.0.0.1/x": false, "ftp://127.0.0.1:22/": true, "http://127.0.0.1:21/": true} {
		h := client(t, nil, func(cfg *Config, _ *Deps) { cfg.SocketTimeout = time.Second })
		u := page(url)
		for _, p := range []chain.Processor{NewFTP(h), NewWhois(h), h} {
			process(t, p, u)
		}
		if got := strings.Contains(strings.Join(u.Annotations, " "), "port:refused"); got != refused {
			t.Errorf("%s: %d %v", url, u.Status, u.Annotations)
		}
	}
}

// FuzzFTPServer has servers say anything: no panic, nothing without a bound.
func FuzzFTPServer(f *testing.F) {
	f.Add("220 x\n331 x\n230 x\n211-x\n MLST\n211 x\n200 x\n250 x")
	f.Add("220-\n220")
	f.Fuzz(func(t *testing.T, text string) {
		p := NewFTP(client(t, nil, func(cfg *Config, _ *Deps) {
			cfg.ConnectTo, cfg.SocketTimeout = map[string]string{"ftp.test:21": script(t, strings.Split(text, "\n")...)}, 50*time.Millisecond
		}))
		u := page("ftp://ftp.test/a/")
		process(t, p, u)
		if u.Status == crawl.StatusUnattempted {
			t.Error("no status")
		}
	})
}

// A WHOIS server's answer is recorded whole, and the server that it refers to is a redirect.
func TestWhois(t *testing.T) {
	const text = "domain: CZ\r\nrefer: whois.nic.cz\r\n"
	for url, c := range map[string]struct {
		to     string
		server []string
		status crawl.Status
		link   string
	}{
		"whois:firma.cz":                  {"whois.iana.org:43", []string{text}, crawl.StatusWhois, "whois://whois.nic.cz/firma.cz"},
		"whois://whois.nic.cz/firma.cz":   {"whois.nic.cz:43", []string{text}, crawl.StatusWhois, ""},
		"whois://whois.x.cz:4343/a%20b":   {"whois.x.cz:4343", []string{"nothing known"}, crawl.StatusWhois, ""},
		"whois://whois.x.cz/":             {"whois.x.cz:43", []string{"?"}, crawl.StatusUnfetchable, ""},
		"whois://whois.x.cz/a%0D%0Ab":     {"whois.x.cz:43", []string{"?"}, crawl.StatusUnfetchable, ""},
		"whois://other.cz/silent.example": {"other.cz:43", []string{""}, crawl.StatusConnectionLost, ""},
	} {
		w := NewWhois(client(t, nil, func(cfg *Config, _ *Deps) { cfg.ConnectTo = map[string]string{c.to: whoisServer(t, c.server[0])} }))
		u := page(url)
		process(t, w, u)
		link := ""
		for _, o := range u.Outlinks {
			link += fmt.Sprint(o.URL)
		}
		if u.Status != c.status || link != c.link || u.Status == crawl.StatusWhois && received(t, u) != c.server[0] {
			t.Errorf("%s: %d %q %q", url, u.Status, link, received(t, u))
		}
	}
}

// An answer without an end is cut.
func TestWhoisLength(t *testing.T) {
	w := NewWhois(client(t, nil, func(cfg *Config, _ *Deps) {
		cfg.ConnectTo = map[string]string{"w.cz:43": whoisServer(t, strings.Repeat("x", 2*whois.MaxAnswer))}
	}))
	u := page("whois://w.cz/q")
	if process(t, w, u); len(received(t, u)) != whois.MaxAnswer || u.Truncated != crawl.TruncLength || strings.Join(u.Annotations, " ") != "lenTrunc" {
		t.Errorf("%d bytes, %q %v", len(received(t, u)), u.Truncated, u.Annotations)
	}
}

func whoisServer(t *testing.T, answer string) string {
	return talker(t, func(in *bufio.Reader, out io.Writer) {
		if _, err := in.ReadString('\n'); err == nil {
			_, _ = io.WriteString(out, answer)
		}
	})
}
