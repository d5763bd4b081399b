package benchweb

// Kind is what a resource is.
type Kind string

// The kinds of resources.
const (
	HTML     Kind = "html"
	CSS      Kind = "css"
	JS       Kind = "js"
	JPEG     Kind = "jpeg"
	PNG      Kind = "png"
	SVG      Kind = "svg"
	PDF      Kind = "pdf"
	Font     Kind = "font"
	Video    Kind = "video"
	Audio    Kind = "audio"
	Track    Kind = "track"
	Manifest Kind = "manifest"
	Redirect Kind = "redirect"
	Error    Kind = "error"
)

// Construct is how one resource refers to another.
type Construct string

// The constructs. Each of them is the only way to some resource.
const (
	Anchor        Construct = "a"
	AnchorBare    Construct = "a, value without quotes"
	AnchorBase    Construct = "a, relative to base"
	Area          Construct = "area"
	IFrame        Construct = "iframe"
	Frame         Construct = "frame"
	ObjectPage    Construct = "object, a page"
	LinkNext      Construct = "link rel=next"
	ScriptString  Construct = "address in a script"
	MetaRefresh   Construct = "meta refresh"
	Img           Construct = "img"
	Srcset        Construct = "img srcset"
	Picture       Construct = "picture source"
	LazyImg       Construct = "img data-src"
	Poster        Construct = "video poster"
	InputImage    Construct = "input type=image"
	Background    Construct = "background"
	ObjectImage   Construct = "object, an image"
	EmbedImage    Construct = "embed"
	SVGImage      Construct = "svg image href"
	SVGXlink      Construct = "svg image xlink:href"
	SVGUse        Construct = "svg use"
	StyleAttr     Construct = "style attribute"
	StyleElement  Construct = "style element, url()"
	StyleImport   Construct = "style element, @import"
	Stylesheet    Construct = "link rel=stylesheet"
	PreloadStyle  Construct = "link rel=preload as=style"
	PreloadImage  Construct = "link imagesrcset"
	Icon          Construct = "link rel=icon"
	LinkManifest  Construct = "link rel=manifest"
	Script        Construct = "script"
	ScriptModule  Construct = "script type=module"
	PreloadScript Construct = "link rel=preload as=script"
	ModulePreload Construct = "link rel=modulepreload"
	VideoSrc      Construct = "video"
	VideoSource   Construct = "video source"
	AudioSrc      Construct = "audio"
	TrackSrc      Construct = "track"
	CSSURL        Construct = "css url()"
	CSSImport     Construct = "css @import"
	CSSFont       Construct = "css @font-face"
	JSImport      Construct = "js import"
	ManifestIcon  Construct = "manifest icon"
	PDFLink       Construct = "pdf annotation"
	SVGFileImage  Construct = "image in an svg file"
	Location      Construct = "redirect"
)

const (
	blockSize = 16 // resources
	variants  = 12 // of blocks
	blockFan  = 4  // pages that the page of a block leads to
)

// The variants whose slot 1 is a special page; slot 2 hangs on it.
const (
	variantQuery    = 10
	variantUTF8     = 11
	variantFrameset = 6
	variantRefresh  = 7
	variantBase     = 8
)

// place is what stands in a slot and which slot refers to it, how.
type place struct {
	kind   Kind
	parent int
	by     Construct
}

// places is the table of all blocks.
type places [variants][blockSize]place

// newPlaces fills the table: what all variants share, then what tells them apart.
func newPlaces() *places {
	rows := [...][variants]place{
		1: {{HTML, 0, Anchor}, {HTML, 0, IFrame}, {HTML, 0, Area}, {HTML, 0, ObjectPage}, {HTML, 0, LinkNext}, {HTML, 0, ScriptString},
			{HTML, 0, Anchor}, {HTML, 0, Anchor}, {HTML, 0, Anchor}, {HTML, 0, AnchorBare}, {HTML, 0, Anchor}, {HTML, 0, Anchor}},
		2: {{PDF, 0, Anchor}, {SVG, 0, Img}, {JPEG, 0, Poster}, {HTML, 0, Anchor}, {JPEG, 0, InputImage}, {HTML, 0, Anchor},
			{HTML, 1, Frame}, {HTML, 1, MetaRefresh}, {HTML, 1, AnchorBase}, {PNG, 0, Picture}, {JPEG, 0, PreloadImage}, {PNG, 0, Icon}},
		3: {{CSS, 0, Stylesheet}, {CSS, 0, Stylesheet}, {CSS, 0, StyleImport}, {CSS, 0, PreloadStyle}, {CSS, 0, Stylesheet}, {CSS, 0, Stylesheet},
			{CSS, 0, StyleImport}, {CSS, 0, PreloadStyle}, {CSS, 0, Stylesheet}, {CSS, 0, Stylesheet}, {CSS, 0, StyleImport}, {CSS, 0, PreloadStyle}},
		8: {{JPEG, 0, Picture}, {JPEG, 0, Poster}, {PNG, 0, InputImage}, {JPEG, 0, Background}, {JPEG, 0, SVGImage}, {JPEG, 0, StyleAttr},
			{PNG, 0, Icon}, {PNG, 0, ObjectImage}, {JPEG, 0, EmbedImage}, {PNG, 0, StyleElement}, {JPEG, 0, SVGXlink}, {JPEG, 0, LazyImg}},
		9: {{JS, 0, Script}, {JS, 0, Script}, {JS, 0, PreloadScript}, {JS, 0, Script}, {JS, 0, ModulePreload}, {JS, 0, Script},
			{JS, 0, Script}, {JS, 0, Script}, {JS, 0, Script}, {JS, 0, ScriptModule}, {JS, 0, Script}, {JS, 0, Script}},
		10: {{CSS, 3, CSSImport}, {Manifest, 0, LinkManifest}, {SVG, 0, SVGUse}, {Video, 0, VideoSrc}, {Audio, 0, AudioSrc}, {Video, 0, VideoSource},
			{Track, 0, TrackSrc}, {Font, 3, CSSFont}, {PDF, 0, Anchor}, {JS, 9, JSImport}, {SVG, 0, Img}, {HTML, 0, IFrame}},
		11: {{PNG, 10, CSSURL}, {PNG, 10, ManifestIcon}, {JPEG, 0, Img}, {JPEG, 0, StyleElement}, {JPEG, 0, Img}, {JPEG, 0, Background},
			{JPEG, 0, Img}, {PNG, 0, StyleAttr}, {HTML, 10, PDFLink}, {JPEG, 0, Img}, {JPEG, 10, SVGFileImage}, {JPEG, 0, Srcset}},
		15: {},
	}
	var t places
	for v := range t {
		t[v] = [blockSize]place{
			0: {HTML, -1, Anchor}, 4: {JPEG, 3, CSSURL}, 5: {JPEG, 0, Img}, 6: {JPEG, 0, Img}, 7: {PNG, 0, Srcset},
			12: {JPEG, 0, Img}, 13: {JPEG, 0, Img}, 14: {PNG, 0, Img}, 15: {HTML, 0, Anchor},
		}
		for _, s := range []int{1, 2, 3, 8, 9, 10, 11} {
			t[v][s] = rows[s][v]
		}
	}
	return &t
}

// node is a resource as the layout has it. Index counts from 0 within the host.
type node struct {
	h, i    int
	variant int // of its block
	place
	status  int
	private bool // robots.txt forbids it
}

func (n node) slot() int  { return n.i % blockSize }
func (n node) block() int { return n.i / blockSize }

// node says what stands at an index of a host; the caller keeps within bounds.
func (w *Web) node(h, i int) node {
	n := node{h: h, i: i, variant: int(w.hash(forVariant, h, 0)+uint64(i/blockSize)) % variants, status: 200}
	if n.variant < 0 {
		n.variant += variants
	}
	n.place = w.places[n.variant][i%blockSize]
	switch n.slot() {
	case 0:
		n.parent = -1
	case 13:
		w.redirectOr(&n)
	case 14:
		w.errorOr(&n)
	case 15:
		if r := w.node(h, i-2); r.kind == Redirect && r.variant%3 == 0 {
			n.parent, n.by = 13, Location
		}
	}
	return n
}

func (w *Web) redirectOr(n *node) {
	if !w.chance(w.p.Redirects*blockSize, forRedirect, n.h, n.i) {
		return
	}
	n.kind, n.by = Redirect, Anchor
	if n.variant%3 == 1 {
		n.by = Img
	}
	n.status = [...]int{301, 302, 307, 308}[w.hash(forStatus, n.h, n.i)%4]
}

func (w *Web) errorOr(n *node) {
	switch {
	case w.chance(w.p.Errors*blockSize, forError, n.h, n.i):
		n.kind = Error
		if n.variant%2 == 0 {
			n.by = Anchor
		}
		n.status = [...]int{404, 404, 410, 403, 500}[w.hash(forStatus, n.h, n.i)%5]
	case w.forbids(n.h):
		n.kind, n.by, n.private = HTML, Anchor, true
	}
}

// forbids reports whether the host's robots.txt closes its private folder.
func (w *Web) forbids(h int) bool { return w.chance(w.p.Robots, forRobots, h, 0) }

// national reports whether a page is in Czech.
func (w *Web) national(n node) bool {
	if n.kind != HTML || w.frameset(n) {
		return false
	}
	i := n.i
	if w.p.Deep {
		i = n.block() // a section of a site has a language
	}
	if w.chance(w.p.Locality, forLocality, n.h, i) {
		i = -1 // as its host
	}
	return w.chance(w.p.National, forNational, n.h, i)
}

func (w *Web) frameset(n node) bool { return n.slot() == 1 && n.variant == variantFrameset }
