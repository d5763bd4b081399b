package markup

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html/atom"
)

// textWriter collects clean text: runs of white space become one separator, the
// strongest asked for since the last word.
type textWriter struct {
	buf       []byte
	max       int
	gap       byte // separator due before the next word: 0, ' ', '\t', '\n'
	pre       int  // > 0: newlines count as line ends
	truncated bool
}

// sep asks for a separator; a line end beats a tab beats a blank.
func (w *textWriter) sep(c byte) {
	if w.gap == 0 || c == '\n' || c == '\t' && w.gap == ' ' {
		w.gap = c
	}
}

func (w *textWriter) write(s []byte) {
	if w.truncated {
		return
	}
	for i := 0; i < len(s); {
		start := i // of a run of ordinary characters
		n, sep, skip := 0, false, false
		for i < len(s) {
			if inText[s[i]] {
				i++
				continue
			}
			if s[i] <= ' ' {
				n, sep = 1, true
				break
			}
			if n, sep, skip = classify(s[i:]); sep || skip {
				break
			}
			i += n
		}
		if start < i {
			w.emit(s[start:i])
		}
		if i == len(s) {
			return
		}
		switch {
		case !sep:
		case w.pre == 0:
			w.sep(' ')
			n += blankLen(s[i+n:])
		case s[i] == '\n' || s[i] == '\r':
			w.sep('\n')
		default:
			w.sep(' ')
		}
		i += n
	}
}

// inText is the bytes that neither separate words nor are invisible, nor begin a character that may be so.
var inText = func() (in [256]bool) {
	for c := range in {
		in[c] = c > ' ' && c != 0x7F && (c < 0xC2 || c > 0xC2 && (c < 0xE1 || c > 0xE3) && c != 0xEF)
	}
	return in
}()

// classify looks at the first character of s: its length, and whether it
// separates words or is invisible (soft hyphen, zero width space).
func classify(s []byte) (n int, sep, skip bool) {
	if c := s[0]; c <= ' ' || c == 0x7F {
		return 1, true, false
	}
	r, n := utf8.DecodeRune(s)
	switch {
	case r == 0xAD || r == 0x200B || r == 0x2060 || r == 0xFEFF:
		return n, false, true
	case r < 0xA0 || unicode.IsSpace(r):
		return n, true, false
	}
	return n, false, false
}

func (w *textWriter) emit(run []byte) {
	if w.truncated {
		return
	}
	room := w.max - len(w.buf)
	if w.gap != 0 && len(w.buf) > 0 {
		if room < 2 {
			w.truncated = true
			return
		}
		w.buf = append(w.buf, w.gap)
		room--
	}
	w.gap = 0
	if len(run) > room {
		w.truncated = true
		run = cutRunes(run, room)
	}
	w.buf = append(w.buf, run...)
}

// cutRunes shortens s to at most n bytes without splitting a character.
func cutRunes(s []byte, n int) []byte {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// collapse returns s with white space collapsed, at most limit bytes long.
func collapse(s []byte, limit int) string {
	w := textWriter{max: limit}
	w.write(s)
	return string(w.buf)
}

// separator tells what an element does to the text around it: '\n' for blocks,
// '\t' for table cells, ' ' for boxes inside a line, 0 for inline elements.
// After the HTML standard, section 15.3 (rendering).
func separator(a atom.Atom) byte {
	switch a {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Br, atom.Caption, atom.Center,
		atom.Dd, atom.Details, atom.Dialog, atom.Dir, atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption,
		atom.Figure, atom.Footer, atom.Form, atom.Frame, atom.Frameset, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6,
		atom.Header, atom.Hgroup, atom.Hr, atom.Html, atom.Iframe, atom.Legend, atom.Li, atom.Listing, atom.Main, atom.Menu,
		atom.Nav, atom.Noframes, atom.Ol, atom.Optgroup, atom.Option, atom.P, atom.Plaintext, atom.Pre, atom.Section,
		atom.Select, atom.Summary, atom.Table, atom.Tbody, atom.Template, atom.Textarea, atom.Tfoot, atom.Thead, atom.Tr,
		atom.Ul, atom.Video, atom.Audio, atom.Xmp:
		return '\n'
	case atom.Td, atom.Th:
		return '\t'
	case atom.Button, atom.Canvas, atom.Embed, atom.Img, atom.Input, atom.Meter, atom.Object, atom.Progress, atom.Rt, atom.Svg:
		return ' '
	}
	return 0
}
