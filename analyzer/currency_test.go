package analyzer

import "testing"

func TestCurrency(t *testing.T) {
	for text, want := range map[string]struct {
		found int
		want  string
	}{
		"Cena 1 990 Kč":                  {1, "1 990 Kč text ×1"},
		"1990Kč, 1.990,- Kč":             {2, "1.990,- Kč text ×1, 1990Kč text ×1"},
		"1 990,50 Kč/ks":                 {1, "1 990,50 Kč text ×1"},
		"Kč 100 a CZK 200":               {2, "CZK 200 text ×1, Kč 100 text ×1"},
		"250,- a 250.- a 250,–":          {3, "250,- text ×1, 250,– text ×1, 250.- text ×1"},
		"cena\t100\u00a0KČ\t":            {1, "100\u00a0KČ text ×1"},
		"100 € a $5, 7 EUR":              {3, ""},
		"100 zł, 5 Ft, 20 CZKX, 5 kč2":   {2, ""},
		"100 kg, 10 %, 5 m, 2024, tel 1": {0, ""},
		"1,-2 a 1.-3":                    {0, ""},
		"Kčs1 x100Kč +100 Kč":            {0, ""},
		"":                               {0, ""},
	} {
		f, got := search(t, &currencyOptions{Units: []string{"Kč", "CZK", ",-"}}, &Page{Text: text})
		if f.Found != want.found || got != want.want {
			t.Errorf("%q: found %d %q, want %d %q", text, f.Found, got, want.found, want.want)
		}
	}
}
