package whois

import (
	"net"
	"strings"
)

// Bounds of what is kept of an answer.
const (
	maxLines = 16
	maxLine  = 120 // bytes
)

// fields yields the lines "key: value" of an answer, key and value in lower case and without blanks around them. Lines that
// begin with % or # are remarks.
func fields(answer string) func(func(key, value string) bool) {
	return func(yield func(key, value string) bool) {
		for line := range strings.Lines(answer) {
			line = strings.TrimSpace(line)
			key, value, ok := strings.Cut(line, ":")
			key, value = strings.ToLower(strings.TrimSpace(key)), strings.ToLower(strings.TrimSpace(value))
			if !ok || value == "" || strings.HasPrefix(line, "%") || strings.HasPrefix(line, "#") {
				continue
			}
			if !yield(key, value) {
				return
			}
		}
	}
}

// Referral returns the server that an answer refers to, as host or host:port, "" for none: "refer" and "whois" are IANA's, the
// others registries'. Lines that name no WHOIS server are passed over.
func Referral(answer string) string {
	for key, value := range fields(answer) {
		switch key {
		case "refer", "whois", "whois server", "registrar whois server", "referralserver":
			if server := serverOf(value); server != "" {
				return server
			}
		}
	}
	return ""
}

// serverOf returns the WHOIS server that a value names, as a host or as an address; "" = none. RWhois (RFC 2167) is another protocol.
// Pages are no servers, but for addresses of nothing but a host that is called whois, which are meant so.
func serverOf(value string) string {
	scheme, server, is := strings.Cut(value, "://")
	if !is {
		scheme, server = "whois", value
	}
	server, path, _ := strings.Cut(server, "/")
	switch {
	case scheme == "whois":
		if path != "" && !is {
			return ""
		}
	case (scheme == "http" || scheme == "https") && path == "" && strings.HasPrefix(server, "whois."):
	default:
		return ""
	}
	at, ok := address(server)
	if !ok {
		return ""
	}
	host, p, err := net.SplitHostPort(at)
	if err != nil || !strings.ContainsAny(host, ".:") { // "none"
		return ""
	}
	if host = strings.TrimSuffix(host, "."); p == port || scheme != "whois" {
		return host
	}
	return net.JoinHostPort(host, p)
}

// countries returns the lines that name a country: those whose key says so, and of addresses those that are nothing but a code
// of two letters.
func countries(answer string) (lines []string) {
	for key, value := range fields(answer) {
		code := strings.HasSuffix(key, "address") && len(value) == 2 && strings.Trim(value, "abcdefghijklmnopqrstuvwxyz") == ""
		line := key + ": " + value
		if !strings.Contains(key, "country") && !code || len(line) > maxLine {
			continue
		}
		if lines = append(lines, line); len(lines) == maxLines {
			break
		}
	}
	return lines
}

// about reports whether an answer is about a domain, as far as it says: that of a server which knows who manages a top-level domain
// (IANA's) is about that one, and its country is the manager's.
func about(answer, domain string) bool {
	for key, value := range fields(answer) {
		switch key {
		case "domain", "domain name", "domain-ace":
			if strings.HasSuffix(domain, "."+strings.Trim(value, ".")) {
				return false
			}
		}
	}
	return true
}
