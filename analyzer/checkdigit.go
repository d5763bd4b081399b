package analyzer

import "strings"

// scheme is one kind of identifier that authorities give to companies.
type scheme struct {
	lettered bool   // begins with the two letters of a country; others are digits
	country  string // of a scheme of digits that may stand behind the country's letters; "" = none may
	sizes    []int  // digits that there are; lettered schemes have their own
	// check reports whether the check digits are right, and whose number it is, "" when
	// the scheme does not say. country are the letters that stand before it, if any.
	check func(country, number string) (of string, ok bool)
}

// schemes are the identifiers that can be looked for. Those that only people have (birth
// numbers, PESEL) are none, nor are the Czech VAT numbers that are made of a birth number.
func schemes() map[string]scheme {
	digits := func(country string, right func(string) bool, sizes ...int) scheme {
		return scheme{country: country, sizes: sizes, check: func(_, s string) (string, bool) { return country, right(s) }}
	}
	return map[string]scheme{
		"adoszam": digits("HU", adoszam, 8, 11),
		"cvr":     digits("DK", cvr, 8),
		"davcna":  digits("SI", davcna, 8),
		"dic":     {country: "CZ", sizes: []int{8, 10}, check: dic},
		"iban":    {lettered: true, check: iban},
		"ico":     digits("", ico, 8),
		"nip":     digits("PL", nip, 10),
		"oib":     digits("HR", mod1110, 11),
		"orgnr":   digits("NO", orgnr, 9),
		"regon":   digits("", regon, 9, 14),
		"vat":     {lettered: true, check: vat},
	}
}

// sum returns the sum of the digits by their weights, modulo m.
func sum(s string, m int, weights ...int) int {
	n := 0
	for i, w := range weights {
		n += w * int(s[i]-'0')
	}
	return n % m
}

// ico: Czech and Slovak identification numbers.
func ico(s string) bool { return int(s[7]-'0') == (11-sum(s, 11, 8, 7, 6, 5, 4, 3, 2))%10 }

// dic: Slovak tax numbers, and the Czech ones of legal persons.
func dic(country, s string) (string, bool) {
	if len(s) == 10 {
		return "SK", country != "CZ" && slovakVAT(s)
	}
	return "CZ", country == "CZ" && s[0] != '9' && ico(s)
}

func slovakVAT(s string) bool {
	n := 0
	for _, c := range s {
		n = (10*n + int(c-'0')) % 11
	}
	return s[0] != '0' && strings.IndexByte("234789", s[2]) >= 0 && n == 0
}

// nip: Polish tax numbers.
func nip(s string) bool { return sum(s, 11, 6, 5, 7, 2, 3, 4, 5, 6, 7) == int(s[9]-'0') }

// regon: Polish statistical numbers, of companies and of their branches.
func regon(s string) bool {
	if sum(s, 11, 8, 9, 2, 3, 4, 5, 6, 7)%10 != int(s[8]-'0') {
		return false
	}
	return len(s) == 9 || sum(s, 11, 2, 4, 8, 5, 0, 9, 7, 3, 6, 1, 2, 4, 8)%10 == int(s[13]-'0')
}

// orgnr: Norwegian organisation numbers.
func orgnr(s string) bool { return sum(s, 11, 3, 2, 7, 6, 5, 4, 3, 2, 1) == 0 }

// cvr: Danish numbers of the business register.
func cvr(s string) bool { return s[0] != '0' && sum(s, 11, 2, 7, 6, 5, 4, 3, 2, 1) == 0 }

// davcna: Slovenian tax numbers. Persons have such numbers too.
func davcna(s string) bool {
	c := 11 - sum(s, 11, 8, 7, 6, 5, 4, 3, 2)
	return s[0] != '0' && c != 11 && c%10 == int(s[7]-'0')
}

// adoszam: Hungarian tax numbers of companies; behind the first eight digits may stand the code
// of the tax, 1 to 5, and two digits of the county.
func adoszam(s string) bool {
	return sum(s, 10, 9, 7, 3, 1, 9, 7, 3, 1) == 0 && (len(s) == 8 || s[8] >= '1' && s[8] <= '5')
}

// mod1110 is ISO 7064 MOD 11,10: Croatian OIB, which persons have too, and German VAT numbers.
func mod1110(s string) bool {
	n := 5
	for _, c := range s {
		if n == 0 {
			n = 10
		}
		n = (2*n%11 + int(c-'0')) % 10
	}
	return n == 1
}

// vat: VAT numbers with the letters of their country.
func vat(country, s string) (string, bool) {
	switch {
	case strings.Trim(s, "0123456789") != "":
		return country, false
	case country == "CZ":
		return country, len(s) == 8 && s[0] != '9' && ico(s)
	case country == "SK":
		return country, len(s) == 10 && slovakVAT(s)
	case country == "DE":
		return country, len(s) == 9 && s[0] != '0' && mod1110(s)
	case country == "DK":
		return country, len(s) == 8 && cvr(s)
	case country == "HR":
		return country, len(s) == 11 && mod1110(s)
	case country == "HU":
		return country, len(s) == 8 && adoszam(s)
	case country == "NO":
		return country, len(s) == 9 && orgnr(s)
	case country == "PL":
		return country, len(s) == 10 && nip(s)
	case country == "SI":
		return country, len(s) == 8 && davcna(s)
	}
	return country, false
}

// ibanLengths are the lengths of account numbers by country (IBAN registry, ISO 13616).
const ibanLengths = "AD24 AL28 AT20 BA20 BE16 BG22 CH21 CY28 CZ24 DE22 DK18 EE20 ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 HR21 HU28 " +
	"IE22 IS26 IT27 LI21 LT20 LU20 LV21 MC27 MD24 ME22 MK19 MT31 NL18 NO15 PL28 PT25 RO24 RS22 SE24 SI19 SK24 SM27 TR26 UA29 VA22 XK20"

// iban: international bank account numbers, with the two check digits first.
func iban(country, s string) (string, bool) {
	i := strings.Index(ibanLengths, country)
	if i < 0 || i%5 != 0 || len(s)+2 != int(ibanLengths[i+2]-'0')*10+int(ibanLengths[i+3]-'0') {
		return country, false
	}
	n := 0
	for _, part := range [...]string{s[2:], country, s[:2]} {
		for _, c := range part {
			if c >= 'A' {
				n = (100*n + int(c-'A') + 10) % 97
			} else {
				n = (10*n + int(c-'0')) % 97
			}
		}
	}
	return country, n == 1
}
