package markup

import (
	"strings"

	"exclave/internal/script"
)

// nameEnds are names of files, with the last of their folders, that may be what others end with: "js/a.js" beside "/static/js/a.js". True: some do.
type nameEnds map[string]bool

// isEnd reports what may be one: it is relative, and the name of a file.
func isEnd(ref string) bool {
	path, _, _ := strings.Cut(ref, "?")
	return ref != "" && isWordByte(ref[0]) && schemeLen(ref) == 0 && hasExtension(path)
}

// look notes which of them an address ends with.
func (e nameEnds) look(address string) {
	for range foldersAbove {
		at := strings.IndexByte(address, '/')
		if at < 0 {
			return
		}
		address = address[at+1:]
		if _, is := e[address]; is {
			e[address] = true
		}
	}
}

// endsOfMade are those among what scripts put together and gave to nothing.
func endsOfMade(found []script.Found) nameEnds {
	var out nameEnds
	for i := range found {
		if f := &found[i]; f.Use == script.Made && !f.Literal && isEnd(f.Text) {
			if out == nil {
				out = nameEnds{}
			}
			out[f.Text] = false
		}
	}
	if out != nil {
		for i := range found {
			out.look(found[i].Text)
		}
	}
	return out
}

// endsOfGuesses are those among the guesses that wait, of what the page and its scripts have. The name of a picture alone may be that of a
// larger one elsewhere.
func (b *builder) endsOfGuesses() nameEnds {
	var out nameEnds
	for i := range b.waiting {
		if w := &b.waiting[i]; !w.given && strings.IndexByte(w.url, '/') > 0 && isEnd(w.url) {
			if out == nil {
				out = nameEnds{}
			}
			out[w.url] = false
		}
	}
	if out != nil {
		for _, list := range [...][]Link{b.doc.Links, b.guess} {
			for i := range list[:min(len(list), maxFilesIn)] {
				out.look(list[i].URL)
			}
		}
	}
	return out
}
