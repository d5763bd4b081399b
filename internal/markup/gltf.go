package markup

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"maps"
	"slices"
)

// gltf reads a model (glTF 1.0 and 2.0), also in its binary form: the buffers, pictures and programs that are in other files, and addresses written out.
func (b *builder) gltf(src []byte) {
	if bytes.HasPrefix(src, []byte("glTF")) { // 2.0, chapter 4: a header, and a chunk of JSON
		if len(src) < 20 {
			return
		}
		src = src[20:][:min(int(binary.LittleEndian.Uint32(src[12:])), len(src)-20)]
	}
	var parts map[string]json.RawMessage
	_ = json.Unmarshal(src, &parts) // what is not JSON has none
	type part struct {
		URI string `json:"uri"`
	}
	for _, name := range []string{"buffers", "images", "shaders"} {
		var list []part
		if json.Unmarshal(parts[name], &list) != nil { // 1.0 gives them names
			named := map[string]part{}
			_ = json.Unmarshal(parts[name], &named)
			for _, key := range slices.Sorted(maps.Keys(named)) {
				list = append(list, named[key])
			}
		}
		for _, p := range list {
			b.addString(p.URI, Embed, "gltf/"+name)
		}
	}
	b.guessIn(src, "json/text")
}
