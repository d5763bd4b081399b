package fetch

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"exclave/internal/markup"
	"exclave/internal/urlx"
)

// loginForm is a form of a login page.
type loginForm struct {
	sending
	id, charsets string // of its attributes id and accept-charset
	controls     []*control

	names    []string // of its controls, also of those that are not sent or not seen
	seen     []string // names of those that are, the first
	required []string // names of those without which a browser does not send it
	secret   bool     // one is of type password
}

// sending is where and how a form is sent, as its attributes say, or those of the button.
type sending struct{ action, method, enctype string }

// control is an element of a form that may be sent (HTML standard, 4.10.2).
type control struct {
	element, typ, name, value string
	checked, disabled         bool
	options                   []option
	multiple                  bool
	list                      bool   // a select element that shows several options: it may have none
	dir                       string // name of a field for the direction of the text
	sending                   sending
}

// option is one of a select element.
type option struct {
	value              string
	selected, disabled bool
}

// entry is a name and a value that a form sends (HTML standard, 4.10.22.4).
type entry struct {
	name, value string
	file        bool // none was chosen
}

// loginPage is a page with the forms it has; the first is what stands in none.
type loginPage struct {
	forms   []*loginForm
	at      *urlx.URL
	base    string // href of its first base element, "" = none
	charset string
}

// readPage reads a page, or its beginning.
func readPage(body []byte, charset string, at *urlx.URL) loginPage {
	d := markup.Parse(markup.HTML, body, markup.Options{DeclaredCharset: charset, MaxLinks: 1, MaxText: 1, KeepSource: true, MaxSource: 2 * maxForm})
	return loginPage{formsOf(d.Source), at, d.Base, cmp.Or(d.QueryCharset, d.Charset)}
}

// formReader reads the forms of a page off its tags.
type formReader struct {
	forms []*loginForm
	open  *loginForm // what controls belong to; the standard's form element pointer
	sets  []fieldset
	inert int // template and datalist elements around

	list     *control // the select element that is open
	group    bool     // its optgroup is disabled
	text     *strings.Builder
	ofOption bool // text is that of an option, or else of a textarea element
	area     *control
	named    []namedControl
}

// fieldset is one that is open.
type fieldset struct{ disabled, legend, hadLegend bool }

// namedControl is a control that names its form.
type namedControl struct {
	*control
	form     string
	required bool
	before   *loginForm
}

// formsOf reads the forms of a page's source; the first is what stands in none.
func formsOf(source string) []*loginForm {
	r := formReader{forms: []*loginForm{{sending: sending{method: "post"}}}}
	z := html.NewTokenizer(strings.NewReader(source))
	z.SetMaxBuf(2 * maxForm)
	for {
		switch z.Next() {
		case html.ErrorToken:
			r.end()
			return r.forms
		case html.TextToken:
			if r.text != nil && r.text.Len() < maxForm {
				r.text.WriteString(z.Token().Data)
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			if t.DataAtom == atom.Noscript {
				z.NextIsNotRawText() // no script is run
			}
			r.start(attributes(t))
		case html.EndTagToken:
			r.close(z.Token().DataAtom)
		}
	}
}

// tag is a start tag with its attributes, of several of a name the first.
type tag struct {
	atom  atom.Atom
	attrs map[string]string
}

func attributes(t html.Token) tag {
	m := map[string]string{}
	for _, a := range t.Attr {
		if _, twice := m[a.Key]; !twice {
			m[a.Key] = a.Val
		}
	}
	return tag{t.DataAtom, m}
}

func (t tag) has(key string) bool { _, ok := t.attrs[key]; return ok }

func (r *formReader) start(t tag) {
	switch t.atom {
	case atom.Template, atom.Datalist:
		r.inert++
	case atom.Fieldset:
		r.sets = append(r.sets, fieldset{disabled: t.has("disabled")})
	case atom.Legend:
		if n := len(r.sets); n > 0 {
			r.sets[n-1].legend, r.sets[n-1].hadLegend = !r.sets[n-1].hadLegend, true
		}
	case atom.Form:
		if r.open == nil && r.inert == 0 { // there is no form in a form
			r.open = &loginForm{sending: sending{t.attrs["action"], strings.ToLower(t.attrs["method"]), strings.ToLower(t.attrs["enctype"])}, id: t.attrs["id"], charsets: t.attrs["accept-charset"]}
			r.forms = append(r.forms, r.open)
		}
	case atom.Optgroup:
		r.endText()
		r.group = t.has("disabled")
	case atom.Option:
		r.endText()
		if r.list != nil {
			r.list.options = append(r.list.options, option{t.attrs["value"], t.has("selected"), r.group || t.has("disabled")})
			if !t.has("value") {
				r.text, r.ofOption = new(strings.Builder), true
			}
		}
	case atom.Input, atom.Button, atom.Select, atom.Textarea:
		r.endText()
		r.list = nil
		if r.inert == 0 {
			r.control(t)
		}
	}
}

func (r *formReader) close(a atom.Atom) {
	switch a {
	case atom.Template, atom.Datalist:
		r.inert = max(r.inert-1, 0)
	case atom.Fieldset:
		r.sets = r.sets[:max(len(r.sets)-1, 0)]
	case atom.Legend:
		if n := len(r.sets); n > 0 {
			r.sets[n-1].legend = false
		}
	case atom.Form:
		if r.inert == 0 {
			r.open = nil
		}
	case atom.Option, atom.Textarea:
		r.endText()
	case atom.Optgroup:
		r.endText()
		r.group = false
	case atom.Select:
		r.endText()
		r.list, r.group = nil, false
	}
}

// endText gives what was written to whose it is.
func (r *formReader) endText() {
	if r.text == nil {
		return
	}
	text := r.text.String()
	r.text = nil
	switch {
	case !r.ofOption:
		r.area.value = strings.TrimPrefix(text, "\n")
	case r.list != nil:
		r.list.options[len(r.list.options)-1].value = strings.Join(strings.Fields(text), " ")
	}
}

func (r *formReader) control(t tag) {
	c := &control{element: t.atom.String(), typ: strings.ToLower(t.attrs["type"]), name: t.attrs["name"], value: t.attrs["value"], checked: t.has("checked"), disabled: t.has("disabled"),
		multiple: t.has("multiple"), dir: t.attrs["dirname"], sending: sending{t.attrs["formaction"], strings.ToLower(t.attrs["formmethod"]), strings.ToLower(t.attrs["formenctype"])}}
	for _, s := range r.sets {
		c.disabled = c.disabled || s.disabled && !s.legend
	}
	switch t.atom {
	case atom.Select:
		size, err := strconv.Atoi(t.attrs["size"])
		c.list = c.multiple || err == nil && size > 1
		r.list, r.group = c, false
	case atom.Textarea:
		r.area, r.text, r.ofOption = c, new(strings.Builder), false
	case atom.Input:
		switch {
		case t.has("value"):
		case c.typ == "checkbox" || c.typ == "radio":
			c.value = "on"
		case c.typ == "submit":
			c.value = "Submit"
		}
	}
	form := t.attrs["form"]
	if !t.has("form") {
		form = "\x00" // no id
	}
	r.named = append(r.named, namedControl{c, form, t.has("required"), r.open})
}

// end gives every control to its form.
func (r *formReader) end() {
	r.endText()
	for _, c := range r.named {
		f := c.before
		if c.form != "\x00" {
			f = nil
			if i := slices.IndexFunc(r.forms, func(f *loginForm) bool { return f.id == c.form && c.form != "" }); i >= 0 {
				f = r.forms[i]
			}
		}
		if f == nil {
			f = r.forms[0]
		}
		f.add(c.control, c.required)
	}
}

func (f *loginForm) add(c *control, required bool) {
	f.controls = append(f.controls, c)
	f.secret = f.secret || c.typ == "password"
	if c.name == "" || c.element == "button" {
		return
	}
	f.names = append(f.names, c.name)
	if c.typ != "hidden" && c.typ != "submit" && len(f.seen) < 20 {
		f.seen = append(f.seen, c.name)
	}
	if required {
		f.required = append(f.required, c.name)
	}
}

func (f *loginForm) has(name string) bool { return f != nil && slices.Contains(f.names, name) }

// submits reports whether the control is a button that sends its form.
func (c *control) submits() bool {
	if c.element == "button" {
		return c.typ != "reset" && c.typ != "button"
	}
	return c.element == "input" && (c.typ == "submit" || c.typ == "image")
}

// submitter is the button that the form is sent by: one that is named, or else the first; nil: it has none.
func (f *loginForm) submitter(named map[string]string) (first *control) {
	for _, c := range f.controls {
		if !c.submits() || c.disabled {
			continue
		}
		if _, is := named[c.name]; is {
			return c
		}
		if first == nil {
			first = c
		}
	}
	return first
}

// entries are what the form sends by a button (HTML standard, 4.10.22.4); charset is what it is sent in.
func (f *loginForm) entries(by *control, charset string) (out []entry) {
	add := func(name, value string) { out = append(out, entry{name: name, value: value}) }
	for _, c := range f.controls {
		button := c.submits() || c.element == "button" || c.typ == "button" || c.typ == "reset"
		switch {
		case c.disabled, button && c != by, (c.typ == "checkbox" || c.typ == "radio") && c.element == "input" && !c.checked:
		case c.element == "input" && c.typ == "image":
			prefix := ""
			if c.name != "" {
				prefix = c.name + "."
			}
			add(prefix+"x", "0")
			add(prefix+"y", "0")
		case c.name == "":
		case c.element == "select":
			for _, value := range c.chosen() {
				add(c.name, value)
			}
		case c.typ == "file" && c.element == "input":
			out = append(out, entry{name: c.name, file: true})
		case c.typ == "hidden" && strings.EqualFold(c.name, "_charset_"):
			add(c.name, charset)
		default:
			add(c.name, c.value)
			if c.dir != "" {
				add(c.dir, "ltr")
			}
		}
	}
	return out
}

// chosen are the values of the options that are selected, and may be (4.10.7).
func (c *control) chosen() (out []string) {
	for _, o := range c.options {
		switch {
		case !o.selected:
		case !c.multiple: // the last one counts
			out = nil
			fallthrough
		default:
			if !o.disabled {
				out = append(out, o.value)
			}
		}
	}
	if slices.ContainsFunc(c.options, func(o option) bool { return o.selected }) || c.list {
		return out
	}
	if i := slices.IndexFunc(c.options, func(o option) bool { return !o.disabled }); i >= 0 {
		return []string{c.options[i].value}
	}
	return nil
}

// set has a field have one value, where the form has it or behind all others.
func set(all []entry, name, value string) []entry {
	i := slices.IndexFunc(all, func(e entry) bool { return e.name == name })
	if i < 0 {
		return append(all, entry{name: name, value: value})
	}
	all[i] = entry{name: name, value: value}
	return append(all[:i+1], slices.DeleteFunc(all[i+1:], func(e entry) bool { return e.name == name })...)
}

// filled is the request that sends a form of a page, nil for the page without one, with the values of the account. A form that is sent with GET has
// them in the address: one that says so. One that names no method is most often a script's, and browsers' GET would have the password in servers' logs.
func (a *account) filled(p loginPage, f *loginForm, to *urlx.URL) (*urlx.URL, ask, error) {
	how := sending{method: "post"}
	var all []entry
	charset := encodingOf("", p.charset)
	if f != nil {
		how, to = f.sending, p.at
		charset = encodingOf(f.charsets, p.charset)
		by := f.submitter(a.Fields)
		all = f.entries(by, charset.name)
		if by != nil {
			how = sending{cmp.Or(by.sending.action, how.action), cmp.Or(by.sending.method, how.method), cmp.Or(by.sending.enctype, how.enctype)}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.Fields)) {
		all = set(all, name, a.Fields[name])
	}
	all = set(set(all, a.UserField, a.User), a.PasswordField, a.password())
	if how.action != "" {
		base := p.at
		if p.base != "" {
			if b, err := p.at.Resolve(p.base); err == nil && b.IsWeb() {
				base = b
			}
		}
		var err error
		if to, err = base.ResolveCharset(how.action, p.charset); err != nil {
			return nil, ask{}, err
		}
	}
	if how.method == "get" {
		if !to.IsWeb() {
			return to, ask{}, nil
		}
		path, _, _ := strings.Cut(to.WithoutFragment().PathQuery(), "?")
		to, err := to.Resolve(path + "?" + charset.urlencoded(all))
		return to, ask{secret: true}, err
	}
	q := ask{method: "POST", secret: true}
	q.typ, q.body = charset.encode(how.enctype, all)
	return to, q, nil
}
