package benchweb

import (
	"bytes"
	"fmt"
	"net/netip"
	"strconv"
)

// style is how the pages of a host of a deep web are addressed. Most of them have
// something that traps have too.
type style int

const (
	plainStyle   style = iota
	dateStyle          // /2021/04/17/muzeum-16.html
	forumStyle         // /viewtopic.php?f=3&t=16
	cmsStyle           // /index.php?option=com_content&view=article&Itemid=12&id=16
	pagesStyle         // /les/strana-16/
	folderStyle        // /cs/mesto/kultura/les/archiv/muzeum-16.html
	shopStyle          // /zbozi.php?razeni=cena&id=16
	sessionStyle       // plain, but links between pages have a session id, a new one in each answer; with Traps
	styles
)

func (w *Web) style(h int) style {
	if !w.p.Deep {
		return plainStyle
	}
	s := style(w.hash(forSlug, h, -1) % uint64(styles))
	if s == sessionStyle && !w.p.Traps {
		return plainStyle
	}
	return s
}

// appendStyled adds the path of a page behind its first slash.
func (w *Web) appendStyled(b []byte, n node, section, slug string) []byte {
	r := w.hash(forSlug, n.h, n.i) >> 16
	switch w.style(n.h) {
	case dateStyle:
		b = fmt.Appendf(b, "%d/%02d/%02d/%s-%d.html", 2005+r%20, 1+r>>8%12, 1+r>>16%28, slug, n.i)
	case forumStyle:
		b = fmt.Appendf(b, "viewtopic.php?f=%d&t=%d", 1+n.h%9, n.i)
	case cmsStyle:
		b = fmt.Appendf(b, "index.php?option=com_content&view=article&Itemid=%d&id=%d", 1+r%40, n.i)
	case pagesStyle:
		b = fmt.Appendf(b, "%s/strana-%d/", section, n.i)
	case folderStyle:
		b = fmt.Appendf(b, "cs/mesto/kultura/%s/archiv/%s-%d.html", section, slug, n.i)
	case shopStyle:
		b = fmt.Appendf(b, "zbozi.php?razeni=cena&id=%d", n.i)
	default:
		b = fmt.Appendf(b, "%s/%s-%d.html", section, slug, n.i)
	}
	return b
}

const sessionKey = "PHPSESSID="

// appendSession adds a session id to the address of a page: another one for each answer
// (salt) and link (k).
func (w *Web) appendSession(b []byte, from, to node, salt uint64, k int) []byte {
	if w.style(to.h) != sessionStyle || from.h != to.h || to.kind != HTML || to.i == 0 || to.private {
		return b
	}
	sep := byte('?')
	if i := bytes.LastIndexByte(b, '/'); bytes.IndexByte(b[i+1:], '?') >= 0 {
		sep = '&'
	}
	id := mix(w.hash(forSession, from.h, from.i)^salt, uint64(k))
	return fmt.Appendf(append(b, sep), "%s%016x%016x", sessionKey, id, mix(id, 1))
}

// cutSession takes the session id out of a target, and returns a number that follows
// from it.
func cutSession(target []byte) (without []byte, salt uint64) {
	i := bytes.LastIndex(target, []byte(sessionKey))
	if i < 1 {
		return target, 0
	}
	for _, c := range target[i+len(sessionKey):] {
		salt = mix(salt, uint64(c))
	}
	return target[:i-1], salt
}

// chained reports whether the blocks of a host are a chain, each known from the one
// before, as the pages of a list are.
func (w *Web) chained(h int) bool { return w.p.Deep && w.hash(forRefs, h, -1)%3 == 0 }

// fan is how many blocks the page of a block leads to.
func (w *Web) fan(h int) int {
	if w.chained(h) {
		return 1
	}
	return blockFan
}

// How many references a page of a deep web has beside those that make resources known.
const (
	deepMenu  = 2
	deepLinks = 3
)

// appendFar is appendMore of a deep web: the menu has the first pages only, links within
// the host lead to pages before, and half of the pages lead elsewhere, to a root mostly.
func (w *Web) appendFar(b []ref, n node) []ref {
	for k := range min(deepMenu, w.blocks(n.h)) {
		b = append(b, ref{w.node(n.h, k*blockSize), Anchor})
	}
	if w.frameset(n) {
		return b
	}
	for k := range deepLinks {
		r := w.hash(forRefs, n.h, n.i*64+k)
		b = append(b, ref{w.node(n.h, int(r%uint64(n.block()+1))*blockSize), Anchor})
	}
	if r := w.hash(forRefs, n.h, n.i*64+32); r&1 == 0 {
		to := w.elsewhere(n, r>>1)
		if root := w.node(to.h, 0); r>>1&3 != 0 && w.national(root) == w.national(to) {
			to = root
		}
		b = append(b, ref{to, Anchor})
	}
	return b
}

// address is the IP address of a host of a deep web.
func (w *Web) address(h int) netip.Addr {
	if w.chance(w.p.SharedAddress, forAddress, h, 0) {
		return loopback(9, int(w.hash(forAddress, h, 1)%uint64(1+w.p.Hosts/20)))
	}
	return loopback(1, h)
}

// loopback is the n-th address of 127.net.0.0/16.
func loopback(net byte, n int) netip.Addr {
	return netip.AddrFrom4([4]byte{127, net, byte(n >> 8), byte(n)})
}

// seed reports whether a page of a deep web is a seed.
func (w *Web) seed(n node) bool {
	if n.kind != HTML || n.slot() != 0 || w.own(n.h) {
		return false
	}
	share := w.p.SeedShare
	if w.national(n) {
		share *= 3
	}
	return w.chance(share, forSeed, n.h, n.i)
}

// deepSeeds are the seeds of a deep web; the root of the first host when there would be
// none.
func (w *Web) deepSeeds() []string {
	var seeds []string
	for h := range w.p.Hosts {
		for i := 0; i < w.size(h); i += blockSize {
			if w.seed(w.node(h, i)) {
				seeds = append(seeds, w.url(h, i))
			}
		}
	}
	if len(seeds) == 0 {
		seeds = append(seeds, w.url(0, 0))
	}
	return seeds
}

// ints are the numbers in a text.
func ints(text string) (n []int) {
	for i := 0; i < len(text); i++ {
		j := i
		for j < len(text) && '0' <= text[j] && text[j] <= '9' {
			j++
		}
		if j > i {
			v, err := strconv.Atoi(text[i:j])
			if err == nil {
				n = append(n, v)
			}
			i = j
		}
	}
	return n
}
