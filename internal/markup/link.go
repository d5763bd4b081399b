package markup

import (
	neturl "net/url"
	"strconv"
	"strings"
	"unicode/utf8"
)

// seenLinks is which links there are. Most pages say many of them several times, so that it is asked before anything else is made of an address.
type seenLinks struct {
	urls  map[string]int32 // by address, the place of the last of links
	links []seenLink
	room  int // for so many
}

// seenLink is a link to an address.
type seenLink struct {
	seenAs
	before int32 // another to it, -1: none
}

// seenAs is what makes two links to an address different ones.
type seenAs struct {
	context  string
	kind     LinkKind
	noFollow bool
}

// maxSeenAs is how many different links to an address there may be.
const maxSeenAs = 64

// of is how an address is known in a document.
func (s *seenLinks) of(url, base string) string {
	if base == "" {
		return url
	}
	return url + "\n" + base
}

// add keeps a link.
func (s *seenLinks) add(url, base string, as seenAs) {
	if s.urls == nil {
		s.urls = make(map[string]int32, s.room)
	}
	if s.links == nil {
		s.links = make([]seenLink, 0, s.room)
	}
	url = s.of(url, base)
	before, is := s.urls[url]
	if !is {
		before = -1
	}
	s.urls[url] = int32(len(s.links))
	s.links = append(s.links, seenLink{as, before})
}

// known reports a link that was found before.
func (s *seenLinks) known(url, base string, as seenAs) bool {
	at, is := s.urls[s.of(url, base)]
	return is && s.has(at, as)
}

// has looks for a link among those to its address.
func (s *seenLinks) has(at int32, as seenAs) bool {
	n := 0
	for ; at >= 0 && n < maxSeenAs; at = s.links[at].before {
		if s.links[at].seenAs == as {
			return true
		}
		n++
	}
	return n == maxSeenAs
}

// as is what a link of what is read now is seen as.
func (b *builder) as(kind LinkKind, context string) seenAs {
	if b.quotes > 0 && !b.written || b.unseen > 0 && (kind == Embed || kind == Frame) {
		kind = Speculative
	}
	return seenAs{context, kind, b.noFollow}
}

// add records a link and returns it for completion, or nil when it is empty, of
// a scheme that is not followed, known already, or one too many. The pointer is
// valid until the next call.
func (b *builder) add(raw []byte, kind LinkKind, context string) *Link {
	for len(raw) > 0 && raw[0] <= ' ' {
		raw = raw[1:]
	}
	for len(raw) > 0 && raw[len(raw)-1] <= ' ' {
		raw = raw[:len(raw)-1]
	}
	if len(raw) == 0 || raw[0] == '#' {
		return nil
	}
	if at, is := b.seen.urls[string(raw)]; is && b.base == "" && b.seen.has(at, b.as(kind, context)) {
		return nil
	}
	return b.addString(string(raw), kind, context)
}

// ofBundle has the names of a program's parts, as bundlers write them for what loads these, relative to where the program is: in a module, what
// begins with a dot ("./index.5e6f.js", for new URL(…, import.meta.url)), and what has a hash in its name and begins with a folder that the
// script is in ("assets/js/9c8b.77665544.js" in /assets/js/main.js, below the public path). Those of Parcel are beside each other.
func (b *builder) ofBundle(l *Link) {
	switch {
	case b.loads && !b.given && !b.asked && (strings.HasPrefix(l.URL, "./") || strings.HasPrefix(l.URL, "../")) && hasExtension(l.URL):
		l.OfPage = false
	case b.parcel && strings.IndexByte(l.URL, '/') < 0 && hasHash(l.URL):
		l.OfPage = false
	case hasHash(l.URL):
		at, err := neturl.Parse(b.o.URL)
		folder, _, below := strings.Cut(l.URL, "/")
		if err != nil || !below || folder == "" || folder[0] == '.' {
			return
		}
		if i := strings.Index(at.Path, "/"+folder+"/"); i >= 0 {
			l.URL = (&neturl.URL{Path: at.Path[:i+1]}).EscapedPath() + l.URL
		}
	}
}

// hasHash reports a name of a file with a part of at least eight letters and digits, of both: main.0d9c8b7a.js, index-De90ab12.js.
func hasHash(ref string) bool {
	name := ref[strings.LastIndexByte(ref, '/')+1:]
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 || strings.ContainsAny(ref, "?#:") {
		return false
	}
	for part := range strings.FieldsFuncSeq(name[:dot], func(r rune) bool { return r == '.' || r == '-' || r == '_' }) {
		digits, letters := 0, 0
		for i := range len(part) {
			switch c := part[i]; {
			case '0' <= c && c <= '9':
				digits++
			case 'a' <= c|0x20 && c|0x20 <= 'z':
				letters++
			}
		}
		if digits > 0 && letters > 0 && digits+letters == len(part) && len(part) >= 8 {
			return true
		}
	}
	return false
}

// addString is add for what is a string already.
func (b *builder) addString(raw string, kind LinkKind, context string) *Link {
	url, ok := cleanString(raw)
	if !ok {
		return nil
	}
	if kind == Speculative && strings.HasPrefix(url, "static/") {
		url = b.ofNext(url)
	}
	if kind == Speculative && ofWeebly(url) {
		url = "/uploads/" + url
	}
	as := b.as(kind, context)
	switch {
	case b.seen.known(url, b.base, as):
		return nil
	case len(url) > maxURL:
		b.doc.DroppedLinks++
		return nil
	case kind == Speculative && (context == jsString || context == jsFetch) && b.shows(url), // nobody is asked there
		b.emoji > 0 && b.quotes > 0 && context == "img/@src" && isEmoji(url):
		return nil
	case kind == Speculative && isEmptyStyle(url):
		return nil
	case b.made && b.quotes > 0 && (nameless(url) || context == "img/@src" && strings.HasSuffix(beforeQuery(url), "/")): // the name was not known when it was put together
		return nil
	case b.quotes > 0 && (b.written && strings.ContainsAny(url, "{}<>`") || !b.written && placeholder(url)): // what is written as it stands is no pattern
		return nil
	case (b.doc.Kind == HTML || b.doc.Kind == XHTML) && (toBeFilled(url) || strings.IndexByte(url, '{') >= 0 && ofOwnElement(context)),
		b.doc.Kind == XML && undefinedEntity(url):
		return nil
	}
	stated := kind
	kind = as.kind
	list := &b.doc.Links
	if kind == Speculative {
		list = &b.guess
	}
	l := Link{
		URL: url, Base: b.base, Kind: kind, Hop: kind.Hop(), Context: context, NoFollow: b.noFollow,
		UTF8:   b.utf8,
		Early:  !b.based && (kind == Embed || kind == Frame),
		OfPage: (b.doc.Kind == JS || b.doc.Kind == JSON) && context != jsImport,
		Made:   b.made,
		Asked:  b.asked && (stated == Embed || stated == Frame || stated == Speculative && strings.HasPrefix(context, "js/")),
	}
	if l.OfPage && context == jsString && kind == Speculative && b.doc.Kind == JS {
		b.ofBundle(&l)
	}
	if len(*list) >= b.o.MaxLinks {
		b.doc.DroppedLinks++
		if kind == Embed || kind == Frame {
			b.seen.add(url, b.base, as)
			return b.inPlace(l)
		}
		return nil
	}
	b.seen.add(url, b.base, as)
	if *list == nil {
		*list = make([]Link, 0, max(b.seen.room/4, 8))
	}
	*list = append(*list, l)
	return &(*list)[len(*list)-1]
}

// ofWeebly reports the name of a picture as Weebly's slide shows have it, below the folders of the first digits of the site's number: 2/3/4/5/23456789/a.jpg.
func ofWeebly(ref string) bool {
	if len(ref) < 12 || ref[1] != '/' || ref[3] != '/' || ref[5] != '/' || ref[7] != '/' {
		return false
	}
	site, _, below := strings.Cut(ref[8:], "/")
	_, err := strconv.ParseUint(site, 10, 64)
	return below && err == nil && strings.HasPrefix(site, ref[:1]+ref[2:3]+ref[4:5]+ref[6:7])
}

// isEmptyStyle reports a style sheet that is called after what it has (webpack's contenthash, MD4), which is nothing: such a sheet is not written.
func isEmptyStyle(url string) bool {
	return strings.HasSuffix(url, ".css") && strings.Contains(url, "."+noStyles)
}

// beforeQuery is an address without its query.
func beforeQuery(url string) string {
	path, _, _ := strings.Cut(url, "?")
	return path
}

// inPlace puts an embed in the place of the last link to another page, if there is one: without what it embeds an archived page is not whole,
// and what it leads to may be found elsewhere.
func (b *builder) inPlace(l Link) *Link {
	links := b.doc.Links
	for b.behind < len(links) {
		b.behind++
		at := &links[len(links)-b.behind]
		if at.Kind != Embed && at.Kind != Frame {
			*at = l
			return at
		}
	}
	return nil
}

// cleanURL does to a reference what the WHATWG URL standard does before parsing
// (4.4: strip C0 controls and spaces at the edges, remove tabs and newlines) and
// reports whether it leads anywhere: not empty, not a mere fragment, and of a
// scheme that can be fetched.
func cleanURL(raw []byte) (string, bool) {
	for len(raw) > 0 && raw[0] <= ' ' {
		raw = raw[1:]
	}
	if len(raw) == 0 || raw[0] == '#' {
		return "", false
	}
	return cleanString(string(raw))
}

func cleanString(url string) (string, bool) {
	for len(url) > 0 && url[0] <= ' ' {
		url = url[1:]
	}
	for len(url) > 0 && url[len(url)-1] <= ' ' {
		url = url[:len(url)-1]
	}
	if len(url) == 0 || url[0] == '#' {
		return "", false
	}
	if strings.IndexByte(url, '\n') >= 0 || strings.IndexByte(url, '\t') >= 0 || strings.IndexByte(url, '\r') >= 0 {
		url = strings.Map(func(r rune) rune {
			if r == '\t' || r == '\n' || r == '\r' {
				return -1
			}
			return r
		}, url)
	}
	if n := schemeLen(url); n > 0 {
		switch strings.ToLower(url[:min(n, 6)]) {
		case "http:", "https:", "ftp:":
		default:
			return "", false
		}
	}
	if !utf8.ValidString(url) {
		url = strings.ToValidUTF8(url, "\uFFFD")
	}
	return url, true
}

// schemeLen returns the length of the scheme with its colon, 0 for a relative
// reference.
func schemeLen[T string | []byte](s T) int {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c|0x20 && c|0x20 <= 'z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			return i + 1
		default:
			return 0
		}
	}
	return 0
}

// looksLikeURL is the guess made about strings in scripts: conservative, since
// each wrong guess is a request to somebody's server. It accepts absolute URLs
// with a plausible host, rooted or dotted paths with a second part or an
// extension, and relative paths with a well-known extension; nothing in which something is
// to be filled in, and no names of advertisements (/1234567/name).
func looksLikeURL(s string) bool {
	if len(s) < 4 || len(s) > 2083 || notInURL(s) || placeholder(s) {
		return false
	}
	switch {
	case strings.HasPrefix(s, "http://"), strings.HasPrefix(s, "https://"):
		_, rest, _ := strings.Cut(s, "//")
		return plausibleHost(rest) && !namesVocabulary(rest) && !pattern(rest)
	case strings.HasPrefix(s, "//"):
		return plausibleHost(s[2:]) && !pattern(s)
	case schemeLen(s) > 0, strings.ContainsAny(s, "()*[]"):
		return false
	}
	path := s
	if i := strings.IndexAny(path, "?#"); i >= 0 {
		path = path[:i]
	}
	rel := strings.TrimPrefix(strings.TrimPrefix(path, ".."), ".")
	switch {
	case strings.HasPrefix(rel, "/") && len(rel) > 2:
		return isWordByte(rel[1]) && (strings.IndexByte(rel[1:], '/') > 0 || hasExtension(rel)) && !strings.Contains(rel, "//") && !adUnit(rel) && !inFileSystem(path)
	case rel == path && path != "":
		name, _, _ := strings.Cut(path, "/")
		return isWordByte(path[0]) && (hasKnownExtension(path) || len(name) < len(path) && hasFolderExtension(path)) && !isMIME(path) && (len(name) == len(path) || !strings.Contains(name, "=")) && // file=img/a.png
			strings.IndexByte(path, ';') < 0 // News;news.asp
	}
	return false
}

// namesVocabulary reports the name of one of XML, RDF or JSON, without its scheme, or what a library has to say of its errors: it is not meant to be fetched.
func namesVocabulary(name string) bool {
	for _, of := range [...]string{
		"www.w3.org/", "schema.org", "purl.org/dc/", "purl.org/rss/", "purl.org/syndication/", "purl.org/atom/", "purl.org/vocab/", "purl.org/goodrelations/", "purl.oclc.org/", "ogp.me/ns", "xmlns.", "schemas.", "ns.adobe.com/", "json-schema.org/", "rdfs.org/", "www.sitemaps.org/schemas/", "search.yahoo.com/mrss",
		"a9.com/-/", "www.georss.org/georss", "www.itunes.com/dtds/", "java.sun.com/xml", "java.sun.com/jsp", "java.sun.com/dtd", "jsonapi.org/format", "www.opengis.net/", "openoffice.org/2",
		"www.topografix.com/GPX/", "earth.google.com/kml/", "www.google.com/kml/", "www.eclipse.org/emf/2", "www.eclipse.org/elk/ElkGraph", "www.collada.org/2", "exslt.org/", "www.28msec.com/modules/", "jsoniq.org/func", "mapserver.gis.umn.edu/mapserver", "aomedia.org/emsg/", // names, and below what libraries tell their developers
		"vuejs.org/error-reference/", "lit.dev/msg/", "reactjs.org/docs/error-decoder.html", "reactjs.org/link/", "react.dev/errors/", "fb.me/react-", "angular.io/errors/", "angular.dev/errors/", "svelte.dev/e/", "nextjs.org/docs/messages/",
		"mui.com/production-error/", "redux.js.org/Errors", "momentjs.com/guides/", "datatables.net/tn/", "npms.io/search", "github.com/zloirock/core-js/",
	} {
		if strings.HasPrefix(name, of) {
			return true
		}
	}
	return false
}

// isReference reports a string that can be a reference where one must stand: a word or a path, without
// anything to be filled in.
func isReference(s string) bool {
	if s == "" || len(s) > maxURL || s[0] == '#' || notInURL(s) || placeholder(s) || strings.HasPrefix(s, "about:") {
		return false
	}
	return strings.ContainsFunc(s, func(r rune) bool { return 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9' })
}

// writtenAsAddress reports a value that is meant as an address, where some write names.
func writtenAsAddress(v string) bool {
	return !notInURL(v) && (pathLike(v) || strings.HasPrefix(v, "?") || looksLikeURL(v))
}

// toBeFilled reports an address into which a template has not put what belongs there: {{ }}, ${ }, <% %>.
func toBeFilled(url string) bool {
	if i := strings.IndexByte(url, '{'); i >= 0 && (i > 0 && url[i-1] == '$' || strings.Contains(url[i:], "{{") || strings.Contains(url[i:], "${")) {
		return true
	}
	return strings.Contains(url, "<%")
}

// ofOwnElement reports an attribute of an element that pages define themselves: x-list/@src.
func ofOwnElement(context string) bool {
	element, _, is := strings.Cut(context, "/@")
	return is && strings.IndexByte(element, '-') >= 0
}

// pathLike reports what is no bare module name.
func pathLike(v string) bool {
	return strings.HasPrefix(v, "/") || strings.HasPrefix(v, "./") || strings.HasPrefix(v, "../") || strings.HasPrefix(v, "http")
}

// pattern reports a regular expression, or one of addresses: https://*.example.org/*.
func pattern(s string) bool {
	return strings.Contains(s, "(?") || strings.Contains(s, ".*") || strings.Contains(s, "[^") || strings.Contains(s, "]+") || strings.Contains(s, "]*") ||
		strings.Contains(s, ")?") || strings.HasSuffix(s, "*")
}

// adUnit reports the name of a place for advertisements: a number of at least four digits that is no year, and
// names without an extension.
func adUnit(path string) bool {
	first, rest, _ := strings.Cut(path[1:], "/")
	first, _, _ = strings.Cut(first, ",")
	return len(first) >= 4 && digits([]byte(first)) && rest != "" && !hasExtension(path) &&
		(len(first) > 4 || first[:2] != "19" && first[:2] != "20")
}

// notInURL reports what no address has as it is written: blanks, control characters, brackets, quotes and what was no text.
func notInURL(s string) bool {
	ascii := true
	for i := range len(s) {
		switch c := s[i]; {
		case urlStops[c]:
			return true
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return !ascii && strings.ContainsRune(s, utf8.RuneError)
}

var urlStops = func() (stops [256]bool) {
	for c := range byte(' ' + 1) {
		stops[c] = true
	}
	for _, c := range []byte("\x7F<>\"'`{}|\\^") {
		stops[c] = true
	}
	return stops
}()

func isWordByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c >= 0x80 || c == '%'
}

// plausibleHost wants a name with an inner dot and a top-level domain of letters.
func plausibleHost(s string) bool {
	if i := strings.IndexAny(s, "/?#"); i >= 0 {
		s = s[:i]
	}
	if i := strings.LastIndexByte(s, ':'); i >= 0 {
		s = s[:i]
	}
	dot := strings.LastIndexByte(s, '.')
	if dot < 1 || len(s)-dot < 3 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isWordByte(c) && c != '.' {
			return false
		}
	}
	return s[dot+1] > '9'
}

// hasExtension reports a last path segment such as name.ext, ext of one to five
// letters or digits and not a number.
func hasExtension(path string) bool {
	seg := path[strings.LastIndexByte(path, '/')+1:]
	dot := strings.LastIndexByte(seg, '.')
	if dot < 1 || len(seg)-dot > 6 || len(seg)-dot < 2 {
		return false
	}
	letters := 0
	for _, c := range []byte(seg[dot+1:]) {
		switch {
		case 'a' <= c|0x20 && c|0x20 <= 'z':
			letters++
		case '0' <= c && c <= '9':
		default:
			return false
		}
	}
	return letters > 0
}

func hasKnownExtension(path string) bool {
	if !hasExtension(path) {
		return false
	}
	switch strings.ToLower(path[strings.LastIndexByte(path, '.')+1:]) {
	case "html", "htm", "xhtml", "shtml", "php", "asp", "aspx", "jsp", "css", "js", "mjs", "json", "xml",
		"png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "ico", "pdf", "mp3", "mp4", "webm", "ogg", "m3u8", "mpd",
		"woff", "woff2", "ttf", "swf", "zip", "txt", "wasm", "webmanifest", "vtt", "wav", "m4a", "m4v", "ogv", "oga", "opus", "flac", "otf", "eot", "bmp", "docx", "xlsx", "pptx", "odt", "ods", "epub", "7z":
		return true
	}
	return false
}

// showsFile reports a file that pages are made of.
func showsFile(url string) bool {
	path, _, _ := strings.Cut(url, "?")
	if !hasExtension(path) {
		return false
	}
	switch strings.ToLower(path[strings.LastIndexByte(path, '.')+1:]) {
	case "css", "js", "mjs", "png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "ico", "woff", "woff2", "ttf":
		return true
	}
	return false
}

// hasFolderExtension reports an extension of files that is also the end of other names: it tells a file in a folder.
func hasFolderExtension(path string) bool {
	if !hasExtension(path) {
		return strings.HasSuffix(path, ".geojson")
	}
	switch strings.ToLower(path[strings.LastIndexByte(path, '.')+1:]) {
	case "mov", "avi", "flv", "3gp", "wmv", "wma", "m3u", "midi", "mid", "srt", "ttml", "glb", "gltf", "kml", "kmz", "csv", "tsv", "doc", "xls", "ppt", "rtf", "rar", "tif", "tiff", "cur", "rss", "atom", "cgi", "apk", "xsl":
		return true
	}
	return false
}

// joinRef combines a reference with the base that stands beside it in the same
// document (applet codebase, DASH BaseURL); the result may still be relative to
// the document. Bases too long for a URL are ignored.
func joinRef(base, ref string) string {
	if base == "" || len(base) > maxURL || schemeLen(ref) > 0 || strings.HasPrefix(ref, "//") {
		return ref
	}
	if i := strings.IndexAny(base, "?#"); i >= 0 {
		base = base[:i]
	}
	if strings.HasPrefix(ref, "/") {
		n := schemeLen(base)
		if !strings.HasPrefix(base[n:], "//") {
			return ref
		}
		if i := strings.IndexByte(base[n+2:], '/'); i >= 0 {
			base = base[:n+2+i]
		}
		return base + ref
	}
	return base[:strings.LastIndexByte(base, '/')+1] + ref
}
