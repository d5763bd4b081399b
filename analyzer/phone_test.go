package analyzer

import "testing"

// czechPhone are options as the profile of a nation has them.
func czechPhone() *phoneOptions {
	return &phoneOptions{
		patternOption: patternOption{`^\+420[2-9][0-9]{8}$`}, Code: "420", National: `^[2-9][0-9]{8}$`,
		Labels: []string{"telefon", "telefony", "mobil", "volejte", "linka", "telefonní číslo"},
	}
}

// TestNumbers: telephone numbers as pages of contacts have them.
func TestNumbers(t *testing.T) {
	const one, two = "+420777123456", "+420541211212"
	for html, want := range map[string][]string{
		`<p>+420 777 123 456`:                                {one},
		`<p>+420777123456`:                                   {one},
		`<p>+420-777-123-456`:                                {one},
		`<p>+420&nbsp;777&nbsp;123&nbsp;456`:                 {one},
		`<p>+420&thinsp;777&#8239;123&#8199;456`:             {one},
		`<p>+420 777–123–456`:                                {one},
		`<p>+420·777·123·456`:                                {one},
		`<p>+420 / 777 123 456`:                              {one},
		`<p>+420_777_123_456`:                                {one},
		`<p>(+420) 777 123 456`:                              {one},
		`<p>[+420] 777 123 456`:                              {one},
		`<p>+(420) 777 123 456`:                              {one},
		`<p>+420 (0) 777 123 456`:                            {one},
		`<p>+420 (777) 123 456`:                              {one},
		`<p>+ 420 777 123 456`:                               {one},
		`<p>＋420 777 123 456`:                                {one},
		`<p>&#43;420 777 123 456`:                            {one},
		`<p>00420 777 123 456`:                               {one},
		`<p>00 420 777 123 456`:                              {one},
		`<p>+420 7 7 7 1 2 3 4 5 6`:                          {one},
		`<p>+420 <b>777</b> <i>123</i> <i>456</i>`:           {one},
		"<p>+420\u200b777\u200b123\u200b456":                 {one},
		`<p>+420 777 123 456 +420 541 211 212`:               {one, two},
		`<p>+420 777 123 456, 541 211 212`:                   {one, two},
		`<p>Tel.: 777 123 456`:                               {one},
		`<p>tel 777123456`:                                   {one},
		`<p>TEL:777-123-456`:                                 {one},
		`<p>Telefon: 777 12 34 56`:                           {one},
		`<p>Telefon<br>777 123 456`:                          {one},
		`<table><tr><td>Mobil:<td>777 123 456</table>`:       {one},
		`<dl><dt>Telefon<dd>777 123 456</dl>`:                {one},
		`<p>Mobil (recepce): 777 123 456`:                    {one},
		`<p>Telefon do kanceláře: 777 123 456`:               {one},
		`<p>Tel./fax: 777 123 456`:                           {one},
		`<p>T: 777 123 456, M: 541 211 212`:                  {one, two},
		`<p>GSM 777.123.456`:                                 {one},
		`<p>☎ 777 123 456`:                                   {one},
		`<p>📞777123456`:                                      {one},
		`<p>Volejte 777 123 456 denně`:                       {one},
		`<p>Volejte zdarma na telefonní číslo 777 123 456 a`: {one},
		`<p>Tel.: 777 123 456, 541 211 212`:                  {one, two},
		`<p>Tel.: 777 123 456 / 541 211 212`:                 {one, two},
		`<p>Tel.: 777 123 456<br>541 211 212`:                {one, two},
		`<p>Tel.: 420 777 123 456`:                           {one},
		`<p>Tel.: 777 123 456 po 16. hodině`:                 {one},
		`<p>Jan Novák, 777 123 456, novak@firma.cz`:          {one},
		`<p>Jan Novák<br>777 123 456<br>novak@firma.cz`:      {one},
		`<p>777 123 456 novak@firma.cz`:                      {one},
		`<a href="tel:+420777123456">volejte</a>`:            {one},
		`<a href="tel:%2B420%20777%20123%20456">volejte</a>`: {one},
		`<a href="tel:777123456">volejte</a>`:                {one},
		`<a href="tel:777 123 456">volejte</a>`:              {one},
		`<a href="tel:(777) 123 456">volejte</a>`:            {one},
		`<a href="tel:&#55;77123456">volejte</a>`:            {one},
		`<p>777-123-456, novak@firma.cz`:                     {one},
		`<p>777&nbsp;123&nbsp;456, novak@firma.cz`:           {one},
		`<p>Tel.: 777 123 456/12`:                            {one},
		`<p>Tel.: [777] 123 456`:                             {one},
		`<a href='tel: 777 123 456'>volejte</a>`:             {one},
		`<a href=" tel:777 123 456">volejte</a>`:             {one},
		`<a href="callto:+420777123456">volejte</a>`:         {one},
		`<a href="https://wa.me/420777123456">pište</a>`:     {one},
		`<a href="https://api.whatsapp.com/send?phone=420777123456&amp;text=x">pište</a>`: {one},
		`<script type="application/ld+json">{"telephone":"+420 777 123 456"}</script>`:    {one},
		`<script type="application/ld+json">{"telephone": "777 123 456"}</script>`:        {one},
		`<meta itemprop="telephone" content="777 123 456">`:                               {one},
		`<span itemprop='telephone'>777 123 456</span>`:                                   {one},
		`<span class="tel">777 123 456</span>`:                                            {one},
		`<div data-phone="777123456"></div>`:                                              {one},
		`<a title="Volejte +420 777 123 456">x</a>`:                                       {one},
	} {
		f, got := search(t, czechPhone(), page(html))
		ok := f.Distinct == len(want)
		for _, e := range f.Evidence {
			ok = ok && (e.Value == want[0] || e.Value == want[len(want)-1])
		}
		if !ok {
			t.Errorf("%s: %q, want %s", html, got, want)
		}
	}
}

// TestNoNumbers: digits that are no telephone number of the nation.
func TestNoNumbers(t *testing.T) {
	for _, html := range []string{
		`<p>777 123 456`,
		`<p>777123456`,
		`<p>Obrat 777 123 456 Kč`,
		`<p>Telefon 777 123 456 Kč`,
		`<p>Telefon: 777 123 456,- Kč`,
		`<p>Mobil 777 123 456 EUR`,
		`<p>tel. 777 123 456 €`,
		`<p>777 123 456 obyvatel, info@firma.cz`,
		`<p>č. 777 123 456 info@firma.cz`,
		`<p>kód 777-123-456-789, info@firma.cz`,
		`<p>IČO: 277 123 456, tel. info@firma.cz`,
		`<p>IČO 27712345, DIČ CZ277123456, info@firma.cz`,
		`<p>č.ú.: 277123456/0800, info@firma.cz`,
		`<p>Tel., č.ú. 277123456/0800`,
		`<p>tel. 277123456/0800`,
		`<p>19-277123456/0800 info@firma.cz`,
		`<p>Tel. v pondělí 12. 3. 2024, 24. 12. 2024`,
		`<p>Telefon: 24. 12. 2024 10`,
		`<p>2024-12-24 10:00 info@firma.cz`,
		`<p>Tel.: 8:00–16:00, 777`,
		`<p>ISBN 978-80-7203-123-4, info@firma.cz`,
		`<p>ISSN 2771-2345 info@firma.cz`,
		`<p>Díl č. 777.123.456 info@firma.cz`,
		`<p>GPS 49.1951N 16.6068E, 277123456 info@firma.cz`,
		`<p>192.168.123.456 info@firma.cz`,
		`<p>$ 777 123 456, info@firma.cz`,
		`<p>Telefon Nokia 777123456a`,
		`<p>Tel.: 177 123 456`,
		`<p>Tel.: 777 123 45`,
		`<p>Tel.: 777 123 4567`,
		`<p>Hotel 777 123 456`,
		`<p>Tel. (kód 1 777 123 456`, `<p>T sestava: 777 123 456`, `<p>Telefonista: 777 123 456`, `<p>Tel.: 777 123 456,50`,
		`<p>777/123/456, novak@firma.cz`,
		`<p>Datel: 777 123 456`,
		`<p>+421 905 123 456`, `<p>Tel.: +49 30 123456789`,
		`<a href="tel:+421905123456">x</a>`, `<a href="tel:112">x</a>`, `<a href=tel:777 title="123 456">x</a>`, `<a href="tel:777 " title="123 456">x</a>`, `<a href="tel:">x</a>`,
		`<script>var a=1+420777123456;var b="x+420777123456"</script>`,
		`<div data-id="777123456"></div>`,
		`<p>50 60 70 80 90 info@firma.cz`,
		`<p>Organisasjonsnummer 996 203 840<br>post@firma.no`, `<p>info@firma.cz MB 996 203 840`,
		// The page's other numbers say whose it is.
		`<p>Telefon: <a href="tel:+48220000612">22 000 06 12</a>`, `<p>Tel.: +48 22 000 06 12, mobil: 601 123 456`, `<p>Mobil: 601 123 456, fax +48 22 000 06 12`,
		`<p>Tel.: 0777 123 456`, `<p>tel.: (05) 41 21 12 12`, // of a country with a trunk prefix
		`<p>10 20 30, 40 50 60, info@firma.cz`,
	} {
		if f, got := search(t, czechPhone(), page(html)); f.Valid > 0 {
			t.Errorf("%s: %s", html, got)
		}
	}
}

// TestNumbersCount: a national number counts as often as the text has it, and once when only links do.
func TestNumbersCount(t *testing.T) {
	for html, want := range map[string]string{
		`<p>Tel.: 777 123 456<p>Fax: 777 123 456 <a href="tel:777123456">x</a>`: "+420777123456 text ×2",
		`<a href="tel:777123456">x</a><a href="tel:777 123 456">x</a>`:          "+420777123456 link ×1",
	} {
		if _, got := search(t, czechPhone(), page(html)); got != want {
			t.Errorf("%s: %s, want %s", html, got, want)
		}
	}
}

// TestForms: numbers by how they are written, and those of a country with a trunk prefix.
func TestForms(t *testing.T) {
	const html = `<p>+421 905 123 456, 0905 123 457; Tel.: 0905/123 458, (02) 1234 5678, 905 123 459` +
		`<p>Ján, 0905 123 461, jan@firma.sk<a href="tel:0905123460">x</a><a href="tel:+421905123462">x</a>` +
		`<script>{"telephone":"0905 123 463"};{"telephone":"+421905123464"}</script>`
	for form, want := range map[form]string{
		"": "+421212345678 text ×1, +421905123456 text ×1, +421905123457 text ×1, +421905123458 text ×1, " +
			"+421905123460 link ×1, +421905123461 text ×1, +421905123462 link ×1, +421905123463 source ×1",
		international: "+421905123456 text ×1, +421905123462 link ×1, +421905123464 source ×1",
		national: "+421212345678 text ×1, +421905123457 text ×1, +421905123458 text ×1, " +
			"+421905123460 link ×1, +421905123461 text ×1, +421905123463 source ×1",
	} {
		o := &phoneOptions{patternOption: patternOption{`^\+421[2-9][0-9]{8}$`}, Code: "421", National: `^[2-9][0-9]{8}$`, Trunk: "0", Form: form}
		if ps := o.Validate(); len(ps) > 0 {
			t.Error(ps)
		}
		if _, got := search(t, o, page(html)); got != want {
			t.Errorf("%q: %s\nwant %s", form, got, want)
		}
	}
	for _, o := range []*phoneOptions{{Form: "both"}, {Form: national}, {National: "^1"}, {Code: "420"}, {Code: "x", National: "^1"}, {Trunk: "0"}, {Code: "1", National: "("}} {
		if o.Pattern = "^."; len(o.Validate()) == 0 {
			t.Errorf("%+v is no problem", o)
		}
	}
}
