package main

import "strings"

// differing are words that Croatian and Serbian have each its own of, beside what follows
// from the yat; Croatian first. Words that the other one has, too, in whatever sense, are none: Croatian has biti,
// put, veće and tim as well.
func differing() [][2]string {
	return [][2]string{
		{"tko", "ko"}, {"netko", "neko"}, {"svatko", "svako"}, {"nitko", "niko"}, {"što", "šta"}, {"uopće", "uopšte"},
		{"gdje", "gde"}, {"ovdje", "ovde"}, {"svugdje", "svuda"}, {"uvijek", "uvek"}, {"prije", "pre"}, {"poslije", "posle"}, {"lijep", "lep"},
		{"dvije", "dve"}, {"obje", "obe"}, {"htio", "hteo"}, {"vidio", "video"}, {"želio", "želeo"}, {"živio", "živeo"}, {"dio", "deo"}, {"volio", "voleo"},
		{"također", "takođe"}, {"jučer", "juče"}, {"prekjučer", "prekjuče"}, {"unatoč", "uprkos"}, {"tijekom", "tokom"},
		{"kruh", "hleb"}, {"zrak", "vazduh"}, {"vlak", "voz"}, {"tjedan", "nedelja"}, {"kava", "kafa"}, {"kave", "kafe"}, {"kavu", "kafu"},
		{"siječnja", "januara"}, {"veljače", "februara"}, {"ožujka", "marta"}, {"travnja", "aprila"}, {"svibnja", "maja"}, {"lipnja", "juna"},
		{"srpnja", "jula"}, {"kolovoza", "avgusta"}, {"rujna", "septembra"}, {"listopada", "oktobra"}, {"studenoga", "novembra"}, {"prosinca", "decembra"},
		{"siječanj", "januar"}, {"veljača", "februar"}, {"ožujak", "mart"}, {"travanj", "april"}, {"svibanj", "maj"}, {"lipanj", "jun"},
		{"srpanj", "jul"}, {"kolovoz", "avgust"}, {"rujan", "septembar"}, {"listopad", "oktobar"}, {"studeni", "novembar"}, {"prosinac", "decembar"},
		{"plaća", "plata"}, {"plaće", "plate"}, {"plaću", "platu"}, {"otok", "ostrvo"}, {"otoka", "ostrva"}, {"otoku", "ostrvu"}, {"uho", "uvo"},
		{"prosječno", "prosečno"}, {"stoljeća", "veka"}, {"stoljeću", "veku"}, {"juha", "supa"}, {"juhu", "supu"},
	}
}

// stems are beginnings of words that only one of the two has; at least four letters, so that few others begin so.
func stems() (croatian, serbian []string) {
	return strings.Fields(`općin opće opći poopć točn točk netočn tisuć tjed sustav tvrtk obitelj kazališt sveučiliš povijes
			znanst znanost glazb glazben nogomet momčad europ gospodars zrakoplov natječaj proračun županij nakladni
			zapork računaln tipkov tvornic knjižnic sudjelov sudionik utjec uvjet izvješ priopć stožer
			rajčic krumpir mrkv žlic žličic tanjur kuhar kuhat skuha duhan kolodvor ljekarn odvjetni ravnatelj
			sretn nazočn glede tjelovjež kršćan svećen demokrac kemij kemičar organizira registrira informira
			definira rezervira kontrolira financira posjetitelj čitatelj
			 veleposlan dužnosnik zastupnik iznimn izniman iznimk skladatelj skladb slikovnic suradn suradnj pričuv
			veljač ožuj svibnj prosinc siječ`),
		strings.Fields(`opštin opšte opšti uopšt tačn tačk netačn hiljad nedelj sistem porodic porodič pozorišt univerzit istorij
			 naučnik muzič muzik fudbal evrop privred vazduhoplov saopšt izvešt učestv učesni uticaj uticat uslov
			obavešt računars pregledač fabrik paradajz krompir šargarep kašik kašič tanjir kuvar kuvan kuvat skuva duvan
			apotek advokats srećn hrišćan svešten demokrati hemij hemičar organizov registrov informis definis
			 rezervis kontrolis kombinov finansi ambasad poslanik kompozitor saradn saradnj saobraćaj
			januar februar avgust septemb oktob novemb decemb sprovod sprove takmič spoljn bezbedn obezbe preduzeć zvanič pominj`)
}

// grammatical is the odds, in nats, that a word is Croatian by how it is inflected: Serbian writes the future
// as one word (radiću), Croatian as two, the first without its last letter (radit ću).
func grammatical(w string, known func(string) bool) float64 {
	for _, end := range []string{"ću", "ćeš", "će", "ćemo", "ćete"} {
		if stem, ok := strings.CutSuffix(w, end); ok && len(stem) > 2 && known(stem+"ti") {
			return -2.5
		}
	}
	if len(w) > 4 && strings.HasSuffix(w, "t") && known(w+"i") && strings.ContainsAny(w[len(w)-2:len(w)-1], "aieu") {
		return 1.5
	}
	return 0
}

// stemmed is the odds by the beginning of a word.
func stemmed(w string, croatian, serbian []string) float64 {
	odds := 0.0
	for _, s := range croatian {
		if strings.HasPrefix(w, s) {
			odds += 2.5
			break
		}
	}
	for _, s := range serbian {
		if strings.HasPrefix(w, s) {
			odds -= 2.5
			break
		}
	}
	return odds
}
