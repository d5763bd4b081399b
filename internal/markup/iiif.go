package markup

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// iiif takes the descriptions of pictures that a document of IIIF names the services of: a viewer asks for info.json at each (Image API 3.0, 2.2),
// which tells what else it may ask for.
func (b *builder) iiif(src []byte) {
	if !bytes.Contains(src, []byte("iiif.io/api/image")) && !bytes.Contains(src, []byte(`"ImageService`)) {
		return
	}
	var v any
	if json.Unmarshal(src, &v) == nil {
		b.imageServices(v)
	}
}

func (b *builder) imageServices(v any) {
	if !b.on(1) {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, in := range v {
			b.imageServices(in)
		}
	case map[string]any:
		for _, name := range [...]string{"@id", "id"} { // of 2.x and 3.0
			if id, is := v[name].(string); is && imageService(v) && looksLikeURL(id) {
				b.addString(strings.TrimSuffix(id, "/")+"/info.json", Speculative, "iiif/service")
			}
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			b.imageServices(v[key])
		}
	}
}

// imageService reports an object that is a service of pictures: by its type, its context or what it promises.
func imageService(v map[string]any) bool {
	for _, name := range [...]string{"type", "@type", "@context", "profile"} {
		s, _ := v[name].(string)
		if list, is := v[name].([]any); is && len(list) > 0 {
			s, _ = list[0].(string)
		}
		if strings.HasPrefix(s, "ImageService") || strings.Contains(s, "//iiif.io/api/image/") || strings.Contains(s, "library.stanford.edu/iiif/image-api/") {
			return true
		}
	}
	return false
}
