package urlx

import (
	"net/netip"
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// RegisteredDomain returns the part of an ACE host name that its owner
// registered, one label more than its public suffix: "example.co.uk" of
// "www.example.co.uk". It is "" for IP addresses, public suffixes and names
// with empty labels. The list is the one compiled into x/net/publicsuffix,
// private suffixes included.
func RegisteredDomain(host string) string {
	if isIP(host) {
		return ""
	}
	d, err := publicsuffix.EffectiveTLDPlusOne(strings.ToLower(strings.TrimSuffix(host, ".")))
	if err != nil {
		return ""
	}
	return d
}

// TLD returns the last label of a host name in lower case, "" for an IP
// address.
func TLD(host string) string {
	if isIP(host) {
		return ""
	}
	host = strings.TrimSuffix(host, ".")
	return strings.ToLower(host[strings.LastIndexByte(host, '.')+1:])
}

// DisplayHost returns an ACE host name in Unicode, for people. What cannot be
// decoded stays as it is.
func DisplayHost(ace string) string {
	if !strings.Contains(ace, "xn--") {
		return ace
	}
	if s, err := idna.Display.ToUnicode(ace); err == nil {
		return s
	}
	return ace
}

func isIP(host string) bool {
	// Most hosts are names, and that is quickly seen.
	if strings.IndexByte(host, ':') < 0 && (host == "" || host[len(host)-1] < '0' || host[len(host)-1] > '9') {
		return false
	}
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil
}
