package urlx

import (
	"errors"
	"net/url"
)

// ParseService reads the address of a server that the operator names, to which parameters will be added: http or https with a host, no name
// and password, no fragment. It is not one of the crawled web.
func ParseService(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return nil, errors.New("is not an address")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, errors.New("must be http://host/… or https://host/…")
	case u.User != nil:
		return nil, errors.New("must not hold name and password")
	case u.Fragment != "":
		return nil, errors.New("must not have a #fragment")
	}
	return u, nil
}
