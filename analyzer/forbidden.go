package analyzer

// forbiddenDictionaryOptions are those of the kind "forbidden_dictionary", which counts what
// "dictionary" does: words of title and text, those on the list valid.
type forbiddenDictionaryOptions struct{ dictionaryOptions }

var (
	_ namesFiles = (*forbiddenDictionaryOptions)(nil)
	_ unwanted   = (*forbiddenDictionaryOptions)(nil)
)

func (o *forbiddenDictionaryOptions) unwanted() {}
