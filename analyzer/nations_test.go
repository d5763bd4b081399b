package analyzer_test

import (
	"net/netip"
	"testing"

	"exclave/analyzer"
)

// TestNations: each profile knows a page of its nation, and one that is not: for the nations
// that define themselves by a formula (System 1 §1.2), each part of it.
func TestNations(t *testing.T) {
	const (
		slovene   = "<p>Naša pekarna je nastala pred tridesetimi leti. Vsak dan pečemo svež kruh, ki ga razvažamo v okoliške občine. Pri nas lahko naročite tudi torte in pecivo. Veselimo se vašega obiska.</p>"
		croatian  = "<p>Naša pekarnica nastala je prije trideset godina. Svaki dan pečemo svježi kruh koji razvozimo u okolna mjesta. Kod nas možete naručiti i torte i kolače. Radujemo se vašem posjetu, vidimo se uskoro.</p>"
		hungarian = "<p>Pékségünk harminc évvel ezelőtt nyílt meg. Minden nap friss kenyeret sütünk, amelyet a környező településekre szállítunk. Tortát és süteményt is rendelhet nálunk. Várjuk szeretettel.</p>"
		norwegian = "<p>Bakeriet vårt ble startet for tretti år siden. Hver dag baker vi ferskt brød som vi kjører ut til bygdene omkring. Du kan også bestille kaker hos oss. Vi gleder oss til å se deg, velkommen innom.</p>"
		danish    = "<p>Vores bageri blev grundlagt for tredive år siden. Hver dag bager vi frisk brød, som vi kører ud til landsbyerne omkring. Du kan også bestille kager hos os. Vi glæder os til at se dig, og du er altid velkommen.</p>"
		english   = "<p>Our bakery was founded thirty years ago. Every day we bake fresh bread and bring it to the villages around. You can order cakes from us, too. We look forward to your visit.</p>"
		portugese = "<p>A nossa padaria nasceu há trinta anos. Todos os dias cozemos pão fresco, que levamos às aldeias em redor. Também pode encomendar bolos connosco. Esperamos pela sua visita.</p>"
		thai      = "<p>ร้านเบเกอรี่ของเราเปิดมาสามสิบปีแล้ว ทุกวันเราอบขนมปังสดใหม่และส่งไปยังหมู่บ้านรอบ ๆ</p>"
		greek     = "<p>Ο φούρνος μας άνοιξε πριν από τριάντα χρόνια. Κάθε μέρα ψήνουμε φρέσκο ψωμί και το πηγαίνουμε στα γύρω χωριά. Σας περιμένουμε.</p>"
	)
	geo := database(t, "192.0.2.0/24,AU\n198.51.100.0/24,TH\n203.0.113.0/24,DK\n")
	tests := []struct {
		why, profile, html string
		host, via, addr    string
		valid              bool
	}{
		{why: "Polish text", profile: "pl", html: polishText, valid: true},
		{why: "Czech text", profile: "pl", html: czechText},
		{why: "Slovene text", profile: "si", html: slovene, valid: true},
		{why: "Croatian text", profile: "si", html: croatian},
		{why: "Croatian text", profile: "hr", html: croatian, valid: true},
		{why: "Slovene text", profile: "hr", html: slovene},
		{why: "Hungarian text", profile: "hu", html: hungarian, valid: true},
		{why: "Slovak text", profile: "hu", html: slovakText},
		{why: "Norwegian text", profile: "no", html: norwegian, valid: true},
		{why: "Danish text", profile: "no", html: danish},
		{why: "Danish text", profile: "dk", html: danish, valid: true},
		{why: "English text in Denmark: the definition is by addresses", profile: "dk", html: english, addr: "203.0.113.1", valid: true},
		{why: "Norwegian text", profile: "dk", html: norwegian},
		{why: ".pt, whatever it says", profile: "pt", html: english, host: "a.pt", valid: true},
		{why: "Portuguese on .com, linked from .pt", profile: "pt", html: portugese, host: "a.com", via: "http://b.pt/", valid: true},
		{why: "the same without the link", profile: "pt", html: portugese, host: "a.com"},
		{why: "the same in English", profile: "pt", html: english, host: "a.com", via: "http://b.pt/"},
		{why: "the same on .br", profile: "pt", html: portugese, host: "a.br", via: "http://b.pt/"},
		{why: ".au", profile: "au", html: english, host: "a.com.au", valid: true},
		{why: "an address in Australia", profile: "au", html: english, host: "a.com", addr: "192.0.2.1", valid: true},
		{why: "an address elsewhere", profile: "au", html: english, host: "a.com", addr: "203.0.113.1"},
		{why: ".th", profile: "th", html: english, host: "a.co.th", valid: true},
		{why: "an address in Thailand", profile: "th", html: english, host: "a.com", addr: "198.51.100.1", valid: true},
		{why: "Thai text", profile: "th", html: thai, host: "a.com", valid: true},
		{why: "none of them", profile: "th", html: english, host: "a.com"},
		{why: "Greek text", profile: "gr", html: greek, host: "a.com", valid: true},
		{why: ".gr", profile: "gr", html: english, host: "a.gr", valid: true},
		{why: "a page that names Greece", profile: "gr", html: english + "<p>Greek bread", host: "a.com", valid: true},
		{why: "none of them", profile: "gr", html: english, host: "a.com"},
	}
	open := map[string]*analyzer.Analyzer{}
	for _, tt := range tests {
		t.Run(tt.profile+": "+tt.why, func(t *testing.T) {
			p := htmlPage(tt.html)
			p.Via = tt.via
			if tt.host != "" {
				p.Host, p.URL = tt.host, "http://"+tt.host+"/"
			}
			if tt.addr != "" {
				p.Addr = netip.MustParseAddr(tt.addr)
			}
			a := open[tt.profile]
			if a == nil {
				var err error
				if a, err = analyzer.Open(t.Context(), analyzer.Config{Profiles: []string{tt.profile}, GeoIP: geo}); err != nil {
					t.Fatal(err)
				}
				open[tt.profile] = a
			}
			if v := verdicts(t, a, p)[tt.profile]; v.Valid != tt.valid {
				t.Errorf("valid: %v\n%s", v.Valid, explain(v))
			}
		})
	}
	for _, a := range open {
		_ = a.Close()
	}
}
