package fetch

import (
	"crypto/md5"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"strings"

	"exclave/internal/record"
	"exclave/internal/urlx"
)

// challenge is what a server asks for in WWW-Authenticate (RFC 9110 §11.6.1).
type challenge struct {
	scheme string // "basic", "digest"
	params map[string]string
	count  int    // requests with this nonce
	cnonce string // of all of them: the key of a session is of the first
	of     *account
}

// challenges reads the values of WWW-Authenticate. What is no challenge is left out.
func challenges(values []string) (out []*challenge) {
	for _, v := range values {
		for rest := v; ; {
			rest = strings.TrimLeft(rest, " \t,=")
			if rest == "" {
				break
			}
			word, after := token(rest)
			if word == "" {
				break
			}
			after = strings.TrimLeft(after, " \t")
			if !strings.HasPrefix(after, "=") {
				out = append(out, &challenge{scheme: strings.ToLower(word), params: map[string]string{}})
				rest = after
				continue
			}
			value, left, quoted := record.QuotedString(strings.TrimLeft(after[1:], " \t"))
			if !quoted {
				value, left = token(left)
			}
			if len(out) > 0 && len(out[len(out)-1].params) < 20 {
				out[len(out)-1].params[strings.ToLower(word)] = value
			}
			rest = left
		}
	}
	return out
}

// token takes a token from the beginning (RFC 9110 §5.6.2).
func token(s string) (word, rest string) {
	end := strings.IndexFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`()<>@,;:\"/[]?={}`, r)
	})
	if end < 0 {
		end = len(s)
	}
	return s[:end], s[end:]
}

// maxAsked is how many challenges of an origin are kept: of its accounts and realms.
const maxAsked = 8

// take returns what a server asked for, when there is an account for it. The strongest that can be answered counts; nil is none.
// vain: there was one whose password is refused.
func (a *Accounts) take(u *urlx.URL, values []string, refused func(*challenge) bool) (best *challenge, vain bool) {
	if a == nil {
		return nil, false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	rank := 0
	for _, c := range challenges(values) {
		n := c.strength()
		if n <= rank {
			continue
		}
		if c.of = a.answering(u, c); c.of == nil {
			continue
		}
		if refused(c) {
			vain = true
			continue
		}
		best, rank = c, n
	}
	return best, vain
}

// note has an origin's challenge be answered unasked from now on. mu is held.
func (a *Accounts) note(u *urlx.URL, c *challenge) {
	if len(a.asked) >= maxCredentials {
		clear(a.asked)
	}
	all := slices.DeleteFunc(a.asked[u.Origin()], func(o *challenge) bool { return o.space(u) == c.space(u) })
	a.asked[u.Origin()] = append([]*challenge{c}, all[:min(len(all), maxAsked-1)]...)
}

// forget leaves out what a server asked for of an account and a realm: it is not answered unasked any more.
func (a *Accounts) forget(c *challenge, u *urlx.URL) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked[u.Origin()] = slices.DeleteFunc(a.asked[u.Origin()], func(o *challenge) bool { return o.space(u) == c.space(u) })
}

// answering returns the account that a challenge of a URL is answered with, nil for none. A robots.txt speaks for its whole server: one that
// no prefix has is answered with that of the same server and realm, when the realm is set, or pages were asked for in it. mu is held.
func (a *Accounts) answering(u *urlx.URL, c *challenge) *account {
	realm := c.params["realm"]
	best := a.of(u, func(x *account) bool { return x.Login == "" && (x.Realm == "" || x.Realm == realm) })
	if best != nil || u.PathQuery() != "/robots.txt" || realm == "" {
		return best
	}
	for _, x := range a.all {
		asked := slices.ContainsFunc(a.asked[u.Origin()], func(o *challenge) bool { return o.of == x && o.params["realm"] == realm })
		if x.Login == "" && (x.Realm == realm || x.Realm == "" && asked) && x.part.sameServer(u) {
			return x
		}
	}
	return nil
}

// strength orders what can be answered; 0 cannot.
func (c *challenge) strength() int {
	_, known := c.qop()
	switch {
	case c.scheme == "basic":
		return 1
	case !known:
		return 0
	case c.scheme != "digest" || c.hash() == nil:
		return 0
	case strings.HasPrefix(strings.ToUpper(c.params["algorithm"]), "SHA-"):
		return 3
	}
	return 2
}

func (c *challenge) hash() hash.Hash {
	switch strings.TrimSuffix(strings.ToUpper(c.params["algorithm"]), "-SESS") {
	case "", "MD5":
		return md5.New()
	case "SHA-256":
		return sha256.New()
	case "SHA-512-256":
		return sha512.New512_256()
	}
	return nil
}

// qop is the quality of protection that a digest has (RFC 7616 §3.4.3), "" when the server names none; false: it names only others.
func (c *challenge) qop() (string, bool) {
	list, given := c.params["qop"]
	best := ""
	for q := range strings.SplitSeq(strings.ToLower(list), ",") {
		if q = strings.TrimSpace(q); q == "auth" || q == "auth-int" && best == "" {
			best = q
		}
	}
	return best, best != "" || !given
}

// authorization is the value of Authorization for a request, to a challenge, which is noted; nil is what was asked last of the account that is for the
// URL, whose answer is "" when nothing was.
func (a *Accounts) authorization(method string, u *urlx.URL, body []byte, c *challenge) (string, *challenge) {
	if a == nil {
		return "", nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if c == nil {
		i := slices.IndexFunc(a.asked[u.Origin()], func(c *challenge) bool { return a.answering(u, c) == c.of })
		if i < 0 {
			return "", nil
		}
		c = a.asked[u.Origin()][i]
	} else {
		a.note(u, c)
	}
	if c.scheme == "basic" {
		return c.basic(), c
	}
	return c.next(method, u.PathQuery(), body), c
}

// basic is RFC 7617 §2, in UTF-8 as in browsers.
func (c *challenge) basic() string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(c.of.User+":"+c.of.password()))
}

// stale reports whether only the nonce of the last request was too old.
func (c *challenge) stale() bool {
	return c.scheme == "digest" && strings.EqualFold(c.params["stale"], "true")
}

// next is the digest of the next request with the nonce.
func (c *challenge) next(method, uri string, body []byte) string {
	if c.count++; c.cnonce == "" {
		c.cnonce = rand.Text()
	}
	return c.digest(method, uri, body, c.cnonce)
}

// digest is RFC 7616 §3.4.
func (c *challenge) digest(method, uri string, body []byte, cnonce string) string {
	sum := func(parts ...string) string {
		h := c.hash()
		h.Write([]byte(strings.Join(parts, ":")))
		return hex.EncodeToString(h.Sum(nil))
	}
	p, nc := c.params, fmt.Sprintf("%08x", c.count)
	qop, _ := c.qop()
	ha1 := sum(c.of.User, p["realm"], c.of.password())
	if strings.HasSuffix(strings.ToUpper(p["algorithm"]), "-SESS") {
		ha1 = sum(ha1, p["nonce"], cnonce)
	}
	ha2 := sum(method, uri)
	if qop == "auth-int" {
		ha2 = sum(method, uri, sum(string(body)))
	}
	response := sum(ha1, p["nonce"], ha2)
	if qop != "" {
		response = sum(ha1, p["nonce"], nc, cnonce, qop, ha2)
	}
	quote := func(s string) string {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
	}
	out := []string{"username=" + quote(c.of.User), "realm=" + quote(p["realm"]), "nonce=" + quote(p["nonce"]), "uri=" + quote(uri), "response=" + quote(response)}
	if alg := p["algorithm"]; alg != "" {
		out = append(out, "algorithm="+alg)
	}
	if opaque, given := p["opaque"]; given {
		out = append(out, "opaque="+quote(opaque))
	}
	if qop != "" {
		out = append(out, "qop="+qop, "nc="+nc, "cnonce="+quote(cnonce))
	}
	return "Digest " + strings.Join(out, ", ")
}
