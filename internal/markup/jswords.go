package markup

import (
	"bytes"
	"iter"
)

// wordSet is words of scripts, by hashes: some that it has not seem to be in it.
type wordSet [1 << 8]uint64

func (w *wordSet) bit(word []byte) (*uint64, uint64) {
	h := uint32(2166136261) // FNV-1a
	for _, c := range word {
		h = (h ^ uint32(c)) * 16777619
	}
	h ^= h >> 15
	return &w[h>>6%uint32(len(w))], 1 << (h & 63)
}

// add adds the words of a script.
func (w *wordSet) add(src []byte) {
	for i := 0; i < len(src); i++ {
		if jsClass[src[i]]&jsLetter == 0 {
			continue
		}
		from := i
		for i < len(src) && jsIdent(src[i]) {
			i++
		}
		if n := i - from; n > 1 && n <= maxName {
			w.put(src[from:i])
		}
	}
}

func (w *wordSet) put(word []byte) {
	at, bit := w.bit(word)
	*at |= bit
}

func (w *wordSet) has(word []byte) bool {
	at, bit := w.bit(word)
	return *at&bit != 0
}

// meanings are the names that a script gives a meaning: name = …, function name, class name.
func meanings(src []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for at := 0; ; at++ {
			i := bytes.IndexByte(src[at:], '=')
			if i < 0 {
				break
			}
			if at += i; at+1 < len(src) && src[at+1] != '=' && !yield(wordEnding(src[:at])) {
				return
			}
		}
		for _, kind := range [...]string{"function ", "class "} {
			for at := 0; ; {
				i := bytes.Index(src[at:], []byte(kind))
				if i < 0 {
					break
				}
				at += i + len(kind)
				end := at
				for end < len(src) && jsIdent(src[end]) {
					end++
				}
				if !yield(src[at:end]) {
					return
				}
			}
		}
	}
}

// wordEnding is the word that some code ends with; blanks may follow it.
func wordEnding(src []byte) []byte {
	end := len(src)
	for end > 0 && src[end-1] == ' ' {
		end--
	}
	from := end
	for from > 0 && jsIdent(src[from-1]) {
		from--
	}
	return src[from:end]
}

// gives reports a script that gives one of some names a meaning, or says something that others may wait for.
func gives(src []byte, words *wordSet) bool {
	for name := range meanings(src) {
		if len(name) > 0 && words.has(name) {
			return true
		}
	}
	for _, call := range [...]string{".push(", ".extend(", ".assign("} {
		if bytes.Contains(src, []byte(call)) {
			return true
		}
	}
	return false
}

// calls reports a script that calls one of some functions.
func calls(src []byte, functions *wordSet) bool {
	for at := 0; ; at++ {
		i := bytes.IndexByte(src[at:], '(')
		if i < 0 {
			return false
		}
		at += i
		if name := wordEnding(src[:at]); len(name) > 2 && functions.has(name) {
			return true
		}
	}
}
