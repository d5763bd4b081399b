package script

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2/js"
)

// Use is what a script does with a text.
type Use uint8

const (
	Made   Use = iota // it put the text together and gives it to what is not known
	Asked             // it asks for the address
	Reads             // it asks for the address, and reads the answer
	Module            // it imports the address, or asks for it relative to itself
	Worker            // it starts the script as a worker
	Goes              // it goes to the address
	Markup            // it makes elements of the text
	Writes            // it writes the text into the document
	Style             // it is a style sheet, or the value of a property in one
	Set               // it is the value of a srcset attribute
)

// Found is a text that scripts made, or asked for.
type Found struct {
	Use      Use
	Text     string // at most 64 KiB; parts that are not known are Hole
	Literal  bool   // it stands in a script as it is
	Relative bool   // to the script
	Script   int    // which asked for it, as Run calls it
	Base     string // what it is relative to when the page says that it is somewhere else now
	text     *text
}

// Hole stands in a text for what is not known. Scripts mark places by the first control characters themselves.
const Hole = '\x0e'

// Limits of all scripts of a page together.
const (
	bytesPerStep = 4  // expressions and statements
	bytesPerByte = 16 // of texts that are put together
	moreBytes    = 256 << 10
	maxText      = 64 << 10 // bytes of one text
	maxFound     = 6000
	maxDepth     = 1000    // expressions and statements in each other, calls included
	maxCalls     = 48      // functions in functions: much deeper is what is called over and over since something is not known
	maxAgain     = 2       // calls of a function in each other, when nobody knows whether it calls itself again
	maxProtos    = 64      // objects that have what another has
	maxJobs      = 512     // callbacks that wait
	jobSteps     = 4       // that a callback takes by itself
	maxItems     = 4096    // of a list
	maxChoices   = 16      // values that one may have
	maxUncalled  = 256     // functions that nothing calls
	maskedSteps  = 300_000 // more for one script of a page that an obfuscator made: it has a list of its strings, which it decodes first
)

// effort is how many steps the scripts of a page have on top of those for their length, and how many in a row may find nothing: of a function
// that nothing calls, of a callback, and of a script itself. jobs is how many callbacks are called, of which maxJobs in a row may find nothing.
type effort struct{ steps, uncalled, callback, script, jobs int }

// ordinary is that of a page which is read for itself. Together with what else is known of it, it is read once for each of these, and may have a whole
// framework that must be set up before it does anything.
func ordinary() effort { return effort{40_000, 2500, 2500, 10_000, maxJobs} }
func together() effort { return effort{400_000, 10_000, 150_000, 200_000, 16 * maxJobs} }

// Script is a script that was understood.
type Script struct {
	src     []byte
	ast     *js.AST
	module  bool
	nth     int
	handler bool
	at      uint32 // where the start tag of its element begins
	placed  bool
	event   string  // that a handler is for
	from    string  // the address of the file in which it is; "": it stands in the page
	file    string  // the address of what is read without its page; "": not known
	el      *object // that a script made for it
	of      []byte  // of one in a cache: what it was parsed of
}

// Parse divides a script into its parts. An error says where it is none.
func Parse(src []byte, module bool) (*Script, error) { return (*Cache)(nil).Parse(src, module) }

// ParseHandler is Parse for the code of an event.
func ParseHandler(src []byte, event string) (*Script, error) {
	return (*Cache)(nil).ParseHandler(src, event)
}

// In says where in the page's source the start tag of its element begins: of the script, or of what has the handler.
func (s *Script) In(at uint32) { s.at, s.placed = at, true }

// Alone says which file a script is that is read without its page.
func (s *Script) Alone(address string) { s.file = address }

// From says which file the script is.
func (s *Script) From(address string) { s.from = address }

// Page is what the scripts of a page share. It is not for several goroutines.
type Page struct {
	mem         *memory
	effort      effort
	steps, made int
	floor       int // steps that are left when patience is lost
	patience    int
	lost        int // how often it was since something was found
	asked       int // steps since stop was asked
	depth       int
	calls       int
	changes     *[]change // of the branch that is read
	base        int       // conditions around it, and its own
	tries       int       // conditions around the innermost try, and 1; 0: there is none
	withs       bool      // there are with statements
	nothing     bool      // what was read last is surely none
	weak        int       // conditions that are not known, around what is read
	now         *frame
	script      *Script

	global   *object
	protos   map[string]*object
	extended []string // the interfaces of elements whose prototypes a script asked for
	reading  *Script  // the script of the page that is read where it stands
	written  []func() // the scripts in files that it wrote, which run behind it
	doc      *document
	literals map[*js.LiteralExpr]*text
	jobs     []func()
	acts     []func() // what persons set off, after all else
	person   bool     // that has begun
	watches  []*watch
	found    []Found
	matched  struct {
		of *text
		at []int // of what a regular expression found last
	}
	picture  bool    // what is found is the address of one
	pictures []int   // of found: what is relative to where the page is when the script has ended (HTML standard 4.8.4.3.5, step 8)
	all      []*text // that were put together
	idle     []*object
	choices  int
	stop     func() bool
	stopped  bool
	ending   bool // what is read ends, and whatever it is in
	ran      []*Script
	trees    map[*js.AST]struct{} // of those that were interpreted
	masked   bool                 // steps were given for a script that an obfuscator made
	dead     map[literal]bool     // strings that stand in what is never run alone; nil: not looked yet
	used     map[literal]bool     // false: something else is done with it as well

	hosted     map[string]value
	listeners  []listener
	dispatched map[*object]bool
	jqFn       *object
	natives    map[nativeKey]*object
	machines   map[string]*regex // nil: not known
	matcher    matcher
	unasked    []*generator
	yielders   map[js.IStmt]bool
	symbols    map[string]*object
	templates  map[*js.TemplateExpr]*object
	tables     tables
	amd        *amd
	answers    answers
	files      files
	views      *views  // nil: there are none
	worker     *worker // that the page is; nil: it is none
	workers    int     // that were started
}

// literal is a string and the script in which it stands: -1 elsewhere in the page, less in an answer (firstAnswer).
type literal struct {
	script int
	s      string
}

// New returns a page. stop, when not nil, is asked now and then; true ends everything.
func New(source Source, stop func() bool) *Page {
	p := &Page{effort: ordinary(), literals: map[*js.LiteralExpr]*text{}, stop: stop, protos: map[string]*object{}}
	p.mem = memories.Get().(*memory)
	p.global = &object{class: classWindow}
	p.now = &frame{env: &env{}, this: p.global, top: true}
	p.used = map[literal]bool{}
	if source.File != nil {
		p.effort = together()
	}
	if source.Tags == nil {
		source.Tags = &StartTags{}
	}
	p.doc = &document{source: source, wrapped: map[any]*object{}}
	return p
}

// Run interprets a script, which knows what those before it said. nth is what Used calls it by; -1: nobody asks.
func (p *Page) Run(nth int, s *Script) {
	p.start()
	p.steps += len(s.src) / bytesPerStep
	p.made += bytesPerByte * len(s.src)
	if s.module && p.files.modules[s.from] != nil {
		return // another has imported it
	}
	s = p.ownTree(s)
	s.nth = nth
	p.script = s
	if nth >= 0 {
		p.ran = append(p.ran, s)
	}
	most, patience := p.steps/2, p.effort.script
	if !p.masked && Masked(s.src) {
		p.masked = true
		p.steps += maskedSteps
		most, patience = most+maskedSteps, maskedSteps
	}
	before := p.person
	p.person = before || s.handler && byPerson(s.event)
	if s.placed && !s.module && !s.handler {
		p.reading = s
	}
	defer func() { p.person, p.reading = before, nil }()
	p.job(most, patience, func() {
		p.now = p.frameOf(s)
		if s.handler {
			if p.hosted == nil {
				p.hosted = map[string]value{}
			}
			p.hosted["event"] = p.event(s.event, p.now.this)
		}
		if s.module && s.from != "" {
			p.now.exports = p.object()
			if p.files.modules == nil {
				p.files.modules = map[string]*object{}
			}
			p.files.modules[s.from] = p.now.exports
		}
		p.readScript(s)
	})
	for i := 0; i < len(p.written); i++ { // they may write others
		p.job(p.steps/2+1, p.effort.script, p.written[i])
	}
	p.written = nil
}

// start gives the page the steps that it has for itself.
func (p *Page) start() {
	if p.steps == 0 && p.made == 0 {
		p.steps, p.made = p.effort.steps, moreBytes
	}
}

// ownTree returns a script with a tree that no other of the page has: what is known of its strings is kept by their places in it. A cache gives one
// to all that are the same.
func (p *Page) ownTree(s *Script) *Script {
	if _, has := p.trees[s.ast]; has {
		if own, err := parseCode(s.src, js.Options{Inline: s.handler}); err == nil {
			one := *s
			one.src, one.ast = own.src, own.ast
			s = &one
		}
	}
	if p.trees == nil {
		p.trees = map[*js.AST]struct{}{}
	}
	p.trees[s.ast] = struct{}{}
	return s
}

// Masked reports a script with names as obfuscators give them: _0x3fcb.
func Masked(src []byte) bool { return bytes.Contains(src, []byte("_0x")) }

// thisOf is what this is in a script: the element in code of its events.
func (p *Page) thisOf(s *Script) value {
	if !s.handler {
		return p.global
	}
	if s.placed {
		return p.elementAt(s.at)
	}
	return unknown{}
}

// job does something that takes at most so many steps, and so many in a row that find nothing. What it throws ends it alone.
func (p *Page) job(most, patience int, do func()) {
	left := max(p.steps-most, 0)
	p.steps -= left
	p.patience = patience >> p.lost
	p.floor = max(p.steps-p.patience, 0)
	var moves *pageAt // what an event says of the place holds no longer than it
	if w := p.doc.place; w != nil && patience < p.effort.script {
		moves = &pageAt{at: w.at, moved: w.moved}
	}
	now, weak, changes, base, tries := p.now, p.weak, p.changes, p.base, p.tries
	p.changes, p.base, p.tries = nil, 0, 0
	defer func() {
		p.ending = false
		if p.steps > 0 && p.steps <= p.floor && p.lost < 6 {
			p.lost++
		}
		p.steps += left
		if len(p.pictures) > 0 {
			p.placePictures()
		}
		p.now, p.weak, p.depth, p.calls, p.changes, p.base, p.tries = now, weak, 0, 0, changes, base, tries
		if w := p.doc.place; w != nil && moves != nil {
			w.at, w.moved = moves.at, moves.moved
		}
		switch r := recover().(type) {
		case nil:
		case outOfSteps, thrown:
		default:
			rethrow(r)
		}
	}()
	do()
}

// step counts a piece of work.
func (p *Page) step() {
	if p.steps--; p.steps <= p.floor || p.stopped {
		p.ends()
	}
	if p.asked++; p.asked&0x7ff == 0 && p.stop != nil && p.stop() {
		p.stopped = true
		p.ends()
	}
}

// cost counts work of as many pieces as there are of something.
func (p *Page) cost(n int) {
	p.floor = max(p.floor-n, 0) // nobody waits for a single piece
	if p.steps -= n; p.steps <= 0 {
		p.ends()
	}
}

// down goes one deeper into what is in something else; who calls it goes up again.
func (p *Page) down() {
	if p.depth++; p.depth > maxDepth {
		p.ends()
	}
}

// Finish does what waits: callbacks, handlers of events, and functions that nothing called.
func (p *Page) Finish() {
	done, barren, found := 0, 0, 0
	work := func() {
		for ; len(p.jobs)+len(p.acts) > 0 && done < p.effort.jobs && barren < maxJobs && p.steps > 0; done++ {
			if barren++; len(p.found) > found { // what sets itself off again ends
				barren, found = 0, len(p.found)
			}
			if len(p.jobs) == 0 {
				p.jobs, p.acts = p.acts[:1:1], p.acts[1:]
				p.person = true
			}
			job := p.jobs[0]
			p.jobs = p.jobs[1:]
			p.steps -= jobSteps
			p.job(p.steps/2+1, p.effort.callback, job)
		}
	}
	work()
	p.askAll()
	work()
	p.unwatched()
	work()
	for range maxPasses {
		if p.views == nil {
			break
		}
		p.showViews()
		p.askAll()
		if len(p.jobs)+len(p.acts) == 0 {
			break
		}
		work()
	}
	for i := 0; i < len(p.idle) && i < maxUncalled && p.steps > 0; i++ {
		if f := p.idle[i]; !f.fn.called {
			p.job(p.steps/8+1, p.effort.uncalled, func() {
				p.weak++
				p.call(f, p.receiver(f), p.unknowns(f))
			})
			p.askAll()
			work()
		}
	}
	if p.doc.open != nil {
		p.job(p.steps, p.effort.callback, func() { p.sink(Writes, p.doc.open) })
	}
	p.sum()
}

// sum looks at what became of the texts.
func (p *Page) sum() {
	for _, t := range p.all {
		if !t.consumed && !t.sunk && len(t.s) > 3 && strings.ContainsAny(t.s, "/.<(") && !pieceOfPath(t) {
			p.add(Made, t)
		}
	}
	for _, t := range p.literals {
		switch _, known := p.used[literal{t.from, t.s}]; {
		case t.sunk && t.moved && !t.stayed && !t.given && !known: // it is not relative to the page
			p.used[literal{t.from, t.s}] = true
		case t.sunk || t.given:
			p.used[literal{t.from, t.s}] = false
		case t.looked && !known:
			p.used[literal{t.from, t.s}] = true
		}
	}
}

// pieceOfPath reports the name of a file that was taken from its address, to be shown, and what a query has of one: "/a/b.pdf".split("/").pop(),
// "/a?b=c.json".split("=")[1].
func pieceOfPath(t *text) bool {
	from := t
	for n := 0; len(from.parts) == 1 && n < maxDepth; n++ {
		from = from.parts[0]
	}
	if from == t || !from.lit && !strings.Contains(from.s, "://") { // where a script itself is
		return false
	}
	whole := from.s
	i := strings.Index(whole, t.s)
	return i > 0 && (whole[i-1] == '/' || whole[i-1] == '=' && strings.IndexByte(whole[:i], '?') >= 0) || i == 0 && len(t.s) < len(whole) && whole[len(t.s)] == '.'
}

// Found returns what was found, in the order in which it was.
func (p *Page) Found() []Found { return p.found }

// Accept notes that a text is an address, or has some: what it was put together of is part of one and none by itself.
func (p *Page) Accept(f Found) {
	if f.text != nil {
		p.accept(f.text, f.text.s, true, 0)
	}
}

func (p *Page) accept(t *text, in string, whole bool, depth int) {
	if t.accepted || depth > maxDepth {
		return
	}
	t.accepted = !whole
	if t.lit && !whole && !t.sunk && !t.given && !isParameter(t.s, in) {
		if _, known := p.used[literal{t.from, t.s}]; !known {
			p.used[literal{t.from, t.s}] = true
		}
	}
	for _, part := range t.parts {
		p.accept(part, in, false, depth+1)
	}
}

// isParameter reports a whole address that stands in the parameters of another: /share?url=https://a.cz/b.
func isParameter(s, in string) bool {
	if !strings.HasPrefix(s, "http") || !strings.Contains(s, "://") {
		return false
	}
	i := strings.Index(in, s)
	if i < 0 {
		return strings.Contains(in, "%3A%2F%2F")
	}
	before := in[:i]
	return strings.IndexByte(before[strings.LastIndexAny(before, "\"'<> ")+1:], '?') >= 0
}

// Used reports that a string in the i-th script, or elsewhere in the page for -1, is a part of what was accepted, and nothing else.
func (p *Page) Used(script int, s string) bool { return p.used[literal{script, s}] }

// Parts returns the strings of the i-th script that are parts of what was accepted, and nothing else.
func (p *Page) Parts(script int) (all []string) {
	for at, part := range p.used {
		if part && at.script == script {
			all = append(all, at.s)
		}
	}
	return all
}

// Given reports that something was done with a string in the i-th script, or that what is not known got it.
func (p *Page) Given(script int, s string) bool {
	part, known := p.used[literal{script, s}]
	return known && !part
}

func (p *Page) add(use Use, t *text) {
	p.floor, p.lost = max(p.steps-p.patience, 0), 0
	if len(p.found) >= maxFound || len(t.s) > maxText || t.own && (use == Made || use == Goes) && p.shared(t.s, use) {
		return
	}
	f := Found{Use: use, Text: strings.ReplaceAll(t.s, Key, string(Hole)), Literal: t.lit && t.from >= 0, Relative: t.module, Script: p.script.nth, text: t}
	if w := p.doc.place; w != nil && w.moved {
		f.Base = p.baseURL().String()
	}
	if p.picture {
		p.pictures = append(p.pictures, len(p.found))
	} else {
		t.asked(f.Base)
	}
	p.found = append(p.found, f)
}

// placePictures says what the pictures are relative to that a script set: where it left the page.
func (p *Page) placePictures() {
	base := ""
	if w := p.doc.place; w != nil && w.moved {
		base = p.baseURL().String()
	}
	for _, i := range p.pictures {
		p.found[i].Base = base
		p.found[i].text.asked(base)
	}
	p.pictures = p.pictures[:0]
}

// imported is what a module is imported by, as an import map has it.
func (p *Page) imported(t *text) *text {
	if p.doc.source.Map == nil || !t.known() {
		return t
	}
	if to := p.doc.source.Map(t.s); to != t.s {
		return p.make(to, t)
	}
	return t
}

// isMapped reports a name that an import map of the page gives an address.
func (p *Page) isMapped(t *text) bool {
	return p.doc.source.Map != nil && t.known() && p.doc.source.Map(t.s) != t.s
}

// sink notes what a script does with a value.
func (p *Page) sink(use Use, v value) {
	p.steps--
	switch v := v.(type) {
	case *text:
		if code, is := strings.CutPrefix(v.s, "javascript:"); is {
			t := p.derive(code, v)
			p.jobs = append(p.jobs, func() { p.code(t, p.global) })
			return
		}
		p.steps -= len(v.s) / 64
		if !slices.Contains(v.uses[:], use+1) {
			for i, u := range v.uses {
				if u == 0 {
					v.uses[i] = use + 1
					break
				}
			}
			v.sunk = true
			if use == Module {
				to := p.imported(v)
				switch at := ""; {
				case to != v: // as the page has it
					to.consumed = true
					to = p.whole(to)
				case p.script.from != "" && !v.lit:
					if at = p.addressOf(v); at != "" {
						to = p.make(at, v)
					}
				}
				if to != v {
					to.sunk = true
					p.add(use, to)
					return
				}
			}
			p.add(use, v)
		}
	case *choice:
		for _, v := range v.vals {
			p.sink(use, v)
		}
		if t, is := v.rest.(*text); is && t.known() {
			p.sink(use, t)
		}
	case *object:
		switch v.class {
		case classURL:
			p.sink(use, p.textOf(v))
		case classPhantom:
			if t, is := v.host.(*text); is { // a blob
				p.sink(Markup, t)
			}
		case classRequest:
			p.sink(use, v.get("url"))
		case classPlain:
			if t, is := p.converted(v, "string"); is {
				p.sink(use, t)
			}
		}
	}
}
