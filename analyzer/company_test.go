package analyzer

import (
	"strings"
	"testing"
)

// TestCompanyID: numbers count behind a label, or the letters of a country; valid are those whose
// check digits are right.
func TestCompanyID(t *testing.T) {
	tests := []struct {
		why, scheme string
		labels      string
		countries   []country
		text        string
		found       int
		want        string
	}{
		{"Czech, as written", "ico", "IČO,IČ", nil, "IČO: 27082440, IČ 270 82 440; ičo 27082440", 3, "27082440 text ×3"},
		{"in a table", "ico", "IČO", nil, "IČO\t27082440\nDIČ\tCZ27082440", 1, "27082440 text ×1"},
		{"a wrong check digit", "ico", "IČO", nil, "IČO: 27082441", 1, ""},
		{"without its label it is any number", "ico", "IČO", nil, "27082440, tel. 27082440, č. 27082440 REIČO 27082440", 0, ""},
		{"too long, too short", "ico", "IČO", nil, "IČO: 270824401 IČO: 2708244", 0, ""},
		{"Slovak and Czech tax numbers", "dic", "DIČ,IČ DPH", nil, "DIČ: 2022749619, IČ DPH: SK2022749619, DIČ: CZ27082440, DIČ: CZ 27082440", 4, "CZ27082440 text ×2, 2022749619 text ×1, SK2022749619 text ×1"},
		{"of one country", "dic", "DIČ", []country{"CZ"}, "DIČ: 2022749619, DIČ: CZ27082440", 2, "CZ27082440 text ×1"},
		{"a Czech number of a person is made of the birth number", "dic", "DIČ", nil, "DIČ: CZ7103192745", 1, ""},
		{"Polish", "nip", "NIP", nil, "NIP 856-734-62-15, NIP: PL8567346215, NIP: 8567346216", 3, "8567346215 text ×1, PL8567346215 text ×1"},
		{"Polish, statistical", "regon", "REGON", nil, "REGON: 192598184, REGON 12345678512347, REGON 192598183", 3, "12345678512347 text ×1, 192598184 text ×1"},
		{"Croatian", "oib", "OIB", nil, "OIB: 33392005961, OIB: HR 33392005961, OIB: 33392005962", 3, "33392005961 text ×1, HR33392005961 text ×1"},
		{"Norwegian", "orgnr", "Org.nr,Organisasjonsnummer", nil, "Org.nr. 988 077 917, organisasjonsnummer: NO 988 077 917 MVA, org.nr 988077918", 3, "988077917 text ×1, NO988077917 text ×1"},
		{"Danish", "cvr", "CVR,CVR-nr", nil, "CVR: 13585628, CVR-nr. 13 58 56 28, CVR DK-13585628, CVR 13585627", 3, "13585628 text ×2"},
		{"Hungarian", "adoszam", "Adószám", nil, "Adószám: 12892312-2-41, adószám 12892312, adószám: 12892313-2-41", 3, "12892312 text ×1, 12892312241 text ×1"},
		{"Slovenian", "davcna", "Davčna številka,ID za DDV", nil, "Davčna številka: 50223054, ID za DDV: SI 50223054, davčna številka 50223055", 3, "50223054 text ×1, SI50223054 text ×1"},
		{"VAT numbers need no label", "vat", "", []country{"CZ"}, "CZ27082440, CZ 27082440; SK2022749619 CZ27082441 xCZ27082440 CZ270824", 4, "CZ27082440 text ×2"},
		{"of all countries", "vat", "", nil, "DE136695976 DK13585628 HR33392005961 HU12892312 NO988077917 PL8567346215 SI50223054 US12345678", 8,
			"DE136695976 text ×1, DK13585628 text ×1, HR33392005961 text ×1, HU12892312 text ×1, NO988077917 text ×1, PL8567346215 text ×1, SI50223054 text ×1"},
		{"Slovak ones have ten digits, and check digits", "vat", "", nil, "SK2022749619, SK2022749618, SK20227496190, SK202274961", 4, "SK2022749619 text ×1"},
		{"accounts with hyphens, and with letters", "iban", "", nil, "CZ65-0800-0000-1920-0014-5399, GB82 WEST 1234 5698 7654 32", 2, "CZ6508000000192000145399 text ×1, GB82WEST12345698765432 text ×1"},
		{"accounts, in groups or not", "iban", "", []country{"CZ"}, "IBAN: CZ65 0800 0000 1920 0014 5399, CZ6508000000192000145399 BIC GIBACZPX", 2, "CZ6508000000192000145399 text ×2"},
		{"what follows is no part of it", "iban", "", nil, "CZ65 0800 0000 1920 0014 5399 SWIFT GIBACZPX 12", 1, "CZ6508000000192000145399 text ×1"},
		{"a wrong account", "iban", "", nil, "CZ66 0800 0000 1920 0014 5399, CZ65 0800", 1, ""},
		{"of another country, and of none", "iban", "", []country{"CZ"}, "SK3112000000198742637541 XX6508000000192000145399", 2, ""},
		{"with a label that is asked for", "iban", "IBAN", nil, "IBAN: NO9386011117947 and NO9386011117947", 1, "NO9386011117947 text ×1"},
	}
	for _, tt := range tests {
		o := &companyIDOptions{Scheme: tt.scheme, Countries: tt.countries}
		if tt.labels != "" {
			o.Labels = strings.Split(tt.labels, ",")
		}
		if ps := o.Validate(); len(ps) > 0 {
			t.Errorf("%s: %v", tt.why, ps)
			continue
		}
		if f, got := search(t, o, &Page{Text: tt.text}); f.Found != tt.found || got != tt.want {
			t.Errorf("%s: found %d %q, want %d %q", tt.why, f.Found, got, tt.found, tt.want)
		}
	}
}

// TestCheckDigits: of ten last digits of a number behind its label, one is right at most. The
// numbers with right digits are those of the schemes' own descriptions.
func TestCheckDigits(t *testing.T) {
	for name, right := range map[string]string{
		"ico": "27082440", "nip": "8567346215", "regon": "192598184", "oib": "33392005961", "orgnr": "988077917",
		"cvr": "13585628", "adoszam": "12892312", "davcna": "50223054", "dic": "2022749619",
	} {
		n := 0
		for last := '0'; last <= '9'; last++ {
			s := right[:len(right)-1] + string(last)
			if _, ok := schemes()[name].check("", s); ok {
				if n++; s != right {
					t.Errorf("%s: %s has no right check digit", name, s)
				}
			}
		}
		if n != 1 {
			t.Errorf("%s: %d of ten digits are right for %s", name, n, right)
		}
	}
	if _, ok := schemes()["regon"].check("", "12345678512348"); ok {
		t.Error("the second check digit of a long REGON was not looked at")
	}
}

func TestCompanyIDProblems(t *testing.T) {
	for want, o := range map[string]*companyIDOptions{
		`scheme: "pesel": one of adoszam, cvr, davcna, dic, iban, ico, nip, oib, orgnr, regon, vat`: {Scheme: "pesel", Labels: []string{"PESEL"}},
		`labels: wanted with scheme "ico": digits alone may be any number`:                          {Scheme: "ico"},
		`countries: numbers of scheme "nip" do not say a country`:                                   {Scheme: "nip", Labels: []string{"NIP"}, Countries: []country{"PL"}},
		`labels[0]: "IČO:": write it without the sign behind it`:                                    {Scheme: "ico", Labels: []string{"IČO:"}},
	} {
		ps := o.Validate()
		if len(ps) != 1 || ps[0].Error() != want {
			t.Errorf("%v, want %s", ps, want)
		}
	}
}

func TestPostalCode(t *testing.T) {
	cz := &postalCodeOptions{patternOption{`^[1-7][0-9]{2} ?[0-9]{2}$`}, []string{"PSČ", "CZ"}, []string{"Praha", "Brno", "České Budějovice"}}
	pl := &postalCodeOptions{patternOption{`^[0-9]{2}-[0-9]{3}$`}, nil, []string{"Warszawa"}}
	no := &postalCodeOptions{patternOption{`^[0-9]{4}$`}, []string{"Postnr"}, []string{"Oslo"}}
	for _, tt := range []struct {
		o    *postalCodeOptions
		text string
		want string
	}{
		{cz, "Vodičkova 1, 110 00 Praha 1", "11000 text ×1"},
		{cz, "110 00, Praha; 11000 PRAHA\n602 00\u00a0Brno-střed", "11000 text ×2, 60200 text ×1"},
		{cz, "110\u00a000 Praha", "11000 text ×1"},
		{cz, "Praha 1, 110 00", "11000 text ×1"},
		{cz, "Praha 110 00", "11000 text ×1"},
		{cz, "České Budějovice 370 01", "37001 text ×1"},
		{cz, "PSČ: 560 02 Dlouhá Třebová", "56002 text ×1"},
		{cz, "PSČ 56002, CZ-560 02 Dlouhá", "56002 text ×2"},
		{cz, "110 00, 11000, 110 00 Pražská, 110 00 obyvatel", ""},
		{cz, "Brno má 11000 Kč; Praha 20 000 Kč, Praha 20 000", ""},
		{cz, "810 00 Praha, 110 000 Praha, 1110 00 Praha x11000 Praha, 110 00Praha", ""},
		{cz, "110 00 Praha 110 00", "11000 text ×2"},
		{pl, "00-950 Warszawa, 00 950 Warszawa, 00950 Warszawa", "00-950 text ×1"},
		{no, "0150 Oslo; 2020 Bergen og 0151 Bergen", "0150 text ×1"},
		{no, "Oslo 1952, London 2012 – Oslo, 2004", ""}, // years
		{no, "Postnr. 1950", "1950 text ×1"},
		{no, "2000 Oslo; Oslo 0150, Oslo 2150", "0150 text ×1, 2000 text ×1, 2150 text ×1"},
		{no, "", ""},
	} {
		if ps := tt.o.Validate(); len(ps) > 0 {
			t.Error(ps)
		}
		if _, got := search(t, tt.o, &Page{Text: tt.text}); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
	if ps := (&postalCodeOptions{patternOption: patternOption{"^1"}}).Validate(); len(ps) != 1 {
		t.Errorf("digits alone: %v", ps)
	}
}
