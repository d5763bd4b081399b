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
				if !w.way(n, r) {
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

// way reports whether a job can come from a resource to what it refers to.
func (w *Web) way(from node, r ref) bool {
	parked := (r.by.embeds() || r.by == ScriptString) && from.kind == HTML && !w.national(from)
	return !parked && !r.to.private && !(w.p.Deep && w.own(r.to.h))
}

// MaxRun is the longest row of pages that Runs tells from longer ones.
const MaxRun = 8

// Runs returns for each resource, by number, how many pages in a row that are not national
// a job must go through to come there from a seed, on the way with the fewest: 0 … MaxRun,
// Unreached as in Clicks and for more.
func (w *Web) Runs() []int {
	runs := make([]int, w.p.Resources)
	for i := range runs {
		runs[i] = Unreached
	}
	for most := range MaxRun + 1 {
		w.within(most, runs)
	}
	return runs
}

// within sets the runs that are not known yet of what is reached through at most so many
// pages in a row.
func (w *Web) within(most int, runs []int) {
	least := make([]int, w.p.Resources) // pages in a row just before a resource, plus 1; 0 = not reached
	var line []int
	reach := func(id, run int) {
		if least[id] != 0 && least[id] <= run+1 {
			return
		}
		least[id] = run + 1
		line = append(line, id)
		if runs[id] == Unreached {
			runs[id] = most
		}
	}
	for _, u := range w.Seeds() {
		if id, ok := w.Find(u); ok {
			reach(id, 0)
		}
	}
	var refs []ref
	for k := 0; k < len(line); k++ {
		n, run := w.nodeOf(line[k]), least[line[k]]-1
		switch {
		case n.kind == Redirect:
		case n.kind == HTML && !w.national(n):
			run++
		default:
			run = 0
		}
		if run > most {
			continue
		}
		refs = w.appendRefs(refs[:0], n)
		for _, r := range refs {
			if w.way(n, r) {
				reach(w.base[r.to.h]+r.to.i, run)
			}
		}
	}
}
