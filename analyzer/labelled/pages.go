package labelled

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"exclave/internal/markup"
)

// maker makes the pages of all texts.
type maker struct {
	origins map[string][]*origin
	around  map[string]furniture
	pages   []Page
	err     error // the first one
}

// Pages makes the set, in the order of languages, texts and views.
func Pages() ([]Page, error) {
	origins, around, err := load()
	if err != nil {
		return nil, err
	}
	m := &maker{origins: origins, around: around}
	for _, language := range slices.Sorted(maps.Keys(origins)) {
		for _, o := range origins[language] {
			m.views(o)
		}
		m.portals(language)
	}
	m.mixed()
	return m.pages, m.err
}

// view is a page that is being made.
type view struct {
	o       *origin
	name    string // of the view; with the origin's it makes the URL
	d       dice
	sheet   sheet
	coding  coding
	ascii   bool
	text    bool // plain text
	kind    string
	nations []string
	tags    []string
	host    string
}

// nation returns what the pages of a language belong to.
func (m *maker) nation(language string) []string {
	if n := m.around[language].side("nation", false); n != "" {
		return []string{n}
	}
	return []string{}
}

func (m *maker) view(o *origin, name string) *view {
	d := dice(o.name() + "/" + name)
	return &view{o: o, name: name, d: d, kind: o.kind, nations: m.nation(o.language),
		sheet: sheet{title: o.title, generator: generators()[d.n("generator", len(generators()))]}}
}

// own gives a view the text and the menu of its origin.
func (v *view) whole() *view {
	v.sheet.main, v.sheet.menu = v.o.blocks, v.o.menu
	return v
}

// part gives a view some words from a sentence on. Texts with another language in them are not
// cut where only that would be left: it would not be what the label says.
func (v *view) part(first, words int) *view {
	if slices.Contains([]string{"quotation", "names", "dealers"}, v.o.kind) {
		first = 0
	}
	v.sheet.main, v.sheet.menu = blocks(v.o.passage(first, words)), nil
	v.tags = append(v.tags, "part")
	return v
}

// contacts puts the contact of the text's owner at the end.
func (v *view) contacts(f furniture, manner string) *view {
	c := newContact(v.o, f, v.d)
	v.sheet.footer, v.sheet.head = c.footer(manner, v.o.title)
	v.sheet.rights = c.label("rights")
	v.tags = append(v.tags, "contacts", "contacts-"+manner)
	return v
}

// declare sets the language that the page says it is in: mostly the right one, often none,
// sometimes the one of the template.
func (v *view) declare(f furniture) *view {
	switch n := v.d.n("lang", 100); {
	case n < 50:
		v.sheet.lang = v.o.code
		if region := f.side("region", false); region != "" && v.d.share("region", 50) {
			v.sheet.lang += "-" + region
		}
	case n < 58:
		v.sheet.metaLang = v.o.code
	case n < 70 && v.o.kind != people: // names that say they are Czech are Czech enough
		v.leftOver(oneOf(v.d, "left over", "en", "en-US", "en-GB", "de", "cs", "sk", "pl"))
	default:
		v.tags = append(v.tags, "lang-absent")
	}
	return v
}

// leftOver declares the language of somebody else's template.
func (v *view) leftOver(lang string) *view {
	v.sheet.lang = lang
	if lang[:2] != v.o.language[:2] {
		v.tags = append(v.tags, "lang-left-over")
	}
	return v
}

// code is the language as an attribute has it.
func code(language string) string {
	switch language {
	case "no":
		return "nb"
	case "sr-Cyrl":
		return "sr"
	}
	return language
}

// put makes the page.
func (m *maker) put(v *view) {
	f := m.around[v.o.language]
	if v.host == "" {
		tld := oneOf(v.d, "tld", "com", "eu", "net", "org", "info")
		if v.d.share("own tld", 40) {
			tld = f.pick("tlds", v.d)
		}
		v.host = fmt.Sprintf("www.%s-%s%d.%s", f.side("domain", v.o.testing()), v.o.kind, v.o.number, tld)
	}
	v.sheet.charset = v.coding.meta()
	p := Page{
		URL:  fmt.Sprintf("http://%s/%s", v.host, v.name),
		Type: v.coding.contentType(), Language: v.o.code, Nations: v.nations,
		Source: v.o.source(), Split: "train", Kind: v.kind,
	}
	if v.o.testing() {
		p.Split = "test"
	}
	doc := ""
	if v.text {
		doc = v.sheet.plainText()
		p.Type = strings.Replace(p.Type, "text/html", "text/plain", 1)
		v.tags = append(v.tags, "plain-text")
	} else {
		doc = v.sheet.html()
		v.tags = append(v.tags, "generator-"+v.sheet.generator)
	}
	if v.ascii {
		doc = withoutDiacritics(doc)
		v.tags = append(v.tags, "no-diacritics")
	}
	d := markup.Parse(kindOf(v.text), []byte(doc), markup.Options{DeclaredCharset: "utf-8"})
	p.Words = Words(d.Title) + Words(d.Text)
	v.tags = append(v.tags, v.coding.tags()...)
	p.Tags = v.tags
	body, err := v.coding.bytes(doc)
	if err != nil && m.err == nil {
		m.err = fmt.Errorf("%w: %s", err, p.URL)
	}
	switch {
	case v.coding.real != "" && v.coding.real != "twice":
		p.Body = body
	case v.text:
		p.Text = string(body)
	default:
		p.HTML = string(body)
	}
	m.pages = append(m.pages, p)
}

func kindOf(text bool) markup.Kind {
	if text {
		return markup.KindOf("text/plain")
	}
	return markup.HTML
}

// utf8 is the coding of most pages of today.
func utf8Coding(d dice) coding {
	return coding{"", "utf-8", oneOf(d, "utf-8 where", "http", "meta", "both")}
}

// views makes the pages that show one text.
func (m *maker) views(o *origin) {
	if o.kind == slips {
		m.slips(o)
		return
	}
	f := m.around[o.language]
	n := len(o.sentences())
	add := func(name string, change func(v *view)) {
		v := m.view(o, name)
		v.coding = utf8Coding(v.d)
		change(v)
		m.put(v)
	}
	manner := func(v *view) string { return oneOf(v.d, "manner", manners()...) }
	words := 0
	for _, s := range o.sentences() {
		words += Words(s)
	}
	long := words >= 40
	plain := withoutDiacritics(o.passage(0, 1<<20)) == o.passage(0, 1<<20) || script(o.language) == "cyrillic"

	add("whole", func(v *view) { v.whole().declare(f).contacts(f, manner(v)) })
	add("alone", func(v *view) {
		v.whole().sheet.menu = nil
		v.text = v.d.share("plain text", 40)
		if !v.text {
			v.declare(f)
		}
	})
	if truth := codings(script(o.language), true); len(truth) > 0 {
		add("legacy", func(v *view) {
			v.whole().declare(f)
			v.coding = truth[o.number%len(truth)]
		})
	}
	wrong := codings(script(o.language), false)
	add("mistaken", func(v *view) {
		v.whole().sheet.menu = nil
		v.coding = wrong[o.number%len(wrong)]
	})
	if !plain {
		add("ascii", func(v *view) { v.whole().declare(f).ascii = true })
	}
	if o.menu != nil {
		add("menu", func(v *view) {
			v.whole().sheet.main = nil
			v.kind = "menu"
			v.declare(f)
		})
	}
	if len(m.nation(o.language)) > 0 || o.number%3 == 0 {
		add("contact", func(v *view) {
			v.part(0, 6+v.d.n("words", 8)).declare(f).contacts(f, manner(v))
			v.kind = "contact"
		})
	}
	if words < 12 {
		return
	}
	// Passages of every length, with and without diacritics.
	add("teaser", func(v *view) { v.part(0, 5+v.d.n("words", 12)) })
	if !plain {
		add("teaser-ascii", func(v *view) { v.part(n/3, 7+v.d.n("words", 11)).ascii = true })
	}
	if !long {
		return
	}
	add("note", func(v *view) { v.part(n/2, 6+v.d.n("words", 10)).declare(f) })
	add("excerpt", func(v *view) { v.part(n/4, 20+v.d.n("words", 24)).declare(f) })
	if words >= 120 {
		add("half", func(v *view) { v.part(n/6, 95+v.d.n("words", 60)).declare(f) })
		add("half-mistaken", func(v *view) {
			v.part(n/7, 95+v.d.n("words", 60)).declare(f)
			v.coding = wrong[(o.number+5)%len(wrong)]
		})
		if !plain {
			add("half-ascii", func(v *view) { v.part(n/5, 95+v.d.n("words", 60)).declare(f).ascii = true })
		}
	}
	if !plain {
		add("excerpt-ascii", func(v *view) { v.part(n/5, 18+v.d.n("words", 40)).ascii = true })
		add("excerpt-mistaken", func(v *view) {
			v.part(n/3, 15+v.d.n("words", 40)).declare(f)
			v.coding = wrong[(o.number+3)%len(wrong)]
		})
	}
}

// slips makes a page of each block: its first line is the title. In scripts with diacritics there is
// one without them, too.
func (m *maker) slips(o *origin) {
	f := m.around[o.language]
	for i, b := range o.blocks {
		one := *o
		one.title = b.lines[0]
		b.lines = b.lines[1:]
		one.blocks = []block{b}
		names := []string{fmt.Sprintf("slip%d", i+1)}
		if said := one.title + one.passage(0, 1<<20); withoutDiacritics(said) != said && len(m.nation(o.language)) > 0 {
			names = append(names, names[0]+"-ascii")
		}
		for _, name := range names {
			v := m.view(&one, name).whole()
			v.ascii = strings.HasSuffix(name, "-ascii")
			v.coding = utf8Coding(v.d)
			if v.d.share("declared", 50) {
				v.declare(f)
			} else {
				v.tags = append(v.tags, "lang-absent")
			}
			m.put(v)
		}
	}
}

// portals makes long pages of several texts of one side of the split: the front page of a town or of
// a newspaper.
func (m *maker) portals(language string) {
	os := m.origins[language]
	for _, o := range os {
		i := slices.IndexFunc(os, func(p *origin) bool { return p.number == o.number+5 })
		if o.number%10 > 5 || o.number%10 == 0 || i < 0 || listed(o) || listed(os[i]) {
			continue
		}
		for _, name := range []string{"portal", "portal-ascii", "digest", "digest-ascii"} {
			v := m.view(o, name).whole().declare(m.around[language])
			v.ascii = strings.HasSuffix(name, "-ascii")
			if v.ascii && (script(language) == "cyrillic" || language == "en") {
				continue
			}
			second := os[i].blocks
			if strings.HasPrefix(name, "digest") { // the beginnings of both
				v.sheet.main, second = blocks(o.passage(0, 45+v.d.n("first", 35))), blocks(os[i].passage(0, 45+v.d.n("second", 35)))
			}
			v.sheet.second = append([]block{{lines: []string{os[i].title}}}, second...)
			v.coding, v.kind = utf8Coding(v.d), "portal"
			m.put(v)
		}
	}
}

// slips is the kind of a text that holds short pages, one a block.
const slips = "slips"

// people is the kind of a text of nothing but names, which is in no language, whoever the people are.
const people = "people"

// listed reports whether a text is a list, which is in hardly any language.
func listed(o *origin) bool {
	return slices.Contains([]string{slips, people, "names", "dealers", "gallery", "menu", "pricelist", "login", "contact"}, o.kind)
}
