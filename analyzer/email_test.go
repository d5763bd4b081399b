package analyzer

import (
	"encoding/hex"
	"strings"
	"testing"

	"exclave/internal/markup"
)

// page is what a crawl makes of a document.
func page(body string) *Page {
	return NewPage(nil, "text/html", markup.Parse(markup.HTML, []byte(body), markup.Options{KeepSource: true}))
}

// czechEmail are options as the profile of a nation has them.
func czechEmail() *emailOptions {
	return &emailOptions{patternOption{`@([a-z0-9-]+\.)+cz$`}, []string{"zavináč", "zavinac"}, []string{"tečka", "tecka"}}
}

// protect is Cloudflare's coding.
func protect(key byte, s string) string {
	b := append([]byte{key}, s...)
	for i := range b[1:] {
		b[i+1] ^= key
	}
	return hex.EncodeToString(b)
}

// TestAddresses: addresses as pages of contacts have them. Each is found once, and nothing else.
func TestAddresses(t *testing.T) {
	const one = "info@firma.cz"
	for html, want := range map[string]string{
		`<p>info@firma.cz</p>`:                                        one,
		`<p>E-mail:info@firma.cz, tel.`:                               one,
		`<a href="mailto:info@firma.cz?subject=Dotaz">pište</a>`:      one,
		`<a href='mailto:%20info%40firma.cz'>pište</a>`:               one,
		`<a href="mailto:info(at)firma.cz">pište</a>`:                 one,
		`<p>info&#64;firma.cz`:                                        one,
		`<p>info&commat;firma&period;cz`:                              one,
		`<p>&#105;&#110;&#102;&#111;&#x40;firma&#46;cz`:               one,
		`<a href="mailto:&#105;nf&#111;&#64;firma&#46;cz">pište</a>`:  one,
		`<a href="&#109;ailto:&#105;nf&#111;&#64;firma&#46;cz">x</a>`: one,
		`<p>info (at) firma.cz`:                                       one,
		`<p>info(at)firma.cz`:                                         one,
		`<p>INFO [AT] FIRMA [DOT] CZ`:                                 one,
		`<p>info {at} firma (dot) cz`:                                 one,
		`<p>info [@] firma.cz`:                                        one,
		`<p>info at firma dot cz`:                                     one,
		`<p>info&lt;at&gt;firma.cz`:                                   one,
		`<p>info zavináč firma tečka cz`:                              one,
		`<p>info zavináč firma.cz`:                                    one,
		`<p>info (zavináč) firma.cz`:                                  one,
		`<p>info(zavinac)firma(tecka)cz`:                              one,
		`<p>jan (tečka) novak (zavináč) firma (tečka) cz`:             "jan.novak@firma.cz",
		`<p>jan tečka novak zavináč ing.firma tečka cz`:               "jan.novak@ing.firma.cz",
		`<p>E-mail: info @ firma.cz`:                                  one,
		`<p>info＠firma.cz`:                                            one,
		`<p>info<b>@</b>firma<wbr>.cz`:                                one,
		`<p>in<!-- x -->fo@<span>firma.cz</span>`:                     one,
		"<p>info\u200b@\u200bfirma\u200b.cz":                          one,
		"<a title='in\u00adfo@firma\u2060.cz'>x</a>":                  one,
		`<img alt="info (at) firma.cz">`:                              one,
		`<a title="info&#64;firma.cz">x</a>`:                          one,
		`<script type="application/ld+json">{"@type":"Organization","email":"mailto:info@firma.cz"}</script>`: one,
		`<script>var m="info\u0040firma.cz"</script>`:                                                         one,
		`<meta itemprop="email" content="info@firma.cz">`:                                                     one,
		`<a href="/napiste?komu=info%40firma.cz">x</a>`:                                                       one,
		`<a class="__cf_email__" data-cfemail="` + protect(0x5a, one) + `">[email&#160;protected]</a>`:        one,
		`<a href="/cdn-cgi/l/email-protection#` + protect(0xe1, one+"?subject=x") + `">pište</a>`:             one,
		`<p>info@dům.cz`:                                        "info@xn--dm-sua.cz",
		`<a href="mailto:info@d%C5%AFm.cz">`:                    "info@xn--dm-sua.cz",
		`<p>info@XN--DM-SUA.cz`:                                 "info@xn--dm-sua.cz",
		`<p>novák@firma.cz`:                                     "novák@firma.cz",
		`<a href="mailto:nov%C3%A1k@firma.cz">novák@firma.cz`:   "novák@firma.cz",
		"<p>nova\u0301k@firma.cz":                               "nova\u0301k@firma.cz",
		`<p>info@firma.cz:Po–Pá`:                                one,
		`<p>→info@firma.cz`:                                     one,
		`<p>info(a)firma.cz`:                                    one,
		`<p>info﹫firma.cz`:                                      one,
		"<p>in\u200dfo@firma\u200c.cz":                          one,
		`<script>var m="\u0069nfo\u0040firma\u002ecz"</script>`: one,
		`<a href="/napiste?komu=inf%6F%40firma%2Ecz">x</a>`:     one,
		`<p>E-mail: info (a) firma.cz`:                          one,
		`<p>info [A] firma [dot] cz`:                            one,
		`<a href="mailto:info (at) firma.cz">pište</a>`:         one,
		`<a href='mailto:info(a)firma.cz'>pište</a>`:            one,
	} {
		p := page(html)
		f, _ := search(t, czechEmail(), p)
		if f.Valid < 1 || f.Distinct != 1 || f.Evidence[0].Value != want {
			t.Errorf("%s: %+v, want %s", html, f, want)
		}
	}
}

// TestNoAddresses: what looks like an address of the nation and is none.
func TestNoAddresses(t *testing.T) {
	for _, html := range []string{
		`<script src="https://cdn.example/npm/lib@3.cz"></script>`,
		`<script src="https://cdn.example/npm/lib@2024.cz/x.js"></script>`,
		`<pre>npm install lib@3.cz`,
		`<pre>git clone git@github.cz:firma/web.git`,
		`<p>git@github.cz`,
		`<pre>rsync -a web jan@server.cz:/var/www`,
		`<pre>scp x jan@server.cz:~/x`,
		`<a href="ftp://jan:heslo@ftp.firma.cz/">x</a>`,
		`<a href="https://jan:he/slo@firma.cz/">x</a>`,
		`<a href="https://jan:he?sl#o@firma.cz/">x</a>`,
		`<a href="https://jan:hešlo@firma.cz/">x</a>`,
		`<a href="https://jan:` + strings.Repeat("x", 100) + `@firma.cz/">x</a>`,
		`<a href="/go?u=http%3A%2F%2Fjan%3Aheslo%40firma.cz">x</a>`,
		`<a href="/go?u=http%3A%2F%2Fjan%3Aheslo@firma.cz">x</a>`,
		`<p>postgres://jan:heslo@db.cz/x`,
		`<p>Meet us at firma.cz and look at web.cz today`,
		`<p>We are @ firma.cz`,
		`<p>Jan Novák @ Firma.cz`,
		`<p>sleva (at) firma`,
		`<p>@jan@mastodon.cz`,
		`<p>https://example.com/@jan@mastodon.cz`,
		`<p>@firma.cz`, `<p>info@`, `<p>info@firma`, `<p>.@firma.cz`, `<p>info.@firma.cz`, `<p>info@-firma.cz`, `<p>info@firma..cz`,
		`<p>` + strings.Repeat("x", 300) + `@firma.cz`,
		`<p>[email&#160;protected]`,
		`<a data-cfemail="">x</a><a data-cfemail="5">x</a><a data-cfemail="zz">x</a><a data-cfemail="5a5a">x</a>`,
		`<p>info@firma.czech`, `<p>info@firma.cz.com`,
		`<script>function f(a){if(a)b.cz=1}</script>`, `<script>var s='x(a)b.cz'</script>`, `<p>jan (a) petr`, `<p>jan a firma.cz`, `<p>jan a firma tečka cz`,
	} {
		if f, got := search(t, czechEmail(), page(html)); f.Valid > 0 {
			t.Errorf("%s: %s", html, got)
		}
	}
}
