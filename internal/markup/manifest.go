package markup

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// manifest reads a web application manifest (W3C): its pictures are embeds, its
// start page and shortcuts are pages.
func (b *builder) manifest(src []byte) {
	type image struct {
		Src string `json:"src"`
	}
	var m struct {
		Icons       []image `json:"icons"`
		Screenshots []image `json:"screenshots"`
		StartURL    string  `json:"start_url"`
		Name        string  `json:"name"`
		Shortcuts   []struct {
			URL   string  `json:"url"`
			Icons []image `json:"icons"`
		} `json:"shortcuts"`
	}
	if err := json.Unmarshal(src, &m); err != nil {
		// A field of the wrong type leaves the others readable.
		b.doc.Err = fmt.Errorf("markup: parse manifest: %w", err)
	}
	b.doc.Title = collapse([]byte(m.Name), maxTitle)
	images := func(list []image, context string) {
		for _, i := range list {
			b.add([]byte(i.Src), Embed, context)
		}
	}
	images(m.Icons, "manifest/icons")
	images(m.Screenshots, "manifest/screenshots")
	b.add([]byte(m.StartURL), Nav, "manifest/start_url")
	for _, s := range m.Shortcuts {
		b.add([]byte(s.URL), Nav, "manifest/shortcuts")
		images(s.Icons, "manifest/icons")
	}
	var also struct { // of some browsers, and not settled
		Related []struct {
			URL string `json:"url"`
		} `json:"related_applications"`
		NoteTaking struct {
			NewNoteURL string `json:"new_note_url"`
		} `json:"note_taking"`
		TabStrip struct {
			HomeTab struct {
				Icons []image `json:"icons"`
			} `json:"home_tab"`
		} `json:"tab_strip"`
		Widgets []struct {
			Template    string  `json:"ms_ac_template"`
			Data        string  `json:"data"`
			Icons       []image `json:"icons"`
			Screenshots []image `json:"screenshots"`
		} `json:"widgets"`
		Translations map[string]struct {
			Icons []image `json:"icons"`
		} `json:"translations"`
		ServiceWorker image `json:"serviceworker"`
		FileHandlers  []struct {
			Action string  `json:"action"`
			Icons  []image `json:"icons"`
		} `json:"file_handlers"`
		ShareTarget struct {
			Action string `json:"action"`
			Method string `json:"method"`
		} `json:"share_target"`
	}
	_ = json.Unmarshal(src, &also) // home_tab may be a word
	for _, r := range also.Related {
		b.add([]byte(r.URL), Nav, "manifest/related_applications")
	}
	b.add([]byte(also.NoteTaking.NewNoteURL), Nav, "manifest/note_taking")
	images(also.TabStrip.HomeTab.Icons, "manifest/icons")
	for _, w := range also.Widgets {
		b.add([]byte(w.Template), Embed, "manifest/widgets")
		b.add([]byte(w.Data), Embed, "manifest/widgets")
		images(w.Icons, "manifest/icons")
		images(w.Screenshots, "manifest/screenshots")
	}
	for _, language := range slices.Sorted(maps.Keys(also.Translations)) {
		images(also.Translations[language].Icons, "manifest/icons")
	}
	images([]image{also.ServiceWorker}, "manifest/serviceworker")
	for _, h := range also.FileHandlers {
		b.add([]byte(h.Action), Nav, "manifest/file_handlers")
		images(h.Icons, "manifest/icons")
	}
	if !strings.EqualFold(also.ShareTarget.Method, "post") {
		b.add([]byte(also.ShareTarget.Action), Nav, "manifest/share_target")
	}
}
