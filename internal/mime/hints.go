package mime

import "strings"

// Hints are what the contexts of the links to a file let a browser expect of it, as a set: the
// more links are known, the more there are. Values are stored in the state; never renumber.
type Hints uint8

// The hints.
const (
	HintCSS      Hints = 1 << iota // rel=stylesheet, @import
	HintScript                     // a script element, a module, an import
	HintManifest                   // rel=manifest
	HintPlaylist                   // a variant of an HLS playlist
	endHints
)

// HintsOf returns what the context of a link, as internal/markup writes it
// ("link/@href[rel=stylesheet]", "css/@import", "script/@src"), lets expect.
func HintsOf(context string) Hints {
	switch {
	case context == "" || strings.HasPrefix(context, "a/") || strings.HasPrefix(context, "img/"): // nearly all
		return 0
	case strings.Contains(context, "rel=stylesheet"), strings.Contains(context, "as=style"), strings.HasPrefix(context, "css/@import"):
		return HintCSS
	case strings.Contains(context, "rel=manifest"):
		return HintManifest
	case strings.HasPrefix(context, "script/"), strings.HasPrefix(context, "js/import"),
		strings.Contains(context, "rel=modulepreload"), strings.Contains(context, "as=script"):
		return HintScript
	case strings.HasPrefix(context, "hls/variant"):
		return HintPlaylist
	}
	return 0
}

// typ returns the type that a single hint names.
func (h Hints) typ() string {
	switch h {
	case HintCSS:
		return "text/css"
	case HintScript:
		return "text/javascript"
	case HintManifest:
		return "application/manifest+json"
	}
	return "application/vnd.apple.mpegurl"
}
