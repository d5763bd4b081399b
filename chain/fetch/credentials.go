package fetch

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"exclave/internal/urlx"
)

// maxCredentials bounds how many servers there are credentials for.
const maxCredentials = 10_000

// Credentials are the values of Authorization (RFC 7617) by origin, as in
// "https://example.org:8443". They are sent with every request to that origin and to no
// other. Not to be changed while requests are made.
type Credentials map[string]string

// Add takes user name and password from an address. An error names no secret: the
// origin has others already, or there are too many.
func (c Credentials) Add(u *urlx.URL) error {
	name, password, _ := strings.Cut(u.Userinfo(), ":")
	value := "Basic " + base64.StdEncoding.EncodeToString([]byte(decode(name)+":"+decode(password)))
	switch old, known := c[u.Origin()]; {
	case known && old != value:
		return fmt.Errorf("fetch: two user names or passwords for %s; give one", u.Origin())
	case !known && len(c) == maxCredentials:
		return errors.New("fetch: passwords for more than 10,000 servers")
	}
	c[u.Origin()] = value
	return nil
}

// decode takes away percent-encoding, where it is one.
func decode(s string) string {
	if d, err := url.PathUnescape(s); err == nil {
		return d
	}
	return s
}
