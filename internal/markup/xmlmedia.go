package markup

// mediaVocabulary tells what an element of no known namespace is of, in documents whose root says what they are: SMIL and others, also without a
// namespace, and ASX, which has none.
func (p *markupParser) mediaVocabulary(v vocabulary, local []byte) vocabulary {
	if p.x.level == 1 {
		p.x.media = mediaRoot(string(local))
	}
	if p.x.media != noVocabulary {
		return p.x.media
	}
	return v
}

// mediaLink takes an attribute of SMIL 3.0 or ASX that is a reference, and reports whether it was one.
func (p *markupParser) mediaLink(v vocabulary, local, key, val []byte) bool {
	name := string(local) + "/" + string(key)
	kind := Embed
	switch {
	case v == vocSMIL && string(key) == "src":
	case v == vocSMIL && name == "meta/content" && string(p.get("name")) == "base", v == vocASX && name == "base/href":
		if base, ok := cleanURL(val); ok && len(base) <= maxURL {
			p.b.base = base
		}
		return true
	case v == vocASX && (name == "ref/href" || name == "entryref/href" || name == "banner/href" || name == "logo/href"):
	case v == vocASX && name == "moreinfo/href", v == vocSMIL && (name == "a/href" || name == "area/href" || name == "anchor/href"):
		kind = Nav
	default:
		return false
	}
	p.b.add(val, kind, p.context(safeName(local), string(key)))
	return true
}
