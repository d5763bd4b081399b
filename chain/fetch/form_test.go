package fetch

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"exclave/internal/testweb"
)

// formServer shows a login page and keeps what is sent by its form.
type formServer struct {
	page, contentType string

	mu  sync.Mutex
	got string // "POST /enter\napplication/x-www-form-urlencoded\nname=…"
}

func (s *formServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(err)
	}
	http.SetCookie(w, &http.Cookie{Name: "member", Value: "1", Path: "/"})
	switch {
	case r.URL.Path == "/login" && r.Method == http.MethodGet && r.URL.RawQuery == "":
		w.Header().Set("Content-Type", s.contentType)
		fmt.Fprint(w, s.page)
	case r.URL.Path != "/page":
		s.got = r.Method + " " + r.URL.RequestURI() + "\n" + r.Header.Get("Content-Type") + "\n" + string(body)
	}
}

// The form is sent as a browser without scripts sends it: HTML standard, 4.10.21.3 and 4.10.22.
func TestFormIsSentAsBrowsersDo(t *testing.T) {
	const urlencoded = "application/x-www-form-urlencoded"
	const both = `<input name=name><input type=password name=pass>`
	const filled = "name=reader&pass=Circle+of+Life"
	post := func(inner string) string { return `<form method=post action=/enter>` + inner + `</form>` }
	for _, tt := range []struct {
		why, page, charset string
		fields             map[string]string
		to, typ, body      string // typ empty: urlencoded
	}{
		{why: "the order of the page", page: post(`<input type=hidden name=z value=1>` + both + `<input type=hidden name=a value=2>`), body: "z=1&" + filled + "&a=2"},
		{why: "base", page: `<base href="/deep/"><base href="/other/"><form method=post action=enter>` + both + `</form>`, to: "POST /deep/enter", body: filled},
		{why: "no action is the page, whatever base says", page: `<base href="/deep/"><form method=post>` + both + `</form>`, to: "POST /login", body: filled},
		{why: "an empty one, too", page: `<base href="/deep/"><form method=post action="">` + both + `</form>`, to: "POST /login", body: filled},
		{why: "a base behind the form", page: `<form method=post action=enter>` + both + `</form><base href="/deep/">`, to: "POST /deep/enter", body: filled},
		{why: "the charset of the page", page: post(both + "<input type=hidden name=town value=\"\x8e\xec\">"), charset: "windows-1250", fields: map[string]string{"note": "ž€ж"},
			body: filled + "&town=%8E%EC&note=%9E%80%26%231078%3B"},
		{why: "of its meta element", page: "<meta charset=iso-8859-2>" + post(both), fields: map[string]string{"note": "ž"}, body: filled + "&note=%BE"},
		{why: "accept-charset", page: `<meta charset=iso-8859-2><form method=post action=/enter accept-charset="x-no utf-8">` + both + `</form>`, fields: map[string]string{"note": "ž"}, body: filled + "&note=%C5%BE"},
		{why: "UTF-16 is sent as UTF-8", page: `<form method=post action=/enter accept-charset="utf-16le">` + both + `</form>`, fields: map[string]string{"note": "ž"}, body: filled + "&note=%C5%BE"},
		{why: "_charset_", page: "<meta charset=iso-8859-2>" + post(both+`<input type=hidden name=_charset_>`), body: filled + "&_charset_=ISO-8859-2"},
		{why: "select: the selected, or the first that may be chosen", page: post(both + `<select name=a><option value=1>x<option value=2 selected>y</select><select name=b><option disabled>no<option> the  first <option>second</select>` +
			`<select name=c size=3><option>none</select><select name=d multiple><option selected>1<option>2<option selected>3</select><select name=e></select><select name=f><optgroup disabled><option>1</optgroup><option>2</select>`),
			body: filled + "&a=2&b=the+first&d=1&d=3&f=2"},
		{why: "textarea", page: post(both + "<textarea name=t>\na &amp; <b>\nc</textarea>"), body: filled + "&t=a+%26+%3Cb%3E%0D%0Ac"},
		{why: "boxes", page: post(both + `<input type=checkbox name=a checked><input type=checkbox name=b><input type=radio name=c value=1><input type=radio name=c value=2 checked>`), body: filled + "&a=on&c=2"},
		{why: "disabled", page: post(both + `<input name=a value=1 disabled><fieldset disabled><legend><input name=b value=1></legend><input name=c value=1><fieldset><input name=d value=1></fieldset></fieldset><input name=e value=1>` +
			`<fieldset><input name=f value=1></fieldset><datalist><input name=g value=1></datalist><template><input name=h value=1></template>`), body: filled + "&b=1&e=1&f=1"},
		{why: "the first button", page: post(`<input type=reset name=r><button type=button name=b value=1>x</button>` + both + `<button name=go value=in>Log in</button><input type=submit name=register value=new>`), body: filled + "&go=in"},
		{why: "one that is disabled is none", page: post(both + `<input type=submit name=a value=1 disabled><input type=submit name=b value=2>`), body: filled + "&b=2"},
		{why: "a button without a name", page: post(both + `<button>Log in</button><button name=b value=2>`), body: filled},
		{why: "an image", page: post(both + `<input type=image name=i src=x>`), body: filled + "&i.x=0&i.y=0"},
		{why: "an image without a name", page: post(both + `<input type=image src=x>`), body: filled + "&x=0&y=0"},
		{why: "the button that is configured", page: post(both + `<button name=register value=new>x</button><button name=go value=in>Log in</button>`), fields: map[string]string{"go": "yes"}, body: filled + "&go=yes"},
		{why: "where the button sends it", page: `<form method=get action=/nowhere>` + both + `<button formaction=/enter formmethod=POST>Log in</button></form>`, body: filled},
		{why: "controls elsewhere", page: `<input form=login name=before value=1><form id=login method=post action=/enter>` + both + `<input name=not form=other value=1></form><form id=other></form><button form=login name=go value=1>`,
			body: "before=1&" + filled + "&go=1"},
		{why: "a table between", page: `<table><form method=post action=/enter><tr><td><input name=name></td></tr><tr><td><input type=password name=pass></table><input name=later value=1></form><input name=out value=1>`, body: filled + "&later=1"},
		{why: "no form in a form", page: `<form method=post action=/enter><input name=name><form action=/nowhere><input type=password name=pass></form>`, body: filled},
		{why: "GET", page: `<form method=GET action="/enter?old=1">` + both + `<input type=hidden name=h value="a~*b"></form>`, to: "GET /enter?name=reader&pass=Circle+of+Life&h=a%7E*b", typ: "-"},
		{why: "no method is not GET, which browsers make of it", page: `<form action="/enter?old=1">` + both + `</form>`, to: "POST /enter?old=1", body: filled},
		{why: "text/plain", page: `<form method=post action=/enter enctype=text/plain>` + both + `</form>`, typ: "text/plain", body: "name=reader\r\npass=Circle of Life\r\n"},
		{why: "multipart", page: `<meta charset=windows-1250><form method=post action=/enter enctype="multipart/form-data">` + both + `<input type=file name=f><input type=hidden name='q"' value="ž&#1078;&#10;2"></form>`, charset: "windows-1250",
			typ: "multipart/form-data; boundary=BOUNDARY", body: "--BOUNDARY\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nreader\r\n--BOUNDARY\r\nContent-Disposition: form-data; name=\"pass\"\r\n\r\nCircle of Life\r\n" +
				"--BOUNDARY\r\nContent-Disposition: form-data; name=\"f\"; filename=\"\"\r\nContent-Type: application/octet-stream\r\n\r\n\r\n" +
				"--BOUNDARY\r\nContent-Disposition: form-data; name=\"q%22\"\r\n\r\n\x9e&#1078;\r\n2\r\n--BOUNDARY--\r\n"},
		{why: "a value there is replaced", page: post(`<input name=name value=guest><input type=password name=pass value=x><select name=area><option>1<option>2</select>`), fields: map[string]string{"area": "2"}, body: filled + "&area=2"},
		{why: "for who has no scripts", page: `<noscript><form method=post action=/enter>` + both + `</form></noscript>`, body: filled},
		{why: "what a script or a comment would write is none", page: post(both + `<script>x = "<input name=no value=1>"</script><!-- <input name=no value=1> --><style><input name=no value=1></style>`), body: filled},
		{why: "attributes as they are written", page: `<FORM METHOD=POST ACTION=" /enter&#x3f;a&amp;b
">` + `<INPUT NAME=name VALUE=x NAME=other><input TYPE=PASSWORD name='pass'><INPUT type=unknown name=u value=1><input name="" value=2><input value=3>` + `</FORM>`, to: "POST /enter?a&b", body: filled + "&u=1"},
		{why: "no form", page: "made by a script", to: "POST /login", fields: map[string]string{"stay": "1"}, body: "stay=1&" + filled},
	} {
		t.Run(tt.why, func(t *testing.T) {
			s := &formServer{page: tt.page, contentType: "text/html"}
			if tt.charset != "" {
				s.contentType += "; charset=" + tt.charset
			}
			if tt.why == "multipart" {
				s.page = strings.ReplaceAll(s.page, "ž", "\x9e")
			}
			h, log, _ := readerOf(t, serve(t, handlers{"a.example": s}), Credential{Prefix: "http://a.example/", Fields: tt.fields})
			process(t, h, page("http://a.example/page"))
			want := tt.to
			if want == "" {
				want = "POST /enter"
			}
			switch tt.typ {
			case "":
				want += "\n" + urlencoded
			case "-":
				want += "\n"
			default:
				want += "\n" + tt.typ
			}
			want += "\n" + tt.body
			got := s.got
			if m := regexp.MustCompile("boundary=([0-9A-Za-z]{16,})").FindStringSubmatch(got); m != nil {
				got = strings.ReplaceAll(got, m[1], "BOUNDARY")
			}
			if got != want {
				t.Errorf("got %q\nwant %q\n%s", got, want, log)
			}
		})
	}
}

// A form that the server refuses was not taken, and the log says with which status.
func TestFormIsRefused(t *testing.T) {
	for _, tt := range []struct {
		status int
		want   string
	}{{403, "403"}, {422, "422"}, {500, "500"}} {
		s := serve(t, handlers{"a.example": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.SetCookie(w, &http.Cookie{Name: "visit", Value: "1", Path: "/"})
			switch {
			case r.Method == http.MethodPost:
				http.Error(w, "CSRF", tt.status)
			case r.URL.Path == "/login":
				fmt.Fprint(w, `<form method=post action=/enter><input name=name><input type=password name=pass></form>`)
			default:
				http.Redirect(w, r, "/login", http.StatusFound)
			}
		})})
		h, log, _ := readerOf(t, s, Credential{Prefix: "http://a.example/"})
		u := page("http://a.example/page")
		process(t, h, u)
		if said := log.String(); strings.Count(said, "WARN") != 1 || strings.Contains(said, "was taken") || !strings.Contains(said, fmt.Sprintf("answers the form with status %d", tt.status)) || strings.Join(u.Annotations, ",") != "login:failed" {
			t.Errorf("%d: %v, %s", tt.status, u.Annotations, said)
		}
	}
}

// A form that is sent with GET has the password in its address, which is in no log and no recording.
func TestFormWithGetTellsNothing(t *testing.T) {
	for why, answer := range map[string]http.HandlerFunc{
		"refused": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) },
		"elsewhere": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://b.example/", http.StatusTemporaryRedirect)
		},
		"connection cut": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"back": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/login?"+r.URL.RawQuery, http.StatusFound)
		},
	} {
		s := serve(t, handlers{"b.example": http.NotFoundHandler(), "a.example": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/enter":
				answer(w, r)
			case "/login":
				fmt.Fprint(w, `<form action=/enter method=get><input name=name><input type=password name=pass></form>`)
			default:
				http.Redirect(w, r, "/login", http.StatusFound)
			}
		})})
		h, log, _ := readerOf(t, s, Credential{Prefix: "http://a.example/"})
		process(t, h, page("http://a.example/page"))
		if strings.Contains(log.String(), "Circle") || !strings.Contains(log.String(), "WARN") {
			t.Errorf("%s: %s", why, log)
		}
	}
}

// A page without TLS whose form goes over to it on the same server is that of browsers' users.
func TestFormGoesOverToTLS(t *testing.T) {
	web := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch in, err := r.Cookie("member"); {
		case r.URL.Path == "/login":
			fmt.Fprint(w, `<form method=post action="https://a.example/enter"><input name=name><input type=password name=pass></form>`)
		case r.Method == http.MethodPost && r.TLS != nil:
			http.SetCookie(w, &http.Cookie{Name: "member", Value: "1", Path: "/", Secure: true})
		case err == nil && in.Value == "1":
			fmt.Fprint(w, "for members")
		default:
			http.Redirect(w, r, "/login", http.StatusFound)
		}
	})
	h, log, _ := readerOf(t, serve(t, testweb.Hosts{"a.example": web}), Credential{Prefix: "http://a.example/"})
	u := page("https://a.example/page")
	if process(t, h, u); !slices.Contains(u.Annotations, "login:ok") {
		t.Errorf("status %d, %v, %s", u.Status, u.Annotations, log)
	}
}
