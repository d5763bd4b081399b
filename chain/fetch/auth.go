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
	"strings"

	"exclave/internal/record"
	"exclave/internal/urlx"
)

// challenge is what a server asks for in WWW-Authenticate (RFC 9110 §11.6.1).
type challenge struct {
	scheme string // "basic", "digest"
	params map[string]string
	count  int // requests with this nonce
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

// take notes what a server asked for, when there is an account for it, and reports whether it is worth another request:
// it is not when the same was answered just now. The strongest that can be answered counts.
func (a *Accounts) take(u *urlx.URL, values []string, sent bool) bool {
	if a == nil {
		return false
	}
	var best *challenge
	rank := 0
	for _, c := range challenges(values) {
		if n := c.strength(); n > rank {
			if c.of = a.answering(u, c); c.of != nil {
				best, rank = c, n
			}
		}
	}
	if best == nil || sent && !strings.EqualFold(best.params["stale"], "true") {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.asked) >= maxCredentials {
		clear(a.asked)
	}
	a.asked[u.Origin()] = best
	return true
}

// answering returns the account that a challenge of a URL is answered with, nil for none.
func (a *Accounts) answering(u *urlx.URL, c *challenge) *account {
	return a.of(u, func(x *account) bool { return x.Login == "" && (x.Realm == "" || x.Realm == c.params["realm"]) })
}

// strength orders what can be answered; 0 cannot.
func (c *challenge) strength() int {
	switch {
	case c.scheme == "basic":
		return 1
	case c.scheme != "digest" || c.hash() == nil || !c.auth():
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

// auth reports whether the server accepts digests without the body.
func (c *challenge) auth() bool {
	qop, given := c.params["qop"]
	if !given {
		return true
	}
	for q := range strings.SplitSeq(qop, ",") {
		if strings.EqualFold(strings.TrimSpace(q), "auth") {
			return true
		}
	}
	return false
}

// authorization is the value of Authorization for a request, "" when the origin has not asked for one that an account is for.
func (a *Accounts) authorization(method string, u *urlx.URL) (value, note string, of *account) {
	if a == nil {
		return "", "", nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	c := a.asked[u.Origin()]
	if c == nil || a.answering(u, c) != c.of {
		return "", "", nil
	}
	if c.scheme == "basic" {
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(c.of.User+":"+c.of.password())), "auth:basic", c.of
	}
	c.count++
	return c.digest(method, u.PathQuery(), rand.Text()), "auth:digest", c.of
}

// digest is RFC 7616 §3.4.
func (c *challenge) digest(method, uri, cnonce string) string {
	sum := func(parts ...string) string {
		h := c.hash()
		h.Write([]byte(strings.Join(parts, ":")))
		return hex.EncodeToString(h.Sum(nil))
	}
	p, nc := c.params, fmt.Sprintf("%08x", c.count)
	_, qop := p["qop"]
	ha1 := sum(c.of.User, p["realm"], c.of.password())
	if strings.HasSuffix(strings.ToUpper(p["algorithm"]), "-SESS") {
		ha1 = sum(ha1, p["nonce"], cnonce)
	}
	response := sum(ha1, p["nonce"], sum(method, uri))
	if qop {
		response = sum(ha1, p["nonce"], nc, cnonce, "auth", sum(method, uri))
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
	if qop {
		out = append(out, "qop=auth", "nc="+nc, "cnonce="+quote(cnonce))
	}
	return "Digest " + strings.Join(out, ", ")
}
