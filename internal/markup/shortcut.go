package markup

import (
	"bytes"
	"strings"
)

// shortcut reads files of desktops that lead to a page: those of Windows ([InternetShortcut]) and of freedesktop.org ([Desktop Entry], Type=Link).
func (b *builder) shortcut(src []byte) {
	section := ""
	for line := range bytes.Lines(src) {
		if !b.on(len(line)) {
			return
		}
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] == '[' {
			section = strings.ToLower(string(line[:min(len(line), maxName)]))
			continue
		}
		key, value, is := bytes.Cut(line, []byte("="))
		if !is || section != "[internetshortcut]" && section != "[desktop entry]" {
			continue
		}
		ref := string(bytes.TrimSpace(value))
		switch strings.ToLower(string(bytes.TrimSpace(key[:min(len(key), maxName)]))) {
		case "url":
			b.addString(ref, Nav, "shortcut/url")
		case "iconfile", "icon":
			if strings.HasPrefix(ref, "http") { // others are of the computer
				b.addString(ref, Embed, "shortcut/icon")
			}
		}
	}
}
