package benchweb

// Unreached stands for a resource that no seed leads to, or robots.txt or the scope
// keeps a job of the nation's library from.
const Unreached = -1

// Clicks returns for each resource, by number, the least number of links that lead there
// from a seed, or Unreached. A redirect is no click, nor is what a page embeds: that, and
// what its scripts have the address of, is reached from national pages only, since a job
// parks it until it archives the page. Of a deep web the hosts of the nation's own domain
// are left out, too.
// Via is the resource before it on such a way, Unreached for a seed.
func (w *Web) Clicks() (clicks, via []int) {
	clicks, via = make([]int, w.p.Resources), make([]int, w.p.Resources)
	for i := range clicks {
		clicks[i], via[i] = Unreached, Unreached
	}
	var now, next []int
	for _, u := range w.Seeds() {
		if id, ok := w.Find(u); ok {
			clicks[id] = 0
			now = append(now, id)
		}
	}
	var refs []ref
	for far := 0; len(now) > 0; far++ {
		for k := 0; k < len(now); k++ {
			id := now[k]
			if clicks[id] != far {
				continue // it was found on a shorter way since
			}
			n := w.nodeOf(id)
			refs = w.appendRefs(refs[:0], n)
			for _, r := range refs {
				parked := (r.by.embeds() || r.by == ScriptString) && n.kind == HTML && !w.national(n)
				if parked || r.to.private || w.p.Deep && w.own(r.to.h) {
					continue
				}
				to, free := w.base[r.to.h]+r.to.i, r.by.embeds() || r.by == Location
				switch at := clicks[to]; {
				case free && (at == Unreached || at > far):
					clicks[to], via[to] = far, id
					now = append(now, to)
				case !free && at == Unreached:
					clicks[to], via[to] = far+1, id
					next = append(next, to)
				}
			}
		}
		now, next = next, now[:0]
	}
	return clicks, via
}
