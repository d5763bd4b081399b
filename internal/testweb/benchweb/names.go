package benchweb

import (
	"bytes"
	"strconv"
	"strings"
)

// words are parts of addresses.
func words() []string {
	return strings.Fields("archiv budova cesta divadlo epocha fara galerie hora industrie jaro kaple les muzeum noviny obec potok " +
		"rybnik skola tabor ulice vesnice zahrada atlas bridge castle delta engine forest garden harbour island journal kitchen library")
}

// ownDomain is the nation's own, which a job of its library leaves out.
const ownDomain = "cz"

// own reports whether a host is of the nation's own domain.
func (w *Web) own(h int) bool { return strings.HasSuffix(w.hosts[h], "."+ownDomain) }

func domains() []string { return strings.Fields("com net org eu info de at sk pl com org net") }

// nameHosts makes the names of all hosts and says where each begins among all
// resources.
func (w *Web) nameHosts() {
	p, vocabulary, ends := w.p, words(), domains()
	if p.Deep {
		ends = append(ends, ownDomain)
	}
	w.hosts, w.origins = make([]string, p.Hosts), make([]string, p.Hosts)
	w.index, w.secure = make(map[string]int, p.Hosts), make([]bool, p.Hosts)
	weights, sum := make([]int, p.Hosts), 0
	for h := range p.Hosts {
		n := w.hash(forHostWord, h, 0)
		name := vocabulary[n%uint64(len(vocabulary))] + "-" + strconv.Itoa(h) + "." + ends[n>>32%uint64(len(ends))]
		if n>>60 < 8 {
			name = "www." + name
		}
		w.secure[h] = w.chance(p.TLS, forScheme, h, 0)
		w.hosts[h], w.index[name], w.origins[h] = name, h, "http://"+name
		if w.secure[h] {
			w.origins[h] = "https://" + name
		}
		// One host in eight is large.
		weights[h] = 2 + int(w.hash(forHostSize, h, 0)%4)
		if w.hash(forHostSize, h, 1)%8 == 0 {
			weights[h] *= 5
		}
		sum += weights[h]
	}
	w.base = make([]int, p.Hosts+1)
	spare := p.Resources - p.Hosts // each host has one at least
	seen := 0
	for h := range p.Hosts {
		seen += weights[h]
		w.base[h+1] = h + 1 + int(int64(spare)*int64(seen)/int64(sum))
	}
}

// size is the number of resources of a host.
func (w *Web) size(h int) int { return w.base[h+1] - w.base[h] }

func (w *Web) blocks(h int) int { return (w.size(h) + blockSize - 1) / blockSize }

// extension of the path, by kind.
func extension(k Kind) string {
	switch k {
	case JPEG:
		return ".jpg"
	case Font:
		return ".woff2"
	case Video:
		return ".mp4"
	case Audio:
		return ".mp3"
	case Track:
		return ".vtt"
	case Manifest:
		return ".webmanifest"
	case Redirect, Error:
		return ""
	}
	return "." + string(k)
}

func folder(k Kind) string {
	switch k {
	case HTML, PDF:
		return ""
	case JPEG, PNG, SVG:
		return "img/"
	case CSS, JS, Font, Manifest:
		return "static/"
	case Redirect:
		return "go/"
	case Error:
		return "old/"
	}
	return "media/"
}

// appendPath adds the path of a node as it is requested. Its last number after a
// "-" or "=" is the index.
func (w *Web) appendPath(b []byte, n node) []byte {
	slug := w.words[w.hash(forSlug, n.h, n.i)%uint64(len(w.words))]
	section := w.words[(n.h*7+n.block())%len(w.words)]
	b = append(b, '/')
	switch {
	case n.i == 0:
		return b
	case n.private:
		b = append(b, "private/"...)
	case n.slot() == 1 && n.variant == variantUTF8:
		b = append(b, utf8Escaped...)
		return append(strconv.AppendInt(b, int64(n.i), 10), ".html"...)
	case w.p.Deep && n.kind == HTML && w.style(n.h) != plainStyle:
		return w.appendStyled(b, n, section, slug)
	case n.kind == HTML && n.slot() == 0 && n.variant%3 == 2:
		return strconv.AppendInt(append(b, "clanek.php?id="...), int64(n.i), 10)
	case n.slot() == 1 && n.variant == variantQuery:
		b = append(append(b, section...), "/detail?lang=en&item="...)
		return strconv.AppendInt(b, int64(n.i), 10)
	default:
		b = append(append(append(b, folder(n.kind)...), section...), '/')
	}
	b = append(append(b, slug...), '-')
	b = strconv.AppendInt(b, int64(n.i), 10)
	return append(b, extension(n.kind)...)
}

// A folder with letters beyond ASCII, as requested and as pages write it.
const (
	utf8Escaped = "%C4%8D%C3%AD%C5%88an/str%C3%A1nka-"
	utf8Written = "číňan/stránka-"
)

// find returns the node at a path (with query) of a host.
func (w *Web) find(h int, path []byte) (node, bool) {
	if len(path) == 1 && path[0] == '/' {
		return w.node(h, 0), true
	}
	at := bytes.LastIndexAny(path, "-=")
	if at < 0 {
		return node{}, false
	}
	i := 0
	for _, c := range path[at+1:] {
		if c < '0' || c > '9' || i > 1<<32 {
			break
		}
		i = i*10 + int(c-'0')
	}
	if i < 1 || i >= w.size(h) {
		return node{}, false
	}
	n := w.node(h, i)
	var buf [160]byte
	return n, bytes.Equal(w.appendPath(buf[:0], n), path)
}

// url returns the address of the index-th resource of a host.
func (w *Web) url(h, i int) string {
	var buf [200]byte
	return string(w.appendPath(append(buf[:0], w.origins[h]...), w.node(h, i)))
}
