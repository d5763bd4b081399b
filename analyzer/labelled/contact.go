package labelled

import (
	"fmt"
	"html"
	"strconv"
	"strings"
)

// contact is how somebody is reached who is nobody: numbers are made up, and hold 000 where
// the pattern in the furniture says so.
type contact struct {
	phone    string // with the country's code
	national string // as people of the country write it
	mail     string
	domain   string
	address  string
	id       string // with its label: IČO 12345678; "" = the furniture knows none
	f        furniture
	testing  bool
}

// newContact makes the contact of an origin's owner in the country of f.
func newContact(o *origin, f furniture, d dice) contact {
	tld := f.pick("tlds", d)
	if d.share("generic mail", 35) {
		tld = oneOf(d, "generic mail tld", "com", "eu", "net")
	}
	domain := fmt.Sprintf("%s-%s%d.%s", f.side("domain", o.testing()), o.kind, o.number, tld)
	c := contact{
		phone:    d.fill("phone", f.pick("phone", d)),
		national: d.fill("national", f.pick("national", d)),
		mail:     f.pick("mailbox", d) + "@" + domain,
		domain:   domain,
		address:  d.fill("address", f.side("address", o.testing())),
		f:        f,
		testing:  o.testing(),
	}
	if label := f.side("id", o.testing()); label != "" {
		c.id = label + " " + companyID(f.side("check", false), d)
	}
	return c
}

// label is a phrase of the furniture.
func (c contact) label(key string) string { return c.f.side(key, c.testing) }

// manners are how addresses are put on pages, so that people read them and programs do not.
func manners() []string {
	return []string{"plain", "plain", "link", "at", "entities", "cloudflare", "json-ld", "image", "national"}
}

// footer returns a contact as it stands at the end of a page, and what belongs into the head.
func (c contact) footer(manner, name string) (foot, head string) {
	phone, mail := html.EscapeString(c.phone), html.EscapeString(c.mail)
	local, domain, _ := strings.Cut(c.mail, "@")
	switch manner {
	case "link":
		phone = fmt.Sprintf(`<a href="tel:%s">%s</a>`, strings.ReplaceAll(c.phone, " ", ""), html.EscapeString(c.national))
		mail = fmt.Sprintf(`<a href="mailto:%s">%s</a>`, mail, html.EscapeString(c.label("write")))
	case "at":
		phone = html.EscapeString(c.national)
		mail = html.EscapeString(local + " " + c.label("at") + " " + domain)
	case "entities":
		mail = entities(c.mail)
	case "cloudflare":
		mail = fmt.Sprintf(`<a href="/cdn-cgi/l/email-protection" class="__cf_email__" data-cfemail="%s">[email&#160;protected]</a>`, cloudflare(c.mail))
	case "image":
		mail = fmt.Sprintf(`<img src="/img/mail.png" alt="%s">`, mail)
	case "national":
		phone = html.EscapeString(c.national)
	case "json-ld":
		return fmt.Sprintf("<p>%s</p>\n", html.EscapeString(name)), fmt.Sprintf(
			`<script type="application/ld+json">{"@context":"https://schema.org","@type":"LocalBusiness","name":%s,"telephone":%s,"email":%s,"address":{"@type":"PostalAddress","streetAddress":%s}}</script>`+"\n",
			strconv.Quote(name), strconv.Quote(c.phone), strconv.Quote(c.mail), strconv.Quote(c.address))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<p>%s, %s</p>\n", html.EscapeString(name), html.EscapeString(c.address))
	fmt.Fprintf(&b, "<p>%s: %s<br>\n%s: %s", html.EscapeString(c.label("tel")), phone, html.EscapeString(c.label("mail")), mail)
	if c.id != "" {
		fmt.Fprintf(&b, "<br>\n%s", html.EscapeString(c.id))
	}
	b.WriteString("</p>\n")
	return b.String(), ""
}

// entities writes each second letter as a character reference.
func entities(s string) string {
	var b strings.Builder
	for i, r := range s {
		if i%2 == 0 {
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			fmt.Fprintf(&b, "&#x%x;", r)
		}
	}
	return b.String()
}

// cloudflare codes an address as that firm's proxy does: a key, then each byte xor the key, in
// hexadecimal digits.
func cloudflare(s string) string {
	key := byte(0x40 + len(s))
	var b strings.Builder
	fmt.Fprintf(&b, "%02x", key)
	for i := range len(s) {
		fmt.Fprintf(&b, "%02x", s[i]^key)
	}
	return b.String()
}

// companyID returns a company's identifier with a right check digit. It starts with nines, which
// registers have not reached, where the scheme has room for them.
func companyID(scheme string, d dice) string {
	for try := range 100 { // some have no check digit
		body := func(n int) string {
			return "99" + d.fill(scheme+strconv.Itoa(try), strings.Repeat("#", n-2))
		}
		switch scheme {
		case "ico": // Czech, Slovak
			s := body(7)
			return s + strconv.Itoa((11-weighted(s, 8, 7, 6, 5, 4, 3, 2)%11)%10)
		case "nip": // Polish
			s := body(9)
			if c := weighted(s, 6, 5, 7, 2, 3, 4, 5, 6, 7) % 11; c < 10 {
				return s + strconv.Itoa(c)
			}
		case "si": // Slovene tax number
			s := body(7)
			if c := 11 - weighted(s, 8, 7, 6, 5, 4, 3, 2)%11; c != 11 {
				return "SI" + s + strconv.Itoa(c%10)
			}
		case "oib": // Croatian, ISO 7064 mod 11, 10
			s := body(10)
			return s + strconv.Itoa(mod1110(s))
		case "hu": // Hungarian tax number: the eighth digit checks the first seven
			s := body(7)
			return s + strconv.Itoa((10-weighted(s, 9, 7, 3, 1, 9, 7, 3)%10)%10) + "-2-99"
		case "no": // Norwegian
			s := body(8)
			if c := (11 - weighted(s, 3, 2, 7, 6, 5, 4, 3, 2)%11) % 11; c < 10 {
				return s[:3] + " " + s[3:6] + " " + s[6:] + strconv.Itoa(c)
			}
		case "cvr": // Danish
			s := body(7)
			if c := (11 - weighted(s, 2, 7, 6, 5, 4, 3, 2)%11) % 11; c < 10 {
				return s + strconv.Itoa(c)
			}
		case "de": // German, ISO 7064 mod 11, 10
			s := body(8)
			return "DE" + s + strconv.Itoa(mod1110(s))
		default:
			return body(8)
		}
	}
	return ""
}

func weighted(digits string, weights ...int) (sum int) {
	for i, w := range weights {
		sum += int(digits[i]-'0') * w
	}
	return sum
}

func mod1110(digits string) int {
	p := 10
	for _, r := range digits {
		s := (p + int(r-'0')) % 10
		if s == 0 {
			s = 10
		}
		p = s * 2 % 11
	}
	return (11 - p) % 10
}
