package main

// source says what the words of a language are counted in.
type source struct {
	code  string // of the language, as users write it
	class string // how it is written, when there are several ways
	list  string // list of wordfreq; empty = none
	ui    string // translations of the browser, where wordfreq has no list
	fold  bool   // people write it without its diacritics, too
	words int    // most words kept; 0 = few
}

// Languages that are only told so as not to be taken for another one have few words.
const (
	fewWords  = 7_000
	manyWords = 24_000
)

func sources() []source {
	many := func(s source) source { s.words = manyWords; return s }
	return []source{
		many(source{code: "cs", list: "cs", fold: true}),
		many(source{code: "sk", list: "sk", fold: true}),
		many(source{code: "pl", list: "pl", fold: true}),
		many(source{code: "sl", list: "sl", fold: true}),
		many(source{code: "hr", list: "sh", ui: "hr", fold: true}),
		many(source{code: "sr", class: "latin", list: "sh", ui: "sr", fold: true}),
		many(source{code: "sr", class: "cyrillic", list: "sh", ui: "sr"}),
		many(source{code: "hsb", ui: "hsb", fold: true}),
		many(source{code: "hu", list: "hu", fold: true}),
		many(source{code: "de", list: "de", fold: true}),
		many(source{code: "en", list: "en"}),
		many(source{code: "da", list: "da", fold: true}),
		many(source{code: "no", list: "nb", fold: true}),
		many(source{code: "sv", list: "sv", fold: true}),
		many(source{code: "uk", list: "uk"}),
		many(source{code: "ru", list: "ru"}),
		{code: "no", class: "nynorsk", ui: "nn", fold: true},
		{code: "dsb", ui: "dsb", fold: true},
		{code: "bg", list: "bg"},
		{code: "mk", list: "mk"},
		{code: "be", ui: "be"},
		{code: "kk", ui: "kk"},
		{code: "el", list: "el", fold: true},
		{code: "ro", list: "ro", fold: true},
		{code: "it", list: "it", fold: true},
		{code: "fr", list: "fr", fold: true},
		{code: "es", list: "es", fold: true},
		{code: "pt", list: "pt", fold: true},
		{code: "ca", list: "ca", fold: true},
		{code: "gl", ui: "gl", fold: true},
		{code: "oc", ui: "oc", fold: true},
		{code: "ast", ui: "ast", fold: true},
		{code: "eu", ui: "eu"},
		{code: "nl", list: "nl"},
		{code: "af", ui: "af"},
		{code: "is", list: "is", fold: true},
		{code: "fi", list: "fi", fold: true},
		{code: "et", ui: "et", fold: true},
		{code: "lt", list: "lt", fold: true},
		{code: "lv", list: "lv", fold: true},
		{code: "tr", list: "tr", fold: true},
		{code: "az", ui: "az", fold: true},
		{code: "sq", ui: "sq", fold: true},
		{code: "ga", ui: "ga", fold: true},
		{code: "gd", ui: "gd", fold: true},
		{code: "cy", ui: "cy"},
		{code: "br", ui: "br"},
		{code: "eo", ui: "eo", fold: true},
		{code: "id", list: "id"},
		{code: "ms", list: "ms"},
		{code: "tl", list: "fil"},
		{code: "vi", list: "vi", fold: true},
	}
}
