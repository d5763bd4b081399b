package markup

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
)

// texts are what a small firm might say of itself, by language.
func texts() map[string]string {
	return map[string]string{
		"cs": "Vítáme vás na stránkách naší dílny. Opravujeme staré hodiny, housle a dřevěné hračky už třicet let. Přijďte se podívat každý všední den odpoledne; v létě míváme zavřeno, těšíme se na vás. Příští týden otevíráme výstavu.",
		"sk": "Vitajte na stránkach našej dielne. Opravujeme staré hodiny, husle a drevené hračky už tridsať rokov. Príďte sa pozrieť každý všedný deň popoludní; v lete bývame zatvorené, tešíme sa na vás. Budúci týždeň otvárame výstavu.",
		"pl": "Witamy na stronie naszego warsztatu. Od trzydziestu lat naprawiamy zegary, skrzypce i drewniane zabawki. Zapraszamy w każdy dzień powszedni po południu; latem mamy zamknięte, ale w przyszłym tygodniu otwieramy wystawę. Część eksponatów można kupić, są też pamiątki: wiatraczki, żółte łódki i książki o śląskich zegarach.",
		"hu": "Üdvözöljük műhelyünk honlapján. Harminc éve javítunk régi órákat, hegedűket és fajátékokat. Jöjjön el bármelyik hétköznap délután; nyáron zárva vagyunk. Jövő héten kiállítást nyitunk, melyre szeretettel várjuk önt és minden kedves ismerősét.",
		"hr": "Dobro došli na stranice naše radionice. Već trideset godina popravljamo stare satove, violine i drvene igračke. Dođite svaki radni dan poslije podne; ljeti smo zatvoreni. Sljedeći tjedan otvaramo izložbu, veselimo se vašem posjetu, a možete nas i nazvati.",
		"de": "Willkommen auf den Seiten unserer Werkstatt. Wir reparieren seit dreißig Jahren alte Uhren, Geigen und hölzerne Spielzeuge für Groß und Klein. Besuchen Sie uns täglich außer sonntags; im Sommer schließen wir früher. Nächste Woche eröffnen wir eine Ausstellung.",
		"fr": "Bienvenue sur le site de notre atelier. Depuis trente ans, nous réparons des montres, des violons et des jouets en bois. Venez nous voir l'après-midi, même en été; la semaine prochaine, une exposition très complète sera présentée à côté de l'entrée où vous êtes déjà venus.",
		"da": "Velkommen til vores værksted. Vi har i tredive år repareret gamle ure, violiner og trælegetøj. Kom og besøg os på hverdage; om sommeren holder vi åbent i færre timer. I næste uge åbner vi en udstilling, så kig gerne på vores værker.",
		"ru": "Добро пожаловать на сайт нашей мастерской. Уже тридцать лет мы чиним старые часы, скрипки и деревянные игрушки. Приходите в будни после обеда; летом у нас закрыто. На будущей неделе мы открываем выставку.",
		"lt": "Sveiki atvykę į mūsų dirbtuvės puslapį. Jau trisdešimt metų taisome senus laikrodžius, smuikus ir medinius žaislus. Užsukite bet kurią darbo dieną; vasarą būna uždaryta. Kitą savaitę atidarysime parodą, kurią ruošėme ištisus metus.",
		"tr": "Atölyemizin sitesine hoş geldiniz. Otuz yıldır eski saatleri, kemanları ve ahşap oyuncakları onarıyoruz. Hafta içi öğleden sonra bize uğrayın; yazın kapalıyız. Gelecek hafta bir sergi açıyoruz, sizi ve çocuklarınızı bekliyoruz.",
	}
}

// in encodes s in a charset of browsers or in ibm852.
func in(t testing.TB, charset, s string) string {
	if charset == "ibm852" {
		out, err := charmap.CodePage852.NewEncoder().String(s)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	return string(encode(t, charset, s))
}

// TestDeclarations: texts in ten charsets, declared truly, falsely, and not at all, by HTTP and by
// the page. Whatever is declared, they are read.
func TestDeclarations(t *testing.T) {
	written := map[string][]string{
		"windows-1250": {"cs", "sk", "pl", "hu", "hr"},
		"iso-8859-2":   {"cs", "sk", "pl", "hu", "hr"},
		"ibm852":       {"cs", "sk", "pl", "hu", "hr"},
		"windows-1252": {"de", "fr", "da"},
		"windows-1251": {"ru"}, "koi8-r": {"ru"}, "iso-8859-5": {"ru"},
		"windows-1257": {"lt"}, "windows-1254": {"tr"},
		"utf-8": {"cs", "sk", "pl", "hu", "hr", "de", "fr", "da", "ru", "lt", "tr"},
	}
	declared := []string{"", "utf-8", "iso-8859-1", "windows-1250", "windows-1251", "windows-1252", "iso-8859-2", "cp852", "nonsense"}
	cases := 0
	for charset, langs := range written {
		for _, lang := range langs {
			text := texts()[lang]
			body := in(t, charset, text)
			for _, d := range append(slices.Clone(declared), charset) {
				byHTTP := Parse(HTML, []byte("<html><body><p>"+body), Options{DeclaredCharset: d})
				byPage := Parse(HTML, []byte("<html><head><meta charset='"+d+"'></head><body><p>"+body), Options{})
				for by, doc := range map[string]*Doc{"HTTP": byHTTP, "the page": byPage} {
					cases++
					if doc.Text != text {
						t.Errorf("%s in %s, by %s called %q: read as %s from %s: %.60q", lang, charset, by, d, doc.Charset, doc.CharsetFrom, doc.Text)
					}
				}
			}
		}
	}
	if cases < 400 {
		t.Errorf("%d cases", cases)
	}
}

// TestTrueDeclarations: what is declared truly is believed, down to a sentence, and where the
// words of another language are among them.
func TestTrueDeclarations(t *testing.T) {
	for _, tt := range []struct{ charset, text string }{
		{"windows-1252", "Übung für Mädchen"}, {"windows-1252", "Être à l'heure, ça va?"}, {"windows-1252", "Pão e maçãs não são caros"},
		{"windows-1252", "Õhtu on ilus ja öö tuleb, üks mõte jääb alles, õpetaja käib külas"}, {"windows-1252", "Älä mene pöydän päälle, hyvää yötä"},
		{"windows-1252", "Þetta er gott veður, sagði maðurinn og fór út að ganga í góða veðrinu"},
		{"windows-1252", "«Ça» – 20 €, ½ © ® ™ … “naïve”"}, {"windows-1250", "Žluťoučký kůň"}, {"windows-1250", "šéf"}, {"iso-8859-2", "žába"},
		{"windows-1252", "Benvinguts al web del nostre taller, la setmana vinent obrirem una exposició molt gran: això és català, països, qüestió, llengües, està, però, més"},
		{"windows-1252", "Mirë se vini në faqen tonë. Prej tridhjetë vjetësh riparojmë orë të vjetra; në verë jemi të mbyllur, ejani çdo ditë"},
		{"windows-1257", "Tere tulemast meie töökoja lehele. Juba kolmkümmend aastat parandame vanu mänguasju; tulge iga tööpäeva õhtul, šokolaad"},
		{"windows-1250", "Bine aţi venit. De treizeci de ani reparăm ceasuri şi jucării; săptămâna viitoare deschidem o expoziţie"},
		{"windows-1251", "Добредојдовте на страницата на нашата работилница. Веќе триесет години поправаме стари часовници"},
		{"windows-1251", "Добро дошли на странице наше радионице. Већ тридесет година поправљамо старе сатове, виолине и дрвене играчке"},
		{"windows-1251", "ДОБРО ПОЖАЛОВАТЬ НА НАШ САЙТ"}, {"koi8-r", "ДОБРО ПОЖАЛОВАТЬ НА НАШ САЙТ"},
		{"windows-1252", "KØBENHAVN ÅRHUS ÆBLEGRØD FÆRØERNE SMØRREBRØD"}, {"windows-1250", "PŘÍLIŠ ŽLUŤOUČKÝ KŮŇ ÚPĚL ĎÁBELSKÉ ÓDY"},
		{"iso-8859-2", "Že trideset let popravljamo stare ure, igrače in še več. Žal imamo poleti zaprto, čez teden pa ne"},
		{"windows-1250", "Françoise Müller, Kč"}, {"windows-1251", "Добро"}, {"koi8-r", "Добро пожаловать"}, {"utf-8", "Žluťoučký kůň"}, {"utf-8", "São Paulo, KRÁŠNÁ, daß»"},
	} {
		body := "<p>" + in(t, tt.charset, tt.text)
		if d := Parse(HTML, []byte(body), Options{DeclaredCharset: tt.charset}); d.Text != tt.text || d.CharsetFrom != "http" {
			t.Errorf("%s: %q is read as %s from %s: %q", tt.charset, tt.text, d.Charset, d.CharsetFrom, d.Text)
		}
	}
	// A charset whose letters are not known is never doubted.
	for _, charset := range []string{"windows-1255", "windows-1256", "windows-874", "iso-8859-8", "macintosh", "gb18030", "shift_jis", "big5", "euc-kr"} {
		raw := in(t, "windows-1250", texts()["cs"])
		if d := Parse(HTML, []byte("<p>"+raw), Options{DeclaredCharset: charset}); d.CharsetFrom != "http" {
			t.Errorf("%s is not believed: %s", charset, d.Charset)
		}
	}
	// A stray byte does not make a page of another charset.
	if d := Parse(HTML, []byte("<p>kůň \xa9 2020"), Options{DeclaredCharset: "utf-8"}); d.Charset != "utf-8" || !strings.Contains(d.Text, "kůň") {
		t.Errorf("%s %q", d.Charset, d.Text)
	}
}

// TestCodedTwice: UTF-8 that was taken for another charset and coded again is read as what it was.
func TestCodedTwice(t *testing.T) {
	again := func(s string, m *charmap.Charmap) string {
		var b strings.Builder
		for i := range len(s) {
			if r := m.DecodeByte(s[i]); r != 0xfffd {
				b.WriteRune(r)
			} else {
				b.WriteRune(rune(s[i]))
			}
		}
		return b.String()
	}
	for lang, text := range texts() {
		for _, m := range []*charmap.Charmap{charmap.Windows1252, charmap.Windows1250, charmap.ISO8859_1} {
			for _, declared := range []string{"utf-8", "", "iso-8859-1"} {
				d := Parse(HTML, []byte("<p>"+again(text, m)), Options{DeclaredCharset: declared})
				if d.Text != text || d.CharsetFrom != "detected" {
					t.Errorf("%s by %v, called %q: %s from %s: %.60q", lang, m, declared, d.Charset, d.CharsetFrom, d.Text)
				}
			}
		}
	}
	// A page about it is in order.
	for _, s := range []string{"Příliš žluťoučký kůň se píše PÅ™Ã¡liÅ¡ a už nikdy jinak", "Ã¡", "Příští týden Ã©"} {
		if d := Parse(HTML, []byte("<p>"+s), Options{DeclaredCharset: "utf-8"}); d.Text != s {
			t.Errorf("%q was changed to %q", s, d.Text)
		}
	}
}
