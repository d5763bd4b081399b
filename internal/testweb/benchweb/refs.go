package benchweb

// ref is a reference of a document, in the order in which it is written.
type ref struct {
	to node
	by Construct
}

// How many references a page has beside those that make resources known.
const (
	menuLinks  = 6
	ownLinks   = 10
	crossLinks = 4
	ownImages  = 2
)

// appendRefs adds what a node refers to: its own children first, so that every
// resource has one document that it is known from, then the rest.
func (w *Web) appendRefs(b []ref, n node) []ref {
	first := n.block() * blockSize
	if n.kind == Redirect {
		return append(b, ref{w.redirectTarget(n), Location})
	}
	if n.kind == Error || n.private {
		return b
	}
	for i := n.i + 1; i < min(first+blockSize, w.size(n.h)); i++ {
		if child := w.node(n.h, i); child.parent == n.slot() {
			b = append(b, ref{child, child.by})
		}
	}
	if n.kind != HTML {
		return b
	}
	if n.slot() == 0 {
		fan := w.fan(n.h)
		for k := n.block()*fan + 1; k <= (n.block()+1)*fan && k < w.blocks(n.h); k++ {
			b = append(b, ref{w.node(n.h, k*blockSize), Anchor})
		}
		if n.i == 0 && !w.p.Deep {
			for h := 2*n.h + 1; h <= 2*n.h+2 && h < w.p.Hosts; h++ {
				b = append(b, ref{w.node(h, 0), Anchor})
			}
		}
	}
	if w.p.Deep {
		return w.appendFar(b, n)
	}
	return w.appendMore(b, n)
}

// appendMore adds the references to what is known from elsewhere too.
func (w *Web) appendMore(b []ref, n node) []ref {
	for k := range min(menuLinks, w.blocks(n.h)) {
		b = append(b, ref{w.node(n.h, k*blockSize), Anchor})
	}
	if w.frameset(n) {
		return b
	}
	if style := n.block()*blockSize + 3; n.slot() != 0 && style < w.size(n.h) {
		b = append(b, ref{w.node(n.h, style), Stylesheet})
	}
	for k := range ownLinks {
		r := w.hash(forRefs, n.h, n.i*64+k)
		// Slot 0 is always a page; slot 1 too.
		i := int(r%uint64(w.blocks(n.h)))*blockSize + int(r>>40&1)
		if i < w.size(n.h) {
			b = append(b, ref{w.node(n.h, i), Anchor})
		}
	}
	for k := range crossLinks {
		b = append(b, ref{w.elsewhere(n, w.hash(forRefs, n.h, n.i*64+32+k)), Anchor})
	}
	for k := range ownImages {
		if i := []int{5, 12}[k]; i < w.size(n.h) {
			b = append(b, ref{w.node(n.h, i), Img})
		}
	}
	r := w.hash(forRefs, n.h, n.i*64+63)
	h := int(r % uint64(w.p.Hosts))
	if i := int(r>>20%uint64(w.blocks(h)))*blockSize + 6; i < w.size(h) {
		b = append(b, ref{w.node(h, i), Img})
	}
	return b
}

// mostTries bounds the search for a page in a language.
const mostTries = 16

// elsewhere is the page anywhere that a number stands for; with locality, often one
// in the language of the page that refers to it.
func (w *Web) elsewhere(n node, r uint64) node {
	local := w.p.Locality > 0 && float64(mix(r, forLocality)>>11)/(1<<53) < w.p.Locality
	for try := 0; ; try++ {
		h := int(r % uint64(w.p.Hosts))
		to := w.node(h, int(r>>20%uint64(w.blocks(h)))*blockSize)
		if !local || try == mostTries || w.national(to) == w.national(n) {
			return to
		}
		r = mix(r, uint64(try))
	}
}

// redirectTarget follows the variant: a page known from nowhere else, an image,
// or the root of another host.
func (w *Web) redirectTarget(n node) node {
	first := n.block() * blockSize
	switch n.variant % 3 {
	case 0:
		if i := first + 15; i < w.size(n.h) {
			return w.node(n.h, i)
		}
		return w.node(n.h, first)
	case 1:
		return w.node(n.h, first+5)
	}
	return w.node(int(w.hash(forRedirect, n.h, n.i)>>8%uint64(w.p.Hosts)), 0)
}

// appendRef adds an address as the document from writes it: absolute, without
// scheme, from the root, or from the document's folder.
func (w *Web) appendRef(b []byte, from node, r ref, k int) []byte {
	to := r.to
	if from.h != to.h {
		return w.appendPath(append(b, w.origins[to.h]...), to)
	}
	if r.by == AnchorBase {
		return w.appendPath(append(b, "../.."...), to) // from baseFolder
	}
	form := w.hash(forForm, from.h, from.i*256+k) % 16
	special := r.by == JSImport || r.by == ScriptString || from.slot() == 1 && from.variant == variantBase
	switch {
	case form < 4 && r.by != JSImport || r.by == PDFLink:
		return w.appendPath(append(b, w.origins[to.h]...), to)
	case form == 4 && !special:
		return w.appendPath(append(append(b, "//"...), w.hosts[to.h]...), to)
	case form < 9 && !special:
		var own, target [200]byte
		path := w.appendPath(own[:0], from)
		for _, c := range path[1:] {
			if c == '?' {
				break
			}
			if c == '/' {
				b = append(b, "../"...)
			}
		}
		if to.i != 0 { // "" would be the document itself
			return append(b, w.appendPath(target[:0], to)[1:]...)
		}
		return append(b, "./"...)
	}
	if to.slot() == 1 && to.variant == variantUTF8 && form < 12 && r.by == Anchor && !w.windows1250(from) {
		var target [200]byte
		path := w.appendPath(target[:0], to)
		return append(append(append(b, '/'), utf8Written...), path[1+len(utf8Escaped):]...)
	}
	return w.appendPath(b, to)
}

// baseFolder is what the base element of pages with AnchorBase says.
const baseFolder = "/zaklad/slozka/"
