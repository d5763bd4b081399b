package whois

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// Whom an answer refers to, by the keys of IANA, of registries and of address registries; remarks and empty lines say nothing.
func TestReferral(t *testing.T) {
	for answer, want := range map[string]string{
		"refer: whois.nic.cz\n":                           "whois.nic.cz",
		"Whois: whois.nic.cz\n":                           "whois.nic.cz",
		"   Whois Server: whois.nic.cz\n":                 "whois.nic.cz",
		"Registrar WHOIS Server: whois.example\r\n":       "whois.example",
		"ReferralServer: whois://whois.ripe.net:43/\n":    "whois.ripe.net",
		"ReferralServer:  whois://whois.example:43/a?b\n": "whois.example",
		"ReferralServer: whois://whois.example:4343\n":    "whois.example:4343",
		"Whois Server: WHOIS.EXAMPLE.\n":                  "whois.example",
		// RWhois (RFC 2167) is another protocol, and a page of the registrar's is no server: the next line may name one.
		"ReferralServer: rwhois://rwhois.example:4321/\n":                                   "",
		"ReferralServer: rwhois://rwhois.example:4321\nReferralServer: whois://b.example\n": "b.example",
		"Whois Server: http://www.example.com/whois\nwhois: whois.nic.cz\n":                 "whois.nic.cz",
		"Registrar WHOIS Server: https://www.example.com\n":                                 "",
		"Registrar WHOIS Server: http://whois.example.com/\n":                               "whois.example.com", // meant is the server
		"Registrar WHOIS Server: https://whois.example.com/?q=a\n":                          "",
		"refer: none\n":                                        "",
		"Whois Server: ask the registrar\n":                    "",
		"refer: whois.example:0\nrefer: whois.example:99999\n": "",
		"refer:\nwhois: whois.nic.cz\n":                        "whois.nic.cz",
		"% refer: whois.xx\n# refer: whois.xx\nname: whois\n":  "",
	} {
		if got := Referral(answer); got != want {
			t.Errorf("%q: %q, want %q", answer, got, want)
		}
	}
}

// Of an answer only short lines that name a country are kept: a code elsewhere than in an address is none.
func TestCountryLines(t *testing.T) {
	long := "country: " + strings.Repeat("x", maxLine)
	got := countries("# country: cz\nstate: cz\n" + long + "\ntech-country-code: CZ\n")
	if want := []string{"tech-country-code: cz"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Every value that cannot be is told by its key.
func TestValidate(t *testing.T) {
	if ps := DefaultConfig().Validate(); len(ps) > 0 {
		t.Errorf("the default: %v", ps)
	}
	for key, c := range map[string]Config{
		"server":    {Server: "a b", PerHour: 1, Timeout: 1},
		"min_delay": {MinDelay: -1, PerHour: 1, Timeout: 1},
		"per_hour":  {Timeout: 1},
		"timeout":   {PerHour: 1},
		"ttl":       {PerHour: 1, Timeout: time.Second, TTL: -1},
	} {
		if ps := c.Validate(); len(ps) != 1 || ps[0].Key != key {
			t.Errorf("%s: %v", key, ps)
		}
	}
	if _, ok := address(strings.Repeat("a", 254)); ok {
		t.Error("a host of 254 bytes")
	}
}
