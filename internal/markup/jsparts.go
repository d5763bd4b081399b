package markup

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// putsTogether reports a script that may make addresses of parts: a string with a part of one stands beside a plus, or in a template beside
// a substitution; or a string is a folder. Most libraries have none.
func (b *builder) putsTogether(src []byte) bool {
	const near = 128
	slash := len(src) <= maxInline // alone between names is enough: libraries have dates and numbers there
	for i := 0; ; i++ {
		n := bytes.IndexByte(src[i:], '+')
		if n < 0 || !b.on(near/8) {
			break
		}
		i += n
		if before := bytes.TrimRight(src[max(0, i-near):i], " \t\r\n"); len(before) > 1 {
			if q := before[len(before)-1]; q == '"' || q == '\'' {
				before = before[:len(before)-1]
				if piece := before[bytes.LastIndexByte(before, q)+1:]; slash && string(piece) == "/" || partOfAddress(piece) {
					return true
				}
			}
		}
		if behind := bytes.TrimLeft(src[i+1:min(len(src), i+near)], " \t\r\n"); len(behind) > 1 {
			if q := behind[0]; q == '"' || q == '\'' {
				behind = behind[1:]
				if end := bytes.IndexByte(behind, q); end > 0 && partOfAddress(behind[:end]) {
					return true
				}
			}
		}
	}
	for i := 1; ; i++ { // folders, which names are put behind
		n := bytes.IndexByte(src[min(i, len(src)):], '/')
		if n < 0 || i+n+1 == len(src) {
			break
		}
		i += n
		if q := src[i+1]; (q == '"' || q == '\'') && isWordByte(src[i-1]) {
			v := src[max(0, i-near):i]
			v = v[bytes.LastIndexByte(v, q)+1:]
			if v[0] == '/' || bytes.Contains(v, []byte("://")) && !bytes.Contains(v, []byte("www.w3.org")) || slash && relativeFolder(string(v)) {
				return true
			}
		}
	}
	for i := 0; ; i += 2 {
		n := bytes.Index(src[i:], []byte("${"))
		if n < 0 {
			if len(src) <= maxInline && (bytes.Contains(src, []byte("].join(")) || bytes.Contains(src, []byte("%s/")) || bytes.Contains(src, []byte("/%s")) || saysExtension(src)) {
				return true
			}
			return false
		}
		if !b.on(near / 8) {
			return false
		}
		i += n
		before := src[max(0, i-near):i]
		behind := src[i:min(len(src), i+near)]
		behind = behind[bytes.IndexByte(behind, '}')+1:]
		piece := before[bytes.LastIndexAny(before, "`}")+1:]
		if slash && string(piece) == "/" || partOfAddress(piece) || partOfAddress(behind[:max(0, bytes.IndexAny(behind, "`$"))]) {
			return true
		}
	}
}

// relativeFolder reports "img/2005/", and nothing that is the beginning of a MIME type.
func relativeFolder(v string) bool {
	switch v {
	case "text/", "image/", "audio/", "video/", "font/", "application/", "multipart/":
		return false
	}
	return len(v) > 1 && !strings.ContainsFunc(v, func(r rune) bool {
		return r < utf8.RuneSelf && !isWordByte(byte(r)) && r != '/' && r != '.'
	})
}

// saysExtension reports a string that is the end of a name of a file: ".png", '.js?v='.
func saysExtension(src []byte) bool {
	for at := 0; ; at++ {
		i := bytes.IndexByte(src[at:], '.')
		if i < 0 {
			return false
		}
		if at += i; at == 0 || src[at-1] != '"' && src[at-1] != '\'' {
			continue
		}
		v := src[at:min(len(src), at+8)]
		if end := bytes.IndexAny(v[1:], "\"'?"); end > 0 && hasKnownExtension("a"+string(v[:1+end])) {
			return true
		}
	}
}

// partOfAddress reports a string with a slash between or behind letters, parameters, one that ends as names of files do, or the beginning of an attribute.
func partOfAddress(v []byte) bool {
	if bytes.Contains(v, []byte("src=")) || bytes.Contains(v, []byte("href=")) || bytes.Contains(v, []byte("url(")) || bytes.Contains(v, []byte("SRC=")) {
		return true
	}
	if len(v) < 2 || bytes.ContainsAny(v, "<>(){} \n\\") {
		return false
	}
	if v[0] == '?' && bytes.IndexByte(v, '=') > 0 {
		return true
	}
	if bytes.IndexByte(v, '.') >= 0 && hasKnownExtension("a"+string(v)) {
		return true
	}
	for i := bytes.IndexByte(v, '/'); i >= 0 && i < len(v); i++ {
		if v[i] == '/' && (i > 0 && isWordByte(v[i-1]) || i+1 < len(v) && isWordByte(v[i+1])) && len(v) > 2 {
			return true
		}
	}
	return false
}
