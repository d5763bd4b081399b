package verify

import (
	"cmp"
	"maps"
	"slices"

	"exclave/chain/post"
	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/crawllog"
	"exclave/internal/job/lines"
)

// recounted are the statistics that crawl.log yields.
type recounted struct {
	known    map[string]frontier.Tally // types that have a row; only read
	types    map[string]frontier.Tally // by the name crawl.log has
	statuses map[crawl.Status]frontier.Tally
}

// newRecounted has a row for each type that has one in the state.
func newRecounted(types map[string]frontier.Tally) recounted {
	r := recounted{types: map[string]frontier.Tally{}, statuses: map[crawl.Status]frontier.Tally{}}
	for kind := range types {
		r.types[post.Field(kind)] = frontier.Tally{}
	}
	r.known = maps.Clone(r.types)
	return r
}

// empty returns one that counts the same types, to be added.
func (r *recounted) empty() recounted {
	return recounted{known: r.known, types: map[string]frontier.Tally{}, statuses: map[crawl.Status]frontier.Tally{}}
}

// add adds what another one counted.
func (r *recounted) add(o *recounted) {
	for k, y := range o.types {
		t := r.types[k]
		t.Add(y)
		r.types[k] = t
	}
	for k, y := range o.statuses {
		t := r.statuses[k]
		t.Add(y)
		r.statuses[k] = t
	}
}

// count adds a line of crawl.log. Types without a row of their own in the state
// are counted as others, so that memory is bounded as the state's is.
func (r *recounted) count(e crawllog.Entry) {
	if e.Facts().Judged {
		return // nothing was fetched
	}
	y := lines.Visit(e)
	kind := e.MIME
	if _, ok := r.known[kind]; !ok {
		kind = frontier.OtherTypes
	}
	t := r.types[kind]
	t.Add(y)
	r.types[kind] = t
	s := r.statuses[crawl.Status(e.Status)]
	s.Add(y)
	r.statuses[crawl.Status(e.Status)] = s
}

// statistics compares the tallies of the state with those of crawl.log.
func (v *verifier) statistics() error {
	whole, err := v.State.Counted()
	if err != nil || !whole {
		return err // an older program wrote the first lines
	}
	types := map[string]frontier.Tally{}
	for kind, y := range v.State.Types() {
		t := types[post.Field(kind)]
		t.Add(y)
		types[post.Field(kind)] = t
	}
	differ(v, "type", types, v.recounted.types)
	differ(v, "status", v.State.Statuses(), v.recounted.statuses)
	return nil
}

func differ[K cmp.Ordered](v *verifier, what string, state, log map[K]frontier.Tally) {
	keys := maps.Clone(state)
	maps.Copy(keys, log)
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		if state[k] != log[k] {
			v.bad("statistics", "%s %v: the state counts %+v, crawl.log has %+v", what, k, state[k], log[k])
		}
	}
}
