package markup

import (
	"bytes"
	"cmp"
	"errors"
	"regexp"
	"strings"

	"exclave/internal/script"
)

// scriptFile has a script of another file interpreted with those of the page, when its text is known.
func (p *markupParser) scriptFile(src []byte) {
	if p.b.o.Files == nil || p.kind != HTML || p.notRun() || scriptTypeOf(p.get("type")) != scriptCode {
		return
	}
	if main := p.get("data-main"); len(main) > 0 && len(main) <= maxURL && p.b.quotes == 0 {
		p.b.main, p.b.interprets = string(main), true
	}
	if ref, ok := cleanURL(src); ok && len(ref) <= maxURL {
		p.b.file(ref, isModule(p.get("type")), p.has("defer") || p.has("async"))
	}
}

// requireBase is what a page says before RequireJS of where its modules are: require = {baseUrl: "app"}.
var requireBase = regexp.MustCompile(`\brequire(?:js)?\s*=\s*\{(?s:.{0,999}?)\bbaseUrl["']?\s*:\s*["']([^"']*)["']`)

// mainModule is the address of the module that a page names for RequireJS (data-main).
func (b *builder) mainModule(name string) string {
	name = strings.TrimSuffix(name, ".js") + ".js"
	if name[0] == '/' || strings.ContainsAny(name, ":?") {
		return name
	}
	for i := range b.scripts {
		s := &b.scripts[i]
		if s.file != "" || len(s.src) > maxInline || !bytes.Contains(s.src, []byte("baseUrl")) {
			continue
		}
		if said := requireBase.FindSubmatch(s.src); said != nil && len(said[1]) > 0 {
			return strings.TrimSuffix(string(said[1]), "/") + "/" + name
		}
	}
	return name
}

// file adds the script of another file to those of the page.
func (b *builder) file(ref string, module, late bool) {
	if b.quotes > 0 || b.within || b.unseen > 0 || b.base != "" || len(b.scripts) >= maxScripts {
		return
	}
	if s, err := b.scriptAt(joinRef(b.doc.Base, ref), module); err == nil {
		b.interprets = b.interprets || s.parts
		s.tag, s.late = b.tag(), module || late
		b.scripts = append(b.scripts, s)
	}
}

// fileAt is a file of Options.Files, which is asked for each once.
func (b *builder) fileAt(ref string) ([]byte, string) {
	if f, has := b.fileText[ref]; has {
		return f.text, f.charset
	}
	if len(b.fileText) >= maxScripts {
		return nil, ""
	}
	if b.fileText == nil {
		b.fileText = map[string]fileText{}
	}
	var f fileText
	f.text, f.charset = b.o.Files(ref)
	b.fileText[ref] = f
	return f.text, f.charset
}

// fileText is the text of another file, nil: not known.
type fileText struct {
	text    []byte
	charset string
}

// errNoScript says that there is no text of a script, or that nobody wants it.
var errNoScript = errors.New("no script")

// scriptAt is the script of another file. It is parsed when it puts something together.
func (b *builder) scriptAt(ref string, module bool) (s pageScript, err error) {
	src, charset := b.fileAt(ref)
	if len(src) > maxFile {
		return s, errNoScript
	}
	src, _, _ = decode(JS, src, cmp.Or(charset, b.doc.Charset)) // without one of its own it is in that of the page
	if len(src) == 0 || len(src) > maxFile || noScript(src) {
		return s, errNoScript
	}
	s = pageScript{src: src, module: module, tag: -1, file: ref}
	switch {
	case isRequireJS(src):
		s.loader = true
		return s, nil
	case isJQuery(src), showsViews(src):
		return s, errNoScript
	}
	if s.parts = b.putsTogether(src) || b.usesParts(src) || len(src) <= maxMaker && makes(src) || script.Masked(src) || leads(src) || usesViews(src); s.parts {
		s.read, err = b.o.Scripts.Parse(src, module)
	}
	return s, err
}

// isRequireJS reports the library, which the interpreter has itself.
func isRequireJS(src []byte) bool {
	return bytes.Contains(src, []byte("data-main")) && bytes.Contains(src, []byte("requirejs")) && bytes.Contains(src, []byte("urlArgs"))
}

// isJQuery reports jQuery alone, which the interpreter has itself.
func isJQuery(src []byte) bool {
	const head, tail = 600, 800
	begins := src[:min(len(src), head)]
	return (bytes.Contains(begins, []byte("jQuery v")) || bytes.Contains(begins, []byte("jQuery JavaScript Library"))) && bytes.Contains(src[max(0, len(src)-tail):], []byte("noConflict"))
}

// showsViews reports Alpine, petite-vue or Knockout alone, of which the interpreter does itself what pages want of them (ADR 117).
func showsViews(src []byte) bool {
	const head, tail = 600, 600
	switch {
	case bytes.Contains(src[:min(len(src), head)], []byte("Knockout JavaScript library")): // no bundle that begins with it
		return bytes.Contains(src[max(0, len(src)-tail):], []byte("jqueryTmplTemplateEngine"))
	case bytes.Contains(src, []byte("alpine:initializing")) && bytes.Contains(src, []byte("x-teleport can only")): // as it warns
		return len(src) < maxFile && !bytes.Contains(src, []byte(".data(\"")) && !bytes.Contains(src, []byte(".data('"))
	}
	return bytes.Contains(src, []byte("v-scope")) && bytes.Contains(src, []byte("vue:unmounted"))
}

// usesViews reports a script that gives a library what attributes of the page show.
func usesViews(src []byte) bool {
	for _, call := range [...]string{"new Vue(", "createApp(", "Alpine.data(", "Alpine.store(", "applyBindings("} {
		if bytes.Contains(src, []byte(call)) {
			return true
		}
	}
	return false
}

// loaded is a script that scripts of the page load, or import, and its number; nil: its text is not known.
func (b *builder) loaded(address string, module bool) (*script.Script, int) {
	if len(b.scripts) >= maxScripts {
		return nil, 0
	}
	s, err := b.scriptAt(address, module)
	if err == nil && s.read == nil && !s.loader {
		s.read, err = b.o.Scripts.Parse(s.src, module)
	}
	if err != nil {
		return nil, 0
	}
	b.scripts = append(b.scripts, s)
	return s.read, len(b.scripts) - 1
}

// answer is what a server said of an address that scripts read the answer of, when its text is known.
func (b *builder) answer(address string) string {
	src, charset := b.fileAt(address)
	if len(src) == 0 || len(src) > maxOwn {
		return ""
	}
	src, _, _ = decode(JSON, src, charset)
	if len(src) > maxOwn {
		return ""
	}
	return string(src)
}
