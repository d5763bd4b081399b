package benchweb

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"exclave/internal/testweb"

	"github.com/klauspost/compress/flate"
	"golang.org/x/text/encoding/charmap"
)

// piece is a part of many bodies, ready to be copied into them, plain or as a run
// of whole deflate blocks that refer to nothing before.
type piece struct{ plain, deflated []byte }

// pools hold the parts that bodies are made of.
type pools struct {
	czech, czechOld, english []piece // paragraphs with the markup around them; Old in windows-1250
	script, style            []piece
	random                   []byte // does not compress
}

const (
	texts      = 96 // texts per language
	randomSize = 1 << 20
	minRandom  = 1 << 18 // the shortest run that can be taken at any offset below randomSize-minRandom
)

func newPools(seed uint64) (*pools, error) {
	r := rand.New(rand.NewPCG(seed, 0))
	p := &pools{random: make([]byte, randomSize)}
	for i := 0; i < randomSize; i += 8 {
		binary.LittleEndian.PutUint64(p.random[i:], r.Uint64())
	}
	z, err := flate.NewWriter(nil, 6)
	if err != nil {
		return nil, fmt.Errorf("benchweb: %w", err)
	}
	for n := range texts {
		for _, t := range []struct {
			to   *[]piece
			page testweb.Page
		}{{&p.czech, testweb.NationalPage(n)}, {&p.english, testweb.ForeignPage(n)}} {
			for _, text := range paragraphs(t.page.Body) {
				if *t.to, err = addPiece(z, *t.to, wrap(text, r)); err != nil {
					return nil, err
				}
			}
		}
	}
	for _, c := range p.czech {
		old, err := charmap.Windows1250.NewEncoder().Bytes(c.plain)
		if err != nil {
			return nil, fmt.Errorf("benchweb: recode prose: %w", err)
		}
		if p.czechOld, err = addPiece(z, p.czechOld, string(old)); err != nil {
			return nil, err
		}
	}
	for range 64 {
		if p.script, err = addPiece(z, p.script, function(r)); err != nil {
			return nil, err
		}
		if p.style, err = addPiece(z, p.style, rules(r)); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func addPiece(z *flate.Writer, to []piece, text string) ([]piece, error) {
	var b bytes.Buffer
	z.Reset(&b)
	_, err := z.Write([]byte(text))
	if err == nil {
		err = z.Flush() // ends on a byte boundary
	}
	if err != nil {
		return nil, fmt.Errorf("benchweb: compress: %w", err)
	}
	return append(to, piece{[]byte(text), bytes.Clone(b.Bytes())}), nil
}

// paragraphs cuts the prose out of a page of testweb. Czech contacts stay with the
// text before them.
func paragraphs(page string) []string {
	_, rest, _ := strings.Cut(page, "<body>\n")
	rest, _, _ = strings.Cut(rest, "</body>")
	return strings.SplitAfter(strings.TrimSuffix(rest, "\n"), "</p>\n")
}

// wrap puts what surrounds text on real pages around a paragraph: half of a page
// or more is markup.
func wrap(text string, r *rand.Rand) string {
	id := strconv.Itoa(r.IntN(100_000))
	return `<section class="block block--` + id + ` layout-column is-visible" data-component="text" data-index="` + id + `">` +
		"\n  <div class=\"block__inner grid__item grid__item--8 u-mb-" + id[:1] + "\">\n    " + strings.TrimSpace(text) +
		"\n    <ul class=\"meta-list meta-list--inline\"><li class=\"meta-list__item\"><span class=\"icon icon--clock\" aria-hidden=\"true\"></span>" +
		strconv.Itoa(1+r.IntN(28)) + ". " + strconv.Itoa(1+r.IntN(12)) + ". " + strconv.Itoa(1998+r.IntN(28)) +
		"</li><li class=\"meta-list__item\"><a href=\"#c" + id + "\" class=\"link link--quiet\">#" + id + "</a></li></ul>\n  </div>\n</section>\n"
}

// function is a piece of a script without anything that looks like an address.
func function(r *rand.Rand) string {
	name := func() string { return words()[r.IntN(len(words()))] + strconv.Itoa(r.IntN(90)) }
	var b strings.Builder
	fmt.Fprintf(&b, "function %s(e, t) {\n  var n = t || {}, %s = [], o = null;\n", name(), name())
	for range 3 + r.IntN(8) {
		fmt.Fprintf(&b, "  if (e.%s !== undefined && n[\"%s\"] > %d) { o = e.%s.bind(this, \"%s\", %d); }\n", name(), name(), r.IntN(1000), name(), name(), r.IntN(1e6))
	}
	fmt.Fprintf(&b, "  return o ? o.apply(null, %d) : e.className.replace(/\\b%s-(\\d+)\\b/g, \"%s $1\");\n}\n", r.IntN(9), name(), name())
	return b.String()
}

// rules is a piece of a style sheet without references.
func rules(r *rand.Rand) string {
	var b strings.Builder
	for range 4 + r.IntN(5) {
		w := words()[r.IntN(len(words()))]
		fmt.Fprintf(&b, ".%s-%d > .%s__item:hover { margin: %dpx auto; color: #%06x; line-height: 1.%d; transition: opacity .%ds ease-in-out; }\n",
			w, r.IntN(500), w, r.IntN(80), r.IntN(1<<24), r.IntN(9), 1+r.IntN(8))
	}
	fmt.Fprintf(&b, "@media (max-width: %dpx) { .grid__item--%d { width: %d%%; float: none } }\n", 300+r.IntN(900), r.IntN(12), 1+r.IntN(100))
	return b.String()
}
