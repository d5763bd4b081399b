package main

import (
	"archive/zip"
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"exclave/dict"
)

// frequencies are the words of a language with their share of a text.
type frequencies map[string]float64

// add counts the words in text; a token may be several words to us, or none.
func (f frequencies) add(text string, share float64) {
	for w := range dict.Words(text) {
		f[string(w)] += share
	}
}

func (f frequencies) scaled() frequencies {
	sum := 0.0
	for _, w := range f.sorted() {
		sum += f[w]
	}
	out := make(frequencies, len(f))
	for w, v := range f {
		out[w] = v / sum
	}
	return out
}

// wordfreq reads a list of the wheel, the large one where there is one: gzipped MessagePack in the form
// cB, in which the i-th bucket has the words of frequency 10^(-i/100).
func wordfreq(wheel *zip.Reader, list string) (frequencies, error) {
	for _, size := range []string{"large", "small"} {
		name := "wordfreq/data/" + size + "_" + list + ".msgpack.gz"
		f, err := wheel.Open(name)
		if err != nil {
			continue
		}
		defer func() { _ = f.Close() }() // only read
		z, err := gzip.NewReader(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out := frequencies{}
		if err := buckets(bufio.NewReader(z), out); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return out.scaled(), nil
	}
	return nil, fmt.Errorf("no list %s in the wheel", list)
}

func buckets(r *bufio.Reader, out frequencies) error {
	n, err := head(r, 0x90, 0xdc)
	if err != nil {
		return err
	}
	if err := skipMap(r); err != nil { // format and version
		return err
	}
	for i := range min(n-1, rarest) {
		words, err := head(r, 0x90, 0xdc)
		if err != nil {
			return err
		}
		for range words {
			w, err := str(r)
			if err != nil {
				return err
			}
			out.add(w, math.Pow(10, -float64(i)/100))
		}
	}
	return nil
}

// rarest is the last bucket that is read: words of 10^-6.5 of a text.
const rarest = 650

var errMessage = errors.New("not the MessagePack that is expected")

// head reads the length of an array: short forms are small|n, then wide with 16 and 32 bits.
func head(r *bufio.Reader, small, wide byte) (int, error) {
	b, err := r.ReadByte()
	switch {
	case err != nil:
		return 0, err
	case b&0xf0 == small:
		return int(b & 0x0f), nil
	case b == wide:
		return number(r, 2)
	case b == wide+1:
		return number(r, 4)
	}
	return 0, errMessage
}

func number(r *bufio.Reader, size int) (n int, err error) {
	for range size {
		b, err := r.ReadByte()
		if err != nil {
			return 0, err
		}
		n = n<<8 | int(b)
	}
	return n, nil
}

func str(r *bufio.Reader) (string, error) {
	b, err := r.ReadByte()
	if err != nil {
		return "", err
	}
	n := 0
	switch {
	case b&0xe0 == 0xa0:
		n = int(b & 0x1f)
	case b >= 0xd9 && b <= 0xdb:
		if n, err = number(r, 1<<(b-0xd9)); err != nil {
			return "", err
		}
	default:
		return "", errMessage
	}
	s := make([]byte, n)
	_, err = io.ReadFull(r, s)
	return string(s), err
}

// skipMap skips a map of strings to strings and small numbers.
func skipMap(r *bufio.Reader) error {
	n, err := head(r, 0x80, 0xde)
	if err != nil {
		return err
	}
	for range n {
		if _, err := str(r); err != nil {
			return err
		}
		b, err := r.Peek(1)
		if err != nil {
			return err
		}
		if b[0] < 0x80 {
			_, err = r.ReadByte()
		} else {
			_, err = str(r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// counted reads a text and counts its words. Words that English has far oftener are left out:
// translations are not always complete.
func counted(file string, english frequencies) (frequencies, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	counts := frequencies{}
	counts.add(string(text), 1)
	out := frequencies{}
	for w, n := range counts {
		if n < 2 && english[w] > 0 || english[w] > 3*n/float64(len(counts)) {
			continue
		}
		out[w] = n
	}
	return out.scaled(), nil
}

// folder makes a text as people write it who have no diacritics; german also writes ae, oe, ue.
func folder(german bool) func(string) string {
	pairs := strings.Fields("ł l đ d ø o æ ae ß ss ı i þ th ð d œ oe ħ h ŧ t")
	if german {
		pairs = append(pairs, strings.Fields("ä ae ö oe ü ue ø oe å aa")...)
	}
	r := strings.NewReplacer(pairs...)
	return func(s string) string { return strip(r.Replace(s)) }
}

// cyrillic writes Serbian in Cyrillic letters; latin the other way about.
func cyrillic() *strings.Replacer {
	return strings.NewReplacer(strings.Fields("dž џ lj љ nj њ a а b б v в g г d д đ ђ e е ž ж z з i и j ј k к l л m м n н o о p п r р s с t т ć ћ u у f ф h х c ц č ч š ш")...)
}

func latin() *strings.Replacer {
	return strings.NewReplacer(strings.Fields("џ dž љ lj њ nj а a б b в v г g д d ђ đ е e ж ž з z и i ј j к k л l м m н n о o п p р r с s т t ћ ć у u ф f х h ц c ч č ш š " +
		"Џ Dž Љ Lj Њ Nj А A Б B В V Г G Д D Ђ Đ Е E Ж Ž З Z И I Ј J К K Л L М M Н N О O П P Р R С S Т T Ћ Ć У U Ф F Х H Ц C Ч Č Ш Š")...)
}

// clean takes out what is English in a language's list: the web is full of it. How much there is
// show the words that no other language has.
func (f frequencies) clean(english frequencies) frequencies {
	var shares []float64
	for _, w := range strings.Fields("the of and with which that this from have were their would been they through about") {
		shares = append(shares, f[w]/english[w])
	}
	slices.Sort(shares)
	share := 1.2 * shares[len(shares)/2]
	out := make(frequencies, len(f))
	for w, v := range f {
		if v -= share * english[w]; v > 0 {
			out[w] = v
		}
	}
	return out.scaled()
}

// smallLetters returns the words that a text has in small letters, in all forms that people write them.
func smallLetters(file string) (map[string]bool, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	fold, german, toCyrillic, toLatin := folder(false), folder(true), cyrillic(), latin()
	for field := range strings.FieldsSeq(string(text)) {
		for w := range dict.Words(field) {
			if s := string(w); strings.Contains(field, s) {
				counts[s]++
			}
		}
	}
	out := map[string]bool{}
	for w, n := range counts {
		if n >= 2 {
			l := toLatin.Replace(w)
			for _, form := range []string{w, l, fold(l), german(l), toCyrillic.Replace(l)} {
				out[form] = true
			}
		}
	}
	return out, nil
}
