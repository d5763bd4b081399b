package markup

import (
	"bytes"
	"strings"
)

// meta reads robots directives, refreshes, the content language, the images
// of social cards and other addresses.
func (p *markupParser) meta() {
	content := p.get("content")
	if len(content) == 0 {
		return
	}
	switch strings.ToLower(string(bytes.TrimSpace(p.get("http-equiv")))) {
	case "refresh":
		if url := RefreshURL(content); len(url) > 0 {
			p.b.add(url, Refresh, "meta/@content")
		}
	case "content-language":
		if !p.fragment && len(p.b.doc.Langs) < maxLangs {
			p.b.doc.Langs = append(p.b.doc.Langs, Lang{Value: collapse(content, maxLang), Element: "meta", Attr: "content-language"})
		}
	}
	for _, key := range [...]string{"name", "property", "itemprop"} {
		name := strings.ToLower(string(bytes.TrimSpace(p.get(key))))
		if key == "name" && !p.fragment && (name == "robots" || name != "" && strings.EqualFold(name, p.b.o.RobotsToken)) {
			p.b.doc.Robots.Read(string(content))
			return
		}
		switch name {
		case "og:locale":
			if !p.fragment && len(p.b.doc.Langs) < maxLangs {
				p.b.doc.Langs = append(p.b.doc.Langs, Lang{Value: collapse(content, maxLang), Element: "meta", Attr: "og:locale"})
			}
			return
		case "og:image", "og:image:url", "og:image:secure_url", "og:video", "og:video:url", "og:video:secure_url", "og:audio", "og:url",
			"twitter:image", "twitter:image:src", "twitter:player", "twitter:player:stream", "msapplication-tileimage", "thumbnail", "thumbnailurl", "image":
			p.b.add(content, Speculative, "meta/@content")
			return
		case "citation_pdf_url": // of Google Scholar
			p.b.add(content, Nav, "meta/@content")
			return
		case "": // an attribute that is not there
		default:
			if strings.HasPrefix(name, "msapplication-") {
				p.windows(name, content)
				return
			}
			if ref := string(bytes.TrimSpace(content)); refersToAs(name) && bytes.HasPrefix(content, []byte("http")) && looksLikeURL(ref) {
				p.b.addString(ref, Nav, "meta/@content")
				return
			}
			p.absolute(content, "meta/@content")
		}
	}
}

// windows takes the pictures of tiles, the file that names them, and tasks: "name=T;action-uri=a.html;icon-uri=b.ico".
func (p *markupParser) windows(name string, content []byte) {
	switch {
	case name == "msapplication-task":
		for part := range bytes.SplitSeq(content, []byte(";")) {
			switch key, value, _ := bytes.Cut(bytes.TrimSpace(part), []byte("=")); string(bytes.ToLower(key)) {
			case "action-uri", "icon-uri":
				p.b.add(value, Speculative, "meta/@content")
			}
		}
	case name == "msapplication-config", strings.HasSuffix(name, "logo"):
		if plausibleLazy(bytes.TrimSpace(content)) {
			p.b.add(content, Speculative, "meta/@content")
		}
	}
}

// RefreshURL takes the URL out of a refresh directive, of a meta element or a header field (HTML standard
// 4.2.5.3, shared declarative refresh steps), nil when the page only reloads itself.
func RefreshURL(s []byte) []byte {
	s = bytes.TrimLeftFunc(s, isHTMLSpace)
	rest := bytes.TrimLeft(s, "0123456789.")
	if len(rest) == len(s) {
		return nil
	}
	after := bytes.TrimLeftFunc(rest, isHTMLSpace)
	if len(after) > 0 && (after[0] == ';' || after[0] == ',') {
		after = bytes.TrimLeftFunc(after[1:], isHTMLSpace)
	} else if len(after) == len(rest) {
		return nil
	}
	if len(after) >= 3 && bytes.EqualFold(after[:3], []byte("url")) {
		if v := bytes.TrimLeftFunc(after[3:], isHTMLSpace); len(v) > 0 && v[0] == '=' {
			after = bytes.TrimLeftFunc(v[1:], isHTMLSpace)
		}
	}
	if len(after) > 0 && (after[0] == '"' || after[0] == '\'') {
		quote := after[0]
		after = after[1:]
		if i := bytes.IndexByte(after, quote); i >= 0 {
			after = after[:i]
		}
	}
	return after
}
