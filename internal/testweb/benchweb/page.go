package benchweb

// html writes a page: head, menu, prose with references between its paragraphs.
func (w *Web) html(b *body, n node) {
	if w.frameset(n) {
		w.framesetPage(b, n)
		return
	}
	prose, lang := w.pools.english, "en"
	if w.national(n) {
		prose, lang = w.pools.czech, "cs"
	}
	b.text("<!DOCTYPE html>\n<html lang=\"")
	b.text(lang)
	if w.windows1250(n) {
		prose = w.pools.czechOld
		b.text("\">\n<head>\n<meta charset=\"windows-1250\">\n<title>")
	} else {
		b.text("\">\n<head>\n<meta charset=\"utf-8\">\n<title>")
	}
	w.unique(b, n)
	b.text("</title>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<link rel=\"dns-prefetch\" href=\"//nobody.invalid\">\n")
	background := -1
	for i, r := range b.refs {
		if r.by == Background {
			background = i
		} else if r.by.inHead() {
			w.head(b, n, r)
		}
	}
	// Nothing of this is asked for.
	b.text("<!-- <link rel=\"stylesheet\" href=\"/never-asked-for.css\"> -->\n</head>\n<body class=\"page page--article\"")
	if background >= 0 {
		b.text(" background=\"")
		w.ref(b, n, b.refs[background])
		b.text("\"")
	}
	b.text(">\n<header><a href=\"#content\">Skip</a> <a href=\"javascript:void(0)\">Menu</a></header>\n" +
		"<form method=\"post\" action=\"/never-asked-for\"><input name=\"q\"></form>\n<main id=\"content\">\n")
	w.prose(b, n, prose)
	if u := w.entryTo(n); u != "" {
		b.text("<p><a href=\"" + u + "\">More</a></p>\n")
	}
	b.text("</main>\n<footer><a href=\"mailto:info@example.com\">info@example.com</a></footer>\n</body>\n</html>\n")
}

func (c Construct) inHead() bool {
	switch c {
	case LinkNext, MetaRefresh, StyleElement, StyleImport, Stylesheet, PreloadStyle, PreloadImage, Icon, LinkManifest, Script,
		PreloadScript, ModulePreload, AnchorBase, Background:
		return true
	}
	return false
}

// prose spreads references evenly over the paragraphs.
func (w *Web) prose(b *body, n node, from []piece) {
	left := 0
	for _, r := range b.refs {
		if !r.by.inHead() || r.by == AnchorBase {
			left++
		}
	}
	size := w.target(n)
	at := w.content(n)
	next := 0
	// Three paragraphs at least: a verdict needs words, and one of them may be
	// nothing but contacts.
	for k := 0; k < 3 || b.size < size; k++ {
		b.piece(&from[at%uint64(len(from))])
		at = at*6364136223846793005 + 1442695040888963407
		at ^= at >> 29
		// So many that all are written when the size is reached.
		some := left
		if b.size < size {
			some = max(left*700/(size-b.size+700), 1)
		}
		for ; some > 0 && next < len(b.refs); next++ {
			if r := b.refs[next]; !r.by.inHead() || r.by == AnchorBase {
				w.inBody(b, n, r)
				some--
				left--
			}
		}
	}
	for ; next < len(b.refs); next++ {
		if r := b.refs[next]; !r.by.inHead() || r.by == AnchorBase {
			w.inBody(b, n, r)
		}
	}
}

// around are the texts before and after an address.
func around(c Construct) (before, after string) {
	switch c {
	case LinkNext:
		return `<link rel="next" href="`, "\">\n"
	case MetaRefresh:
		return `<meta http-equiv="refresh" content="30; url=`, "\">\n"
	case AnchorBase:
		return `<p class="crumb"><a href="`, "\">relative to base</a></p>\n"
	case StyleElement:
		return `<style>.teaser { background-image: url("`, "\") }</style>\n"
	case StyleImport:
		return `<style>@import "`, "\";</style>\n"
	case Stylesheet:
		return `<link rel="stylesheet" type="text/css" href="`, "\">\n"
	case PreloadStyle:
		return `<link rel="preload" as="style" href="`, "\">\n"
	case PreloadImage:
		return `<link rel="preload" as="image" imagesrcset="`, " 1x\">\n"
	case Icon:
		return `<link rel="shortcut icon" href="`, "\">\n"
	case LinkManifest:
		return `<link rel="manifest" href="`, "\">\n"
	case Script:
		return `<script src="`, "\" defer></script>\n"
	case PreloadScript:
		return `<link rel="preload" as="script" href="`, "\">\n"
	case ModulePreload:
		return `<link rel="modulepreload" href="`, "\">\n"
	case AnchorBare:
		return `<p><a class=more href=`, ">bare</a></p>\n"
	case Area:
		return `<map name="m"><area shape="rect" coords="0,0,9,9" alt="area" href="`, "\"></map>\n"
	case IFrame:
		return `<iframe width="300" height="200" src="`, "\"></iframe>\n"
	case ObjectPage:
		return `<object type="text/html" data="`, "\"></object>\n"
	case ScriptString:
		return `<script>document.getElementById("go").onclick = function () { location.href = "`, "\"; };</script>\n"
	case Srcset:
		return `<img alt="" sizes="50vw" srcset="`, " 480w\">\n"
	case Picture:
		return `<picture><source type="image/webp" srcset="`, " 2x\"></picture>\n"
	case LazyImg:
		return `<img class="lazy" alt="" data-src="`, "\">\n"
	case Poster:
		return `<video controls poster="`, "\"></video>\n"
	case InputImage:
		return `<form method="post" action="/never-asked-for"><input type="image" alt="go" src="`, "\"></form>\n"
	case ObjectImage:
		return `<object type="image/png" data="`, "\"></object>\n"
	case EmbedImage:
		return `<embed type="image/jpeg" src="`, "\">\n"
	case SVGImage:
		return `<svg width="64" height="64"><image href="`, "\" width=\"64\" height=\"64\"/></svg>\n"
	case SVGXlink:
		return `<svg width="64" height="64"><image xlink:href="`, "\" width=\"64\" height=\"64\"/></svg>\n"
	case SVGUse:
		return `<svg width="16" height="16"><use href="`, "#icon\"/></svg>\n"
	case StyleAttr:
		return `<div class="hero" style="color: #333; background-image: url('`, "')\"></div>\n"
	case ScriptModule:
		return `<script type="module" src="`, "\"></script>\n"
	case VideoSrc:
		return `<video controls src="`, "\"></video>\n"
	case VideoSource:
		return `<video controls><source type="video/mp4" src="`, "\"></video>\n"
	case AudioSrc:
		return `<audio controls src="`, "\"></audio>\n"
	case TrackSrc:
		return `<video><track kind="captions" srclang="en" src="`, "\"></video>\n"
	case Img:
		return `<figure><img loading="lazy" width="400" height="300" alt="" src="`, "\"></figure>\n"
	}
	return `<li class="teaser__item"><a class="teaser__link" href="`, "\">Read more</a></li>\n"
}

// head writes a reference that stands in the head; the base element stands before
// the anchors that need it.
func (w *Web) head(b *body, n node, r ref) {
	if r.by == AnchorBase {
		b.text("<base href=\"" + baseFolder + "\">\n")
		return
	}
	w.inBody(b, n, r)
}

func (w *Web) inBody(b *body, n node, r ref) {
	before, after := around(r.by)
	b.text(before)
	w.ref(b, n, r)
	b.text(after)
}

func (w *Web) framesetPage(b *body, n node) {
	b.text("<!DOCTYPE html PUBLIC \"-//W3C//DTD HTML 4.01 Frameset//EN\" \"http://www.w3.org/TR/html4/frameset.dtd\">\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>")
	w.unique(b, n)
	b.text("</title></head>\n<frameset cols=\"*\">\n")
	for _, r := range b.refs {
		if r.by == Frame {
			b.text("<frame src=\"")
			w.ref(b, n, r)
			b.text("\">\n")
		}
	}
	b.text("<noframes><body>\n")
	for _, r := range b.refs {
		if r.by != Frame {
			w.inBody(b, n, r)
		}
	}
	w.fill(b, n, w.pools.english)
	b.text("</body></noframes>\n</frameset>\n</html>\n")
}
