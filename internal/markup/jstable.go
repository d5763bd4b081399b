package markup

import (
	"bytes"
	"strings"
)

// manyNames is how many strings of one shape make a table.
const manyNames = 100

// maxShapes is how many shapes of names of a script are looked at.
const maxShapes = 32

// nameTable is what a script says of names of one shape: "unicode/1f4af.png?v8".
type nameTable struct {
	folder string // that they are in; "": as they say
	none   bool   // nobody knows in which of several
}

// inTable puts the folder before a name of a table of at least a hundred of one shape, if just one absolute one stands before it:
// {"baseURL": "https://a.cz/b/", "data": {"x": "c/1.png", …}}. false: there are several.
func (s *jsScan) inTable(v string) (string, bool) {
	if k := s.last(); k != jsColon && k != jsComma && k != jsOther || !isEnd(v) {
		return v, true
	}
	folder, name, _ := strings.Cut(v, "/")
	dot := strings.LastIndexByte(name, '.')
	if name == "" || dot < 0 || strings.IndexByte(name, '/') >= 0 {
		return v, true
	}
	shape := folder + "/" + name[dot:]
	t, known := s.tables[shape]
	if !known {
		if len(s.tables) >= maxShapes {
			return v, true
		}
		if s.tables == nil {
			s.tables = map[string]nameTable{}
		}
		t = s.tableOf(folder+"/", name[dot:])
		s.tables[shape] = t
	}
	return t.folder + v, !t.none
}

// tableOf looks for the folder of names that begin with one and end alike.
func (s *jsScan) tableOf(begin, end string) (t nameTable) {
	const near = 512
	quote := s.src[s.at.from : s.at.from+1]
	first := append(bytes.Clone(quote), begin...)
	if bytes.Count(s.src, first) < manyNames || bytes.Count(s.src, append([]byte(end), quote...)) < manyNames {
		return t
	}
	at := bytes.Index(s.src, first)
	head := jsLexer{src: s.src[max(0, at-near):at]}
	for k, text := jsEnd, []byte(nil); ; {
		if k, text = head.next(k, text); k == jsEnd {
			return t
		}
		if k != jsStr || len(text) < 4 || text[len(text)-2] != '/' {
			continue
		}
		folder := string(jsUnescape(text[1 : len(text)-1]))
		if n := schemeLen(folder); folder[0] != '/' && !strings.HasPrefix(folder[n:], "//") || !isReference(folder) || folder == t.folder {
			continue
		}
		if t.folder != "" {
			return nameTable{none: true}
		}
		t.folder = folder
	}
}

// isEmoji reports a picture that is named as characters are: src="1f4af.png". Where they are is said elsewhere.
func isEmoji(url string) bool {
	name, is := strings.CutSuffix(url, ".png")
	if !is {
		name, is = strings.CutSuffix(url, ".svg")
	}
	return is && len(name) >= 2 && strings.Trim(name, "0123456789abcdef-") == ""
}

// emojis says whether a script has a table of them in markup: 1, or -1.
func emojis(src []byte) int8 {
	if bytes.Count(src, []byte(`.png"`))+bytes.Count(src, []byte(`.png\"`))+bytes.Count(src, []byte(`.svg"`))+bytes.Count(src, []byte(`.svg\"`)) >= manyNames {
		return 1
	}
	return -1
}
