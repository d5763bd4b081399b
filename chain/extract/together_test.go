package extract

import (
	"context"
	"slices"
	"testing"

	"exclave/internal/markup"
	"exclave/internal/urlx"
)

// web is an archive, with what led to each address.
type web struct {
	bodies map[string]string
	via    map[string]string
	asked  int
}

func (w *web) Body(_ context.Context, u *urlx.URL, most int64) ([]byte, string) {
	w.asked++
	b, ok := w.bodies[u.String()]
	if !ok {
		return nil, ""
	}
	return []byte(b[:min(int64(len(b)), most)]), "utf-8"
}

func (w *web) PageOf(_ context.Context, u *urlx.URL) *urlx.URL {
	if to, err := urlx.Parse(w.via[u.String()]); err == nil {
		return to
	}
	return u
}

// A page is read with its scripts, and a script with its page, whichever of them comes later (ADR 114).
func TestScriptsWithPage(t *testing.T) {
	const page, conf, load = "http://a.cz/d/", "http://a.cz/d/conf.js", "http://b.cz/load.js"
	bodies := map[string]string{
		page: `<!doctype html><script src=conf.js></script><script src="http://b.cz/load.js"></script><p data-icon=car></p>`,
		conf: `window.CONF = {base: "img/", list: "items"}`,
		load: `document.querySelectorAll("p").forEach(function (p) { new Image().src = CONF.base + p.dataset.icon + ".png" }); game.setPath("assets/"); fetch("assets/" + "levels/one.json")`,
	}
	types := map[string]string{page: "text/html", conf: "text/javascript", load: "text/javascript"}
	const together, assets, level = "http://a.cz/d/img/car.png", "http://a.cz/d/assets/levels/one.json", "http://a.cz/d/levels/one.json"
	for _, order := range [][]string{{page, conf, load}, {page, load, conf}, {conf, load, page}, {page}, {page, load}} {
		archive := &web{bodies: map[string]string{}}
		room := NewRoom(DefaultDocuments())
		room.With(archive)
		c := DefaultConfig()
		c.Room = room
		found := map[string]string{}
		for _, url := range order {
			u := answer(t, url, "200 OK", "Content-Type: "+types[url]+"\r\n", bodies[url])
			if url != page {
				u.Hops, u.Via, u.Context = "LE", page, "script/@src"
			}
			process(t, u, NewMarkup(c, markup.HTML), NewMarkup(c, markup.JS))
			for _, o := range u.Outlinks {
				found[o.URL.String()] = url
			}
			archive.bodies[url] = bodies[url]
		}
		if _, is := found[together]; is != (len(order) == 3) {
			t.Errorf("%v: found together: %v", order, is)
		}
		if _, is := found[assets]; is != slices.Contains(order, load) {
			t.Errorf("%v: %s: %v", order, assets, is)
		}
		if _, is := found[level]; is {
			t.Errorf("%v: %s is a part of another", order, level)
		}
		if slices.Contains(order, conf) && order[0] == page && found["http://a.cz/d/conf.js"] != page {
			t.Errorf("%v: %v", order, found)
		}
	}
}

// Scripts that a script led to are relative to the page, too; names in bundles to the bundle.
func TestScriptsOfScripts(t *testing.T) {
	archive := &web{via: map[string]string{"http://a.cz/js/main.js": "http://a.cz/d/"}}
	room := NewRoom(DefaultDocuments())
	room.With(archive)
	c := DefaultConfig()
	c.Room = room
	u := answer(t, "http://a.cz/js/app/map.js", "200 OK", "Content-Type: text/javascript\r\n", `x.src = "img/pin.png"; a = ["./part.mjs", "app/chunk.0d9c8b7a.js"]; import("./q.mjs")`)
	u.Hops, u.Via, u.Context = "LEX", "http://a.cz/js/main.js", "js/string"
	process(t, u, NewMarkup(c, markup.JS))
	var got []string
	for _, o := range u.Outlinks {
		got = append(got, o.URL.String())
	}
	slices.Sort(got)
	if want := []string{"http://a.cz/d/img/pin.png", "http://a.cz/js/app/chunk.0d9c8b7a.js", "http://a.cz/js/app/part.mjs", "http://a.cz/js/app/q.mjs"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if archive.asked > 0 {
		t.Errorf("%d bodies were asked for", archive.asked)
	}
}
