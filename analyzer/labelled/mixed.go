package labelled

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// mixed makes the pages that have more than one language.
func (m *maker) mixed() {
	for _, o := range m.origins["sk"] {
		m.comments(o, "cs")
		m.sides(o, "cs")
	}
	for _, o := range m.origins["cs"] {
		m.comments(o, "sk")
		m.comments(o, "en")
		m.sides(o, "en")
	}
	for _, o := range m.origins["hu"] {
		m.comments(o, "sk")
		m.sides(o, "sk")
	}
	for _, o := range m.origins["hr"] {
		m.comments(o, "sl")
		m.sides(o, "sl")
	}
	for _, o := range m.origins["no"] {
		m.comments(o, "da")
		m.sides(o, "da")
	}
	for _, o := range m.origins["en"] {
		for _, other := range []string{"cs", "sk", "hu"} {
			m.quotation(o, other)
		}
		m.comments(o, "cs")
	}
	for _, language := range slices.Sorted(maps.Keys(m.origins)) {
		for _, o := range m.origins[language] {
			if o.kind == slips {
				continue
			}
			if len(m.nation(language)) == 0 {
				m.abroad(o)
			} else {
				m.wordless(o)
				m.chrome(o)
			}
		}
	}
}

// partner returns the text of another language that may stand on a page with o.
func (m *maker) partner(o *origin, language string) *origin {
	for _, p := range m.origins[language] {
		if p.source() == o.source() && !listed(p) && p.number == o.number {
			return p
		}
	}
	return nil
}

// comments makes an article with comments in the language of neighbours: it belongs where
// the article does.
func (m *maker) comments(o *origin, language string) {
	p := m.partner(o, language)
	if p == nil || listed(o) {
		return
	}
	v := m.view(o, "comments-"+language).whole().declare(m.around[o.language])
	v.coding, v.kind = utf8Coding(v.d), "mixed"
	said := p.sentences()
	// Fewer words than the article has.
	room := 0
	for _, s := range o.sentences() {
		room += Words(s)
	}
	room /= 2
	for _, s := range said[:min(len(said), 4)] {
		if room -= Words(s); room < 0 {
			break
		}
		v.sheet.comments = append(v.sheet.comments, s)
	}
	if len(v.sheet.comments) == 0 {
		return
	}
	v.sheet.heading = m.around[o.language].side("comments", o.testing())
	v.tags = append(v.tags, "mixed-comments", "with-"+language)
	m.put(v)
}

// sides makes a page that says something in two languages, as long in the one as in the other:
// it belongs to the nations of both.
func (m *maker) sides(o *origin, language string) {
	p := m.partner(o, language)
	if p == nil || listed(o) {
		return
	}
	v := m.view(o, "sides-"+language)
	words := 25 + v.d.n("words", 100)
	words = min(words, len(strings.Fields(o.passage(0, words))), len(strings.Fields(p.passage(0, words))))
	v.sheet.main, v.sheet.second = blocks(o.passage(0, words)), blocks(p.passage(0, words))
	if v.d.share("second title", 50) {
		v.sheet.title += " / " + p.title
	}
	v.declare(m.around[o.language])
	v.nations = append(v.nations, m.nation(language)...)
	slices.Sort(v.nations)
	v.coding, v.kind = utf8Coding(v.d), "mixed"
	v.tags = append(v.tags, "mixed-sides", "with-"+language)
	m.put(v)
}

// quotation makes an English page that cites a sentence: it belongs to no nation.
func (m *maker) quotation(o *origin, language string) {
	p := m.partner(o, language)
	if p == nil || listed(o) {
		return
	}
	v := m.view(o, "quotation-"+language).whole().declare(m.around[o.language])
	v.sheet.main = slices.Insert(slices.Clone(v.sheet.main), 1, block{lines: []string{"“" + p.passage(0, 6+v.d.n("words", 12)) + "”"}})
	v.coding, v.kind = utf8Coding(v.d), "quotation"
	v.tags = append(v.tags, "mixed-quotation", "with-"+language)
	m.put(v)
}

// abroad makes pages in the language of no nation of the set with the contacts of one: the page of
// a firm for its customers abroad, or a template made at home. A footer is not enough.
func (m *maker) abroad(o *origin) {
	if o.kind == people {
		return // the footer would be all that the page says
	}
	var homes []string
	for _, language := range slices.Sorted(maps.Keys(m.origins)) {
		if len(m.nation(language)) > 0 {
			homes = append(homes, language)
		}
	}
	most := 1
	if o.language == "en" || o.language == "de" {
		most = 4
	}
	for i := range most {
		v := m.view(o, fmt.Sprintf("%s-footer-%d", strings.ToLower(o.language), i+1))
		home := homes[(v.d.n("home", len(homes))+i)%len(homes)]
		f := m.around[home]
		v.whole().contacts(f, oneOf(v.d, "manner", manners()...)).declare(m.around[o.language])
		if v.d.share("template", 30) {
			v.sheet.metaLang = ""
			v.tags = slices.DeleteFunc(v.tags, func(t string) bool { return strings.HasPrefix(t, "lang-") })
			v.leftOver(code(home))
		}
		if v.d.share("at home", 40) {
			v.host = "www." + newContact(o, f, v.d).domain
		}
		v.coding, v.kind = utf8Coding(v.d), "foreign-footer"
		v.tags = append(v.tags, "mixed-footer", "with-"+home)
		m.put(v)
	}
}

// wordless makes pages that hardly say anything: pictures, a name, a way to be reached. The page
// belongs to the nation of its contacts when the labels beside them are in its language.
func (m *maker) wordless(o *origin) {
	if o.number%3 != 0 {
		return
	}
	f := m.around[o.language]
	v := m.view(o, "wordless").contacts(f, "plain")
	v.sheet.rights = ""
	for i := range 2 + v.d.n("pictures", 8) {
		v.sheet.main = append(v.sheet.main, block{lines: []string{fmt.Sprintf("IMG_%04d", 1000+v.d.n("picture", 8000)+i)}})
	}
	v.declare(m.around[o.language])
	v.coding, v.kind = utf8Coding(v.d), "gallery"
	v.tags = append(v.tags, "wordless")
	m.put(v)
}

// chrome makes a text among the English phrases of a system that nobody translated.
func (m *maker) chrome(o *origin) {
	if o.number%2 != 0 || listed(o) {
		return
	}
	v := m.view(o, "chrome").whole()
	v.leftOver("en-US")
	v.sheet.second = []block{{list: true, lines: m.around["en"].all("chrome", o.testing())}}
	v.coding = utf8Coding(v.d)
	v.tags = append(v.tags, "english-chrome")
	m.put(v)
}
